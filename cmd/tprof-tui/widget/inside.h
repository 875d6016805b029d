/* Shared by the files of the table; private to this folder. */
#ifndef TUI_WIDGET_INSIDE_H
#define TUI_WIDGET_INSIDE_H

#include "tprof-tui/widget/table.h"

/* ---- table.c ---- */

/* Returns the c-th visible column. */
const struct rep_column *tui_table_column(const struct tui_table *t, int c);
/* Returns the displayed text of a cell; it is in t->text. */
const char *tui_table_shown(struct tui_table *t, size_t row, int c, size_t *size);
/* Returns whether the column is aligned to the left. */
bool tui_table_is_text(const struct tui_table *t, int c);
/* Returns whether an unfolded row has no value besides its name, which may then take the rest of the
 * line. */
bool tui_table_only_named(const struct tui_table *t, uint32_t row);
/* Sorts by a visible column; -1: restores the order of the report. */
void tui_table_sort_by(struct tui_table *t, int column);

/* ---- order.c ---- */

struct tui_order {
	int column; /* of the sheet, to sort by; -1: the order of the report */
	bool up;    /* ascending; with column -1: the report's order is reversed */
	/* A text in lower case. Only rows that contain it (rep_sheet_index), or that are unfolded into
	 * a row that does, are shown. NULL or "": all rows. */
	const char *filter;
};

/* Writes the rows to show, in order, to `rows`, which has room for all rows of the sheet. Returns their
 * number, SIZE_MAX if memory is out. */
size_t tui_order_make(const struct rep_sheet *s, const struct tui_order *o, uint32_t *rows);

#endif
