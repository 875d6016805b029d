/* Slopes and trends of numbers that follow each other; NaN is one that is missing. */
#ifndef REP_SERIES_TREND_H
#define REP_SERIES_TREND_H

#include <stddef.h>

#include "series/series.h"

/* Of the line of least squares; NaN for fewer than two different x. */
double rep_slope(const double *x, const double *y, size_t n);

/* Kendall's tau-b of y with its order, and how likely one as far from 0 is by chance (two-sided, by
 * the normal approximation with its correction for ties). NaN and 1 where all are the same. Takes
 * n^2 steps; of more than REP_TAU_MOST numbers, equally spaced ones are taken. */
#define REP_TAU_MOST 512
double rep_tau(const double *y, size_t n, double *p);

enum rep_trend rep_trend(const double *y, size_t n);

#endif
