/* One profile added up by the keys of a diff: flat, where a sample ended, and cum, all samples that
 * have the key anywhere on their stack, each once. */
#ifndef REP_DIFF_TALLY_H
#define REP_DIFF_TALLY_H

#include "diff/keys.h"

struct rep_tally_how {
	size_t index; /* of the sample type */
	bool mean;    /* values are divided by those of the first type */
	/* What values are multiplied by, one for each type, NULL for 1: rounded sample by sample,
	 * and samples of which nothing is left are left out (pprof: profile.ScaleN). */
	const double *ratio;
	bool noise, cum; /* add up variances, too: of flat or of cum values */
};

struct rep_tally {
	struct rep_tally_entry {
		uint32_t key;
		/* They need more than 64 bits, or come so near to it that they may; the sums have
		 * wrapped then. */
		bool flat_wrapped, cum_wrapped;
		int64_t flat, cum;
		double variance; /* of one of them: profile/noise.h */
	} * entry; /* by key; without those that are 0 */
	size_t n;
	int64_t total;	/* sum over samples */
	int64_t weight; /* the same without signs: what shares are of */
	bool wrapped;	/* the total has */
	double variance; /* of the total */
};

/* Sums up a profile by key. `keys` is rep_diff_keys_count after all profiles were mapped. Returns 0 or
 * TP_ENOMEM. Release it in every case. */
int rep_tally(const struct tp_profile *p, const struct rep_key_map *map, uint32_t keys,
	      const struct rep_tally_how *how, struct rep_tally *t, struct tp_err *err);
void rep_tally_release(struct rep_tally *t);

#endif
