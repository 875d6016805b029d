/* Two runs, or two sets of runs, compared key by key (function, line, file, stack, label).
 *
 * Design. Every profile is added up by itself (tally.h), so that nothing is merged and each run of
 * a set is one observation. A row of two runs has the two values; a row of two sets has medians,
 * intervals and a rank test, chosen because there are few runs, of no known distribution, with
 * outliers (stats.h gives the sources). Tests of all rows are corrected together by Benjamini and
 * Hochberg's procedure; a row whose value is the same in all runs is no test. A row's verdict is
 * one of three, as "not found" and "could not be found" are different answers:
 *
 *   changed      q <= alpha
 *   no change    the test could have said otherwise, and did not
 *   too few      the sets are so small that no outcome whatever has p <= alpha
 *
 * Rows of two runs have no verdict: two numbers tell nothing about noise.
 *
 * Values keep their sign throughout. What 100 % is of shares: the weight (sum without signs) of the
 * old side before filters, as with pprof's -diff_base; where that is 0, of both. */
#ifndef REP_DIFF_DIFF_H
#define REP_DIFF_DIFF_H

#include "diff/keys.h"
#include "diff/stats.h"
#include "diff/tally.h"
#include "profile/view.h"

/* One run of a side. The profile is borrowed, and filtered already (prepare.h). */
struct rep_diff_run {
	const struct tp_profile *profile;
	const char *name; /* for messages; NULL: it has none */
	/* Before filters, by sample type: sums and weights; NULL where the profile is whole. */
	const int64_t *total, *weight;
	bool wrapped; /* one of these needs more than 64 bits */
	/* It is the sum of so many runs, and their average is what is compared. 0: 1. */
	size_t times;
};

struct rep_diff_side {
	const struct rep_diff_run *run;
	size_t n;
};

enum rep_diff_sort {
	REP_SORT_DELTA, /* the greatest change, whatever its sign */
	REP_SORT_PERCENT,
	REP_SORT_OLD,
	REP_SORT_NEW,
	REP_SORT_P,
	REP_SORT_NAME,
	REP_NDIFF_SORTS
};
extern const struct rep_diff_sort_desc {
	const char *name, *doc;
} rep_diff_sorts[REP_NDIFF_SORTS];

struct rep_diff_options {
	struct rep_keys_options keys;
	const char *sample_index; /* as in profile/options.h */
	bool mean;
	/* Scales the new run to the old one's total, type by type; of sets every run to the median
	 * of the old totals. */
	bool normalize;
	bool relative;	    /* shares are of what the filters left */
	bool cum;	    /* cum is what is sorted by and tested; else flat */
	bool drop_negative; /* without rows that shrank */
	bool changed;	    /* only rows that changed: differ, or of sets have that verdict */
	double min_share;   /* without rows that are less of their side's weight, on average */
	int64_t base;	    /* what shares are of, 0: as above */
	/* One run against one is tested as sets are, which are too few; else the numbers decide. */
	bool test_one;
	double alpha;
	enum rep_diff_sort sort;
	const char *damaged; /* gates: name of a run that lost something, NULL: none did */
};
#define REP_DIFF_OPTIONS_INIT                                                                      \
	{                                                                                          \
		.alpha = 0.05                                                                      \
	}

enum rep_verdict { REP_VERDICT_NONE, REP_VERDICT_CHANGED, REP_VERDICT_SAME, REP_VERDICT_FEW };
extern const char *const rep_verdicts[];

enum rep_status { REP_STATUS_SAME, REP_STATUS_CHANGED, REP_STATUS_ADDED, REP_STATUS_GONE };
extern const char *const rep_statuses[];

struct rep_diff_pair {
	int64_t old, new; /* medians where there are several runs */
};

struct rep_diff_row {
	uint32_t key; /* 0: the total */
	enum rep_status status;
	struct rep_diff_pair flat, cum;
	bool flat_wrapped, cum_wrapped; /* in some run, see tally.h: the values say nothing */
	/* of sets, and of flat or cum as the options say */
	struct rep_comparison test;
	double q;
	enum rep_verdict verdict;
};

struct rep_diff {
	struct rep_diff_options opt;
	struct rep_keys *keys;
	struct rep_diff_row total; /* q is its p */
	struct rep_diff_row *row;
	size_t n;
	size_t nold, nnew; /* runs */
	size_t tests;	   /* rows that were tested together */
	bool sets;	   /* a side has several runs, or `test_one` */
	bool few;	   /* so few that no p can reach alpha */
	bool wrapped;	   /* values had wrapped before they came here, so all may be wrong */
	char type[96], unit[64];
	char zero[REP_ZERO_SIZE]; /* where no profile has values of it: what does; else "" */
	int64_t base;		  /* what shares are of */
	bool base_both;		  /* which is both totals, as the old one is 0 */
};

/* TP_EFORMAT with a sentence where the profiles have no common sample type of that name, or units
 * that cannot be compared; TP_ENOENT for a sample index that is none; TP_ENOMEM, TP_ELIMIT. */
int rep_diff_new(struct rep_diff **d, const struct rep_diff_side *old,
		 const struct rep_diff_side *new, const struct rep_diff_options *opt,
		 struct tp_err *err);
void rep_diff_free(struct rep_diff *d);

/* Of what the options sort by. */
static inline struct rep_diff_pair rep_diff_main(const struct rep_diff *d,
						 const struct rep_diff_row *row)
{
	return d->opt.cum ? row->cum : row->flat;
}
/* new - old; wraps like all sums. */
static inline int64_t rep_diff_delta(struct rep_diff_pair p)
{
	return (int64_t)((uint64_t)p.new - (uint64_t)p.old);
}
/* Of the old value; NaN where that is 0. */
double rep_diff_percent(struct rep_diff_pair p);

/* The name of a row, "(total)" of the total; see rep_key_name. */
int rep_diff_name(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *name,
		  size_t *names);

#endif
