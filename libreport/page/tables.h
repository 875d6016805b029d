/* Tables on a page (output/cells.h keeps them): their cells, and how they are shown. */
#ifndef REP_PAGE_TABLES_H
#define REP_PAGE_TABLES_H

#include "output/cells.h"
#include "page/html.h"

/* A cell by the name of its column; NULL values where there is no such table, row or column. */
struct rep_value page_cell(const struct rep_sheet *t, size_t row, const char *column);
int64_t page_cell_int(const struct rep_sheet *t, size_t row, const char *column);  /* or 0 */
double page_cell_float(const struct rep_sheet *t, size_t row, const char *column); /* or 0 */

/* A <table> that the page's script sorts and filters: numbers to the right with what they are
 * sorted by, texts whole; above and below it the lines that the report has beside it, but for
 * headings. `caption` is for those who cannot see where it stands. */
void page_table_write(struct html *h, const struct rep_cells *cells, const struct rep_sheet *t,
		      const char *caption);

#endif
