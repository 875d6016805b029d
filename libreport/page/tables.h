/* Tables on a page (output/cells.h keeps them): their cells, and how they are shown. */
#ifndef REP_PAGE_TABLES_H
#define REP_PAGE_TABLES_H

#include "output/cells.h"
#include "output/html.h"

/* A cell by the name of its column; NULL values where there is no such table, row or column. */
struct rep_value page_cell(const struct rep_sheet *t, size_t row, const char *column);
int64_t page_cell_int(const struct rep_sheet *t, size_t row, const char *column);  /* or 0 */
double page_cell_float(const struct rep_sheet *t, size_t row, const char *column); /* or 0 */

/* Writes a <table>, which the page's script sorts and filters: numbers on the right with the value
 * to sort by (of a text for people that of the column named in `by`), texts whole. The lines that
 * the report has beside the table stand above and below it, except headings. `caption` is for
 * readers who cannot see where the table stands. */
void page_table_write(struct html *h, const struct rep_cells *cells, const struct rep_sheet *t,
		      const char *caption);

#endif
