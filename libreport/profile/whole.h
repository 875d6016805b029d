/* Limits reports that write every stack with all its frames.
 *
 * In a dump every stack lists its frames, so the file's size limits them. In a store stacks share
 * their callers: a hostile store of one megabyte can hold 100,000 nested frames with a sample at
 * each, which would be five billion lines of a report. */
#ifndef REP_PROFILE_WHOLE_H
#define REP_PROFILE_WHOLE_H

#include "base/err.h"
#include "decode/profile.h"

/* Returns 0, or TP_ELIMIT with a sentence if the stacks of the samples are deeper on average than
 * those of any real program. */
int rep_stacks_whole(const struct tp_profile *p, struct tp_err *err);

#endif
