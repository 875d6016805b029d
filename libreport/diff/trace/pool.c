#include "diff/trace/pool.h"

#include <math.h>
#include <stdlib.h>

#include "base/many.h"

void rep_pool(const struct rep_estimate *const *run, size_t n, double value, struct rep_pool *p)
{
	double low = 0, high = 0, below = 0, mean = 0;

	*p = (struct rep_pool){.mean = {.value = value, .interval = true}};
	for (size_t i = 0; i < n; i++) {
		const struct rep_estimate *e = run[i];

		p->mean.windows += e->windows;
		p->mean.filled += e->filled;
		p->mean.interval = p->mean.interval && e->interval && e->value > 0;
		if (!p->mean.interval)
			continue;
		low += e->se_low * e->se_low;
		high += e->se_high * e->se_high;
		below += pow(e->se_high, 4) / e->df;
		mean += log(e->value) / (double)n;
	}
	if (!p->mean.interval)
		return;
	for (size_t i = 0; i < n; i++) {
		double off = log(run[i]->value) - mean;

		p->scatter += off * off;
	}
	p->df = (double)n - 1;
	p->mean.se_low = sqrt(low) / (double)n;
	p->mean.se_high = sqrt(high) / (double)n;
	/* Welch and Satterthwaite's; a percentile that windows agree on has no error of its own. */
	p->mean.df = below > 0 ? high * high / below : run[0]->df;
}

/* How many times the variance between runs is what windows predict, by one row; NaN if it cannot
 * tell. */
static double excess_of(const struct rep_pool side[2], size_t nold, size_t nnew)
{
	const struct rep_pool *old = &side[0], *new = &side[1];
	double df = old->df + new->df, between, within, median;

	if (!old->mean.interval || !new->mean.interval || !(df > 0))
		return (double)NAN;
	/* The variance of a run, not of the mean. */
	within = (pow(old->mean.se_high, 2) * (double)nold * old->df +
		  pow(new->mean.se_high, 2) * (double)nnew * new->df) /
		 df;
	between = (old->scatter + new->scatter) / df;
	/* Of few degrees of freedom, half of all variances are below this (Wilson and Hilferty). */
	median = pow(1 - 2 / (9 * df), 3);
	return within > 0 ? between / within / median : (double)NAN;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int rep_pools_widen(struct rep_pool (*row)[2], size_t rows, size_t nold, size_t nnew)
{
	double *excess = tp_many(rows + 1, sizeof(*excess)), root;
	size_t n = 0;

	if (!excess)
		return TP_ENOMEM;
	for (size_t i = 0; i < rows; i++) {
		excess[n] = excess_of(row[i], nold, nnew);
		n += isnan(excess[n]) ? 0 : 1;
	}
	qsort(excess, n, sizeof(*excess), by_value);
	root = n ? sqrt(fmax(1, excess[n / 2])) : 1;
	for (size_t i = 0; i < 2 * rows; i++) {
		row[i / 2][i % 2].mean.se_low *= root;
		row[i / 2][i % 2].mean.se_high *= root;
	}
	free(excess);
	return 0;
}
