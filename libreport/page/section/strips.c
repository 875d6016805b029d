/* An overview of the timeline: for each of the busiest groups, how many goroutines were in each
 * state. */
#include <math.h>
#include <stdio.h>

#include "page/inside.h"

#define LEFT   320
#define HEIGHT 34 /* of a strip */
#define ROOM   46

/* Returns the sum of the classes 0 to `upto` at a bin. */
static double stacked(const struct page *p, const struct rep_time_group *g, size_t bin, int upto)
{
	double sum = 0;

	for (int c = 0; c <= upto; c++) {
		double mean = rep_binned_mean(&p->time.bins, &g->series[c], bin);

		sum += isnan(mean) ? 0 : mean;
	}
	return sum;
}

static double most_of(const struct page *p, const struct rep_time_group *g)
{
	double most = 0;

	for (size_t i = 0; i < p->time.bins.n; i++)
		most = fmax(most, stacked(p, g, i, REP_TIME_NCLASSES - 1));
	return most;
}

/* Draws one class of a strip, from the bottom up to the top of the classes stacked below it and
 * itself. Classes are drawn from the last to the first, so each leaves visible only its own part of
 * the one before. */
static void write_area(const struct page *p, struct tp_buf *h, const struct rep_time_group *g,
		       int c, double bottom, double most)
{
	const struct rep_bins *b = &p->time.bins;
	double last = NAN;

	tp_buf_printf(h, "<path class=\"s%d\" d=\"M%d %.0f", c, LEFT, bottom);
	for (size_t i = 0; i < b->n; i++) {
		double y = bottom - HEIGHT * stacked(p, g, i, c) / most;

		y = round(y * 10) / 10;
		if (y == last)
			continue;
		tp_buf_text(h, "H");
		html_px(h, page_bin_x(b, i, LEFT));
		tp_buf_text(h, "V");
		html_px(h, y);
		last = y;
	}
	tp_buf_printf(h, "H%dV%.0fz\"><title>%s</title></path>\n", PAGE_WIDTH - PAGE_RIGHT, bottom,
		      rep_time_class_names[c]);
}

static void write_name(struct page *p, struct tp_buf *h, const struct rep_time_group *g, double y)
{
	struct tp_text t = tp_dict_text(p->view.dict, g->entry);
	struct tp_buf shown = {0}, cut = {0};
	int code;

	if (!t.size)
		t = (struct tp_text){"(unknown)", 9};
	code = rep_escape(&shown, t.text, t.size, REP_ESCAPE_SHOWN);
	if (!code)
		code = rep_shorten(&cut, (char *)shown.data, shown.size, 44, REP_SHORTEN_FUNCTION,
				   false);
	tp_buf_printf(h, "<text class=\"name\" x=\"%d\" y=\"", LEFT - 10);
	html_px(h, y);
	tp_buf_text(h, "\" text-anchor=\"end\">");
	html_text(h, cut.data ? (char *)cut.data : "", cut.size);
	tp_buf_text(h, "<title>");
	html_text(h, t.text, t.size);
	tp_buf_text(h, "</title></text>\n");
	if (code)
		tp_buf_fail(h);
	tp_buf_release(&shown);
	tp_buf_release(&cut);
}

static void write_strip(struct page *p, struct tp_buf *h, const struct rep_time_group *g,
			double top)
{
	double most = most_of(p, g), bottom = top + HEIGHT;
	char text[64];

	write_name(p, h, g, top + 15);
	snprintf(text, sizeof(text), "at most %.3g at a time", most);
	tp_buf_printf(h, "<text class=\"soft\" x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%s</text>\n",
		      LEFT - 10, top + 29, text);
	tp_buf_printf(h, "<path class=\"ground\" d=\"M%d %.0fh%dv%dh%dz\"/>\n", LEFT, top,
		      PAGE_WIDTH - LEFT - PAGE_RIGHT, HEIGHT, -(PAGE_WIDTH - LEFT - PAGE_RIGHT));
	if (most > 0) {
		for (int c = REP_TIME_NCLASSES - 1; c >= 0; c--)
			write_area(p, h, g, c, bottom, most);
	}
}

static void write_legend(struct tp_buf *h)
{
	tp_buf_text(h, "<p class=\"note legend\">");
	for (int c = 0; c < REP_TIME_NCLASSES; c++)
		tp_buf_printf(
		    h,
		    "<span><svg class=\"strips\" width=\"12\" height=\"12\" "
		    "viewBox=\"0 0 12 12\" aria-hidden=\"true\"><path class=\"s%d\" d=\"M0 "
		    "0h12v12h-12z\"/></svg> %s</span>",
		    c, rep_time_class_names[c]);
	tp_buf_text(h, "</p>\n");
}

int page_strips(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	const struct rep_time *t = &p->time;
	double height = ROOM * (double)t->ngroups + 24;

	(void)err;
	if (!t->ngroups)
		return 0;
	write_legend(h);
	tp_buf_printf(
	    h,
	    "<figure class=\"wide\"><svg class=\"strips\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
	    "height=\"%.0f\" role=\"img\" aria-label=\"Goroutines by state over time, for each of "
	    "the busiest groups\">\n",
	    PAGE_WIDTH, height, PAGE_WIDTH, height);
	for (size_t i = 0; i < t->ngroups; i++)
		write_strip(p, h, &t->group[i], 2 + ROOM * (double)i);
	page_time_axis(p, h, &p->time.bins, 7, LEFT, ROOM * (double)t->ngroups - 4);
	tp_buf_text(h, "</svg></figure>\n");
	if (t->nentries > t->ngroups) {
		tp_buf_text(h, "<p class=\"note\">… and ");
		html_count(h, (int64_t)(t->nentries - t->ngroups));
		tp_buf_text(h, " more groups: ");
		page_command(p, h, "tprof-top", "groups -n 0");
		tp_buf_text(h, "</p>\n");
	}
	return 0;
}
