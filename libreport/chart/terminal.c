/* Charts in cells: a braille cell is 2 by 4 dots, an ASCII cell is one. Lines that colour cannot
 * tell apart differ by how they are dashed (braille) or by their character (ASCII).
 *
 *	title
 *	y title    ⠤⠤ live  ⠄⠄ goal
 *	64MiB ┤⠀⠀⣀⠤⠒
 *	      │
 *	    0 ┼──────┬──────┬
 *	      0s     1s    2s   x title */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "chart/scale.h"

#define MIN_COLUMNS 30
#define MAX_COLUMNS 1000
#define MIN_ROWS    6
#define MAX_ROWS    300

struct canvas {
	unsigned columns, rows; /* cells */
	unsigned dx, dy;	/* dots per cell */
	uint8_t *dots;		/* per cell: a bit per dot */
	uint8_t *owner;		/* per cell: 1 + the line drawn last */
};

/* ---- dots ---- */

/* Returns the bit of a dot within its braille cell (Unicode: dots 1 to 8). */
static uint8_t dot_bit(const struct canvas *c, unsigned x, unsigned y)
{
	static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

	return c->dy == 1 ? 1 : bits[y % 4][x % 2];
}

static void set_dot(struct canvas *c, unsigned x, unsigned y, size_t line)
{
	size_t cell = (size_t)(y / c->dy) * c->columns + x / c->dx;

	c->dots[cell] |= dot_bit(c, x, y);
	c->owner[cell] = (uint8_t)(1 + line % 250);
}

/* Returns whether a dot of a dashed line is on; the pattern repeats. */
static bool dash_on(size_t line, unsigned step, bool solid)
{
	static const uint8_t patterns[] = {0xff, 0x55, 0x77, 0x11}; /* ━ ┅ ┉ … */

	return solid || (patterns[line % 4] >> (step % 8) & 1);
}

struct pen {
	struct canvas *canvas;
	size_t line;
	bool solid;
	unsigned step;	       /* dots so far */
	double dot_x, dot_y;   /* the last one */
	double last_x, last_y; /* dots */
	double y;	       /* as it was given */
	bool down;
};

static void draw_segment(struct pen *p, double x0, double y0, double x1, double y1)
{
	/* The last dots of the field, with a margin for rounding of sums. */
	double right = p->canvas->columns * p->canvas->dx - 1 + 0.01;
	double bottom = p->canvas->rows * p->canvas->dy - 1 + 0.01;
	unsigned steps = (unsigned)ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));

	for (unsigned i = 0; i <= steps; i++) {
		double t = steps ? (double)i / steps : 0;
		double at_x = x0 + (x1 - x0) * t, at_y = y0 + (y1 - y0) * t;
		double x = round(at_x), y = round(at_y);

		if (p->step && x == p->dot_x && y == p->dot_y)
			continue; /* several points in a dot count once */
		p->dot_x = x;
		p->dot_y = y;
		if (fmin(at_x, at_y) > -0.01 && at_x < right && at_y < bottom &&
		    dash_on(p->line, p->step, p->solid))
			set_dot(p->canvas, (unsigned)x, (unsigned)y, p->line);
		p->step++;
	}
}

/* Draws a line to a point of the field (0 to 1). A point farther outside than the field is large is
 * moved closer, to limit the number of dots. */
static void line_to(struct pen *p, double x, double y)
{
	struct canvas *c = p->canvas;
	double w = c->columns * c->dx - 1, h = c->rows * c->dy - 1;
	double at_x = fmax(-1, fmin(2, x)) * w, at_y = (1 - fmax(-1, fmin(2, y))) * h;

	draw_segment(p, p->down ? p->last_x : at_x, p->down ? p->last_y : at_y, at_x, at_y);
	p->last_x = at_x;
	p->last_y = at_y;
	p->y = y;
	p->down = true;
}

static void draw_line(struct canvas *c, const struct rep_chart_line *l, size_t index,
		      const struct rep_scale *sx, const struct rep_scale *sy, bool solid)
{
	struct pen p = {.canvas = c, .line = index, .solid = solid};

	for (size_t i = 0; i < l->n; i++) {
		double x = rep_scale_at(sx, l->x[i]), y = rep_scale_at(sy, l->y[i]);

		if (isfinite(x) && p.down && l->steps)
			line_to(&p, x, p.y);
		if (!isfinite(x) || !isfinite(y)) {
			p.down = false;
			continue;
		}
		line_to(&p, x, y);
	}
}

/* ---- text around the field ---- */

struct style {
	const char *vertical, *tick_left, *corner, *horizontal, *tick_down;
	const char *marks; /* ASCII: per line */
};

static const struct style unicode = {
    .vertical = "│", .tick_left = "┤", .corner = "└", .horizontal = "─", .tick_down = "┬"};
static const struct style ascii = {.vertical = "|",
				   .tick_left = "+",
				   .corner = "+",
				   .horizontal = "-",
				   .tick_down = "+",
				   .marks = "*ox#%@&="};

static const char *const colours[] = {"\x1b[34m", "\x1b[31m", "\x1b[32m",
				      "\x1b[33m", "\x1b[35m", "\x1b[36m"};
#define NCOLOURS (sizeof(colours) / sizeof(colours[0]))
#define RESET	 "\x1b[0m"

struct drawing {
	const struct rep_chart *chart;
	const struct rep_chart_terminal *t;
	const struct style *style;
	struct rep_scale x, y;
	struct canvas canvas;
	unsigned columns, margin; /* cells left of the axis */
	struct tp_buf out;
	int code; /* the first failure; nothing is written after it */
};

static void put_bytes(struct drawing *d, const char *data, size_t n)
{
	if (!d->code)
		d->code = tp_buf_put(&d->out, data, n);
}

static void put(struct drawing *d, const char *text)
{
	put_bytes(d, text, strlen(text));
}

static void put_blanks(struct drawing *d, unsigned n)
{
	while (n--)
		put(d, " ");
}

static void put_cell(struct drawing *d, uint8_t dots)
{
	const char utf8[3] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f))};

	put_bytes(d, utf8, 3);
}

static void put_mark(struct drawing *d, size_t line)
{
	put_bytes(d, &d->style->marks[line % strlen(d->style->marks)], 1);
}

/* Writes an escaped name, cut to `room` cells. Returns the cells used. */
static size_t put_name(struct drawing *d, const char *name, size_t room)
{
	struct tp_buf text = {0};
	size_t at = d->out.size;

	if (!d->code)
		d->code = rep_escape(&text, name, strlen(name), REP_ESCAPE_SHOWN);
	if (!d->code)
		d->code = rep_shorten(&d->out, (char *)text.data, text.size, room,
				      REP_SHORTEN_RIGHT, d->t->ascii);
	tp_buf_release(&text);
	return d->code ? 0 : rep_text_width((char *)d->out.data + at, d->out.size - at);
}

static void put_sample(struct drawing *d, size_t line)
{
	uint8_t dots[2] = {0, 0};

	if (d->t->colour)
		put(d, colours[line % NCOLOURS]);
	for (unsigned x = 0; x < 4; x++) {
		if (dash_on(line, x, d->t->colour))
			dots[x / 2] |= x % 2 ? 0x20 : 0x04;
	}
	for (int i = 0; i < 2; i++) {
		if (d->t->ascii)
			put_mark(d, line);
		else
			put_cell(d, dots[i]);
	}
	if (d->t->colour)
		put(d, RESET);
	put(d, " ");
}

/* Returns whether a line names the y axis and the lines. */
static bool has_legend(const struct rep_chart *chart)
{
	return chart->y.title || rep_chart_names_lines(chart);
}

static void put_legend(struct drawing *d)
{
	const struct rep_chart *chart = d->chart;
	size_t used = chart->y.title ? put_name(d, chart->y.title, d->columns) : 0;

	for (size_t i = 0; i < chart->nlines; i++) {
		if (!chart->lines[i].name || (chart->nlines == 1 && chart->title))
			continue;
		if (used + 3 + 3 + 6 > d->columns)
			break; /* no room for further names */
		if (used) {
			put(d, "   ");
			used += 3;
		}
		put_sample(d, i);
		used += 3;
		used += put_name(d, chart->lines[i].name, d->columns - used);
	}
	put(d, "\n");
}

/* Returns the label of a row of cells, NULL if it has none. */
static const struct rep_tick *tick_of_row(const struct drawing *d, unsigned row)
{
	for (size_t i = 0; i < d->y.nticks; i++) {
		double at = 1 - rep_scale_at(&d->y, d->y.ticks[i].value);

		if ((unsigned)lround(at * (d->canvas.rows - 1)) == row)
			return &d->y.ticks[i];
	}
	return NULL;
}

static void put_row(struct drawing *d, unsigned row)
{
	const struct rep_tick *tick = tick_of_row(d, row);
	const struct canvas *c = &d->canvas;
	unsigned width = tick ? (unsigned)strlen(tick->text) : 0, last = 0, colour = 0;

	put_blanks(d, d->margin - width);
	if (tick)
		put(d, tick->text);
	put(d, " ");
	put(d, tick ? d->style->tick_left : d->style->vertical);
	for (unsigned x = 0; x < c->columns; x++) {
		if (c->dots[(size_t)row * c->columns + x])
			last = x + 1;
	}
	for (unsigned x = 0; x < last; x++) {
		size_t cell = (size_t)row * c->columns + x;
		unsigned owner = c->dots[cell] ? c->owner[cell] : 0;

		if (d->t->colour && owner && owner != colour) {
			put(d, colours[(owner - 1) % NCOLOURS]);
			colour = owner;
		}
		if (!owner)
			put(d, " ");
		else if (d->t->ascii)
			put_mark(d, owner - 1);
		else
			put_cell(d, c->dots[cell]);
	}
	if (colour)
		put(d, RESET);
	put(d, "\n");
}

static unsigned column_of(const struct drawing *d, const struct rep_tick *tick)
{
	return (unsigned)lround(rep_scale_at(&d->x, tick->value) * (d->canvas.columns - 1));
}

/* Draws the x axis, the labels below it (centred; labels that would touch another are left out),
 * and the axis's title, after the labels if it fits. */
static void put_x_axis(struct drawing *d)
{
	char *labels = calloc(1, (size_t)d->columns + 1);
	bool *ticked = calloc(d->canvas.columns, sizeof(*ticked));
	unsigned left = d->margin + 2, end = 0;
	const char *title = d->chart->x.title;

	if (!d->code && (!labels || !ticked))
		d->code = TP_ENOMEM;
	for (size_t i = 0; i < d->x.nticks && !d->code; i++) {
		unsigned width = (unsigned)strlen(d->x.ticks[i].text);
		unsigned at = column_of(d, &d->x.ticks[i]);
		unsigned from = left + at > width / 2 ? left + at - width / 2 : 0;

		if (at >= d->canvas.columns || width > d->columns)
			continue;
		if (from + width > d->columns)
			from = d->columns - width;
		if (end && from < end + 1)
			continue;
		ticked[at] = true;
		memset(labels + end, ' ', from - end);
		memcpy(labels + from, d->x.ticks[i].text, width);
		end = from + width;
	}
	put_blanks(d, d->margin + 1);
	put(d, d->style->corner);
	for (unsigned i = 0; i < d->canvas.columns && !d->code; i++)
		put(d, ticked[i] ? d->style->tick_down : d->style->horizontal);
	put(d, "\n");
	if (!d->code)
		put_bytes(d, labels, end);
	if (title && end + 2 + strlen(title) <= d->columns) {
		put_blanks(d, 2);
	} else if (title) {
		put(d, "\n");
		put_blanks(d, left);
	}
	if (title)
		put_name(d, title, d->columns - left);
	free(labels);
	free(ticked);
	put(d, "\n");
}

static unsigned clamp(unsigned v, unsigned least, unsigned most)
{
	return v < least ? least : v > most ? most : v;
}

static unsigned label_width(const struct rep_scale *s)
{
	size_t width = 0;

	for (size_t i = 0; i < s->nticks; i++) {
		if (strlen(s->ticks[i].text) > width)
			width = strlen(s->ticks[i].text);
	}
	return (unsigned)width;
}

/* Computes sizes and scales, and the rows left for the lines. */
static int plan(struct drawing *d)
{
	unsigned rows = clamp(d->t->rows, MIN_ROWS, MAX_ROWS), taken = 2;
	const struct rep_chart *chart = d->chart;
	struct canvas *c = &d->canvas;
	double x[2], y[2];

	d->columns = clamp(d->t->columns, MIN_COLUMNS, MAX_COLUMNS);
	taken += chart->title ? 1 : 0;
	taken += has_legend(chart) ? 1 : 0;
	if (rows > taken + 3 && chart->x.title)
		taken++; /* if it does not fit after the labels */
	c->rows = rows > taken + 2 ? rows - taken : 2;
	rep_chart_extent(chart, x, y);
	rep_scale_init(&d->y, &chart->y, y[0], y[1], clamp(c->rows / 2, 1, 8), true);
	d->margin = label_width(&d->y);
	c->columns = d->columns - d->margin - 2;
	rep_scale_init(&d->x, &chart->x, x[0], x[1], clamp(c->columns / 12, 2, 12), false);
	c->dx = d->t->ascii ? 1 : 2;
	c->dy = d->t->ascii ? 1 : 4;
	c->dots = calloc((size_t)c->columns * c->rows, 1);
	c->owner = calloc((size_t)c->columns * c->rows, 1);
	return c->dots && c->owner ? 0 : TP_ENOMEM;
}

static void put_title(struct drawing *d)
{
	if (d->t->colour)
		put(d, "\x1b[1m");
	put_name(d, d->chart->title, d->columns);
	if (d->t->colour)
		put(d, RESET);
	put(d, "\n");
}

int rep_chart_terminal(const struct rep_chart *chart, const struct rep_chart_terminal *t,
		       struct tp_err *err)
{
	struct drawing d = {.chart = chart, .t = t, .style = t->ascii ? &ascii : &unicode};

	d.code = plan(&d);
	for (size_t i = 0; i < chart->nlines && !d.code; i++)
		draw_line(&d.canvas, &chart->lines[i], i, &d.x, &d.y, t->colour || t->ascii);
	if (chart->title)
		put_title(&d);
	if (has_legend(chart))
		put_legend(&d);
	for (unsigned row = 0; row < d.canvas.rows && !d.code; row++)
		put_row(&d, row);
	put_x_axis(&d);
	d.code = d.code ? tp_nomem(err) : t->sink.write(t->sink.ctx, d.out.data, d.out.size, err);
	tp_buf_release(&d.out);
	free(d.canvas.dots);
	free(d.canvas.owner);
	return d.code;
}
