/* The samples of a part of the time, of profiles whose samples have times: a numeric label `time` in a unit of
 * time, as those of perf script have. */
#ifndef REP_PROFILE_TIMERANGE_H
#define REP_PROFILE_TIMERANGE_H

#include "base/err.h"
#include "decode/profile.h"
#include "spans/filter.h"

/* Keeps the samples from text->from on and before text->to, counted from the first sample, and sets the
 * profile's duration to that of the range. Samples without a time are removed; *timeless is how many these were.
 * Returns 0, or TP_EFORMAT or TP_ENOENT with a sentence: no sample has a time, or the range is wrong, or beyond
 * the last sample. */
int rep_profile_keep_range(struct tp_profile *p, const struct rep_filter_text *text,
			   size_t *timeless, struct tp_err *err);

/* Divides the time from a profile's first sample to its last into n equal parts, and calls `put` for each while
 * the profile has only the samples of that part, which begins from_ns after the first sample; `put` may change
 * these. No samples are left afterwards; *timeless is how many had no time and were in no part. Returns 0,
 * TP_ENOMEM, TP_EFORMAT if no sample has a time, or what `put` returned. */
int rep_profile_each_part(struct tp_profile *p, size_t n,
			  int (*put)(void *ctx, int64_t from_ns, struct tp_err *err), void *ctx,
			  size_t *timeless, struct tp_err *err);

#endif
