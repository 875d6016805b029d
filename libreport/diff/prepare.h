/* From profiles as they were loaded to what a diff compares: filtered, with the sums there were
 * before. */
#ifndef REP_DIFF_PREPARE_H
#define REP_DIFF_PREPARE_H

#include "diff/diff.h"
#include "profile/filter.h"
#include "profile/options.h"

struct rep_diff_prepared {
	struct rep_diff_side side; /* runs are owned here, their profiles are not */
	int64_t *sums;
};

/* Filters n profiles in place, with what `opt` says about frames and samples. `notes` collects what
 * is so of all of them ("--focus matches nothing"). TP_EFORMAT for expressions that cannot be
 * understood; TP_ENOMEM, TP_ELIMIT. To be released in every case. */
int rep_diff_prepare(struct tp_profile *const *profiles, size_t n,
		     const struct rep_profile_options *opt, struct rep_diff_prepared *out,
		     struct rep_filter_notes *notes, struct tp_err *err);
/* Each profile is the sum of so many runs (struct rep_diff_run). */
void rep_diff_prepared_times(struct rep_diff_prepared *p, const size_t *times);
/* What each is called in messages; borrowed. */
void rep_diff_prepared_names(struct rep_diff_prepared *p, const char *const *names);
void rep_diff_prepared_release(struct rep_diff_prepared *p);

/* The sum, without signs, of the changes of all stacks with their labels: what shares are of with
 * pprof's -base. Before rep_diff_prepare. `opt` gives sample type and normalisation. */
int rep_diff_change_weight(struct tp_profile *const *old, size_t nold,
			   struct tp_profile *const *new, size_t nnew,
			   const struct rep_diff_options *opt,
			   const struct rep_profile_options *filters, int64_t *weight,
			   struct tp_err *err);

#endif
