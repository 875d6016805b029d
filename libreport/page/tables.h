/* Tables on a page: access to their cells, which output/cells.h keeps, and their HTML. */
#ifndef REP_PAGE_TABLES_H
#define REP_PAGE_TABLES_H

#include "output/cells.h"
#include "output/html.h"

/* Return a cell by the name of its column; a NULL value or 0 if there is no such table, row or
 * column. */
struct rep_value page_cell(const struct rep_sheet *t, size_t row, const char *column);
int64_t page_cell_int(const struct rep_sheet *t, size_t row, const char *column);
double page_cell_float(const struct rep_sheet *t, size_t row, const char *column);

/* Writes a <table>, which the page's script sorts and filters: numbers are right-aligned and have
 * the value to sort by (a formatted text has that of the column named in its `by`), and texts are
 * not shortened. The report's lines before and after the table stay there, except headings.
 * `caption` is for readers who cannot see the table's place on the page. */
void page_table_write(struct tp_buf *h, const struct rep_cells *cells, const struct rep_sheet *t,
		      const char *caption);

#endif
