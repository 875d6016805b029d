/* Tables as reports give them, kept to be looked at and shown: by the TUI and the HTML page.
 * Zero-initialised is valid and empty. */
#ifndef REP_OUTPUT_CELLS_H
#define REP_OUTPUT_CELLS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/table.h"
#include "output/output.h"

/* What a row unfolds into. */
struct rep_branch {
	uint32_t above;	   /* row + 1 that it is below of, 0: none */
	uint32_t first, n; /* rows below it */
	uint32_t depth;
	bool asked; /* what is below it is known, if only that there is nothing */
	bool open;  /* and shown */
};

struct rep_sheet { /* one table */
	char *name;
	struct rep_column *columns;
	size_t ncolumns;
	struct rep_value *values; /* row by row */
	size_t nrows, room;
	size_t notes; /* of the cells that came before it */

	struct rep_branch *branch; /* by row; NULL: rows do not unfold */
	/* Rows as they are shown, in lower case, for filtering: a byte behind each cell that is in
	 * none, and where each row ends. The first `indexed` rows. */
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
	/* What it keeps at most, 0: any number. What is more ends the report with TP_ECANCEL, and
	 * `cut` is set. */
	size_t most_rows, most_bytes;
	size_t rows, bytes; /* of all sheets; of texts */
	bool cut;
	/* Set before: it is of a run without a clock, whose ns are numbers; charts
	 * (rep_output_aside) have lines of at most so many cells, 0: they are left out. */
	bool ticks, chart_ascii;
	unsigned chart_width;

	/* private: each text is kept once, however many cells have it */
	struct rep_value *text;
	size_t ntexts, text_room;
	struct tp_table by_text;
};

/* An output that keeps all it is given in `cells`, which must outlive it: the cells of a table for
 * people, typed. Returns 0 or TP_ENOMEM. */
int rep_cells_output(struct rep_cells *cells, struct rep_output **out, struct tp_err *err);
void rep_cells_release(struct rep_cells *cells);

/* ---- rows that unfold, and finding (sheet.c) ---- */

/* From now on its rows may have others below them. Returns 0 or TP_ENOMEM. */
int rep_sheet_unfolds(struct rep_sheet *s);
/* Adds n rows (of ncolumns values each; their texts are copied) below a row that has none yet, and
 * opens it. Returns 0 or TP_ENOMEM. */
int rep_sheet_add(struct rep_cells *c, struct rep_sheet *s, size_t above,
		  const struct rep_value *values, size_t n);
/* Makes what is missing of the texts to filter by: for a hundred thousand rows a tenth of a second,
 * so whoever fills cells in the background does it there. Returns 0 or TP_ENOMEM. */
int rep_sheet_index(struct rep_sheet *s);
/* A row of ncolumns values is added. Returns 0 or TP_ENOMEM. */
int rep_sheet_put(struct rep_cells *c, struct rep_sheet *s, const struct rep_value *values);
void rep_sheet_release(struct rep_sheet *s);

static inline const struct rep_value *rep_sheet_at(const struct rep_sheet *s, size_t row,
						   size_t column)
{
	return &s->values[row * s->ncolumns + column];
}

/* Of what SQL has answered, the first sheet: a name for lead.h, and what its columns hold by their
 * names (`dur_ns` are ns, `bytes` …), under headings like those of reports. Returns 0 or
 * TP_ENOMEM. */
int rep_cells_dress(struct rep_cells *cells, const char *name, struct tp_err *err);

/* The column of this name, or -1. */
int rep_sheet_column(const struct rep_sheet *s, const char *name);
/* A cell by the name of its column; NULL where there is no such row or column, or sheet. */
const struct rep_value *rep_sheet_cell(const struct rep_sheet *s, long row, const char *column);
/* Is it this text? NULL is none. */
bool rep_value_is(const struct rep_value *v, const char *text);
/* Is it a text, and not an empty one? */
bool rep_value_is_text(const struct rep_value *v);
double rep_value_number(const struct rep_value *v); /* 0 for what is none */
/* As people read it, cut to `size` bytes between two characters; "" for NULL, and without memory.
 * Returns text. */
char *rep_value_shown(const struct rep_value *v, enum rep_kind kind, char *text, size_t size);
/* Does the text hold `part` (lower case), without regard to case? */
bool rep_text_holds(const char *text, size_t size, const char *part);
char *rep_text_lower(const char *text); /* a copy; NULL: no memory */
/* As sorting has it: nothing comes last, numbers by value, texts by bytes. */
int rep_value_compare(const struct rep_value *a, const struct rep_value *b);

#endif
