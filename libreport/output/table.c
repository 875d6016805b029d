/* An aligned table: a header, numbers to the right with units, text to the left, two blanks between
 * columns, no wider than the terminal.
 *
 * The first rows are held until the table ends or there are REP_TABLE_MEASURED of them. Then the
 * columns get their widths, and further rows are written at once. If the natural widths are too
 * large, columns with `drop` are left out (the highest first, and only until texts have their least
 * width), then texts are shortened, the widest first; numbers never are. If the numbers alone are
 * too wide, cutting texts cannot make the table fit, so texts stay whole, up to a line of their
 * own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "output/ops.h"

#define GAP	 2
#define TEXT_MIN 16 /* rep_column.least if that is 0 */
#define TEXT_LOW 6  /* a text is never cut below this many cells */

struct cell {
	size_t at; /* in table.text or table.titles */
	size_t size, width;
	enum rep_tone tone;
};

struct column {
	struct cell title;
	size_t width;
	bool right, shown, cut, has_text, has_number, blank; /* blank: only "-" or "" in it */
};

struct table {
	struct tp_buf titles; /* escaped, one after the other */
	struct tp_buf text;   /* of all held cells */
	struct tp_buf cells;  /* struct cell, row by row */
	struct tp_buf line;
	struct column *columns;
	size_t rows; /* held rows */
	bool measured;
};

/* ---- values as people read them ---- */

static int put_float(struct tp_buf *b, const char *format, double f)
{
	char text[64];

	if (isnan(f))
		return tp_buf_text(b, "-");
	snprintf(text, sizeof(text), format, f);
	return tp_buf_text(b, text);
}

/* Writes a share; one above 0 is not rounded to 0. */
static int put_share(struct tp_buf *b, double f)
{
	if (f > 0 && f < 0.0005)
		return tp_buf_text(b, "<0.1%");
	return put_float(b, "%.1f%%", f * 100);
}

static int put_int(struct tp_buf *b, enum rep_kind kind, int64_t i)
{
	char text[TP_COUNT_SIZE];

	switch (kind) {
	case REP_NS:
		return tp_buf_text(b, tp_fmt_ns(text, i));
	case REP_BYTES:
		return tp_buf_text(b, tp_fmt_bytes(text, i));
	case REP_COUNT:
		return tp_buf_text(b, tp_fmt_count(text, i));
	case REP_BOOL:
		return tp_buf_text(b, i ? "yes" : "no");
	case REP_SHARE:
		return put_share(b, (double)i);
	default:
		return rep_put_int(b, i);
	}
}

int rep_put_shown(struct tp_buf *b, enum rep_kind kind, const struct rep_value *v)
{
	switch (v->type) {
	case REP_TYPE_NULL:
		return tp_buf_text(b, "-");
	case REP_TYPE_INT:
		return put_int(b, kind, v->i);
	case REP_TYPE_FLOAT:
		if (kind == REP_SHARE)
			return put_share(b, v->f);
		if ((kind == REP_NS || kind == REP_BYTES) && fabs(v->f) < 9e18)
			return put_int(b, kind, llround(v->f));
		if (kind == REP_FLOAT)
			return put_float(b, "%.3g", v->f);
		return isfinite(v->f) ? rep_put_double(b, v->f) : put_float(b, "%f", v->f);
	case REP_TYPE_BLOB:
		tp_buf_text(b, "x'");
		rep_put_hex(b, v->text.data, v->text.size);
		return tp_buf_text(b, "'");
	case REP_TYPE_TEXT:
	case REP_TYPE_ABSENT:
		break;
	}
	return rep_escape(b, v->text.data, v->text.size, REP_ESCAPE_SHOWN);
}

/* ---- widths ---- */

int rep_put_title(struct tp_buf *b, const struct rep_column *c)
{
	const char *title = c->title ? c->title : c->name;

	return rep_escape(b, title, strlen(title), REP_ESCAPE_SHOWN);
}

/* Escapes titles before they are measured, as columns of SQL have names from the store. */
static int keep_titles(const struct rep_output *out, struct table *t)
{
	t->titles.size = 0;
	if (tp_buf_reserve(&t->titles, 1)) /* also if all are empty */
		return TP_ENOMEM;
	for (size_t i = 0; i < out->ncolumns; i++) {
		struct cell *c = &t->columns[i].title;

		c->at = t->titles.size;
		if (rep_put_title(&t->titles, &out->columns[i]))
			return TP_ENOMEM;
		c->size = t->titles.size - c->at;
		if (c->size)
			c->width = rep_text_width((const char *)t->titles.data + c->at, c->size);
	}
	return 0;
}

/* Returns the width with texts cut to cut_to cells; 0: to each column's least width. */
static size_t total_width(const struct rep_output *out, const struct table *t, size_t cut_to)
{
	size_t sum = 0;

	for (size_t i = 0; i < out->ncolumns; i++) {
		const struct column *c = &t->columns[i];
		size_t least = out->columns[i].least ? out->columns[i].least : TEXT_MIN;
		size_t cut = cut_to ? cut_to : least;

		if (c->shown)
			sum += (sum ? GAP : 0) + (c->cut && c->width > cut ? cut : c->width);
	}
	return sum;
}

/* Returns whether column i is left out before column k: blank columns first, then those with the
 * higher drop. */
static bool drops_first(const struct rep_output *out, const struct table *t, size_t i, size_t k)
{
	if (t->columns[i].blank != t->columns[k].blank)
		return t->columns[i].blank;
	return out->columns[i].drop >= out->columns[k].drop;
}

static bool may_drop(const struct rep_output *out, const struct table *t, size_t i)
{
	const struct rep_column *rc = &out->columns[i];

	return t->columns[i].shown && (rc->drop || (rc->drop_blank && t->columns[i].blank));
}

/* Leaves out one of the shown columns. Returns false if no more can be left out. */
static bool drop_one(const struct rep_output *out, struct table *t)
{
	size_t worst = out->ncolumns;

	for (size_t i = 0; i < out->ncolumns; i++) {
		if (may_drop(out, t, i) &&
		    (worst == out->ncolumns || drops_first(out, t, i, worst)))
			worst = i;
	}
	if (worst == out->ncolumns)
		return false;
	t->columns[worst].shown = false;
	return true;
}

static void fit(const struct rep_output *out, struct table *t)
{
	size_t room = out->opt.width, cut;

	if (!room)
		return;
	while (total_width(out, t, 0) > room && drop_one(out, t))
		;
	if (total_width(out, t, SIZE_MAX) <= room)
		return;
	/* The widest cut that fits; texts narrower than it stay whole. */
	for (cut = room > TEXT_LOW ? room : TEXT_LOW;
	     cut > TEXT_LOW && total_width(out, t, cut) > room; cut--)
		;
	if (total_width(out, t, cut) > room)
		cut = room > TEXT_MIN ? room : TEXT_MIN;
	for (size_t i = 0; i < out->ncolumns; i++) {
		struct column *c = &t->columns[i];

		if (!c->shown || !c->cut || c->width <= cut)
			continue;
		c->width = cut;
		/* The remainder of rounding goes to the first column that needs it. */
		while (total_width(out, t, SIZE_MAX) < room && total_width(out, t, cut) < room &&
		       c->width < room)
			c->width++;
	}
}

static void measure(const struct rep_output *out, struct table *t)
{
	const struct cell *cells = (const struct cell *)(void *)t->cells.data;

	for (size_t i = 0; i < out->ncolumns; i++) {
		const struct rep_column *rc = &out->columns[i];
		struct column *c = &t->columns[i];

		c->shown = !rc->raw_only;
		c->width = out->opt.no_header ? 0 : c->title.width;
		c->right = rc->kind == REP_ANY ? c->has_number && !c->has_text
					       : rc->kind != REP_TEXT && rc->kind != REP_BOOL;
		c->right |= rc->right;
		c->cut = !c->right;
		c->blank = true;
		for (size_t row = 0; row < t->rows; row++) {
			const struct cell *cell = &cells[row * out->ncolumns + i];

			if (cell->width > c->width)
				c->width = cell->width;
			if (cell->size > 1 || (cell->size && t->text.data[cell->at] != '-'))
				c->blank = false;
		}
	}
	fit(out, t);
	t->measured = true;
}

/* ---- lines ---- */

static int put_blanks(struct tp_buf *b, size_t n)
{
	if (tp_buf_reserve(b, n))
		return TP_ENOMEM;
	memset(b->data + b->size, ' ', n);
	b->size += n;
	return 0;
}

/* Appends one cell, whose text is in `from`, to the line. */
static int put_cell(struct rep_output *out, size_t i, const struct tp_buf *from,
		    const struct cell *cell, enum rep_shorten how, bool last)
{
	static const char *const paint[] = {
	    [REP_TONE_NORMAL] = "", [REP_TONE_MORE] = "\x1b[31m", [REP_TONE_LESS] = "\x1b[32m"};
	struct table *t = out->priv;
	const struct column *c = &t->columns[i];
	const char *text = (const char *)from->data + cell->at;
	bool painted = out->opt.colour && cell->tone != REP_TONE_NORMAL;
	size_t width = cell->width, before;

	if (c->right && width < c->width)
		put_blanks(&t->line, c->width - width);
	tp_buf_text(&t->line, painted ? paint[cell->tone] : "");
	before = t->line.size;
	if (c->cut && out->opt.width && width > c->width) {
		rep_shorten(&t->line, text, cell->size, c->width, how, out->opt.ascii);
		width = rep_text_width((const char *)t->line.data + before, t->line.size - before);
	} else {
		tp_buf_put(&t->line, text, cell->size);
	}
	tp_buf_text(&t->line, painted ? "\x1b[39m" : "");
	if (!last && !c->right && width < c->width)
		put_blanks(&t->line, c->width - width);
	return put_blanks(&t->line, last ? 0 : GAP);
}

static size_t last_shown(const struct rep_output *out, const struct table *t)
{
	size_t last = 0;

	for (size_t i = 0; i < out->ncolumns; i++) {
		if (t->columns[i].shown)
			last = i;
	}
	return last;
}

/* Writes the line without trailing blanks. */
static int put_line(struct rep_output *out, const char *before, const char *after)
{
	struct table *t = out->priv;
	int code = tp_buf_text(&t->line, "");

	while (t->line.size && t->line.data[t->line.size - 1] == ' ')
		t->line.size--;
	tp_buf_text(&out->buf, out->opt.colour ? before : "");
	tp_buf_put(&out->buf, t->line.data, t->line.size);
	tp_buf_text(&out->buf, out->opt.colour ? after : "");
	t->line.size = 0;
	tp_buf_text(&out->buf, "\n");
	return code;
}

static int put_header(struct rep_output *out)
{
	struct table *t = out->priv;
	size_t last = last_shown(out, t);

	if (out->opt.no_header)
		return 0;
	for (size_t i = 0; i < out->ncolumns; i++) {
		if (t->columns[i].shown)
			put_cell(out, i, &t->titles, &t->columns[i].title, REP_SHORTEN_RIGHT,
				 i == last);
	}
	return put_line(out, "\x1b[1m", "\x1b[0m");
}

static int put_row(struct rep_output *out, const struct cell *cells)
{
	struct table *t = out->priv;
	size_t last = last_shown(out, t);

	for (size_t i = 0; i < out->ncolumns; i++) {
		if (t->columns[i].shown)
			put_cell(out, i, &t->text, &cells[i], out->columns[i].shorten, i == last);
	}
	return put_line(out, "", "");
}

/* Writes the held rows. */
static int put_kept(struct rep_output *out)
{
	struct table *t = out->priv;
	const struct cell *cells = (const struct cell *)(void *)t->cells.data;
	int code = 0;

	if (!t->measured) {
		measure(out, t);
		code = put_header(out);
		if (!code)
			code = rep_output_piece(out, REP_PIECE_TABLE, out->name);
	}
	for (size_t row = 0; !code && row < t->rows; row++) {
		code = put_row(out, cells + row * out->ncolumns);
		if (!code)
			code = rep_output_piece(out, REP_PIECE_ROW, NULL);
		if (!code)
			code = rep_output_flush(out, (size_t)64 << 10);
	}
	t->rows = 0;
	t->cells.size = 0;
	t->text.size = 0;
	return code;
}

/* ---- the format ---- */

static int begin(struct rep_output *out, const char *name)
{
	struct table *t = out->priv;

	(void)name;
	if (!t)
		out->priv = t = calloc(1, sizeof(*t));
	if (!t)
		return TP_ENOMEM;
	free(t->columns);
	t->columns = calloc(out->ncolumns ? out->ncolumns : 1, sizeof(*t->columns));
	t->measured = false;
	return t->columns ? keep_titles(out, t) : TP_ENOMEM;
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	struct table *t = out->priv;

	for (size_t i = 0; i < out->ncolumns; i++) {
		struct cell c = {.at = t->text.size, .tone = values[i].tone};

		if (values[i].type == REP_TYPE_INT || values[i].type == REP_TYPE_FLOAT)
			t->columns[i].has_number = true;
		else if (values[i].type != REP_TYPE_NULL)
			t->columns[i].has_text = true;
		if (!out->columns[i].raw_only)
			rep_put_shown(&t->text, out->columns[i].kind, &values[i]);
		c.size = t->text.size - c.at;
		c.width = c.size ? rep_text_width((const char *)t->text.data + c.at, c.size) : 0;
		tp_buf_put(&t->cells, &c, sizeof(c));
	}
	if (tp_buf_text(&t->text, "") || tp_buf_text(&t->cells, ""))
		return TP_ENOMEM;
	t->rows++;
	return t->measured || t->rows >= REP_TABLE_MEASURED ? put_kept(out) : 0;
}

/* Writes the note "not in 80 columns: P90, P99". */
static int put_left_out(struct rep_output *out)
{
	struct table *t = out->priv;
	struct tp_buf line = {0};
	bool any = false;
	int code;

	for (size_t i = 0; i < out->ncolumns; i++) {
		const struct column *c = &t->columns[i];

		if (out->columns[i].raw_only || c->shown)
			continue;
		if (any)
			tp_buf_text(&line, ", ");
		else
			tp_buf_printf(&line, "not in %u columns: ", out->opt.width);
		tp_buf_put(&line, t->titles.data + c->title.at, c->title.size);
		any = true;
	}
	rep_put_wrapped(&t->line, (const char *)line.data, line.size, out->opt.width);
	code = tp_buf_text(&line, "");
	tp_buf_release(&line);
	return code || !any ? code : put_line(out, "\x1b[2m", "\x1b[0m");
}

static int end(struct rep_output *out)
{
	int code = put_kept(out);

	return code ? code : put_left_out(out);
}

int rep_put_wrapped(struct tp_buf *b, const char *text, size_t size, size_t room)
{
	size_t used = 0;

	for (size_t at = 0; at < size;) {
		const char *blank = memchr(text + at + 1, ' ', size - at - 1);
		size_t n = blank ? (size_t)(blank - text) - at : size - at;
		size_t width = rep_text_width(text + at, n);

		if (used && room && used + width > room && text[at] == ' ') {
			tp_buf_text(b, "\n");
			at++;
			n--;
			width--;
			used = 0;
		}
		tp_buf_put(b, text + at, n);
		used += width;
		at += n;
	}
	return tp_buf_text(b, "");
}

static int note(struct rep_output *out, bool strong, const char *text)
{
	bool dressed = out->opt.colour && !out->plain;
	struct tp_buf line = {0};
	int code;

	if (!*text)
		return tp_buf_text(&out->buf, "\n");
	code = rep_escape(&line, text, strlen(text), REP_ESCAPE_SHOWN);
	tp_buf_text(&out->buf, !dressed ? "" : strong ? "\x1b[1m" : "\x1b[2m");
	rep_put_wrapped(&out->buf, (char *)line.data, line.size, out->opt.width);
	tp_buf_text(&out->buf, dressed ? "\x1b[0m\n" : "\n");
	tp_buf_release(&line);
	return code;
}

static void release(struct rep_output *out)
{
	struct table *t = out->priv;

	if (!t)
		return;
	tp_buf_release(&t->titles);
	tp_buf_release(&t->text);
	tp_buf_release(&t->cells);
	tp_buf_release(&t->line);
	free(t->columns);
	free(t);
}

const struct rep_output_ops rep_output_table = {
    .begin = begin,
    .row = row,
    .end = end,
    .note = note,
    .free = release,
};
