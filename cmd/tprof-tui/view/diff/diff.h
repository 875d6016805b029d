/* The view diff; private to it. */
#ifndef TUI_VIEW_DIFF_DIFF_H
#define TUI_VIEW_DIFF_DIFF_H

#include "tprof-tui/view/diff/compare.h"

struct diff {
	struct tui_rows rows;
	bool choosing; /* the table lists what the run can be compared with */
	char *arg;     /* "rev=a rev=b", or an id; NULL: the marked run */
	int at;	       /* of diff_rows_at */
	struct diff_how how;
	struct diff_result result; /* of the table that is shown */
	/* Rows for all lines, once a function has been unfolded. */
	struct rep_cells lines;
	size_t unfolding; /* the row that is to be unfolded */
};

/* A comparison with the view's options, which begins with `how`; NULL with a message. */
struct diff_ask *diff_ask_new(struct tui_view *v, const struct tui_fill *how);

/* Opens what the row under the cursor is about: for a function the flame graph of the difference
 * (`whole`: of all of it), for a metric the report that covers it. */
void diff_lead(struct tui_view *v, bool whole);

/* Unfolds the function under the cursor into its lines, or folds it. */
void diff_unfold(struct tui_view *v);

/* As tui_view_ops.source, for rows that are lines. */
bool diff_source(struct tui_view *v, char *file, size_t size, int64_t *line);

/* Takes the options at the start of *arg, "--by=sched --per=task rev=a", and sets *arg to the rest,
 * which names the sides; NULL if there is none. Returns false with a message. */
bool diff_take_options(struct tui_view *v, const char **arg);
void diff_offer(struct tui *t, struct tui_menu *menu, const char *typed);
/* As tui_view_ops.keep. */
void diff_keep(struct tui_view *v, char *text, size_t size);

#endif
