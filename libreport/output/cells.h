/* Keeps the tables of a report in memory, for the TUI and the HTML page. Zero-initialised is valid
 * and empty. */
#ifndef REP_OUTPUT_CELLS_H
#define REP_OUTPUT_CELLS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/table.h"
#include "output/output.h"

/* The place of a row in a tree of rows. */
struct rep_branch {
	uint32_t above;	   /* parent row + 1, 0: none */
	uint32_t first, n; /* its child rows */
	uint32_t depth;
	bool asked; /* its children are known, even if there are none */
	bool open;  /* its children are shown */
};

struct rep_sheet { /* one table */
	char *name;
	struct rep_column *columns;
	size_t ncolumns;
	struct rep_value *values; /* row by row */
	size_t nrows, room;
	size_t notes; /* notes of the cells before it */

	struct rep_branch *branch; /* by row; NULL: rows do not unfold */
	/* For filtering, the first `indexed` rows as they are shown, in lower case: a byte that no
	 * cell contains follows each cell; and the end of each row. */
	char *texts;
	size_t *text_end;
	size_t indexed, texts_size, texts_room;
};

struct rep_cells {
	struct rep_sheet *sheet;
	size_t n, room;
	char **note; /* lines for people, in order */
	bool *strong;
	size_t nnotes, note_room, strong_room;
	struct tp_buf chart;   /* lines, as a terminal has them */
	struct tp_arena arena; /* texts, names, columns */
	/* Limits, 0: none. A report that exceeds one ends with TP_ECANCEL, and `cut` is set. */
	size_t most_rows, most_bytes;
	size_t rows, bytes; /* of all sheets; of texts */
	bool cut;
	/* Set before use: `ticks` if the run has no clock, so ns are plain numbers; the width of
	 * charts (rep_output_aside) in cells, 0: no charts. */
	bool ticks, chart_ascii;
	unsigned chart_width;

	/* private: each text is kept once */
	struct rep_value *text;
	size_t ntexts, text_room;
	struct tp_table by_text;
};

/* Creates an output that keeps all tables, with the columns of format table, in `cells`, which must
 * outlive it. Returns 0 or TP_ENOMEM. */
int rep_cells_output(struct rep_cells *cells, struct rep_output **out, struct tp_err *err);
void rep_cells_release(struct rep_cells *cells);

/* ---- rows that unfold, and finding (sheet.c) ---- */

/* Allows rows to have child rows. Returns 0 or TP_ENOMEM. */
int rep_sheet_unfolds(struct rep_sheet *s);
/* Adds n child rows (of ncolumns values each; texts are copied) to a row without children, and
 * opens it. Returns 0 or TP_ENOMEM. */
int rep_sheet_add(struct rep_cells *c, struct rep_sheet *s, size_t above,
		  const struct rep_value *values, size_t n);
/* Completes the texts for filtering. It takes a tenth of a second for a hundred thousand rows, so
 * it should be done in the background. Returns 0 or TP_ENOMEM. */
int rep_sheet_index(struct rep_sheet *s);
/* Adds a row of ncolumns values. Returns 0 or TP_ENOMEM. */
int rep_sheet_put(struct rep_cells *c, struct rep_sheet *s, const struct rep_value *values);
void rep_sheet_release(struct rep_sheet *s);

static inline const struct rep_value *rep_sheet_at(const struct rep_sheet *s, size_t row,
						   size_t column)
{
	return &s->values[row * s->ncolumns + column];
}

/* Prepares the first sheet of an SQL result: sets its name for lead.h, the kinds of its columns
 * by their names (`dur_ns` are ns, `bytes` …), and headings like those of reports. Returns 0 or
 * TP_ENOMEM. */
int rep_cells_dress(struct rep_cells *cells, const char *name, struct tp_err *err);

/* Returns the column with this name, or -1. */
int rep_sheet_column(const struct rep_sheet *s, const char *name);
/* Returns a cell by the name of its column; NULL if there is no such row, column or sheet. */
const struct rep_value *rep_sheet_cell(const struct rep_sheet *s, long row, const char *column);
/* Returns whether the value is this text; false for NULL. */
bool rep_value_is(const struct rep_value *v, const char *text);
/* Returns whether the row's verdict says that nothing changed; false if it has no verdict. */
bool rep_sheet_unchanged(const struct rep_sheet *s, long row);
/* Returns whether the value is a nonempty text. */
bool rep_value_is_text(const struct rep_value *v);
double rep_value_number(const struct rep_value *v); /* 0 if not a number */
/* Formats a value as format table does, cut to `size` bytes between two characters; "" for NULL, or
 * when memory is out. Returns text. */
char *rep_value_shown(const struct rep_value *v, enum rep_kind kind, char *text, size_t size);
/* Returns whether the text contains `part` (in lower case), ignoring case. */
bool rep_text_holds(const char *text, size_t size, const char *part);
char *rep_text_lower(const char *text); /* a copy; NULL: memory is out */
/* Compares for sorting: numbers by value, texts by bytes, NULL last. */
int rep_value_compare(const struct rep_value *a, const struct rep_value *b);

#endif
