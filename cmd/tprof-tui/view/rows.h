/* What views whose body is a table have in common: the table, and reports that fill it in the
 * background. The state of such a view begins with a struct tui_rows, and these functions go into
 * its ops as they are, or are called by its own. */
#ifndef TUI_VIEW_ROWS_H
#define TUI_VIEW_ROWS_H

#include "tprof-tui/tui.h"
#include "tprof-tui/widget/table.h"

struct tui_rows {
	struct tui_cells cells;
	struct tui_table table; /* shows the first sheet of the cells */
	char *error;		/* of the last report, NULL: none */
	long wish;		/* where the cursor is to be, + 1; 0: where it is */
};

/* A report being made; its own arguments in `which` and `arg`. */
struct tui_fill {
	struct tui_job job;
	struct tui_cells cells;
	struct tui_select
	    select; /* texts are copies; runs belong to the command, which outlives it */
	int which;
	char *arg;
	/* Arguments of tui_rows_ask_with, and what it has to say beside the table. */
	void *more;
	void (*free_more)(void *more);
	unsigned chart_width; /* cells of charts, 0: they are left out */
	/* On the screen's thread, before the table is shown. NULL: nothing to do. */
	void (*taken)(struct tui_view *v, struct tui_fill *f);
	/* On the screen's thread, in place of showing it (f->cells); NULL: it is shown. */
	void (*instead)(struct tui_view *v, struct tui_fill *f);
	/* On the worker's thread. */
	int (*fill)(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		    struct tp_err *err);
};

/* Asks for a report on v->select; what is shown stays until it comes. */
void tui_rows_ask(struct tui *t, struct tui_view *v,
		  int (*fill)(struct tui_fill *, struct tp_store *, struct rep_output *,
			      struct tp_err *),
		  int which, const char *arg);
/* The same with arguments of any kind; owns `more` from now on, also on failure. */
struct tui_ask {
	int (*fill)(struct tui_fill *, struct tp_store *, struct rep_output *, struct tp_err *);
	int which;
	const char *arg;
	void *more;
	void (*free_more)(void *more); /* not called with NULL */
	unsigned chart_width;
	void (*taken)(struct tui_view *v, struct tui_fill *f);
	void (*instead)(struct tui_view *v, struct tui_fill *f);
	bool statement; /* as of struct tui_job */
};
void tui_rows_ask_with(struct tui *t, struct tui_view *v, const struct tui_ask *ask);
/* Fills it at once, where that takes no time: `fill` writes to out with ctx. */
bool tui_rows_fill(struct tui *t, struct tui_view *v,
		   int (*fill)(void *ctx, struct rep_output *out, struct tp_err *err), void *ctx);

void tui_rows_close(struct tui *t, struct tui_view *v);
void tui_rows_draw(struct tui *t, struct tui_view *v, struct tui_area area);
bool tui_rows_act(struct tui *t, struct tui_view *v, enum tui_action action);
/* Twice on a row is as Enter. */
void tui_rows_click(struct tui *t, struct tui_view *v, int row, int col, bool twice);
long tui_rows_cursor(struct tui *t, struct tui_view *v, long set);
bool tui_rows_search(struct tui *t, struct tui_view *v, const char *text, int step);
void tui_rows_filter(struct tui *t, struct tui_view *v, const char *text);
int tui_rows_yank(struct tui *t, struct tui_view *v, bool all, struct tp_buf *out);
/* .csv, .json, .tsv, .md; else TSV. */
bool tui_rows_save(struct tui *t, struct tui_view *v, const char *path);
bool tui_table_save(struct tui *t, struct tui_table *table, const char *path);

#endif
