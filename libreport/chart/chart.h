/* Charts: lines over a common x axis, drawn with characters on a terminal or as SVG.
 *
 * One struct for all of them, so that a curve that a command shows, the picture it writes and the
 * one in a page of tprof-report are the same. Nothing is written but through the sink the caller
 * gives; names are escaped here. */
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
	bool steps; /* y holds until the next point; else straight lines */
};

struct rep_chart_axis {
	const char *title;
	enum rep_kind kind; /* of its numbers: REP_NS, REP_BYTES, REP_SHARE, REP_COUNT, REP_FLOAT */
	bool logarithmic;   /* points at 0 and below are left out; if there are no others, plain */
	bool from_zero;	    /* where the points ask: from 0, however far above it they are */
	double from, to;    /* from == to: as the points ask for */
};

struct rep_chart {
	const char *title;
	struct rep_chart_axis x, y;
	const struct rep_chart_line *lines;
	size_t nlines;
};

struct rep_chart_terminal {
	unsigned columns, rows; /* cells of all of it, with axes and legend; 30 by 6 at the least */
	bool colour, ascii;
	struct rep_sink sink;
};

/* Errors of both: TP_ENOMEM, and what the sink returns. */
int rep_chart_terminal(const struct rep_chart *chart, const struct rep_chart_terminal *t,
		       struct tp_err *err);
/* An SVG file of this size in pixels with a <title> per line. Its colours follow the reader's
 * (prefers-color-scheme). */
int rep_chart_svg(const struct rep_chart *chart, unsigned width, unsigned height,
		  struct rep_sink sink, struct tp_err *err);

/* The <svg> element alone, added to `out`; `inside` a page that has rep_chart_style in a <style>,
 * it has none itself. Returns 0 or TP_ENOMEM. */
int rep_chart_put_svg(struct tp_buf *out, const struct rep_chart *chart, unsigned width,
		      unsigned height, bool inside);
extern const char rep_chart_style[];

/* "▁▂▅█": one cell for each of `columns` (or n, if fewer) equal groups of the values, by their
 * mean; the lowest is "▁", the highest "█", NaN is a space; ascii: "_.-=#" instead. 0 or TP_ENOMEM.
 */
int rep_sparkline(struct tp_buf *out, const double *y, size_t n, unsigned columns, bool ascii);

#endif
