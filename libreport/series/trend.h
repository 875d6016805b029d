/* Slopes and trends of consecutive numbers; NaN is a missing one. */
#ifndef REP_SERIES_TREND_H
#define REP_SERIES_TREND_H

#include <stddef.h>

#include "series/series.h"

/* Returns the slope of the least-squares line; NaN for fewer than two different x. */
double rep_slope(const double *x, const double *y, size_t n);

/* Computes Kendall's tau-b of y with its order, and the probability of a tau at least as far from 0
 * by chance (two-sided, by the normal approximation with its correction for ties). They are NaN and
 * 1 if all numbers are equal. Takes n^2 steps; more than REP_TAU_MOST numbers are sampled at equal
 * distances. */
#define REP_TAU_MOST 512
double rep_tau(const double *y, size_t n, double *p);

enum rep_trend rep_trend(const double *y, size_t n);

#endif
