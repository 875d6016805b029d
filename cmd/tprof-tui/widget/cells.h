/* Tables as reports give them, kept: what the table widget shows. Zero-initialised is valid and
 * empty. */
#ifndef TUI_WIDGET_CELLS_H
#define TUI_WIDGET_CELLS_H

#include "base/arena.h"
#include "output.h"

struct tui_sheet { /* one table */
	char *name;
	struct rep_column *columns;
	size_t ncolumns;
	struct rep_value *values; /* row by row */
	size_t nrows, room;
};

struct tui_cells {
	struct tui_sheet *sheet;
	size_t n, room;
	char **note; /* lines for people, in order */
	bool *strong;
	size_t nnotes;
	struct tp_arena arena; /* texts, names, columns */
};

/* An output that keeps all it is given in `cells`, which must outlive it. TP_ENOMEM. */
int tui_cells_output(struct tui_cells *cells, struct rep_output **out, struct tp_err *err);
void tui_cells_release(struct tui_cells *cells);

static inline const struct rep_value *tui_cell(const struct tui_sheet *s, size_t row, size_t column)
{
	return &s->values[row * s->ncolumns + column];
}

/* The column of this name, or -1. */
int tui_sheet_column(const struct tui_sheet *s, const char *name);
/* As sorting has it: nothing comes last, numbers by value, texts by bytes. */
int tui_cell_compare(const struct rep_value *a, const struct rep_value *b);

#endif
