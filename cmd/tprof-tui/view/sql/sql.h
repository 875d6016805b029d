/* Parts of the view sql; private to it. */
#ifndef TUI_VIEW_SQL_SQL_H
#define TUI_VIEW_SQL_SQL_H

#include "query/query.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/widget/menu.h"

/* ---- ask.c ---- */

#define SQL_MOST_ROWS  ((size_t)100000)	  /* of all results together */
#define SQL_MOST_BYTES ((size_t)64 << 20) /* of their texts */

/* A request to run a statement, and its results besides the tables. */
struct sql_answer {
	struct tui_fill fill;
	char *text;
	size_t place; /* offset of the error in the text; SIZE_MAX: unknown */
	int64_t took_ns;
	bool cut; /* rows beyond the limits were dropped */
};

/* As tui_fill.fill; `f` begins a struct sql_answer. */
int sql_answer(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
	       struct tp_err *err);

/* ---- complete.c ---- */

/* Returns where the word before `at` begins. */
size_t sql_word_start(const char *text, size_t at);
/* Fills the menu with words that begin like the word before `at`. TP_ENOMEM, TP_ESTORE. */
int sql_complete(struct rep_query *q, const char *text, size_t at, struct tui_menu *menu,
		 struct tp_err *err);
/* Returns whether a quote, a comment or a parenthesis is still open at the end. */
bool sql_is_open(const char *text);

#endif
