/* Where a value lies on an axis, and the round numbers along it; shared by the ways to draw. */
#ifndef REP_CHART_SCALE_H
#define REP_CHART_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "chart/chart.h"

#define REP_TICKS     24 /* at most */
#define REP_TICK_TEXT 24 /* room for a label and its NUL */

struct rep_scale {
	double from, to; /* finite, from < to; logarithmic: both above 0 */
	bool logarithmic;
	enum rep_kind kind;
	size_t nticks;
	struct rep_tick {
		double value;
		char text[REP_TICK_TEXT]; /* ASCII */
	} ticks[REP_TICKS];
};

/* The scale of an axis over values from `least` to `most` (NaN: there are none) with about `want`
 * ticks. `round`: the ends are moved outwards to ticks, and to 0 where that is near; unless the
 * axis says where it ends. A logarithmic one over nothing above 0 becomes a plain one. */
void rep_scale_init(struct rep_scale *s, const struct rep_chart_axis *axis, double least,
		    double most, unsigned want, bool round);

/* 0 at `from`, 1 at `to`, beyond them outside; NaN for NaN, and for what a logarithm has not. */
double rep_scale_at(const struct rep_scale *s, double value);

/* The extent of the finite points of all lines, in y of those with a logarithm only where
 * `above_zero`; NaN where there is none. */
void rep_chart_extent(const struct rep_chart *chart, double x[2], double y[2]);

#endif
