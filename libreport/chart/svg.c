/* Charts as SVG. What a pixel cannot show is not written: of the points of one column of pixels
 * the first, the least, the greatest and the last remain. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "chart/scale.h"

#define CHAR_WIDTH 6.4 /* of a digit at 11 pixels, generously */
#define COLOURS	   8

const char rep_chart_style[] =
    ".chart{--c0:#2463b4;--c1:#c8431a;--c2:#23854a;--c3:#8d3fae;--c4:#a67407;--c5:#0f8390;"
    "--c6:#b32a5e;--c7:#5d6470;--ink:#1b1d22;--soft:#5c626d;--grid:#e3e5ea;--axis:#a4a9b3;"
    "font:11px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",\"DejaVu Sans\","
    "sans-serif;font-variant-numeric:tabular-nums}"
    ".chart text{fill:var(--soft)}.chart .title{fill:var(--ink);font-size:13px;font-weight:600}"
    ".chart .grid{stroke:var(--grid);fill:none}.chart .axis{stroke:var(--axis);fill:none}"
    ".chart .line{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}"
    ".chart .l0{stroke:var(--c0)}.chart .l1{stroke:var(--c1)}.chart .l2{stroke:var(--c2)}"
    ".chart .l3{stroke:var(--c3)}.chart .l4{stroke:var(--c4)}.chart .l5{stroke:var(--c5)}"
    ".chart .l6{stroke:var(--c6)}.chart .l7{stroke:var(--c7)}"
    "@media (prefers-color-scheme:dark){.chart{--c0:#6ea8f2;--c1:#f2916b;--c2:#67c98c;--c3:#c792ea;"
    "--c4:#e0b34d;--c5:#5cc5d1;--c6:#f07fa8;--c7:#a9b0bc;--ink:#f1f1f3;--soft:#a6acb8;--grid:#"
    "2b2f36;"
    "--axis:#5b606a}}";

/* A file alone has a ground of its own. */
static const char alone[] = ".chart{background:#fff}"
			    "@media (prefers-color-scheme:dark){.chart{background:#17191d}}";

static int put(struct tp_buf *b, const char *text)
{
	return tp_buf_put(b, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static int put_f(struct tp_buf *b, const char *format, ...)
{
	char text[400];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return tp_buf_put(b, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static int put_escaped(struct tp_buf *b, const char *text)
{
	return rep_escape(b, text, strlen(text), REP_ESCAPE_XML);
}

/* A tenth of a pixel is fine enough; "12" rather than "12.0". */
static int put_px(struct tp_buf *b, double px)
{
	long tenths = lround(px * 10);

	if (tenths % 10 == 0)
		return put_f(b, "%ld", tenths / 10);
	return put_f(b, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
}

struct picture {
	const struct rep_chart *chart;
	double width, height;
	double left, top, right, bottom; /* of the field of the lines */
	struct rep_scale x, y;
	struct tp_buf *out;
};

static double at_x(const struct picture *p, double x)
{
	return p->left + rep_scale_at(&p->x, x) * (p->right - p->left);
}

/* Not far outside, where numbers would grow without an end; the field is clipped. */
static double at_y(const struct picture *p, double y)
{
	double at = rep_scale_at(&p->y, y);

	at = at < -1 ? -1 : at > 2 ? 2 : at;
	return p->bottom - at * (p->bottom - p->top);
}

/* ---- lines ---- */

struct path {
	struct tp_buf *out;
	bool down, steps;
	/* The column of pixels that is being gathered. */
	bool open;
	double column, first, least, most, last;
	double last_x, last_y; /* the exact point */
	double last_least_at, last_most_at;
};

static int put_point(struct path *p, char how, double x, double y)
{
	int code = tp_buf_put(p->out, &how, 1);

	if (!code && how != 'V')
		code = put_px(p->out, x);
	if (!code && how != 'V' && how != 'H')
		code = put(p->out, " ");
	if (!code && how != 'H')
		code = put_px(p->out, y);
	return code;
}

static int go_to(struct path *p, double x, double y)
{
	int code = 0;

	if (!p->down)
		code = put_point(p, 'M', x, y);
	else if (p->steps) {
		code = put_point(p, 'H', x, y);
		if (!code && lround(y * 10) != lround(p->last_y * 10))
			code = put_point(p, 'V', x, y);
	} else {
		code = put_point(p, 'L', x, y);
	}
	p->down = true;
	p->last_x = x;
	p->last_y = y;
	return code;
}

/* Writes what was gathered: down and up, or up and down, as it came. */
static int end_column(struct path *p)
{
	double x = p->column + 0.5;
	bool low_first = p->last_least_at < p->last_most_at;
	int code = 0;

	if (!p->open)
		return 0;
	p->open = false;
	code = go_to(p, x, p->first);
	if (!code && p->least < p->most) {
		double a = low_first ? p->least : p->most, b = low_first ? p->most : p->least;

		code = go_to(p, x, a);
		if (!code)
			code = go_to(p, x, b);
		if (!code && p->last != b)
			code = go_to(p, x, p->last);
	}
	return code;
}

static int gather(struct path *p, double x, double y, double index)
{
	int code = 0;

	if (p->open && floor(x) == p->column) {
		if (y < p->least) {
			p->least = y;
			p->last_least_at = index;
		}
		if (y > p->most) {
			p->most = y;
			p->last_most_at = index;
		}
		p->last = y;
		return 0;
	}
	code = end_column(p);
	p->open = true;
	p->column = floor(x);
	p->first = p->least = p->most = p->last = y;
	p->last_least_at = p->last_most_at = index;
	return code;
}

static int put_path(struct picture *pic, const struct rep_chart_line *l)
{
	bool many = (double)l->n > 3 * (pic->right - pic->left);
	struct path p = {.out = pic->out, .steps = l->steps};
	int code = 0;

	for (size_t i = 0; i < l->n && !code; i++) {
		double x = rep_scale_at(&pic->x, l->x[i]);
		bool gap = isnan(rep_scale_at(&pic->y, l->y[i])) || !isfinite(x);

		if (isfinite(x) && (x < -1e-9 || x > 1 + 1e-9)) {
			/* Outside: what is just beyond an end decides how the line leaves. */
			bool near = x < 0 ? i + 1 < l->n && l->x[i + 1] > pic->x.from
					  : i > 0 && l->x[i - 1] < pic->x.to;

			if (!near)
				continue;
			x = x < -1 ? -1 : x > 2 ? 2 : x;
		}
		if (gap) {
			code = end_column(&p);
			if (!code && p.down && l->steps && isfinite(x))
				code =
				    put_point(&p, 'H', pic->left + x * (pic->right - pic->left), 0);
			else if (!code && p.down && i >= 1 && !l->steps)
				code = put(p.out, "h0"); /* a point alone is seen by its caps */
			p.down = false;
			continue;
		}
		x = pic->left + x * (pic->right - pic->left);
		code = many ? gather(&p, x, at_y(pic, l->y[i]), (double)i)
			    : go_to(&p, x, at_y(pic, l->y[i]));
	}
	if (!code)
		code = end_column(&p);
	if (!code && p.down && l->n == 1)
		code = put(p.out, "h0");
	return code;
}

static int put_line(struct picture *p, size_t i)
{
	const struct rep_chart_line *l = &p->chart->lines[i];
	int code = put_f(p->out, "<path class=\"line l%zu\" d=\"", i % COLOURS);
	size_t before = p->out->size;

	if (!code)
		code = put_path(p, l);
	if (!code && p->out->size == before)
		code = put(p->out, "M0 0"); /* nothing to draw; an empty path is no path */
	if (!code)
		code = put(p->out, "\">");
	if (!code && l->name) {
		code = put(p->out, "<title>");
		if (!code)
			code = put_escaped(p->out, l->name);
		if (!code)
			code = put(p->out, "</title>");
	}
	return code ? code : put(p->out, "</path>\n");
}

/* ---- around them ---- */

static int put_text(struct picture *p, double x, double y, const char *attributes, const char *text)
{
	int code = put(p->out, "<text x=\"");

	if (!code)
		code = put_px(p->out, x);
	if (!code)
		code = put(p->out, "\" y=\"");
	if (!code)
		code = put_px(p->out, y);
	if (!code)
		code = put_f(p->out, "\"%s>", attributes);
	if (!code)
		code = put_escaped(p->out, text);
	return code ? code : put(p->out, "</text>\n");
}

static int put_y_axis(struct picture *p)
{
	int code = 0;

	for (size_t i = 0; i < p->y.nticks && !code; i++) {
		double y = round(at_y(p, p->y.ticks[i].value)) + 0.5;

		code = put_f(p->out, "<path class=\"grid\" d=\"M%.0f %.1fH%.0f\"/>", p->left, y,
			     p->right);
		if (!code)
			code = put_text(p, p->left - 6, y + 3.5, " text-anchor=\"end\"",
					p->y.ticks[i].text);
	}
	return code;
}

static int put_x_axis(struct picture *p)
{
	double end = -1, bottom = p->bottom + 0.5;
	int code =
	    put_f(p->out, "<path class=\"axis\" d=\"M%.0f %.1fH%.0f", p->left, bottom, p->right);

	for (size_t i = 0; i < p->x.nticks && !code; i++)
		code = put_f(p->out, "M%.1f %.1fv4", round(at_x(p, p->x.ticks[i].value)) + 0.5,
			     bottom);
	if (!code)
		code = put(p->out, "\"/>\n");
	for (size_t i = 0; i < p->x.nticks && !code; i++) {
		double x = at_x(p, p->x.ticks[i].value);
		double half = (double)strlen(p->x.ticks[i].text) * CHAR_WIDTH / 2;
		bool at_end = x + half > p->width - 2;

		if (x - half < end + 6)
			continue;
		end = x + half;
		code = put_text(p, at_end ? p->width - 2 : x, p->bottom + 16,
				at_end ? " text-anchor=\"end\"" : " text-anchor=\"middle\"",
				p->x.ticks[i].text);
	}
	if (!code && p->chart->x.title)
		code = put_text(p, (p->left + p->right) / 2, p->height - 5,
				" text-anchor=\"middle\"", p->chart->x.title);
	return code;
}

static bool has_legend(const struct rep_chart *chart)
{
	for (size_t i = 0; i < chart->nlines; i++) {
		if (chart->lines[i].name && (chart->nlines > 1 || !chart->title))
			return true;
	}
	return false;
}

/* The y axis's title, and a sample with a name per line; from the left, as far as there is room. */
static int put_legend(struct picture *p, double y)
{
	const struct rep_chart *chart = p->chart;
	double x = 8;
	int code = 0;

	if (chart->y.title) {
		code = put_text(p, x, y, "", chart->y.title);
		x += (double)rep_text_width(chart->y.title, strlen(chart->y.title)) * CHAR_WIDTH +
		     18;
	}
	for (size_t i = 0; has_legend(chart) && i < chart->nlines && !code; i++) {
		const char *name = chart->lines[i].name ? chart->lines[i].name : "";
		double width = (double)rep_text_width(name, strlen(name)) * CHAR_WIDTH + 40;

		if (x + width > p->width && i)
			break;
		code = put_f(p->out, "<path class=\"line l%zu\" d=\"M%.0f %.1fh16\"/>", i % COLOURS,
			     x, y - 3.5);
		if (!code)
			code = put_text(p, x + 21, y, "", name);
		x += width;
	}
	return code;
}

static void plan(struct picture *p)
{
	const struct rep_chart *chart = p->chart;
	double x[2], y[2], widest = 0;

	p->top = 10 + (chart->title ? 20 : 0) + (chart->y.title || has_legend(chart) ? 20 : 0);
	p->bottom = p->height - 24 - (chart->x.title ? 16 : 0);
	if (p->bottom < p->top + 10)
		p->bottom = p->top + 10;
	rep_chart_extent(chart, x, y);
	rep_scale_init(&p->y, &chart->y, y[0], y[1], (unsigned)((p->bottom - p->top) / 34) + 1,
		       true);
	for (size_t i = 0; i < p->y.nticks; i++)
		widest = fmax(widest, (double)strlen(p->y.ticks[i].text));
	p->left = ceil(widest * CHAR_WIDTH) + 12;
	p->right = p->width - 12;
	if (p->right < p->left + 10)
		p->right = p->left + 10;
	rep_scale_init(&p->x, &chart->x, x[0], x[1], (unsigned)((p->right - p->left) / 90) + 1,
		       false);
}

/* Clips by a picture within the picture: it needs no name, of which a page would have many. */
static int put_field(struct picture *p)
{
	int code = put_f(p->out,
			 "<svg x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" "
			 "viewBox=\"%.0f %.0f %.0f %.0f\">\n",
			 p->left - 1, p->top - 1, p->right - p->left + 2, p->bottom - p->top + 2,
			 p->left - 1, p->top - 1, p->right - p->left + 2, p->bottom - p->top + 2);

	for (size_t i = 0; i < p->chart->nlines && !code; i++)
		code = put_line(p, i);
	return code ? code : put(p->out, "</svg>\n");
}

static int put_all(struct picture *p, bool inside)
{
	const char *name = p->chart->title ? p->chart->title : p->chart->y.title;
	double y = 16;
	int code = put_f(p->out,
			 "<svg %sclass=\"chart\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
			 "height=\"%.0f\" role=\"img\">\n",
			 inside ? "" : "xmlns=\"http://www.w3.org/2000/svg\" ", p->width, p->height,
			 p->width, p->height);

	if (!code && name) {
		code = put(p->out, "<title>");
		if (!code)
			code = put_escaped(p->out, name);
		if (!code)
			code = put(p->out, "</title>\n");
	}
	if (!code && !inside)
		code = put_f(p->out, "<style>");
	if (!code && !inside)
		code = put(p->out, rep_chart_style);
	if (!code && !inside)
		code = put_f(p->out, "%s</style>\n", alone);
	if (!code && p->chart->title) {
		code = put_text(p, 8, y, " class=\"title\"", p->chart->title);
		y += 20;
	}
	if (!code)
		code = put_legend(p, y);
	if (!code)
		code = put_y_axis(p);
	if (!code)
		code = put_field(p);
	if (!code)
		code = put_x_axis(p);
	return code ? code : put(p->out, "</svg>\n");
}

int rep_chart_put_svg(struct tp_buf *out, const struct rep_chart *chart, unsigned width,
		      unsigned height, bool inside)
{
	struct picture p = {.chart = chart, .out = out};

	p.width = width < 120 ? 120 : width > 20000 ? 20000 : width;
	p.height = height < 80 ? 80 : height > 20000 ? 20000 : height;
	plan(&p);
	return put_all(&p, inside);
}

int rep_chart_svg(const struct rep_chart *chart, unsigned width, unsigned height,
		  struct rep_sink sink, struct tp_err *err)
{
	struct tp_buf out = {0};
	int code = rep_chart_put_svg(&out, chart, width, height, false);

	if (code)
		code = tp_err_set(err, code, TP_OFFSET_NONE, "out of memory for a chart");
	else
		code = sink.write(sink.ctx, out.data, out.size, err);
	tp_buf_release(&out);
	return code;
}
