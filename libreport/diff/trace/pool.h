/* The windows of several runs of one build, taken together.
 *
 * Sets of a few runs cannot differ by ranks: 3 and 3 give no p below 0.1. The windows inside the
 * runs can still say that a metric differs, as they do of two runs, and several runs also say how
 * much more builds scatter from run to run than their windows predict. That factor is one for all
 * rows, the median of what each row suggests: a single row has too few runs to tell. Standard errors
 * grow by its root (as in quasi-likelihood: McCullagh and Nelder, Generalized Linear Models, 4.5). */
#ifndef REP_DIFF_TRACE_POOL_H
#define REP_DIFF_TRACE_POOL_H

#include "diff/trace/interval.h"

/* A metric of the runs of one side. */
struct rep_pool {
	struct rep_estimate mean; /* without an interval where a run has none */
	double scatter, df;	  /* sum of squares of the logarithms, its degrees of freedom */
};

/* Pools the estimates of n runs, at least one; the value is that given. */
void rep_pool(const struct rep_estimate *const *run, size_t n, double value, struct rep_pool *p);

/* Widens the errors of all rows, of nold and nnew runs, by what runs scatter more than windows
 * predict. Returns 0 or TP_ENOMEM. */
int rep_pools_widen(struct rep_pool (*row)[2], size_t rows, size_t nold, size_t nnew);

#endif
