/* Charts as SVG. Points that a pixel cannot show are left out: of the points in one column of
 * pixels the first, the least, the greatest and the last remain. */
#include <math.h>
#include <string.h>

#include "chart/chart.h"
#include "chart/scale.h"
#include "output/html.h"

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

/* A file of its own has a background. */
static const char alone[] = ".chart{background:#fff}"
			    "@media (prefers-color-scheme:dark){.chart{background:#17191d}}";

struct picture {
	const struct rep_chart *chart;
	double width, height;
	double left, top, right, bottom; /* of the field with the lines */
	struct rep_scale x, y;
	struct tp_buf *out;
};

/* Keeps a coordinate near the field, so that numbers stay short; the field is clipped. */
static double near(double at)
{
	return at < -1 ? -1 : at > 2 ? 2 : at;
}

static double at_x(const struct picture *p, double x)
{
	return p->left + near(rep_scale_at(&p->x, x)) * (p->right - p->left);
}

static double at_y(const struct picture *p, double y)
{
	return p->bottom - near(rep_scale_at(&p->y, y)) * (p->bottom - p->top);
}

/* ---- lines ---- */

struct path {
	struct tp_buf *out;
	bool down, steps;
	/* The column of pixels being collected. */
	bool open;
	double column, first, least, most, last;
	double last_y;
	size_t least_at, most_at; /* numbers of these points */
};

/* Writes a point; M and L have both coordinates, H and V one. */
static void put_point(struct path *p, char how, double x, double y)
{
	tp_buf_printf(p->out, "%c", how);
	if (how != 'V')
		html_px(p->out, x);
	if (how == 'M' || how == 'L')
		tp_buf_text(p->out, " ");
	if (how != 'H')
		html_px(p->out, y);
}

static void go_to(struct path *p, double x, double y)
{
	if (!p->down || !p->steps) {
		put_point(p, p->down ? 'L' : 'M', x, y);
	} else {
		put_point(p, 'H', x, y);
		if (lround(y * 10) != lround(p->last_y * 10))
			put_point(p, 'V', x, y);
	}
	p->down = true;
	p->last_y = y;
}

/* Writes the collected column: down and up, or up and down, in the order of the points. */
static void end_column(struct path *p)
{
	double x = p->column + 0.5;
	bool low_first = p->least_at < p->most_at;
	double a = low_first ? p->least : p->most, b = low_first ? p->most : p->least;

	if (!p->open)
		return;
	p->open = false;
	go_to(p, x, p->first);
	if (p->least >= p->most)
		return;
	go_to(p, x, a);
	go_to(p, x, b);
	if (p->last != b)
		go_to(p, x, p->last);
}

static void gather(struct path *p, double x, double y, size_t index)
{
	if (!p->open || floor(x) != p->column) {
		end_column(p);
		p->open = true;
		p->column = floor(x);
		p->first = p->least = p->most = y;
		p->least_at = p->most_at = index;
	}
	if (y < p->least) {
		p->least = y;
		p->least_at = index;
	}
	if (y > p->most) {
		p->most = y;
		p->most_at = index;
	}
	p->last = y;
}

static void put_path(struct picture *pic, const struct rep_chart_line *l)
{
	bool many = (double)l->n > 3 * (pic->right - pic->left);
	struct path p = {.out = pic->out, .steps = l->steps};

	for (size_t i = 0; i < l->n; i++) {
		double x = isfinite(l->x[i]) ? at_x(pic, l->x[i]) : NAN, y = at_y(pic, l->y[i]);

		if (!isnan(x) && !isnan(y)) {
			if (many)
				gather(&p, x, y, i);
			else
				go_to(&p, x, y);
			continue;
		}
		end_column(&p);
		if (p.down && l->steps && !isnan(x))
			put_point(&p, 'H', x, 0);
		else if (p.down && i >= 1 && !l->steps)
			tp_buf_text(p.out, "h0"); /* a single point is visible by its line caps */
		p.down = false;
	}
	end_column(&p);
	if (p.down && l->n == 1)
		tp_buf_text(p.out, "h0");
}

static void put_title(struct tp_buf *out, const char *title)
{
	tp_buf_text(out, "<title>");
	html_str(out, title);
	tp_buf_text(out, "</title>");
}

static void put_line(struct picture *p, size_t i)
{
	const struct rep_chart_line *l = &p->chart->lines[i];
	size_t before;

	tp_buf_printf(p->out, "<path class=\"line l%zu\" d=\"", i % COLOURS);
	before = p->out->size;
	put_path(p, l);
	if (p->out->size == before)
		tp_buf_text(p->out, "M0 0"); /* an empty path is invalid, so draw nothing */
	tp_buf_text(p->out, "\">");
	if (l->name)
		put_title(p->out, l->name);
	tp_buf_text(p->out, "</path>\n");
}

/* ---- axes, legend and title ---- */

static void put_text(struct picture *p, double x, double y, const char *attributes,
		     const char *text)
{
	tp_buf_text(p->out, "<text x=\"");
	html_px(p->out, x);
	tp_buf_text(p->out, "\" y=\"");
	html_px(p->out, y);
	tp_buf_printf(p->out, "\"%s>", attributes);
	html_str(p->out, text);
	tp_buf_text(p->out, "</text>\n");
}

static void put_y_axis(struct picture *p)
{
	for (size_t i = 0; i < p->y.nticks; i++) {
		double y = round(at_y(p, p->y.ticks[i].value)) + 0.5;

		tp_buf_printf(p->out, "<path class=\"grid\" d=\"M%.0f %.1fH%.0f\"/>", p->left, y,
			      p->right);
		put_text(p, p->left - 6, y + 3.5, " text-anchor=\"end\"", p->y.ticks[i].text);
	}
}

static void put_x_axis(struct picture *p)
{
	double end = -1, bottom = p->bottom + 0.5;

	tp_buf_printf(p->out, "<path class=\"axis\" d=\"M%.0f %.1fH%.0f", p->left, bottom,
		      p->right);
	for (size_t i = 0; i < p->x.nticks; i++)
		tp_buf_printf(p->out, "M%.1f %.1fv4", round(at_x(p, p->x.ticks[i].value)) + 0.5,
			      bottom);
	tp_buf_text(p->out, "\"/>\n");
	for (size_t i = 0; i < p->x.nticks; i++) {
		double x = at_x(p, p->x.ticks[i].value);
		double half = (double)strlen(p->x.ticks[i].text) * CHAR_WIDTH / 2;
		bool at_end = x + half > p->width - 2;

		if (x - half < end + 6)
			continue;
		end = x + half;
		put_text(p, at_end ? p->width - 2 : x, p->bottom + 16,
			 at_end ? " text-anchor=\"end\"" : " text-anchor=\"middle\"",
			 p->x.ticks[i].text);
	}
	if (p->chart->x.title)
		put_text(p, (p->left + p->right) / 2, p->height - 5, " text-anchor=\"middle\"",
			 p->chart->x.title);
}

static double width_of(const char *text)
{
	return (double)rep_text_width(text, strlen(text)) * CHAR_WIDTH;
}

/* Writes the y axis's title, and a sample with a name per line, from the left, as far as they
 * fit. */
static void put_legend(struct picture *p, double y)
{
	const struct rep_chart *chart = p->chart;
	double x = 8;

	if (chart->y.title) {
		put_text(p, x, y, "", chart->y.title);
		x += width_of(chart->y.title) + 18;
	}
	for (size_t i = 0; rep_chart_names_lines(chart) && i < chart->nlines; i++) {
		const char *name = chart->lines[i].name ? chart->lines[i].name : "";
		double width = width_of(name) + 40;

		if (x + width > p->width && i)
			break;
		tp_buf_printf(p->out, "<path class=\"line l%zu\" d=\"M%.0f %.1fh16\"/>",
			      i % COLOURS, x, y - 3.5);
		put_text(p, x + 21, y, "", name);
		x += width;
	}
}

static void plan(struct picture *p)
{
	const struct rep_chart *chart = p->chart;
	double x[2], y[2], widest = 0;

	p->top = 10 + (chart->title ? 20 : 0) +
		 (chart->y.title || rep_chart_names_lines(chart) ? 20 : 0);
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

/* Clips by a nested <svg>, which needs no id; a page would contain the same id several times. */
static void put_field(struct picture *p)
{
	tp_buf_printf(p->out,
		      "<svg x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" "
		      "viewBox=\"%.0f %.0f %.0f %.0f\">\n",
		      p->left - 1, p->top - 1, p->right - p->left + 2, p->bottom - p->top + 2,
		      p->left - 1, p->top - 1, p->right - p->left + 2, p->bottom - p->top + 2);
	for (size_t i = 0; i < p->chart->nlines; i++)
		put_line(p, i);
	tp_buf_text(p->out, "</svg>\n");
}

void rep_chart_put_svg(struct tp_buf *out, const struct rep_chart *chart, unsigned width,
		       unsigned height, bool inside)
{
	const char *name = chart->title ? chart->title : chart->y.title;
	struct picture p = {.chart = chart, .out = out};
	double y = 16;

	p.width = width < 120 ? 120 : width > 20000 ? 20000 : width;
	p.height = height < 80 ? 80 : height > 20000 ? 20000 : height;
	plan(&p);
	tp_buf_printf(out,
		      "<svg %sclass=\"chart\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
		      "height=\"%.0f\" role=\"img\">\n",
		      inside ? "" : "xmlns=\"http://www.w3.org/2000/svg\" ", p.width, p.height,
		      p.width, p.height);
	if (name) {
		put_title(out, name);
		tp_buf_text(out, "\n");
	}
	if (!inside) {
		tp_buf_text(out, "<style>");
		tp_buf_text(out, rep_chart_style);
		tp_buf_text(out, alone);
		tp_buf_text(out, "</style>\n");
	}
	if (chart->title) {
		put_text(&p, 8, y, " class=\"title\"", chart->title);
		y += 20;
	}
	put_legend(&p, y);
	put_y_axis(&p);
	put_field(&p);
	put_x_axis(&p);
	tp_buf_text(out, "</svg>\n");
}

int rep_chart_svg(const struct rep_chart *chart, unsigned width, unsigned height,
		  struct rep_sink sink, struct tp_err *err)
{
	struct tp_buf out = {0};
	int code;

	rep_chart_put_svg(&out, chart, width, height, false);
	code = out.failed ? tp_nomem(err) : sink.write(sink.ctx, out.data, out.size, err);
	tp_buf_release(&out);
	return code;
}
