/* Subtracts one profile from another, as pprof's -base and -diff_base do (driver: fetchProfiles).
 */
#ifndef REP_PROFILE_DIFFERENCE_H
#define REP_PROFILE_DIFFERENCE_H

#include <stdbool.h>

#include "base/err.h"
#include "decode/profile.h"

struct rep_difference_options {
	bool normalize; /* scale each type of the new profile to the base's total */
	/* Mark the samples of the base with the label pprof::base=true: they are kept apart from
	 * those of the new profile, and shares are of the base's total (pprof: -diff_base). Else
	 * equal stacks become one sample, and shares are of the sum of all changes (-base). */
	bool mark;
};

/* Makes the difference; *out belongs to the caller. Neither profile is changed. Errors: TP_EFORMAT
 * if the two have no sample type in common; TP_ENOMEM, TP_ELIMIT. */
int rep_profile_difference(const struct tp_profile *base, const struct tp_profile *profile,
			   const struct rep_difference_options *opt, struct tp_profile **out,
			   struct tp_err *err);

/* Computes the factors that normalise the types of `profile`: the base's total divided by the
 * profile's, 0 if the latter is 0, and 1 for types that the base lacks. `ratio` has room for all
 * types. Returns 0 or TP_ENOMEM. */
int rep_profile_normal_ratios(const struct tp_profile *base, const struct tp_profile *profile,
			      double *ratio, struct tp_err *err);

#endif
