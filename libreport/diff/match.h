/* Brings the profiles of a diff to a common sample type, its unit, and with `normalize` equal sums.
 * Private to libreport/diff; diff.c does the rest. */
#ifndef REP_DIFF_MATCH_H
#define REP_DIFF_MATCH_H

#include "diff/diff.h"

/* A profile to be compared. */
struct rep_diff_part {
	const struct rep_diff_run *run;
	enum rep_side_id side;
	size_t *type;  /* for each of the first profile's types the place in this one; SIZE_MAX */
	double *ratio; /* by its own types; NULL: 1 */
	struct rep_key_map map;
	struct rep_tally tally;
	size_t at; /* entries taken so far */
};

struct rep_diff_work {
	const struct tp_profile *first; /* of the new ones */
	const char *first_name;		/* or NULL */
	struct rep_diff *d;
	struct rep_diff_part *part; /* old, then new */
	size_t n, nold;
	struct rep_stats *stats;
	/* the values of one row, run by run, of flat and of cum */
	int64_t *value[2];
	bool wrapped[2];
	bool multiplied; /* by opt.factor */
	double variance; /* of the row's change */
	int64_t *scratch;
	double *tested;
};

/* Finds, for each profile, its types that are those of the first new profile. Returns 0, TP_EFORMAT
 * if a profile has no type of the index-th one's name, or TP_ENOMEM. */
int rep_match_types(struct rep_diff_work *w, size_t index, struct tp_err *err);
/* Scales all profiles to the finest unit of any of them. Returns 0, TP_EFORMAT or TP_ENOMEM. */
int rep_match_units(struct rep_diff_work *w, size_t index, struct tp_err *err);
/* Scales all profiles to the same sums, by type (pprof: profile.Normalize). A run without values
 * keeps none. Returns 0 or TP_ENOMEM. */
int rep_match_totals(struct rep_diff_work *w);

/* Returns the sum over samples of a type, before filters if known, on average per run. Sets
 * *wrapped (unless NULL) if it overflows 64 bits. */
int64_t rep_match_whole(const struct rep_diff_part *part, size_t type, bool weight, bool *wrapped);

/* ---- numbers and texts ---- */

/* Returns the rounded average of `times` runs. */
static inline int64_t rep_diff_average(int64_t v, size_t times)
{
	int64_t half = (int64_t)(times / 2);

	return times < 2 ? v
			 : (v / (int64_t)times) +
			       (v % (int64_t)times + (v < 0 ? -half : half)) / (int64_t)times;
}

static inline uint64_t rep_diff_size(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* Returns the median; sorts the values. */
int64_t rep_diff_median(int64_t *v, size_t n);

static inline const char *rep_diff_text(const struct tp_profile *p, uint32_t string)
{
	return tp_dict_text(p->dict, string).text;
}

#endif
