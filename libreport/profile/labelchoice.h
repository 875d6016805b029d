/* Which labels a profile has, in words: for whoever asked for one that it has not. */
#ifndef REP_PROFILE_LABELCHOICE_H
#define REP_PROFILE_LABELCHOICE_H

#include "base/buf.h"
#include "decode/profile.h"

/* Appends, without a NUL, the first values of `key` ("state is running, select and 3 more"); where
 * there is no such key, the keys; of key NULL, keys with values. `used` says by number which label
 * sets count. Texts are the dump's, and cut. TP_ENOMEM. */
int rep_label_choice(const struct tp_profile *p, const bool *used, const char *key,
		     struct tp_buf *out);

#endif
