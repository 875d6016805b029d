/* A table on the screen: rows that one moves over, sorts, filters and searches. Columns that do not
 * fit are reached by moving to the right; the one that it is sorted by is marked. */
#ifndef TUI_WIDGET_TABLE_H
#define TUI_WIDGET_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "tprof-tui/keys.h"
#include "tprof-tui/screen/screen.h"
#include "output/cells.h"

struct tui_table {
	struct rep_sheet *sheet; /* NULL: nothing to show yet */
	uint32_t *order;	 /* rows that are shown, in order */
	size_t n;		 /* of them */
	size_t cursor, top;	 /* places in `order` */
	int *column;		 /* columns that tables show, ncolumns of them */
	int *width;		 /* cells that each takes */
	int ncolumns, first;	 /* first: leftmost column on the screen */
	int naming;		 /* an index in `column`: the first text, -1 none */
	int sort;		 /* an index in `column`, -1: as the report has it */
	size_t measured;	 /* rows that the widths know of */
	bool turned;		 /* smallest first */
	char *filter, *search;	 /* lower case; NULL or "": none */
	struct tui_area area;	 /* it was drawn in last */
	int page;		 /* rows that were shown then */
	long wish;		 /* the next sheet's line for the cursor, + 1; 0: as it is */
	bool idle;		 /* its cursor is not shown: that of another table is */
	struct tp_buf text;	 /* being made */
	/* How a cell looks that is neither under the cursor nor found; NULL: all alike. */
	enum tui_style (*tint)(const struct rep_sheet *s, size_t row, size_t column);
};

void tui_table_release(struct tui_table *t);
/* Shows a sheet, which must outlive it or be replaced first (NULL: nothing). Filter, search, and
 * the column sorted by (by name) stay; the cursor stays on the same line of text where that is
 * still there. false: no memory, nothing is shown. */
bool tui_table_show(struct tui_table *t, struct rep_sheet *sheet);
/* The sheet has got more rows, or some were unfolded or folded: the cursor stays where it is.
 * false: no memory, it shows what it did. */
bool tui_table_grown(struct tui_table *t);

void tui_table_draw(struct tui_table *t, struct tui_area area);
/* True: it was for a table. */
bool tui_table_act(struct tui_table *t, enum tui_action action);
/* A click, at a row and column of the screen: the cursor goes there; on the heading, it sorts. True:
 * it was on a row. */
bool tui_table_click(struct tui_table *t, int row, int col);

/* Keeps the rows that hold the text in any cell, without regard to case; "" keeps all. */
bool tui_table_filter(struct tui_table *t, const char *text);
/* Goes to the next row (`step` 1; -1: the one before) that holds the text; the cursor's own counts
 * if `here`. False: there is none. */
bool tui_table_find(struct tui_table *t, const char *text, int step, bool here);

/* To a line as it is shown, at once or as soon as there are some. */
void tui_table_go(struct tui_table *t, long line);
/* The row of the sheet under the cursor, -1 for none. */
long tui_table_row(const struct tui_table *t);
/* The cell of this name under the cursor, NULL where there is none. */
const struct rep_value *tui_table_cell(const struct tui_table *t, const char *column);

/* Writes the rows that are shown, in their order. Those below others are in markdown only. */
int tui_table_write(struct tui_table *t, const struct rep_output_options *opt, struct tp_err *err);
/* Adds the row under the cursor, or all that are shown, as TSV with a heading. TP_ENOMEM. */
int tui_table_yank(struct tui_table *t, bool all, struct tp_buf *out);

#endif
