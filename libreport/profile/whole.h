/* May the stacks of a profile be written out, each with all its frames?
 *
 * A dump has room for the frames that it names. A store that was made up has not: its stacks share
 * their callers, so that 100,000 frames in a row with a sample at each are a megabyte of store, and
 * five billion lines of a report. */
#ifndef REP_PROFILE_WHOLE_H
#define REP_PROFILE_WHOLE_H

#include "base/err.h"
#include "decode/profile.h"

/* 0; TP_ELIMIT with a sentence where the samples' stacks are deeper, on the average, than any
 * program's. */
int rep_stacks_whole(const struct tp_profile *p, struct tp_err *err);

#endif
