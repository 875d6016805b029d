/* pprof: driver/fetch.go (fetchProfiles), profile/merge.go (Normalize). */
#include "profile/merge/difference.h"

#include <stdlib.h>
#include <string.h>

#include "profile/merge/merge.h"

/* Adds up a sample type; wraps around as Go's sums do. */
static int64_t total_of(const struct tp_profile *p, size_t type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->nsamples; i++)
		sum += (uint64_t)p->value[i * p->ntypes + type];
	return (int64_t)sum;
}

static const char *type_name(const struct tp_profile *p, size_t type)
{
	return tp_dict_text(p->dict, p->types[type].type).text;
}

int rep_profile_normal_ratios(const struct tp_profile *base, const struct tp_profile *profile,
			      double *ratio, struct tp_err *err)
{
	int64_t *old = calloc(base->ntypes + 1, sizeof(*old));

	if (!old)
		return tp_nomem(err);
	for (size_t i = 0; i < base->ntypes; i++)
		old[i] = total_of(base, i);
	for (size_t t = 0; t < profile->ntypes; t++) {
		int64_t total = total_of(profile, t);

		ratio[t] = 1;
		for (size_t i = 0; i < base->ntypes; i++)
			if (!strcmp(type_name(base, i), type_name(profile, t)))
				ratio[t] = total ? (double)old[i] / (double)total : 0;
	}
	free(old);
	return 0;
}

int rep_profile_difference(const struct tp_profile *base, const struct tp_profile *profile,
			   const struct rep_difference_options *opt, struct tp_profile **out,
			   struct tp_err *err)
{
	double *ratio = NULL;
	struct rep_merge_part part[2] = {
	    {.profile = profile, .ratio = 1},
	    {.profile = base, .ratio = -1, .base = opt->mark},
	};
	int code = 0;

	*out = NULL;
	if (opt->normalize) {
		ratio = calloc(profile->ntypes + 1, sizeof(*ratio));
		if (!ratio)
			return tp_nomem(err);
		code = rep_profile_normal_ratios(base, profile, ratio, err);
		part[0].ratios = ratio;
	}
	if (!code)
		code = rep_profile_merge(part, 2, out, err);
	free(ratio);
	return code;
}
