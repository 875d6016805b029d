/* Several profiles as one, and one minus another. */
#ifndef REP_PROFILE_MERGE_H
#define REP_PROFILE_MERGE_H

#include <stddef.h>

#include "base/err.h"
#include "decode/profile.h"

/* How a profile takes part in a sum. */
struct rep_merge_part {
	const struct tp_profile *profile;
	/* Values are multiplied by it (per sample type where ratios is not NULL, else all by ratio),
	 * truncated like pprof does; 1: taken as they are. */
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

#endif
