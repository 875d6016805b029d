#include "tprof-tui/widget/table.h"

#include <stdlib.h>
#include <string.h>

#include "output/ops.h"
#include "tprof-tui/widget/inside.h"

#define WIDEST	 1000
#define MEASURED 2000 /* most rows that are measured for the widths of columns */

void tui_table_release(struct tui_table *t)
{
	free(t->order);
	free(t->column);
	free(t->width);
	free(t->filter);
	free(t->search);
	tp_buf_release(&t->text);
	*t = (struct tui_table){.sort = -1};
}

/* ---- texts ---- */

const struct rep_column *tui_table_column(const struct tui_table *t, int c)
{
	return &t->sheet->columns[t->column[c]];
}

const char *tui_table_shown(struct tui_table *t, size_t row, int c, size_t *size)
{
	const struct rep_value *v = rep_sheet_at(t->sheet, row, (size_t)t->column[c]);

	t->text.size = 0;
	if (rep_put_shown(&t->text, tui_table_column(t, c)->kind, v))
		t->text.size = 0;
	*size = t->text.size;
	return (const char *)t->text.data;
}

bool tui_table_is_text(const struct tui_table *t, int c)
{
	const struct rep_column *column = tui_table_column(t, c);

	return (column->kind == REP_TEXT || column->kind == REP_ANY) && !column->right;
}

static bool row_holds(const struct tui_table *t, size_t row, const char *part)
{
	size_t from = row ? t->sheet->text_end[row - 1] : 0;

	return row < t->sheet->indexed &&
	       memmem(t->sheet->texts + from, t->sheet->text_end[row] - from, part, strlen(part));
}

/* ---- rows ---- */

/* Returns the column of the sheet to sort by: if visible column c shows numbers as text, the column with
 * the numbers, else c itself. */
static size_t sorted_by(const struct tui_table *t, int c)
{
	const char *by = tui_table_column(t, c)->by;
	int raw = by ? rep_sheet_column(t->sheet, by) : -1;

	return raw >= 0 ? (size_t)raw : (size_t)t->column[c];
}

/* Makes the order of the rows. If memory is out, it is that of the report. */
static void arrange(struct tui_table *t)
{
	struct tui_order o = {.column = -1, .up = t->turned, .filter = t->filter};

	if (t->sort >= 0) {
		o.column = (int)sorted_by(t, t->sort);
		o.up = tui_table_is_text(t, t->sort) != t->turned;
	}
	if (t->filter && *t->filter && rep_sheet_index(t->sheet))
		o.filter = NULL;
	t->n = tui_order_make(t->sheet, &o, t->order);
	if (t->n != SIZE_MAX)
		return;
	for (t->n = 0; t->n < t->sheet->nrows; t->n++)
		t->order[t->n] = (uint32_t)t->n;
}

/* Moves the cursor back to a row of the sheet if that is shown. */
static void return_to(struct tui_table *t, long row)
{
	for (size_t i = 0; row >= 0 && i < t->n; i++) {
		if (t->order[i] == (uint32_t)row) {
			t->cursor = i;
			return;
		}
	}
	if (t->cursor >= t->n)
		t->cursor = t->n ? t->n - 1 : 0;
}

bool tui_table_only_named(const struct tui_table *t, uint32_t row)
{
	if (!t->sheet->branch || !t->sheet->branch[row].depth)
		return false;
	for (int c = 0; c < t->ncolumns; c++)
		if (c != t->naming &&
		    rep_sheet_at(t->sheet, row, (size_t)t->column[c])->type != REP_TYPE_NULL)
			return false;
	return true;
}

static int cells_of(struct tui_table *t, size_t row, int c)
{
	size_t size, width;
	const char *text = tui_table_shown(t, row, c, &size);

	width = rep_text_width(text, size);
	if (c == t->naming && t->sheet->branch)
		width += 2 * t->sheet->branch[row].depth;
	return width < WIDEST ? (int)width : WIDEST;
}

static void measure(struct tui_table *t)
{
	t->measured = t->sheet->nrows;
	for (int c = 0; c < t->ncolumns; c++) {
		const char *title = tui_table_column(t, c)->title;
		size_t least = rep_text_width(title, strlen(title)) + 1;

		t->width[c] = least < WIDEST ? (int)least : WIDEST;
		for (size_t i = 0; i < t->sheet->nrows && i < MEASURED; i++) {
			int cells = cells_of(t, i, c);

			t->width[c] = cells > t->width[c] ? cells : t->width[c];
		}
	}
}

/* Widens columns for rows that were added. Rows that have only a name do not count, as the name may use the
 * rest of the line. */
static void measure_more(struct tui_table *t)
{
	size_t n = t->sheet->nrows;

	for (size_t i = t->measured; i < n && n - i < MEASURED; i++) {
		for (int c = 0; c < t->ncolumns; c++) {
			int cells = tui_table_only_named(t, (uint32_t)i) ? 0 : cells_of(t, i, c);

			t->width[c] = cells > t->width[c] ? cells : t->width[c];
		}
	}
	t->measured = n;
}

/* Returns the column that identifies rows across sheets: the first with ids, else the first with texts,
 * else -1. Lines of files are numbers like ids, but many rows may have the same. */
static int naming_column(const struct rep_sheet *s)
{
	int text = -1;

	for (size_t i = 0; i < s->ncolumns; i++) {
		if (s->columns[i].kind == REP_ID && strcmp(s->columns[i].name, "line") != 0 &&
		    strcmp(s->columns[i].name, "address") != 0)
			return (int)i;
		if (text < 0 && s->columns[i].kind == REP_TEXT && !s->columns[i].right)
			text = (int)i;
	}
	return text;
}

static long same_row(const struct rep_sheet *s, int column, const struct rep_value *name)
{
	for (size_t i = 0; column >= 0 && i < s->nrows; i++)
		if (!rep_value_compare(rep_sheet_at(s, i, (size_t)column), name))
			return (long)i;
	return -1;
}

bool tui_table_grown(struct tui_table *t)
{
	long row = tui_table_row(t);
	uint32_t *more = realloc(t->order, (t->sheet->nrows + 1) * sizeof(*more));

	if (!more)
		return false;
	t->order = more;
	measure_more(t);
	arrange(t);
	return_to(t, row);
	return true;
}

bool tui_table_show(struct tui_table *t, struct rep_sheet *sheet)
{
	char *sorted = t->sheet && t->sort >= 0 ? strdup(tui_table_column(t, t->sort)->name) : NULL;
	long row = tui_table_row(t), again = -1;
	struct rep_value name = {0};
	struct tp_buf text = {0};
	bool named = false;
	int column;

	if (t->sheet && row >= 0 && (column = naming_column(t->sheet)) >= 0) {
		name = *rep_sheet_at(t->sheet, (size_t)row, (size_t)column);
		named = name.type == REP_TYPE_INT ||
			(name.type == REP_TYPE_TEXT &&
			 !tp_buf_put(&text, name.text.data, name.text.size));
		if (name.type == REP_TYPE_TEXT)
			name.text.data = (const char *)text.data;
	}
	free(t->order);
	free(t->column);
	free(t->width);
	t->order = NULL;
	t->column = t->width = NULL;
	t->sheet = NULL;
	t->n = 0;
	t->ncolumns = 0;
	t->sort = -1;
	if (sheet) {
		t->order = calloc(sheet->nrows + 1, sizeof(*t->order));
		t->column = calloc(sheet->ncolumns + 1, sizeof(*t->column));
		t->width = calloc(sheet->ncolumns + 1, sizeof(*t->width));
	}
	if (t->order && t->column && t->width) {
		t->sheet = sheet;
		for (size_t i = 0; i < sheet->ncolumns; i++)
			if (!sheet->columns[i].raw_only)
				t->column[t->ncolumns++] = (int)i;
		t->naming = -1;
		for (int c = t->ncolumns; c-- > 0;)
			if (tui_table_is_text(t, c))
				t->naming = c;
		measure(t);
		for (int c = 0; sorted && c < t->ncolumns; c++)
			if (!strcmp(tui_table_column(t, c)->name, sorted))
				t->sort = c;
		arrange(t);
		if (named)
			again = same_row(sheet, naming_column(sheet), &name);
		return_to(t, again);
		if (t->wish && t->n)
			t->cursor = (size_t)t->wish <= t->n ? (size_t)t->wish - 1 : 0;
		t->wish = 0;
		if (t->first >= t->ncolumns)
			t->first = 0;
	}
	tp_buf_release(&text);
	free(sorted);
	return !sheet || t->sheet;
}

/* ---- actions ---- */

static void move(struct tui_table *t, long by)
{
	long to = (long)t->cursor + by, last = t->n ? (long)t->n - 1 : 0;

	t->cursor = (size_t)(to < 0 ? 0 : to > last ? last : to);
}

void tui_table_sort_by(struct tui_table *t, int column)
{
	/* In the first line, the cursor stays there to show what comes first now; elsewhere it stays on its
	 * row. */
	long row = t->cursor ? tui_table_row(t) : -1;

	t->sort = column;
	arrange(t);
	return_to(t, row);
}

bool tui_table_act(struct tui_table *t, enum tui_action action)
{
	long by;

	if (!t->sheet)
		return false;
	if (tui_move(action, t->page, t->page / 2, &by)) {
		move(t, by);
		return true;
	}
	switch (action) {
	case TUI_DO_LEFT:
		t->first -= t->first > 0;
		return true;
	case TUI_DO_RIGHT:
		t->first += t->first + 1 < t->ncolumns;
		return true;
	case TUI_DO_SORT_RIGHT:
		tui_table_sort_by(t, t->sort + 1 < t->ncolumns ? t->sort + 1 : -1);
		return true;
	case TUI_DO_SORT_LEFT:
		tui_table_sort_by(t, t->sort >= 0 ? t->sort - 1 : t->ncolumns - 1);
		return true;
	case TUI_DO_SORT_TURN:
		t->turned = !t->turned;
		tui_table_sort_by(t, t->sort);
		return true;
	default:
		return false;
	}
}

bool tui_table_filter(struct tui_table *t, const char *text)
{
	char *copy = rep_text_lower(text);
	long row = tui_table_row(t);

	if (!copy)
		return false;
	free(t->filter);
	t->filter = copy;
	if (t->sheet) {
		arrange(t);
		return_to(t, row);
	}
	return true;
}

bool tui_table_find(struct tui_table *t, const char *text, int step, bool here)
{
	char *copy = rep_text_lower(text);
	size_t at = t->cursor;

	if (!copy || !t->sheet || !t->n || !*copy) {
		free(copy);
		return false;
	}
	free(t->search);
	t->search = copy;
	if (rep_sheet_index(t->sheet))
		return false;
	for (size_t i = here ? 0 : 1; i <= t->n; i++) {
		size_t place = step > 0 ? (at + i) % t->n : (at + t->n - i % t->n) % t->n;

		if (row_holds(t, t->order[place], copy)) {
			t->cursor = place;
			return true;
		}
	}
	return false;
}

void tui_table_go(struct tui_table *t, long line)
{
	if (t->n)
		t->cursor = (size_t)line < t->n ? (size_t)line : 0;
	else
		t->wish = line + 1;
}

long tui_table_row(const struct tui_table *t)
{
	return t->sheet && t->cursor < t->n ? (long)t->order[t->cursor] : -1;
}

const struct rep_value *tui_table_cell(const struct tui_table *t, const char *column)
{
	return rep_sheet_cell(t->sheet, tui_table_row(t), column);
}
