/* Which rows of a sheet a table shows, and in which order: filtered, sorted, and those that others
 * unfold into below them. A hundred thousand rows take a few milliseconds. */
#ifndef TUI_WIDGET_ORDER_H
#define TUI_WIDGET_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/cells.h"

struct tui_order {
	int column; /* of the sheet, to sort by; -1: as the report has it */
	bool up;    /* smallest first; of the report's order: it is the other way round */
	/* Lower case: only rows that hold it (rep_sheet_index), or have one below that does; NULL
	 * or "": all. */
	const char *filter;
};

/* Writes the rows to show to `rows`, which has room for all of the sheet, and returns how many they
 * are; SIZE_MAX: no memory. */
size_t tui_order_make(const struct rep_sheet *s, const struct tui_order *o, uint32_t *rows);

#endif
