#include "page/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

struct rep_value page_cell(const struct rep_sheet *t, size_t row, const char *column)
{
	const struct rep_value *v = rep_sheet_cell(t, (long)row, column);

	return v ? *v : rep_null();
}

int64_t page_cell_int(const struct rep_sheet *t, size_t row, const char *column)
{
	struct rep_value v = page_cell(t, row, column);

	return v.type == REP_TYPE_INT ? v.i : 0;
}

double page_cell_float(const struct rep_sheet *t, size_t row, const char *column)
{
	struct rep_value v = page_cell(t, row, column);

	if (v.type == REP_TYPE_INT)
		return (double)v.i;
	return v.type == REP_TYPE_FLOAT && isfinite(v.f) ? v.f : 0;
}

/* ---- tables ---- */

/* How a column is shown: numbers right-aligned, differences with their sign, and columns of short
 * texts narrow, which leaves room for long texts. */
struct look {
	bool shown, right, narrow, signs, colours;
	size_t number; /* index of the column with the number to sort by: itself, or a raw one */
};

#define NARROW 26 /* bytes; longer texts may have to be broken */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static struct look look_of(const struct rep_sheet *t, size_t column)
{
	const struct rep_column *c = &t->columns[column];
	int by = c->by ? rep_sheet_column(t, c->by) : -1;
	const char *name = by >= 0 ? c->by : c->name;
	struct look l = {
	    .shown = !c->raw_only,
	    .right = c->right || (c->kind != REP_TEXT && c->kind != REP_BOOL && c->kind != REP_ANY),
	    .signs = ends_with(name, "delta") || ends_with(name, "change"),
	    .colours = ends_with(name, "delta"),
	    .narrow = true,
	    .number = by >= 0 ? (size_t)by : column,
	};

	for (size_t row = 0; row < t->nrows && l.narrow; row++) {
		const struct rep_value *v = rep_sheet_at(t, row, column);

		l.narrow = v->type != REP_TYPE_TEXT || v->text.size <= NARROW;
	}
	return l;
}

static void write_head(struct tp_buf *h, const struct rep_sheet *t, const struct look *look)
{
	tp_buf_text(h, "<thead><tr>");
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (!look[i].shown)
			continue;
		tp_buf_text(h, look[i].right ? "<th scope=\"col\" class=\"n\">"
					     : "<th scope=\"col\">");
		html_str(h, t->columns[i].title);
		tp_buf_text(h, "</th>");
	}
	tp_buf_text(h, "</tr></thead>\n<tbody>\n");
}

/* Writes a cell with the value v. `n` is the value that it is sorted by. */
static void write_cell(struct tp_buf *h, const struct rep_column *c, const struct look *l,
		       const struct rep_value *v, const struct rep_value *n, bool unchanged)
{
	bool number = (n->type == REP_TYPE_INT || (n->type == REP_TYPE_FLOAT && isfinite(n->f))) &&
		      c->kind != REP_BOOL;
	double value = number ? rep_value_number(n) : 0;

	/* HTML lets us omit the end tags of cells and rows, which saves much space. */
	tp_buf_text(h, "<td");
	if (l->right && l->colours && value != 0 && !unchanged)
		tp_buf_text(h, value > 0 ? " class=\"n up\"" : " class=\"n down\"");
	else if (l->right || l->narrow)
		tp_buf_text(h, l->right ? " class=\"n\"" : " class=\"t\"");
	if (number && n->type == REP_TYPE_INT)
		tp_buf_printf(h, " data-v=\"%lld\"", (long long)n->i);
	else if (number)
		tp_buf_printf(h, " data-v=\"%.6g\"", n->f);
	/* A text already has its sign. */
	tp_buf_text(h, l->right && l->signs && value > 0 && v == n ? ">+" : ">");
	html_value(h, c->kind, v);
}

/* Writes the lines [from, to), except headings and blank ones; at most `most`. */
static void write_notes(struct tp_buf *h, const struct rep_cells *c, size_t from, size_t to,
			size_t most, const char *tag)
{
	for (size_t i = from; i < to && most; i++) {
		if (c->strong[i] || !*c->note[i])
			continue;
		tp_buf_text(h, tag);
		html_str(h, c->note[i]);
		tp_buf_text(h, "</p>\n");
		most--;
	}
}

void page_table_write(struct tp_buf *h, const struct rep_cells *cells, const struct rep_sheet *t,
		      const char *caption)
{
	bool first = t == &cells->sheet[0], last = t + 1 == cells->sheet + cells->n;
	struct look *look = calloc(t->ncolumns + 1, sizeof(*look));

	if (!look) {
		tp_buf_fail(h);
		return;
	}
	for (size_t i = 0; i < t->ncolumns; i++)
		look[i] = look_of(t, i);
	write_notes(h, cells, first ? 0 : t->notes, t->notes, 4, "<p>");
	tp_buf_text(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
	html_attribute(h, "aria-label", caption);
	tp_buf_text(h, "><table class=\"data\">\n<caption>");
	html_str(h, caption);
	tp_buf_text(h, "</caption>\n");
	write_head(h, t, look);
	for (size_t row = 0; row < t->nrows; row++) {
		bool unchanged = rep_sheet_unchanged(t, (long)row);

		tp_buf_text(h, "<tr>");
		for (size_t i = 0; i < t->ncolumns; i++) {
			if (look[i].shown)
				write_cell(h, &t->columns[i], &look[i], rep_sheet_at(t, row, i),
					   rep_sheet_at(t, row, look[i].number), unchanged);
		}
		tp_buf_text(h, "\n");
	}
	tp_buf_text(h, "</tbody></table></div>\n");
	write_notes(h, cells, t->notes, last ? cells->nnotes : t[1].notes, 8, "<p class=\"note\">");
	free(look);
}
