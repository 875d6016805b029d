/* Adds up profiles. */
#ifndef REP_PROFILE_MERGE_H
#define REP_PROFILE_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "decode/profile.h"

/* One profile of a sum. */
struct rep_merge_part {
	const struct tp_profile *profile;
	/* Values are multiplied by these, one for each sample type, or by `ratio` if `ratios` is
	 * NULL; rounded as pprof does. 1 leaves them as they are. */
	double ratio;
	const double *ratios;
	/* The next part may have the same dictionary, with more in it; it is not freed before. */
	bool dict_stays;
	/* Put the label pprof::base=true on all of its samples, as pprof's -diff_base does. */
	bool base;
};

/* Makes the sum of profiles, as pprof merges them (profile.Merge). It has the sample types that all
 * parts have, in the order of the first part, each in the finest unit; samples with equal stacks
 * and labels are added up, in order of first appearance; samples whose values are all 0 are left
 * out; mappings of the same file are merged; durations are added up, and the time is the earliest.
 * A single part is copied without merging its samples. *sum belongs to the caller. Returns
 * TP_EFORMAT with a sentence if the parts have no sample type in common. */
int rep_profile_merge(const struct rep_merge_part *parts, size_t n, struct tp_profile **sum,
		      struct tp_err *err);

/* A merger makes the same sum one part at a time, for many profiles in little memory: each profile
 * is needed only during rep_merger_add. The samples of a single part are not merged, unless
 * `always`. Sums of sums, in the order of the parts, equal one sum of all. */
struct rep_merger;
int rep_merger_new(struct rep_merger **m, bool always, struct tp_err *err);
int rep_merger_add(struct rep_merger *m, const struct rep_merge_part *part, struct tp_err *err);
/* Forgets the dictionary that stays (dict_stays), before it is freed. */
void rep_merger_forget(struct rep_merger *m);
/* *sum belongs to the caller; the merger is empty afterwards. Returns TP_EFORMAT if nothing was
 * added. */
int rep_merger_finish(struct rep_merger *m, struct tp_profile **sum, struct tp_err *err);
void rep_merger_free(struct rep_merger *m);

#endif
