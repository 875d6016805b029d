/* Statistics of two sets of runs: is a number of the new set another than that of the old?
 *
 * Few runs, of unknown distribution, with outliers: so ranks, not means.
 *
 *   median     with an exact 95 % interval of order statistics: the k-th smallest and k-th largest
 *              value, k the greatest with 2 P(Bin(n, 1/2) < k) <= 0.05 (Conover, Practical
 *              Nonparametric Statistics, 3.2). There is none below 6 runs.
 *   change     an interval for the shift between the sets: the k-th smallest and k-th largest of
 *              all differences new - old, k from the distribution of U (Hodges and Lehmann 1963;
 *              Lehmann, Nonparametrics, 2.7)
 *   p          Mann-Whitney's U, two-sided. Exact without ties up to 50 runs in all (Mann and
 *              Whitney 1947), exact under the ties there are (permutations of midranks) up to 37
 *              runs in all, where one set has few (6 up to 50 in all), and where it has one; else
 *              normal with corrections for ties and continuity.
 *   q          of rows of sets of up to 50 runs, p for all of them together: rep_stats_joint. Of
 *              larger sets, of two traces, and of a gate's functions, p corrected for the number of tests (Benjamini and Hochberg
 *              1995): of what is called changed at q <= 0.05, at most 5 % is expected to be
 *              unchanged.
 *
 * Values are no NaN, and finite. No allocation fails silently: TP_ENOMEM. */
#ifndef REP_DIFF_STATS_H
#define REP_DIFF_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define REP_STATS_EXACT 50     /* runs of both sets: U is exact without ties */
#define REP_STATS_MAX	100000 /* runs in a set */

/* What depends on the sizes of the sets only, made once for all rows. */
struct rep_stats;

/* n old and m new runs, at least one each; `level` is that of the intervals: 0.95. */
int rep_stats_new(struct rep_stats **s, size_t n, size_t m, double level);
void rep_stats_free(struct rep_stats *s);

/* The smallest p that sets of these sizes can give, without ties: 2 / C(n + m, n) where p is exact.
 * With n 0 it is that of the sign test of m runs against a limit. */
double rep_stats_least_p(size_t n, size_t m);
/* How many runs it takes on each side for a p of `alpha` (above 0) or less. */
size_t rep_stats_least_runs(double alpha);
/* Writes why sets of n old and m new runs (n as above) are too small for any p to reach `alpha`, or
 * for one row's to do so among `tests` that are corrected together, and how many runs would do; ""
 * where they are not. `rows` is what is tested ("rows"), `fewer` how to test fewer of them. Returns
 * text. */
#define REP_STATS_ADVICE 256
char *rep_stats_advice(size_t n, size_t m, size_t tests, double alpha, const char *rows,
		       const char *fewer, char text[REP_STATS_ADVICE]);

/* An interval of the level that was asked for. */
struct rep_range {
	bool known; /* are there low and high? */
	double low, high;
};

struct rep_side {
	double median; /* of an even number: between the middle two */
	struct rep_range interval;
};

struct rep_comparison {
	struct rep_side old, new;
	struct rep_range delta;
	double u; /* pairs in which new is greater, ties as halves */
	double p;
};

/* Compares a row; both arrays are sorted in place. */
void rep_stats_compare(struct rep_stats *s, double *old, double *new, struct rep_comparison *c);

/* Returns in how many ways n of n + m runs can be chosen. */
double rep_stats_ways(size_t n, size_t m);

/* Tests many rows together: value[i] are the n + m values of row i, those of the old runs in front.
 * p[i] is the share of all ways to call n of the runs old in which the row differs at least as much
 * as it does; q[i] that in which any row does that differs no more than this one: of all rows with
 * q <= alpha the chance that even one is unchanged is at most alpha, however rows depend on each
 * other (step-down maxT: Westfall and Young 1993, Ge, Dudoit and Speed 2003). Rows differ by the
 * means of logarithms, divided by the sum of their standard error and a typical row's (Tusher,
 * Tibshirani and Chu 2001): the median of all rows, of more than 8 runs a lower quantile. p and q
 * are NaN for a row with a NaN, and for one that is the same in all runs. `sampled` rows are sums of
 * samples of one unit, so that small values of any row differ by chance. Where there are more than
 * 5000 ways, 2000 are drawn, always the same ones. Returns 0 or TP_ENOMEM. */
int rep_stats_joint(const double *value, size_t rows, size_t n, size_t m, bool sampled, double *p,
		    double *q);

/* The greatest chance that something happened in only k of n independent trials with 5 % probability
 * (Clopper and Pearson 1934, one-sided): 0.015 of 0 in 200. */
double rep_stats_at_most(size_t k, size_t n);

/* The median of n values, which are sorted; NaN of none. */
double rep_stats_median(double *v, size_t n);

/* q[i] for p[i], n of them; values of p that are NaN are no tests and stay so. q may be p. */
int rep_stats_adjust(const double *p, size_t n, double *q);

#endif
