/* Slopes and trends of numbers that follow each other; NaN is one that is missing. */
#ifndef REP_SERIES_TREND_H
#define REP_SERIES_TREND_H

#include <stddef.h>

#include "series/series.h"

/* Returns the slope of the line of least squares; NaN for fewer than two different x. */
double rep_slope(const double *x, const double *y, size_t n);

/* Computes Kendall's tau-b of y with its order, and the probability that chance gives one as far from 0
 * (two-sided, by the normal approximation with its correction for ties). NaN and 1 if all are equal. Takes
 * n^2 steps; of more than REP_TAU_MOST numbers, equally spaced ones are taken. */
#define REP_TAU_MOST 512
double rep_tau(const double *y, size_t n, double *p);

enum rep_trend rep_trend(const double *y, size_t n);

#endif
