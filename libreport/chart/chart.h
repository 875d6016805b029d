/* Charts: lines over a common x axis, drawn with characters on a terminal or as SVG.
 *
 * One struct describes them all, so a curve looks the same on the terminal, in an SVG file and in a
 * page of tprof-report. Everything is written through the caller's sink; names are escaped here. */
#ifndef REP_CHART_CHART_H
#define REP_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "output/output.h"

/* A line through points; x does not descend. NaN in y is a gap. */
struct rep_chart_line {
	const char *name; /* for the legend */
	const double *x, *y;
	size_t n;
	bool steps; /* y stays the same until the next point; else the line is straight */
};

struct rep_chart_axis {
	const char *title;
	enum rep_kind kind; /* of its numbers: REP_NS, REP_BYTES, REP_SHARE, REP_COUNT, REP_FLOAT */
	bool logarithmic;   /* leaves out points at or below 0; ignored if there are no others */
	bool from_zero;	    /* the axis begins at 0 even if all points are far above it */
	double from, to;    /* from == to: chosen from the points */
};

struct rep_chart {
	const char *title;
	struct rep_chart_axis x, y;
	const struct rep_chart_line *lines;
	size_t nlines;
};

struct rep_chart_terminal {
	unsigned columns, rows; /* cells, with axes and legend; at least 30 by 6 */
	bool colour, ascii;
	struct rep_sink sink;
};

/* Draws a chart in cells. Returns 0, TP_ENOMEM, or an error of the sink. */
int rep_chart_terminal(const struct rep_chart *chart, const struct rep_chart_terminal *t,
		       struct tp_err *err);
/* Writes an SVG file of this size in pixels with a <title> for each line. Its colours follow the
 * reader's preference (prefers-color-scheme). Returns the same. */
int rep_chart_svg(const struct rep_chart *chart, unsigned width, unsigned height,
		  struct rep_sink sink, struct tp_err *err);

/* Appends the <svg> element alone. With `inside` it has no style of its own: the page around it has
 * to have rep_chart_style in a <style>. The buffer keeps a failure (base/buf.h). */
void rep_chart_put_svg(struct tp_buf *out, const struct rep_chart *chart, unsigned width,
		       unsigned height, bool inside);
extern const char rep_chart_style[];

/* Appends a line of cells like "▁▂▅█": the values are divided into `columns` equal groups (n if
 * that is fewer), and each cell shows the mean of one. The lowest is "▁", the highest "█", NaN is a
 * space; with `ascii` it is drawn with "_.-=#". Returns 0 or TP_ENOMEM. */
int rep_sparkline(struct tp_buf *out, const double *y, size_t n, unsigned columns, bool ascii);

#endif
