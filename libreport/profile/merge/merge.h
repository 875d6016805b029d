/* Several profiles as one, and one minus another. */
#ifndef REP_PROFILE_MERGE_H
#define REP_PROFILE_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "decode/profile.h"

/* How a profile takes part in a sum. */
struct rep_merge_part {
	const struct tp_profile *profile;
	/* Values are multiplied by it (per sample type where ratios is not NULL, else all by
	 * ratio), rounded as pprof does; 1: taken as they are. */
	double ratio;
	const double *ratios;
	/* A label that is put on all of its samples, NULL for none: pprof's -diff_base marks the
	 * base with key "pprof::base", text "true". */
	const char *label_key, *label_text;
};

/* The sum, as pprof merges (profile.Merge): sample types that all have in common, in the order of
 * the first; units brought to the finest of each type; samples with equal stacks and labels added
 * up, in order of first appearance; samples whose values are all 0 left out; mappings that are the
 * same file merged; duration added up, time the earliest. One part alone is copied without merging
 * its samples. *sum is the caller's. TP_EFORMAT with a sentence where sample types have nothing in
 * common. */
int rep_profile_merge(const struct rep_merge_part *parts, size_t n, struct tp_profile **sum,
		      struct tp_err *err);

/* The same bit by bit, for many profiles in little memory: `add` needs its profile only during the
 * call. One part alone is still not merged with itself unless `always`. Sums of sums are right: in
 * the order of the parts, they equal one sum over all. */
struct rep_merger;
int rep_merger_new(struct rep_merger **m, bool always, struct tp_err *err);
int rep_merger_add(struct rep_merger *m, const struct rep_merge_part *part, struct tp_err *err);
/* *sum is the caller's; the merger is empty afterwards. TP_EFORMAT where nothing was added. */
int rep_merger_finish(struct rep_merger *m, struct tp_profile **sum, struct tp_err *err);
void rep_merger_free(struct rep_merger *m);

#endif
