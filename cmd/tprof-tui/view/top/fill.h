/* Makes tables on the worker's thread, each like the command that prints it. */
#ifndef TUI_VIEW_TOP_FILL_H
#define TUI_VIEW_TOP_FILL_H

#include "profile/options.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/top/list.h"
#include "tprof-tui/view/top/model.h"

enum top_base { TOP_NO_BASE, TOP_BASE, TOP_DIFF_BASE };

/* Options of a table. */
struct top_how {
	enum rep_granularity granularity;
	bool cum, each; /* each: one row per goroutine, task or region */
	char type[96];	/* the sample type; "": the default */
	enum top_base base;
};

/* The results beside the table. */
struct top_result {
	struct top_model *model; /* NULL: rows do not unfold */
	char found[96];		 /* the sample type */
	size_t at, ntypes;	 /* its place */
	struct tp_buf types;	 /* all of them, each ended by a NUL */
	char meant[40];		 /* the report that was made, where it is another */
	bool based;
};
void top_result_release(struct top_result *t);

struct top_ask {
	struct tui_fill fill;
	struct top_entry entry;
	struct top_how how;
	struct top_result result;
};

/* As tui_fill.fill and tui_fill.release; `f` begins a struct top_ask. */
int top_fill(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
	     struct tp_err *err);
void top_ask_release(struct tui_fill *f);

#endif
