/* Runs statements, and commands that begin with a dot, on the worker's thread. */
#ifndef TUI_VIEW_SQL_ASK_H
#define TUI_VIEW_SQL_ASK_H

#include "tprof-tui/view/rows.h"

#define SQL_MOST_ROWS  ((size_t)100000)	  /* of all results together */
#define SQL_MOST_BYTES ((size_t)64 << 20) /* of their texts */

/* A statement, and its results beside the tables. */
struct sql_answer {
	struct tui_fill fill;
	char *text;
	size_t place; /* of the error in the text, SIZE_MAX: not known */
	int64_t took_ns;
	bool cut; /* there are more rows */
};

/* As tui_fill.fill; `f` begins a struct sql_answer. */
int sql_answer(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
	       struct tp_err *err);

#endif
