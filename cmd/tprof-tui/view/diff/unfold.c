/* Unfolds functions into their lines. The first one that is unfolded makes a comparison of all functions
 * by line, with the same options. */
#include <stdlib.h>
#include <string.h>

#include "tprof-tui/view/diff/diff.h"

static bool is_line_of(const struct rep_value *line, const struct rep_value *function)
{
	size_t n = function->text.size;

	return line->type == REP_TYPE_TEXT && line->text.size > n && line->text.data[n] == ' ' &&
	       !memcmp(line->text.data, function->text.data, n);
}

/* Fills in a row of `s`, a table of functions, from one of a table of lines, which has the line's name in place of
 * the function's, and not where functions are. */
static void fill_row(const struct rep_sheet *s, struct rep_value *row, const struct rep_sheet *from,
		     size_t i)
{
	int line = rep_sheet_column(from, "line");

	for (size_t c = 0; c < s->ncolumns; c++) {
		const char *name = s->columns[c].name;
		int same = rep_sheet_column(from, name);

		if (!strcmp(name, "function"))
			same = line;
		else if (same == line)
			same = -1;
		row[c] = same < 0 ? rep_null() : *rep_sheet_at(from, i, (size_t)same);
	}
}

/* Adds the lines of a function below its row. Returns false if memory is out. */
static bool add_lines(struct tui *t, struct diff *d, size_t row)
{
	struct rep_sheet *s = d->rows.table.sheet;
	const struct rep_sheet *from = d->lines.n ? &d->lines.sheet[0] : NULL;
	int function = rep_sheet_column(s, "function");
	int line = from ? rep_sheet_column(from, "line") : -1;
	struct rep_value *values;
	size_t n = 0;
	bool fine;

	s->branch[row].asked = true;
	if (function < 0 || line < 0)
		return true;
	values = calloc((from->nrows + 1) * s->ncolumns, sizeof(*values));
	if (!values)
		return false;
	for (size_t i = 0; i < from->nrows; i++)
		if (is_line_of(rep_sheet_at(from, i, (size_t)line),
			       rep_sheet_at(s, row, (size_t)function)))
			fill_row(s, values + n++ * s->ncolumns, from, i);
	fine = !n || !rep_sheet_add(&d->rows.cells, s, row, values, n);
	free(values);
	if (!n)
		tui_message(t, "the lines of this function are not known");
	return fine;
}

static void lines_came(struct tui_view *v, struct tui_fill *f)
{
	struct diff *d = v->state;

	if (f->job.code) {
		tui_error(v->tui, "%s", f->job.err.msg);
		return;
	}
	rep_cells_release(&d->lines);
	d->lines = f->cells;
	f->cells = (struct rep_cells){0};
	if (!add_lines(v->tui, d, d->unfolding) || !tui_table_grown(&d->rows.table))
		tui_nomem(v->tui);
}

static void ask_lines(struct tui_view *v, size_t row)
{
	struct diff *d = v->state;
	const struct tui_fill how = {
	    .fill = diff_compare, .instead = lines_came, .release = diff_ask_release};
	struct diff_ask *a = diff_ask_new(v, &how);

	if (!a)
		return;
	a->lines = true;
	a->how.changed = false;
	d->unfolding = row;
	tui_job_ask(&a->fill.job);
}

void diff_unfold(struct tui_view *v)
{
	struct tui *t = v->tui;
	struct diff *d = v->state;
	struct rep_sheet *s = d->rows.table.sheet;
	long row = tui_table_row(&d->rows.table);
	struct rep_branch *b;

	if (!s || row < 0 || v->busy || rep_sheet_column(s, "function") < 0 ||
	    (d->rows.table.n && row == 0)) {
		tui_message(t, v->busy ? "the comparison is still being made"
				       : "only functions unfold into lines");
		return;
	}
	if (!s->branch && rep_sheet_unfolds(s)) {
		tui_nomem(t);
		return;
	}
	b = &s->branch[row];
	if (b->above) {
		/* The cursor is on a line: fold its function. */
		b = &s->branch[b->above - 1];
		b->open = false;
	} else if (b->asked) {
		b->open = !b->open;
	} else if (!d->lines.n) {
		ask_lines(v, (size_t)row);
		return;
	} else if (!add_lines(t, d, (size_t)row)) {
		tui_nomem(t);
		return;
	}
	if (!tui_table_grown(&d->rows.table))
		tui_nomem(t);
}

/* In "main.f /src/main.go:12", the place follows the last blank. */
bool diff_source(struct tui_view *v, char *file, size_t size, int64_t *line)
{
	struct diff *d = v->state;
	const struct rep_value *name = tui_table_cell(&d->rows.table, "line");
	const char *from;

	if (!rep_value_is_text(name))
		name = tui_table_cell(&d->rows.table, "function");
	from = rep_value_is_text(name) ? memrchr(name->text.data, ' ', name->text.size) : NULL;
	return from &&
	       tui_split_place(from + 1, name->text.size - (size_t)(from + 1 - name->text.data),
			       file, size, line);
}
