/* The tables of both kinds of diffs; private to libreport/diff. A kind lists its columns, each with
 * the cell that it shows; what is the same in both is put into a cell here. */
#ifndef REP_DIFF_TABLE_H
#define REP_DIFF_TABLE_H

#include "diff/kind.h"

enum rep_diff_cell {
	/* for people: texts */
	REP_CELL_SHOWN_NAME, /* says how many names it stands for */
	REP_CELL_OLD_TEXT,
	REP_CELL_NEW_TEXT,
	REP_CELL_DELTA_TEXT,
	REP_CELL_CHANGE_TEXT,
	REP_CELL_Q_TEXT,
	REP_CELL_OLD_RANGE, /* of profiles: how far the interval goes from the median */
	REP_CELL_NEW_RANGE,
	REP_CELL_SHARE_TEXT,
	REP_CELL_OTHER, /* change of cum where flat is shown, and the other way round */
	REP_CELL_INTERVAL,
	/* of both */
	REP_CELL_NAME,
	REP_CELL_VERDICT,
	REP_CELL_STATUS,
	REP_CELL_N_OLD,
	REP_CELL_N_NEW,
	REP_CELL_OLD_LOW,
	REP_CELL_OLD_HIGH,
	REP_CELL_NEW_LOW,
	REP_CELL_NEW_HIGH,
	REP_CELL_DELTA_LOW,
	REP_CELL_DELTA_HIGH,
	REP_CELL_P,
	REP_CELL_Q,
	/* of profiles */
	REP_CELL_NAMES,
	REP_CELL_FLAT_OLD,
	REP_CELL_FLAT_NEW,
	REP_CELL_FLAT_DELTA,
	REP_CELL_FLAT_CHANGE,
	REP_CELL_FLAT_SHARE,
	REP_CELL_CUM_OLD,
	REP_CELL_CUM_NEW,
	REP_CELL_CUM_DELTA,
	REP_CELL_CUM_CHANGE,
	REP_CELL_CUM_SHARE,
	REP_CELL_U,
	/* of traces */
	REP_CELL_SECTION,
	REP_CELL_FAMILY,
	REP_CELL_BY,
	REP_CELL_MEASURE,
	REP_CELL_STAT,
	REP_CELL_UNIT,
	REP_CELL_PER,
	REP_CELL_EXACT,
	REP_CELL_OLD,
	REP_CELL_NEW,
	REP_CELL_DELTA,
	REP_CELL_CHANGE,
	REP_CELL_OLD_EVENTS,
	REP_CELL_NEW_EVENTS,
	REP_NDIFF_CELLS
};

struct rep_diff_column {
	enum rep_diff_cell cell;
	enum { REP_OF_PAIRS = 1, REP_OF_SETS = 2, REP_OF_ALL = 3 } of; /* which tables have it */
	struct rep_column column;
};
/* A text that shows a number, with the raw column that has it, and how soon it is dropped; a column
 * for programs. */
#define REP_DIFF_PEOPLE(id, sets, text, raw, rank)                                                 \
	{                                                                                          \
		REP_CELL_##id, REP_OF_##sets,                                                      \
		{                                                                                  \
			.name = (text), .title = (text), .by = (raw), .kind = REP_TEXT,            \
			.right = true, .table_only = true, .drop = (rank)                          \
		}                                                                                  \
	}
#define REP_DIFF_RAW(id, sets, text, type)                                                         \
	{                                                                                          \
		REP_CELL_##id, REP_OF_##sets,                                                      \
		{                                                                                  \
			.name = (text), .kind = (type), .raw_only = true                           \
		}                                                                                  \
	}

/* The texts of a row. */
struct rep_diff_texts {
	char old[REP_DIFF_VALUE], new[REP_DIFF_VALUE], delta[REP_DIFF_VALUE + 2];
	char change[REP_AMOUNT_SIZE], q[REP_AMOUNT_SIZE];
	char share[REP_AMOUNT_SIZE], other[REP_AMOUNT_SIZE];	     /* of profiles */
	char old_range[REP_AMOUNT_SIZE], new_range[REP_AMOUNT_SIZE]; /* of profiles */
	char interval[64];					     /* of traces */
};

struct rep_diff_table {
	const struct rep_diff *d;
	const struct rep_diff_show *show;
	struct rep_output *out;
	bool people;
	struct rep_column column[REP_NDIFF_CELLS]; /* may be changed before it begins */
	enum rep_diff_cell cell[REP_NDIFF_CELLS];
	size_t ncolumns;
	struct tp_buf name, shown; /* of the row that is being written */
};

/* Picks the columns that the diff has. Nothing fails. To be released. */
void rep_diff_table_init(struct rep_diff_table *t, const struct rep_diff *d,
			 const struct rep_diff_show *show, struct rep_output *out,
			 const struct rep_diff_column *columns, size_t n);
void rep_diff_table_release(struct rep_diff_table *t);
int rep_diff_table_begin(struct rep_diff_table *t, const char *name, struct tp_err *err);
int rep_diff_table_row(struct rep_diff_table *t, const struct rep_diff_row *row,
		       struct tp_err *err);

#endif
