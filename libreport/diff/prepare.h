/* Prepares loaded profiles for a diff: filters them and keeps their sums from before filtering. */
#ifndef REP_DIFF_PREPARE_H
#define REP_DIFF_PREPARE_H

#include "diff/diff.h"
#include "profile/filter.h"
#include "profile/options.h"

/* Makes a side of n profiles, which must be released in every case. Returns 0 or TP_ENOMEM. */
int rep_diff_side_profiles(struct rep_diff_side *side, struct tp_profile *const *profiles, size_t n,
			   struct tp_err *err);

/* Filters the profiles of a side in place, by the frame and sample filters of `opt`, and sets the
 * sums of its runs. `notes` collects remarks that hold for all of them ("--focus matches nothing").
 * Returns 0, TP_EFORMAT for invalid expressions, TP_ENOMEM or TP_ELIMIT. */
int rep_diff_prepare(struct rep_diff_side *side, const struct rep_profile_options *opt,
		     struct rep_filter_notes *notes, struct tp_err *err);

/* Computes the sum of the absolute changes of all stacks with their labels: the 100 % of shares
 * with pprof's -base. Must be called before rep_diff_prepare(). `opt` gives sample type and
 * normalisation. */
int rep_diff_change_weight(const struct rep_diff_side *old, const struct rep_diff_side *new,
			   const struct rep_diff_options *opt,
			   const struct rep_profile_options *filters, int64_t *weight,
			   struct tp_err *err);

#endif
