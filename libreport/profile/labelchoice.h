/* Lists the labels of a profile, for a note about a filter that matched none. */
#ifndef REP_PROFILE_LABELCHOICE_H
#define REP_PROFILE_LABELCHOICE_H

#include "base/buf.h"
#include "decode/profile.h"

/* Appends, without a NUL, the first values of `key` ("state is running, select and 3 more"), or the
 * keys if no label has this key or it is "", or keys with values if `key` is NULL. used[i] says whether label
 * set i counts. Texts come from the dump and are cut. Returns 0 or TP_ENOMEM. */
int rep_label_choice(const struct tp_profile *p, const bool *used, const char *key,
		     struct tp_buf *out);

#endif
