#include "tprof-tui/widget/table.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "output/ops.h"

#define GAP	    2
#define WIDE	    60 /* of a column, before there is room left over */
#define WIDEST	    1000
#define MEASURED    2000 /* rows whose widths count */
#define LEAST_TEXT  12
#define LEAST_ASKED 16 /* where the column says nothing (output.h) */

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

static const struct rep_column *column_of(const struct tui_table *t, int c)
{
	return &t->sheet->columns[t->column[c]];
}

/* A cell as it is shown, in t->text. */
static const char *shown(struct tui_table *t, size_t row, int c, size_t *size)
{
	const struct rep_value *v = tui_cell(t->sheet, row, (size_t)t->column[c]);

	t->text.size = 0;
	if (rep_put_shown(&t->text, column_of(t, c)->kind, v))
		t->text.size = 0;
	*size = t->text.size;
	return (const char *)t->text.data;
}

static bool is_text(const struct tui_table *t, int c)
{
	const struct rep_column *column = column_of(t, c);

	return (column->kind == REP_TEXT || column->kind == REP_ANY) && !column->right;
}

/* Does the text hold `part` (lower case), without regard to case? */
static bool holds(const char *text, size_t size, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= size; i++) {
		size_t k = 0;

		while (k < n && tolower((unsigned char)text[i + k]) == (unsigned char)part[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static bool row_holds(struct tui_table *t, size_t row, const char *part)
{
	for (int c = 0; c < t->ncolumns; c++) {
		size_t size;
		const char *text = shown(t, row, c, &size);

		if (holds(text, size, part))
			return true;
	}
	return false;
}

static char *lower(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

/* ---- rows ---- */

/* Where the numbers are that a column of texts shows. */
static size_t sorted_by(const struct tui_table *t, int c)
{
	const char *by = column_of(t, c)->by;
	int raw = by ? tui_sheet_column(t->sheet, by) : -1;

	return raw >= 0 ? (size_t)raw : (size_t)t->column[c];
}

static int by_column(const void *a, const void *b, void *ctx)
{
	const struct tui_table *t = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = 0;

	if (t->sort >= 0) {
		size_t column = sorted_by(t, t->sort);
		bool up = is_text(t, t->sort) != t->turned;

		c = tui_cell_compare(tui_cell(t->sheet, x, column), tui_cell(t->sheet, y, column));
		c = up ? c : -c;
	}
	/* As the report has it. */
	return c ? c : x < y ? -1 : x > y;
}

static void arrange(struct tui_table *t)
{
	bool filtered = t->filter && *t->filter;

	t->n = 0;
	for (size_t i = 0; i < t->sheet->nrows; i++)
		if (!filtered || row_holds(t, i, t->filter))
			t->order[t->n++] = (uint32_t)i;
	if (t->n && (t->sort >= 0 || t->turned))
		qsort_r(t->order, t->n, sizeof(*t->order), by_column, t);
}

/* The cursor back on a row of the sheet, if it is shown. */
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

static void measure(struct tui_table *t)
{
	for (int c = 0; c < t->ncolumns; c++) {
		const char *title = column_of(t, c)->title;
		size_t most = rep_text_width(title, strlen(title)) + 1;

		for (size_t i = 0; i < t->sheet->nrows && i < MEASURED; i++) {
			size_t size, width;
			const char *text = shown(t, i, c, &size);

			width = rep_text_width(text, size);
			most = width > most ? width : most;
		}
		t->width[c] = most < WIDEST ? (int)most : WIDEST;
	}
}

/* What a row is known by in another sheet: its id, else its first text. -1 for none. */
static int naming_column(const struct tui_sheet *s)
{
	int text = -1;

	for (size_t i = 0; i < s->ncolumns; i++) {
		if (s->columns[i].kind == REP_ID)
			return (int)i;
		if (text < 0 && s->columns[i].kind == REP_TEXT && !s->columns[i].right)
			text = (int)i;
	}
	return text;
}

static long same_row(const struct tui_sheet *s, int column, const struct rep_value *name)
{
	for (size_t i = 0; column >= 0 && i < s->nrows; i++)
		if (!tui_cell_compare(tui_cell(s, i, (size_t)column), name))
			return (long)i;
	return -1;
}

bool tui_table_show(struct tui_table *t, const struct tui_sheet *sheet)
{
	char *sorted = t->sheet && t->sort >= 0 ? strdup(column_of(t, t->sort)->name) : NULL;
	long row = tui_table_row(t), again = -1;
	struct rep_value name = {0};
	struct tp_buf text = {0};
	bool named = false;
	int column;

	if (t->sheet && row >= 0 && (column = naming_column(t->sheet)) >= 0) {
		name = *tui_cell(t->sheet, (size_t)row, (size_t)column);
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
		for (int c = 0; sorted && c < t->ncolumns; c++)
			if (!strcmp(column_of(t, c)->name, sorted))
				t->sort = c;
		measure(t);
		arrange(t);
		if (named)
			again = same_row(sheet, naming_column(sheet), &name);
		return_to(t, again);
		if (t->first >= t->ncolumns)
			t->first = 0;
	}
	tp_buf_release(&text);
	free(sorted);
	return !sheet || t->sheet;
}

/* ---- drawing ---- */

#define MOST_COLUMNS 256 /* on a screen */

/* Columns on the screen, and how wide. */
struct layout {
	int column[MOST_COLUMNS], width[MOST_COLUMNS];
	int n;
	bool tight; /* there is not even room for what columns should have at least */
};

static int least(const struct tui_table *t, const struct layout *l, int c)
{
	int asked = column_of(t, c)->least ? column_of(t, c)->least : LEAST_ASKED;
	int least = l->tight ? LEAST_TEXT : asked;

	return is_text(t, c) && t->width[c] > least ? least : t->width[c];
}

static int least_of_all(const struct tui_table *t, const struct layout *l)
{
	int used = (l->n - 1) * GAP;

	for (int i = 0; i < l->n; i++)
		used += least(t, l, l->column[i]);
	return used;
}

/* Leaves out what the report can do without most. False: nothing more. */
static bool drop_one(const struct tui_table *t, struct layout *l)
{
	int worst = -1;

	for (int i = 0; i < l->n; i++)
		if (column_of(t, l->column[i])->drop &&
		    (worst < 0 ||
		     column_of(t, l->column[i])->drop >= column_of(t, l->column[worst])->drop))
			worst = i;
	if (worst < 0)
		return false;
	for (int i = worst; i + 1 < l->n; i++)
		l->column[i] = l->column[i + 1];
	l->n--;
	return true;
}

/* Texts get what is left over, cell by cell, as much as they need up to `most`. Returns what is
 * left.
 */
static int give_rest(const struct tui_table *t, struct layout *l, int left, int most)
{
	bool more = true;

	while (left > 0 && more) {
		more = false;
		for (int i = 0; i < l->n && left > 0; i++) {
			int want = t->width[l->column[i]];

			if (l->width[i] >= (want < most ? want : most))
				continue;
			l->width[i]++;
			left--;
			more = true;
		}
	}
	return left;
}

/* At the left, columns that are least needed are left out where there is no room for all; further
 * to the right one sees them all, beside the first one if that is what names the row. */
static void lay_out(const struct tui_table *t, int cols, struct layout *l)
{
	int used = 0;

	l->n = 0;
	l->tight = false;
	if (t->first && cols > 4 * LEAST_TEXT && is_text(t, 0))
		l->column[l->n++] = 0;
	for (int c = t->first; c < t->ncolumns && l->n < MOST_COLUMNS; c++)
		l->column[l->n++] = c;
	while (!t->first && l->n > 1 && least_of_all(t, l) > cols && drop_one(t, l))
		;
	l->tight = least_of_all(t, l) > cols;
	for (int i = 0; i < l->n; i++) {
		int gap = i ? GAP : 0, want = least(t, l, l->column[i]), left = cols - used - gap;

		if (left < want && i && (left < LEAST_TEXT || !is_text(t, l->column[i]))) {
			l->n = i;
			break;
		}
		l->width[i] = want < left ? want : left;
		used += gap + l->width[i];
	}
	used = cols - give_rest(t, l, cols - used, WIDE);
	give_rest(t, l, cols - used, INT_MAX);
}

static void draw_heading(const struct tui_table *t, struct tui_area a, const struct layout *l)
{
	int col = a.col;

	for (int i = 0; i < l->n; i++) {
		int c = l->column[i];
		const char *title = column_of(t, c)->title;
		bool sorted = c == t->sort;
		char text[80];

		snprintf(text, sizeof(text), "%s%s", title,
			 !sorted		      ? ""
			 : is_text(t, c) != t->turned ? (tui_screen_ascii() ? "^" : "▲")
						      : (tui_screen_ascii() ? "v" : "▼"));
		if (is_text(t, c))
			tui_say(a.row, col, l->width[i], TUI_STYLE_HEADING, text);
		else
			tui_put_right(a.row, col, l->width[i], TUI_STYLE_HEADING, text,
				      strlen(text));
		col += l->width[i] + GAP;
	}
}

static void draw_row(struct tui_table *t, struct tui_area a, int row, size_t place,
		     const struct layout *l)
{
	bool here = place == t->cursor;
	int col = a.col;

	if (here)
		tui_fill(row, a.col, a.cols, TUI_STYLE_CURSOR);
	for (int i = 0; i < l->n; i++) {
		int c = l->column[i];
		size_t size;
		const char *text = shown(t, t->order[place], c, &size);
		bool match = t->search && *t->search && holds(text, size, t->search);
		enum tui_style style = here    ? TUI_STYLE_CURSOR
				       : match ? TUI_STYLE_MATCH
					       : TUI_STYLE_NORMAL;

		if (is_text(t, c))
			tui_put(row, col, l->width[i], style, column_of(t, c)->shorten, text, size);
		else
			tui_put_right(row, col, l->width[i], style, text, size);
		col += l->width[i] + GAP;
	}
}

void tui_table_draw(struct tui_table *t, struct tui_area a)
{
	struct layout l;

	t->page = a.rows > 1 ? a.rows - 1 : 1;
	if (!t->sheet || a.rows < 1)
		return;
	if (t->cursor < t->top)
		t->top = t->cursor;
	if (t->cursor >= t->top + (size_t)t->page)
		t->top = t->cursor - (size_t)t->page + 1;
	lay_out(t, a.cols, &l);
	draw_heading(t, a, &l);
	for (int i = 0; i < t->page && t->top + (size_t)i < t->n; i++)
		draw_row(t, a, a.row + 1 + i, t->top + (size_t)i, &l);
	if (!t->n)
		tui_say(a.row + 1, a.col, a.cols, TUI_STYLE_DIM,
			t->filter && *t->filter ? "no line holds that" : "nothing");
}

/* ---- acting ---- */

static void move(struct tui_table *t, long by)
{
	long to = (long)t->cursor + by, last = t->n ? (long)t->n - 1 : 0;

	t->cursor = (size_t)(to < 0 ? 0 : to > last ? last : to);
}

static void sort_by(struct tui_table *t, int column)
{
	long row = tui_table_row(t);

	t->sort = column;
	arrange(t);
	return_to(t, row);
}

bool tui_table_act(struct tui_table *t, enum tui_action action)
{
	if (!t->sheet)
		return false;
	switch (action) {
	case TUI_DO_UP:
		move(t, -1);
		return true;
	case TUI_DO_DOWN:
		move(t, 1);
		return true;
	case TUI_DO_PAGE_UP:
		move(t, -t->page);
		return true;
	case TUI_DO_PAGE_DOWN:
		move(t, t->page);
		return true;
	case TUI_DO_HALF_UP:
		move(t, -t->page / 2);
		return true;
	case TUI_DO_HALF_DOWN:
		move(t, t->page / 2);
		return true;
	case TUI_DO_FIRST:
		t->cursor = 0;
		return true;
	case TUI_DO_LAST:
		t->cursor = t->n ? t->n - 1 : 0;
		return true;
	case TUI_DO_LEFT:
		t->first -= t->first > 0;
		return true;
	case TUI_DO_RIGHT:
		t->first += t->first + 1 < t->ncolumns;
		return true;
	case TUI_DO_SORT_RIGHT:
		sort_by(t, t->sort + 1 < t->ncolumns ? t->sort + 1 : -1);
		return true;
	case TUI_DO_SORT_LEFT:
		sort_by(t, t->sort >= 0 ? t->sort - 1 : t->ncolumns - 1);
		return true;
	case TUI_DO_SORT_TURN:
		t->turned = !t->turned;
		sort_by(t, t->sort);
		return true;
	default:
		return false;
	}
}

bool tui_table_click(struct tui_table *t, struct tui_area a, int row, int col)
{
	struct layout l;
	int at = a.col;
	size_t place;

	if (!t->sheet || row < a.row || row >= a.row + a.rows)
		return false;
	if (row == a.row) {
		lay_out(t, a.cols, &l);
		for (int i = 0; i < l.n; i++) {
			if (col >= at && col < at + l.width[i] + GAP) {
				if (t->sort == l.column[i])
					t->turned = !t->turned;
				sort_by(t, l.column[i]);
				return false;
			}
			at += l.width[i] + GAP;
		}
		return false;
	}
	place = t->top + (size_t)(row - a.row - 1);
	if (place >= t->n)
		return false;
	t->cursor = place;
	return true;
}

bool tui_table_filter(struct tui_table *t, const char *text)
{
	char *copy = lower(text);
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
	char *copy = lower(text);
	size_t at = t->cursor;

	if (!copy || !t->sheet || !t->n || !*copy) {
		free(copy);
		return false;
	}
	free(t->search);
	t->search = copy;
	for (size_t i = here ? 0 : 1; i <= t->n; i++) {
		size_t place = step > 0 ? (at + i) % t->n : (at + t->n - i % t->n) % t->n;

		if (row_holds(t, t->order[place], copy)) {
			t->cursor = place;
			return true;
		}
	}
	return false;
}

long tui_table_row(const struct tui_table *t)
{
	return t->sheet && t->cursor < t->n ? (long)t->order[t->cursor] : -1;
}

const struct rep_value *tui_table_cell(const struct tui_table *t, const char *column)
{
	long row = tui_table_row(t);
	int c = row < 0 ? -1 : tui_sheet_column(t->sheet, column);

	return c < 0 ? NULL : tui_cell(t->sheet, (size_t)row, (size_t)c);
}

/* ---- copying ---- */

static int put_row(struct tui_table *t, struct rep_output *out, size_t row, struct tp_err *err)
{
	return rep_output_row(out, tui_cell(t->sheet, row, 0), err);
}

int tui_table_yank(struct tui_table *t, bool all, struct tp_buf *buf)
{
	const struct rep_output_options opt = {.format = REP_FORMAT_TSV, .sink = rep_sink_buf(buf)};
	struct rep_output *out = NULL;
	struct tp_err err;
	long row = tui_table_row(t);
	int code;

	if (row < 0)
		return 0;
	code = rep_output_new(&out, &opt, &err);
	if (!code)
		code = rep_output_begin(out, t->sheet->name, t->sheet->columns, t->sheet->ncolumns,
					&err);
	if (!all && !code)
		code = put_row(t, out, (size_t)row, &err);
	for (size_t i = 0; all && i < t->n && !code; i++)
		code = put_row(t, out, t->order[i], &err);
	if (!code)
		code = rep_output_end(out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	return code;
}
