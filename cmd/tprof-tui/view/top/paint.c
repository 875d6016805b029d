/* Draws the table, the notes above and below it, and its chart. */
#include <string.h>

#include "tprof-tui/view/top/top.h"

#define LEAST_TABLE 6 /* fewest lines of the table, unless all notes are shown */

/* A range of notes. Of the notes between two tables, those before the first strong one belong to the
 * table above them. */
struct lines {
	size_t from, to; /* indices in rep_cells.note */
};

static struct lines above(const struct top *top, size_t sheet)
{
	const struct rep_cells *c = &top->rows.cells;
	struct lines l = {0, c->n ? c->sheet[sheet].notes : c->nnotes};

	if (!sheet || sheet >= c->n)
		return l;
	l.from = c->sheet[sheet - 1].notes;
	while (l.from < l.to && !c->strong[l.from])
		l.from++;
	return l;
}

static struct lines below(const struct top *top)
{
	const struct rep_cells *c = &top->rows.cells;
	struct lines l = {c->nnotes, c->nnotes};

	if (top->shown >= c->n)
		return l;
	l.from = c->sheet[top->shown].notes;
	if (top->shown + 1 == c->n)
		return l;
	for (l.to = l.from; l.to < c->sheet[top->shown + 1].notes && !c->strong[l.to]; l.to++)
		;
	return l;
}

static int count(const struct top *top, struct lines l)
{
	int n = 0;

	for (size_t i = l.from; i < l.to; i++)
		n += *top->rows.cells.note[i] != '\0';
	return n;
}

/* Draws notes on at most `most` rows. If not all fit, the last row says how many are left out. Returns
 * the rows taken. */
static int put_lines(const struct top *top, struct lines l, struct tui_area a, int row, int most)
{
	int n = count(top, l), used = 0;

	for (size_t i = l.from; i < l.to && used < most; i++) {
		const char *text = top->rows.cells.note[i];

		if (!*text)
			continue;
		if (used + 1 == most && n > most) {
			tui_sayf(row + used, a.col, a.cols, TUI_STYLE_DIM,
				 "%d more lines; press a to show them", n - used);
			return used + 1;
		}
		tui_put(row + used++, a.col, a.cols,
			top->rows.cells.strong[i] ? TUI_STYLE_STRONG : TUI_STYLE_DIM,
			REP_SHORTEN_RIGHT, text, strlen(text));
	}
	return used;
}

/* Returns the number of lines of the chart, 0 if there is no chart. */
static int chart_lines(const struct top *top)
{
	const struct tp_buf *c = &top->rows.cells.chart;
	int n = 0;

	for (size_t i = 0; i < c->size && !top->shown; i++)
		n += c->data[i] == '\n';
	return n;
}

#define LEAST_OTHER 4 /* fewest lines for another table */

/* Draws as much of the next tables as fits. The key ] moves to them. */
static void put_others(struct top *top, struct tui_area a)
{
	for (size_t i = top->shown + 1; i < top->rows.cells.n && a.rows >= LEAST_OTHER; i++) {
		struct rep_sheet *s = &top->rows.cells.sheet[i];
		struct tui_table table = {.sort = -1, .idle = true};
		size_t rows = s->nrows + 1;
		int used = 1;

		used += put_lines(top, above(top, i), a, a.row + used, 1);
		if (tui_table_show(&table, s))
			tui_table_draw(
			    &table, (struct tui_area){a.row + used, a.col, a.rows - used, a.cols});
		tui_table_release(&table);
		used = rows < (size_t)(a.rows - used) ? used + (int)rows : a.rows;
		a.row += used;
		a.rows -= used;
	}
}

void top_draw(struct tui_view *v, struct tui_area a)
{
	struct top *top = v->state;
	int row = a.row, left = a.rows, chart = chart_lines(top), bottom, rows;
	struct lines up, down;

	if (top->choosing) {
		tui_table_draw(&top->choice.table, a);
		return;
	}
	if (top->rows.error || (!top->rows.table.sheet && !top->rows.cells.nnotes)) {
		tui_rows_draw(&top->rows, (struct tui_area){row, a.col, left, a.cols}, v->busy,
			      NULL);
		return;
	}
	up = above(top, top->shown);
	down = below(top);
	bottom = count(top, down);
	/* If the chart would leave too few lines for the table, draw it only if the user asked for it. */
	if (top->chart == TOP_CHART_NEVER ||
	    (top->chart == TOP_CHART_FITTING && chart > left - LEAST_TABLE))
		chart = 0;
	top->charted = chart > 0;
	if (!top->all_lines) {
		bottom = bottom > 2 ? 2 : bottom;
		bottom = left < 2 * LEAST_TABLE && bottom > 1 ? 1 : bottom;
	}
	left -= put_lines(top, up, a, row, top->all_lines ? left : left / 3);
	row = a.row + a.rows - left;
	if (chart)
		left -= tui_draw_lines((struct tui_area){row, a.col, left, a.cols},
				       (const char *)top->rows.cells.chart.data,
				       top->rows.cells.chart.size);
	row = a.row + a.rows - left;
	if (bottom > left - 2)
		bottom = left > 2 ? left - 2 : 0;
	if (bottom > 0)
		put_lines(top, down, a, a.row + a.rows - bottom, bottom);
	rows = left - bottom;
	if (top->shown + 1 < top->rows.cells.n && top->rows.table.sheet &&
	    top->rows.table.n + 1 + LEAST_OTHER < (size_t)rows) {
		int used = (int)top->rows.table.n + 1;

		put_others(top, (struct tui_area){row + used, a.col, rows - used, a.cols});
		rows = used;
	}
	if (rows > 0)
		tui_table_draw(&top->rows.table, (struct tui_area){row, a.col, rows, a.cols});
}
