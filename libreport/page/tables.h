/* Tables as reports give them, kept to be looked at (findings) and shown. Zero-initialised is valid
 * and empty. */
#ifndef REP_PAGE_TABLES_H
#define REP_PAGE_TABLES_H

#include "base/arena.h"
#include "output/output.h"
#include "page/html.h"

struct page_table {
	char *name;
	struct rep_column *columns;
	size_t ncolumns;
	struct rep_value *values; /* row by row */
	size_t nrows, room;
	char *lead[4], *note[8]; /* lines above and under it */
	size_t nleads, nnotes;
};

struct page_tables {
	struct page_table *table;
	size_t n, room;
	bool between; /* a report begins: lines belong to the table that follows */
	char *pending[4];
	size_t npending;
	struct tp_arena arena; /* texts, names, columns */
};

/* An output that keeps its tables in `tables`. TP_ENOMEM. */
int page_tables_output(struct page_tables *tables, struct rep_output **out, struct tp_err *err);
/* What comes now is of another report. */
void page_tables_next(struct page_tables *tables);
void page_tables_release(struct page_tables *tables);

/* NULL where there is none of that name. */
const struct page_table *page_table_find(const struct page_tables *tables, const char *name);
/* A cell by the name of its column; NULL values where there is no such row or column. */
struct rep_value page_cell(const struct page_table *t, size_t row, const char *column);
int64_t page_cell_int(const struct page_table *t, size_t row, const char *column);  /* or 0 */
double page_cell_float(const struct page_table *t, size_t row, const char *column); /* or 0 */

/* A <table> that the page's script sorts and filters: numbers to the right with what they are
 * sorted by, texts whole. `caption` is for those who cannot see where it stands. */
void page_table_write(struct html *h, const struct page_table *t, const char *caption);

#endif
