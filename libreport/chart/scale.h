/* Scales of charts: where a value lies on an axis, and the round numbers along it. */
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

/* Makes the scale of an axis for values from `least` to `most` (NaN if there are no values) with
 * about `want` ticks. With `round` its ends are moved outwards to ticks, and to 0 if that is near,
 * unless the axis sets them. A logarithmic axis without values above 0 becomes linear. */
void rep_scale_init(struct rep_scale *s, const struct rep_chart_axis *axis, double least,
		    double most, unsigned want, bool round);

/* Returns the position of a value: 0 at `from`, 1 at `to`; NaN if the value is NaN or has no
 * logarithm. */
double rep_scale_at(const struct rep_scale *s, double value);

/* Finds the least and the largest x and y of the finite points of all lines; NaN if there are no
 * such points. */
void rep_chart_extent(const struct rep_chart *chart, double x[2], double y[2]);

/* Returns whether a legend has to name the lines. A single line is named by the chart's title. */
bool rep_chart_names_lines(const struct rep_chart *chart);

#endif
