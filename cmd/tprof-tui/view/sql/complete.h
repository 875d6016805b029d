/* Completion in a statement: tables after FROM, columns of the tables that the statement names,
 * functions, keywords. */
#ifndef TUI_VIEW_SQL_COMPLETE_H
#define TUI_VIEW_SQL_COMPLETE_H

#include "query/query.h"
#include "tprof-tui/widget/menu.h"

/* Returns where the word before `at` begins. */
size_t sql_word_start(const char *text, size_t at);
/* Fills the menu with words that begin like the word before `at`. TP_ENOMEM, TP_ESTORE. */
int sql_complete(struct rep_query *q, const char *text, size_t at, struct tui_menu *menu,
		 struct tp_err *err);
/* Returns whether a quote, a comment or a parenthesis is still open at the end. */
bool sql_is_open(const char *text);

#endif
