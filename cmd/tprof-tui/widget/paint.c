/* Draws tables, and handles clicks on them. */
#include <limits.h>
#include <string.h>

#include "tprof-tui/widget/inside.h"

#define GAP	    2
#define WIDE	    60 /* limit on a column's width until all columns have their share */
#define LEAST_TEXT  12
#define LEAST_ASKED 16 /* least width of a text if its column sets none (output.h) */

#define MOST_COLUMNS 256 /* on the screen */

/* The columns on the screen and their widths. */
struct layout {
	int column[MOST_COLUMNS], width[MOST_COLUMNS];
	int n;
	bool tight; /* not even the least widths of the columns fit */
};

static int least(const struct tui_table *t, const struct layout *l, int c)
{
	int asked = tui_table_column(t, c)->least ? tui_table_column(t, c)->least : LEAST_ASKED;
	int least = l->tight ? LEAST_TEXT : asked;

	return tui_table_is_text(t, c) && t->width[c] > least ? least : t->width[c];
}

static int least_of_all(const struct tui_table *t, const struct layout *l)
{
	int used = (l->n - 1) * GAP;

	for (int i = 0; i < l->n; i++)
		used += least(t, l, l->column[i]);
	return used;
}

/* Leaves out the column that the report needs least. Returns false if no column can be dropped. */
static bool drop_one(const struct tui_table *t, struct layout *l)
{
	int worst = -1;

	for (int i = 0; i < l->n; i++)
		if (tui_table_column(t, l->column[i])->drop &&
		    (worst < 0 || tui_table_column(t, l->column[i])->drop >=
				      tui_table_column(t, l->column[worst])->drop))
			worst = i;
	if (worst < 0)
		return false;
	for (int i = worst; i + 1 < l->n; i++)
		l->column[i] = l->column[i + 1];
	l->n--;
	return true;
}

/* Distributes `left` cells one at a time among columns that need more, up to `most` cells each. Returns the
 * cells that remain. */
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

/* Lays the columns out. As long as the first column is visible, the least needed columns are left out if
 * not all fit. After scrolling to the right, all columns from t->first on are shown, after the first column
 * of the table if that is a text, which names the rows. */
static void lay_out(const struct tui_table *t, int cols, struct layout *l)
{
	int used = 0;

	l->n = 0;
	l->tight = false;
	if (t->first && cols > 4 * LEAST_TEXT && tui_table_is_text(t, 0))
		l->column[l->n++] = 0;
	for (int c = t->first; c < t->ncolumns && l->n < MOST_COLUMNS; c++)
		l->column[l->n++] = c;
	while (!t->first && l->n > 1 && least_of_all(t, l) > cols && drop_one(t, l))
		;
	l->tight = least_of_all(t, l) > cols;
	for (int i = 0; i < l->n; i++) {
		int gap = i ? GAP : 0, want = least(t, l, l->column[i]), left = cols - used - gap;

		if (left < want && i &&
		    (left < LEAST_TEXT || !tui_table_is_text(t, l->column[i]))) {
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
		const char *title = tui_table_column(t, c)->title;
		bool sorted = c == t->sort;
		char text[80];

		snprintf(text, sizeof(text), "%s%s", title,
			 !sorted				? ""
			 : tui_table_is_text(t, c) != t->turned ? (tui_screen_ascii() ? "^" : "▲")
								: (tui_screen_ascii() ? "v" : "▼"));
		if (tui_table_is_text(t, c))
			tui_say(a.row, col, l->width[i], TUI_STYLE_HEADING, text);
		else
			tui_put_right(a.row, col, l->width[i], TUI_STYLE_HEADING, text,
				      strlen(text));
		col += l->width[i] + GAP;
	}
}

/* Returns the indentation of an unfolded row's name in cells. */
static int indent(const struct tui_table *t, uint32_t row, int cols)
{
	const struct rep_branch *b = t->sheet->branch ? &t->sheet->branch[row] : NULL;

	if (!b)
		return 0;
	return b->depth < (uint32_t)cols / 4 ? 2 * (int)b->depth : cols / 2;
}

static void draw_row(struct tui_table *t, struct tui_area a, int row, size_t place,
		     const struct layout *l)
{
	uint32_t at = t->order[place];
	bool here = place == t->cursor && !t->idle, alone = tui_table_only_named(t, at);
	int col = a.col;

	if (here)
		tui_fill(row, a.col, a.cols, TUI_STYLE_CURSOR);
	for (int i = 0; i < l->n; i++) {
		int c = l->column[i], width = l->width[i];
		size_t size;
		const char *text = tui_table_shown(t, at, c, &size);
		bool match = t->search && *t->search && rep_text_holds(text, size, t->search);
		enum tui_style style = here	 ? TUI_STYLE_CURSOR
				       : match	 ? TUI_STYLE_MATCH
				       : t->tint ? t->tint(t->sheet, at, (size_t)t->column[c])
						 : TUI_STYLE_NORMAL;

		if (c == t->naming) {
			int in = indent(t, at, width);

			width = alone ? a.col + a.cols - col : width;
			tui_put(row, col + in, width - in, style, tui_table_column(t, c)->shorten,
				text, size);
			if (alone)
				return;
		} else if (tui_table_is_text(t, c) && !alone) {
			tui_put(row, col, width, style, tui_table_column(t, c)->shorten, text,
				size);
		} else if (!alone) {
			tui_put_right(row, col, width, style, text, size);
		}
		col += width + GAP;
	}
}

void tui_table_draw(struct tui_table *t, struct tui_area a)
{
	struct layout l;

	t->area = a;
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
			t->filter && *t->filter ? "no line contains that" : "nothing");
}

bool tui_table_click(struct tui_table *t, int row, int col)
{
	const struct tui_area a = t->area;
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
				tui_table_sort_by(t, l.column[i]);
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
