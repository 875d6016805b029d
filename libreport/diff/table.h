/* Tables of rows of a diff; private to libreport/diff. A kind writes its row cell by cell, each
 * with the column that it stands in, so that a column is one line. What both kinds have is written
 * by functions of table.c. */
#ifndef REP_DIFF_TABLE_H
#define REP_DIFF_TABLE_H

#include "diff/kind.h"
#include "profile/position.h"

#define REP_DIFF_COLUMNS 48

struct rep_diff_table {
	const struct rep_diff *d;
	const struct rep_diff_show *show;
	struct rep_output *out;
	bool people; /* who read texts; programs read numbers */
	bool texts;  /* rows have the texts, too: for people, and in JSON with a head */
	struct rep_column column[REP_DIFF_COLUMNS];
	struct rep_value value[REP_DIFF_COLUMNS];
	size_t n;
	struct rep_positions positions; /* of functions; for programs only */

	/* of the row that is being written */
	struct tp_buf name, shown; /* `shown` says how many names it stands for */
	size_t names;
	/* Texts for people; a kind may use `more` for what it alone has. */
	char old[REP_DIFF_VALUE], new[REP_DIFF_VALUE], delta[REP_DIFF_VALUE + 2];
	char change[REP_AMOUNT_SIZE], q[REP_AMOUNT_SIZE], more[4][REP_AMOUNT_SIZE];
};

/* A row of sets with 0 as both medians is not shown to people, unless they ask for all rows. */
static inline bool rep_diff_is_empty(const struct rep_diff_table *t, const struct rep_diff_row *row)
{
	return t->people && t->show->rows && t->d->sets && row->old == 0 && row->new == 0;
}

/* Nothing fails. To be released. */
void rep_diff_table_init(struct rep_diff_table *t, const struct rep_diff *d,
			 const struct rep_diff_show *show, struct rep_output *out);
void rep_diff_table_release(struct rep_diff_table *t);
/* A table of this name, then its rows. The errors of an output. */
int rep_diff_table_begin(struct rep_diff_table *t, const char *name, struct tp_err *err);
int rep_diff_table_row(struct rep_diff_table *t, const struct rep_diff_row *row,
		       struct tp_err *err);

/* ---- for kinds ---- */

void rep_diff_cell(struct rep_diff_table *t, struct rep_column column, struct rep_value value);
/* A text for people that shows the number of the raw column `by`; `drop` as in a column. */
void rep_diff_text_cell(struct rep_diff_table *t, const char *title, const char *by, uint8_t drop,
			const char *text);
/* DELTA, with `drop`, and CHANGE; `delta` and `change` are their raw columns. */
void rep_diff_delta_cells(struct rep_diff_table *t, const struct rep_diff_row *row,
			  const char *delta, const char *change, uint8_t drop);
void rep_diff_raw_cell(struct rep_diff_table *t, const char *name, enum rep_kind kind,
		       struct rep_value value);
/* The verdict for people, which takes at least so many cells. */
void rep_diff_verdict_cell(struct rep_diff_table *t, const struct rep_diff_row *row, uint8_t least);
/* Raw columns: ends of intervals; numbers of runs; p, q and verdict. */
void rep_diff_range_cells(struct rep_diff_table *t, const struct rep_diff_row *row);
void rep_diff_run_cells(struct rep_diff_table *t);
void rep_diff_test_cells(struct rep_diff_table *t, const struct rep_diff_row *row);

#endif
