/* One profile minus another, as pprof's -base and -diff_base have it (driver: fetchProfiles). */
#ifndef REP_PROFILE_DIFFERENCE_H
#define REP_PROFILE_DIFFERENCE_H

#include <stdbool.h>

#include "base/err.h"
#include "decode/profile.h"

struct rep_difference_options {
	bool normalize; /* scale the new profile to the totals of the base, type by type */
	/* Mark the samples of the base with the label pprof::base=true: they are kept apart from
	 * those of the new profile, and shares are of the base's total (pprof: -diff_base). Else
	 * equal stacks become one sample, and shares are of the sum of all changes (-base). */
	bool mark;
};

/* Makes *out, which is the caller's. TP_EFORMAT: the two have no sample type in common. TP_ENOMEM,
 * TP_ELIMIT. Neither profile is changed. */
int rep_profile_difference(const struct tp_profile *base, const struct tp_profile *profile,
			   const struct rep_difference_options *opt, struct tp_profile **out,
			   struct tp_err *err);

/* Computes by what the values of each type of `profile` are multiplied to normalise it: the base's
 * total divided by its own, 0 if that is 0, and 1 for types that the base lacks. `ratio` has room
 * for all types. Returns 0 or TP_ENOMEM. */
int rep_profile_normal_ratios(const struct tp_profile *base, const struct tp_profile *profile,
			      double *ratio, struct tp_err *err);

#endif
