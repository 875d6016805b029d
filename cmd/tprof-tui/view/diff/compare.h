/* What the view diff asks for, and how it is worked out: on the worker's thread, by the functions
 * that tprof-diff calls, with the options it would have. */
#ifndef TUI_VIEW_DIFF_COMPARE_H
#define TUI_VIEW_DIFF_COMPARE_H

#include "diff/diff.h"
#include "tprof-tui/view/rows.h"

/* What there is a row for. */
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
/* The i-th way to have rows, of profiles or of traces; false behind the last. */
bool diff_rows_at(bool traces, int i, struct diff_rows *rows);

/* What runs measure, kept from one table to the next. */
struct diff_measured {
	struct rep_diff_side all; /* old ones first */
	char *of;		  /* which runs, and what of them */
};
void diff_measured_free(struct diff_measured *m);

struct diff_ask {
	struct rep_runs old, new; /* texts belong to the command, which outlives it */
	struct diff_rows rows;
	enum rep_per per;
	bool normalize, cum, every_stat, changed;
	bool lines;			/* of functions: a row for each of their lines */
	char type[96];			/* the sample type; "": the default */
	struct diff_measured *measured; /* NULL: not yet; of other runs it is made anew */

	/* what came of it */
	int64_t first[2];    /* ids of the first run of each side that counts; 0: not told */
	char found[96];	     /* the sample type that was compared */
	char against[400];   /* name of the first old run that counts; "": not told */
	struct tp_buf types; /* those that both sides have, each with its NUL */
};

/* Fills in a table; f->more is a struct diff_ask. */
int diff_compare(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		 struct tp_err *err);
void diff_ask_free(void *ask);

#endif
