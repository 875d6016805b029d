#include "series/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SURE	   0.01
#define LEAST_RUNS 8 /* with fewer, the approximation of tau's distribution is not valid */

const char *const rep_trend_names[REP_NTRENDS] = {
    [REP_TREND_NONE] = "",
    [REP_TREND_RISES] = "rises",
    [REP_TREND_FALLS] = "falls",
    [REP_TREND_MOSTLY_RISES] = "mostly rises",
    [REP_TREND_MOSTLY_FALLS] = "mostly falls",
};

double rep_slope(const double *x, const double *y, size_t n)
{
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(y[i]))
			continue;
		known++;
		mean_x += (x[i] - mean_x) / (double)known;
		mean_y += (y[i] - mean_y) / (double)known;
	}
	for (size_t i = 0; i < n; i++) {
		if (isnan(y[i]))
			continue;
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		xy += (x[i] - mean_x) * (y[i] - mean_y);
	}
	return xx > 0 ? xy / xx : NAN;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sums over groups of t equal numbers: t (t-1), and t (t-1) (2t+5). */
static void ties(double *v, size_t n, double *pairs, double *spread)
{
	*pairs = *spread = 0;
	qsort(v, n, sizeof(*v), compare);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && v[end] == v[i]; end++)
			;
		t = (double)(end - i);
		*pairs += t * (t - 1);
		*spread += t * (t - 1) * (2 * t + 5);
	}
}

/* Kendall 1970, Rank Correlation Methods: S is the number of pairs in order minus the number of
 * pairs in disorder. The order of the runs has no ties, so the variance of S is (n (n-1) (2n+5) -
 * sum t (t-1) (2t+5)) / 18. */
double rep_tau(const double *y, size_t n, double *p)
{
	double v[REP_TAU_MOST], score = 0, pairs, spread, all, variance, distance;
	size_t step = n / REP_TAU_MOST + 1, m = 0;

	for (size_t i = 0; i < n; i += step)
		if (!isnan(y[i]))
			v[m++] = y[i];
	*p = 1;
	if (m < 2)
		return NAN;
	for (size_t i = 0; i < m; i++)
		for (size_t k = i + 1; k < m; k++)
			score += (double)((v[k] > v[i]) - (v[k] < v[i]));
	ties(v, m, &pairs, &spread);
	all = (double)m * (double)(m - 1);
	if (all == pairs)
		return NAN;
	variance = (all * (2 * (double)m + 5) - spread) / 18;
	distance = fabs(score) - 1; /* S moves in steps of two */
	if (distance > 0 && variance > 0)
		*p = erfc(distance / sqrt(2 * variance));
	return 2 * score / sqrt(all * (all - pairs));
}

/* Returns the middle one of the known values. A number that rose once and has been constant since
 * does not count as rising. */
static double middle(const double *y, size_t n, size_t known)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(y[i]) && at++ == known / 2)
			return y[i];
	return NAN;
}

enum rep_trend rep_trend(const double *y, size_t n)
{
	bool rises = false, falls = false;
	double last = NAN, half, p, tau;
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(y[i]))
			continue;
		rises = rises || y[i] > last;
		falls = falls || y[i] < last;
		last = y[i];
		known++;
	}
	if (known < 3 || (!rises && !falls))
		return REP_TREND_NONE;
	half = middle(y, n, known);
	if (!falls && last > half)
		return REP_TREND_RISES;
	if (!rises && last < half)
		return REP_TREND_FALLS;
	if (known < LEAST_RUNS)
		return REP_TREND_NONE;
	tau = rep_tau(y, n, &p);
	if (p > SURE)
		return REP_TREND_NONE;
	return tau > 0 ? REP_TREND_MOSTLY_RISES : REP_TREND_MOSTLY_FALLS;
}
