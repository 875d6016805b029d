/* A table on the screen, with a cursor, sorting, filtering and searching. Moving to the right shows columns
 * that do not fit. The heading marks the column that the table is sorted by. */
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
	uint32_t *order;	 /* the rows that are shown, in order */
	size_t n;		 /* their number */
	size_t cursor, top;	 /* places in `order` */
	int *column;		 /* the sheet's visible columns, ncolumns */
	int *width;		 /* their widths in cells */
	int ncolumns, first;	 /* first: leftmost column on the screen */
	int naming;		 /* index in `column` of the first text, or -1 */
	int sort;		 /* index in `column`, -1: the order of the report */
	size_t measured;	 /* rows of the sheet when it was last measured */
	bool turned;		 /* the order is reversed */
	char *filter, *search;	 /* lower case; NULL or "": not set */
	struct tui_area area;	 /* at the last drawing */
	int page;		 /* rows that fitted then */
	long wish;		 /* line + 1 for the cursor in the next sheet; 0: the same row */
	bool idle;		 /* the cursor is in another table and is not drawn here */
	struct tp_buf text;	 /* the text of a cell; reused */
	/* Returns the style of a cell that is neither under the cursor nor a match. NULL: the normal
	 * style. */
	enum tui_style (*tint)(const struct rep_sheet *s, size_t row, size_t column);
};

void tui_table_release(struct tui_table *t);
/* Shows a sheet (NULL: nothing), which must outlive the table or be replaced first. Keeps the filter, the
 * search and the name of the sort column. The cursor stays on the row of the same name if the new sheet
 * has one. Returns false and shows nothing if memory is out. */
bool tui_table_show(struct tui_table *t, struct rep_sheet *sheet);
/* Updates the table after rows of the sheet were added, unfolded or folded. The cursor stays on its row.
 * Returns false and changes nothing if memory is out. */
bool tui_table_grown(struct tui_table *t);

void tui_table_draw(struct tui_table *t, struct tui_area area);
/* Returns true if it handled the action. */
bool tui_table_act(struct tui_table *t, enum tui_action action);
/* Handles a click at a row and column of the screen. A click on a row moves the cursor there; a click on
 * the heading sorts by the column. Returns true if it was on a row. */
bool tui_table_click(struct tui_table *t, int row, int col);

/* Shows only rows that contain the text in any cell, ignoring case; "" shows all. Returns false if
 * memory is out. */
bool tui_table_filter(struct tui_table *t, const char *text);
/* Goes to the next row (`step` 1) or the previous one (-1) that contains the text; with `here`,
 * the cursor's own row is included. Returns false if no row matches. */
bool tui_table_find(struct tui_table *t, const char *text, int step, bool here);

/* Moves the cursor to a line, at once or when the table is filled. */
void tui_table_go(struct tui_table *t, long line);
/* Returns the row of the sheet under the cursor, or -1. */
long tui_table_row(const struct tui_table *t);
/* Returns the cell of this column under the cursor, or NULL. */
const struct rep_value *tui_table_cell(const struct tui_table *t, const char *column);

/* Writes the rows that are shown, in order. Unfolded rows are written only as markdown. */
int tui_table_write(struct tui_table *t, const struct rep_output_options *opt, struct tp_err *err);
/* Writes the row under the cursor, or with `all` every row that is shown, as TSV with a heading. Returns 0
 * or TP_ENOMEM. */
int tui_table_yank(struct tui_table *t, bool all, struct tp_buf *out);

#endif
