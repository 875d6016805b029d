/* From profiles as they were loaded to what a diff compares: filtered, with the sums there were
 * before. */
#ifndef REP_DIFF_PREPARE_H
#define REP_DIFF_PREPARE_H

#include "diff/diff.h"
#include "profile/filter.h"
#include "profile/options.h"

/* A side of n profiles, to be released in every case. Returns 0 or TP_ENOMEM. */
int rep_diff_side_profiles(struct rep_diff_side *side, struct tp_profile *const *profiles, size_t n,
			   struct tp_err *err);

/* Filters the profiles of a side in place, with what `opt` says about frames and samples, and sets
 * the sums of its runs. `notes` collects what is so of all of them ("--focus matches nothing").
 * TP_EFORMAT for expressions that cannot be understood; TP_ENOMEM, TP_ELIMIT. */
int rep_diff_prepare(struct rep_diff_side *side, const struct rep_profile_options *opt,
		     struct rep_filter_notes *notes, struct tp_err *err);

/* The sum, without signs, of the changes of all stacks with their labels: what shares are of with
 * pprof's -base. Before rep_diff_prepare. `opt` gives sample type and normalisation. */
int rep_diff_change_weight(const struct rep_diff_side *old, const struct rep_diff_side *new,
			   const struct rep_diff_options *opt,
			   const struct rep_profile_options *filters, int64_t *weight,
			   struct tp_err *err);

#endif
