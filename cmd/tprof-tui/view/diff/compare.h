/* Comparisons for the view diff, made on the worker's thread by the functions that tprof-diff
 * calls. */
#ifndef TUI_VIEW_DIFF_COMPARE_H
#define TUI_VIEW_DIFF_COMPARE_H

#include "diff/diff.h"
#include "tprof-tui/view/rows.h"

/* The kinds of rows. */
enum diff_kind {
	DIFF_PROFILES, /* by enum rep_diff_by */
	DIFF_METRICS,  /* of traces: a section, -1 for all */
	DIFF_VIEWS,    /* traces as profiles: enum rep_trace_view, by function */
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
	bool lines; /* of functions: a row for each of their lines */
	struct diff_result result;
};

/* As tui_fill.fill and tui_fill.release; `f` begins a struct diff_ask. */
int diff_compare(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		 struct tp_err *err);
void diff_ask_release(struct tui_fill *f);

#endif
