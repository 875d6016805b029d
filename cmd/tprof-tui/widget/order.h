/* The rows of a sheet that a table shows, in order: filtered, sorted, and unfolded rows after
 * the row that they belong to. A hundred thousand rows take 30 ms, 70 ms by a column of texts. */
#ifndef TUI_WIDGET_ORDER_H
#define TUI_WIDGET_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/cells.h"

struct tui_order {
	int column; /* of the sheet, to sort by; -1: the order of the report */
	bool up;    /* ascending; with column -1: the report's order is reversed */
	/* In lower case: only rows that contain it (rep_sheet_index), or have a row below that
	 * does; NULL or "": all. */
	const char *filter;
};

/* Writes the rows to show to `rows`, which has room for all rows of the sheet, and returns their
 * number; SIZE_MAX if memory is out. */
size_t tui_order_make(const struct rep_sheet *s, const struct tui_order *o, uint32_t *rows);

#endif
