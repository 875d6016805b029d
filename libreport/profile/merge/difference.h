/* One profile minus another, as pprof's -base and -diff_base have it (driver: fetchProfiles). */
#ifndef REP_PROFILE_DIFFERENCE_H
#define REP_PROFILE_DIFFERENCE_H

#include <stdbool.h>

#include "base/err.h"
#include "decode/profile.h"

struct rep_difference_options {
	bool normalize; /* the new profile is brought to the totals of the base, type by type */
	/* Samples of the base are marked with the label "pprof::base"; then they stay apart from
	 * those of the new profile, and shares are of the base's total (pprof: -diff_base). Else
	 * equal stacks are one sample, and shares are of the sum of all changes (-base). */
	bool mark;
};

/* *out is the caller's. TP_EFORMAT where the two have no sample type in common; TP_ENOMEM,
 * TP_ELIMIT. Both profiles stay as they are. */
int rep_profile_difference(const struct tp_profile *base, const struct tp_profile *profile,
			   const struct rep_difference_options *opt, struct tp_profile **out,
			   struct tp_err *err);

/* What normalising multiplies the values of each type of `profile` by: the base's total through its
 * own, 0 where that is 0, and 1 for types that the base lacks. `ratio` has room for all types.
 * TP_ENOMEM. */
int rep_profile_normal_ratios(const struct tp_profile *base, const struct tp_profile *profile,
			      double *ratio, struct tp_err *err);

#endif
