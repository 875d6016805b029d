/* The view diff; private to it. */
#ifndef TUI_VIEW_DIFF_DIFF_H
#define TUI_VIEW_DIFF_DIFF_H

#include "diff/diff.h"
#include "tprof-tui/view/rows.h"

/* ---- choose.c ---- */

/* Finds the two sides. `arg` is OLD or OLD NEW, each as for --run: an id, a name, or KEY=VALUE
 * for all runs with that label. Without NEW, the new side is the selected run; if OLD is a label
 * and the selected run has another value for its key, it is all runs with that value. NULL: the
 * marked run and the selected one. Only runs of the selected run's kind are used. Returns 0 or
 * TP_ENOENT. The caller releases both sides in every case. */
int diff_sides(const struct rep_runs *all, const struct tui_select *s, const char *arg,
	       struct rep_runs *old, struct rep_runs *new, struct tp_err *err);

/* Writes the list as a table; ctx is a struct diff_choices. The hidden column `sides` holds the
 * argument for diff_sides, the column `id` the id of the run (NULL for sets). */
struct diff_choices {
	const struct rep_runs *all;
	const struct rep_run *run;
};
int diff_choices_fill(void *ctx, struct rep_output *out, struct tp_err *err);

/* Draws the heading of the list. Returns the lines taken. */
int diff_choices_draw(const struct tui_select *s, size_t n, struct tui_area area);

/* ---- compare.c ---- */

/* The kinds of rows. */
enum diff_kind {
	DIFF_PROFILES, /* which: enum rep_diff_by */
	DIFF_METRICS,  /* of traces; which: a section, -1 for all */
	DIFF_VIEWS,    /* traces as profiles, by function; which: enum rep_trace_view */
};

struct diff_rows {
	char name[24]; /* "function", "sched", "view=offcpu" */
	enum diff_kind kind;
	int which;
};
/* Returns the i-th kind of rows, of profiles or of traces; false after the last. */
bool diff_rows_at(bool traces, int i, struct diff_rows *rows);

/* The options of tprof-diff. */
struct diff_how {
	enum rep_per per;
	bool normalize, cum, every_stat, changed;
	char type[96]; /* the sample type; "": the default */
};

/* The results beside the table. */
struct diff_result {
	char type[96];	     /* the sample type that was compared; "": metrics were */
	int64_t first[2];    /* ids of the first profile of each side; 0: metrics were compared */
	char against[400];   /* the name of the old side */
	struct tp_buf types; /* sample types that both sides have, each with its NUL */
};

struct diff_ask {
	struct tui_fill fill;
	struct rep_runs old, new; /* texts belong to the command, which outlives it */
	struct diff_rows rows;
	struct diff_how how;
	bool lines; /* one row per source line instead of per function */
	struct diff_result result;
};

/* As tui_fill.fill and tui_fill.release; `f` is the member `fill` of a struct diff_ask. */
int diff_compare(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		 struct tp_err *err);
void diff_ask_release(struct tui_fill *f);

/* ---- the view ---- */

struct diff {
	struct tui_rows rows;
	bool choosing; /* the table lists the candidates (choose.c) */
	char *arg;     /* "rev=a rev=b", or an id; NULL: the marked run */
	int at;	       /* index for diff_rows_at */
	struct diff_how how;
	struct diff_result result; /* of the table that is shown */
	/* The comparison by line, made when a function is first unfolded. */
	struct rep_cells lines;
	size_t unfolding; /* the row that is to be unfolded */
};

/* Returns a comparison with the view's options and a copy of *how as its member `fill`. Returns NULL
 * with a message if memory is out. */
struct diff_ask *diff_ask_new(struct tui_view *v, const struct tui_fill *how);

/* Opens details of the row under the cursor: for a function the flame graph of the difference
 * (`whole`: of all functions), for a metric the report that covers it. */
void diff_lead(struct tui_view *v, bool whole);

/* Unfolds the function under the cursor into its lines, or folds it. */
void diff_unfold(struct tui_view *v);

/* As tui_view_ops.source, for rows that are lines. */
bool diff_source(struct tui_view *v, char *file, size_t size, int64_t *line);

/* Takes the options at the start of *arg, "--by=sched --per=task rev=a", and sets *arg to the rest,
 * which names the sides; NULL if nothing is left. Returns false with a message. */
bool diff_take_options(struct tui_view *v, const char **arg);
void diff_offer(struct tui *t, struct tui_menu *menu, const char *typed);
/* As tui_view_ops.keep. */
void diff_keep(struct tui_view *v, char *text, size_t size);

#endif
