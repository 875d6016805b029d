/* The view top; private to this folder. */
#ifndef TUI_VIEW_TOP_TOP_H
#define TUI_VIEW_TOP_TOP_H

#include <string.h>

#include "profile/chain.h"
#include "profile/options.h"
#include "profile/top.h"
#include "tprof-tui/view/rows.h"

/* ---- list.c ---- */

enum top_kind {
	TOP_REPORT,	/* which: an index of rep_reports[] */
	TOP_FUNCTIONS,	/* which: enum rep_trace_view */
	TOP_GO,		/* which: enum rep_trace_go */
	TOP_LONGEST,	/* which: an index of top_longest[] */
	TOP_PATH,	/* which: enum rep_path_report */
	TOP_LEAKS,	/* of a trace or a profile */
	TOP_PROFILE,	/* the functions of a profile */
	TOP_LABELS,	/* the labels of a profile */
	TOP_GOROUTINES, /* of goroutine profiles and dumps */
	TOP_DEADLOCK,	/* of dumps */
};

struct top_entry {
	char name[40];
	const char *doc;
	enum top_kind kind;
	int which;
};

#define TOP_MOST_ENTRIES 64

/* Tables of individual spans, the longest first. */
extern const struct top_longest {
	const char *name, *doc;
	uint32_t states; /* a bit per enum tp_state */
} top_longest[];	 /* ends with a NULL */

/* Writes the tables of traces or of profiles to `list`, and returns their number. */
size_t top_list(bool profiles, struct top_entry list[TOP_MOST_ENTRIES]);
/* Returns the index of the table of this name, or -1. */
int top_list_find(const struct top_entry *list, size_t n, const char *name);

/* Returns whether a table can have one row per goroutine, task or region (--each). */
bool top_has_each(const struct top_entry *e);

/* Returns the filters that a table obeys (REP_BY_…). */
unsigned top_filters(const struct top_entry *e);

/* Writes the list as a table: name, doc, and the filters that each table ignores. */
struct top_listing {
	const struct top_entry *list;
	size_t n;
	const struct tui_select *select;
};
int top_list_fill(void *ctx, struct rep_output *out, struct tp_err *err);

/* ---- model.c ---- */

struct top_model {
	_Atomic int users;
	struct tp_profile *profile; /* NULL: not loaded yet */
	struct rep_profile_top top; /* its rows are those of the table, unless by_name */
	bool by_name;		    /* rows of the table are looked up here by their function */
	struct rep_chains *chains;  /* NULL until a row is unfolded */
	/* The texts that the options of `top` point to. */
	char *focus, *type;
};

/* Returns a model with one user; NULL if memory is out. */
struct top_model *top_model_new(void);
struct top_model *top_model_keep(struct top_model *m);
void top_model_drop(struct top_model *m); /* m may be NULL */

/* A row to be unfolded, and what it unfolds into. */
struct top_unfold {
	uint32_t row; /* the row of the sheet */
	bool callers; /* unfold into callers, else into callees */
	size_t root;  /* the row of model->top that the chain belongs to */
	/* The chain's nodes before the root (callers, outermost first) and after it. */
	uint32_t *before, *behind;
	size_t nbefore, nbehind;
	/* the result of top_unfold_find */
	struct rep_chain_next *next;
	size_t nnext;
};
void top_unfold_release(struct top_unfold *u);
/* Finds the callers or callees, on the worker's thread. Returns 0 or an error code. */
int top_unfold_find(struct top_model *m, struct top_unfold *u, struct tp_err *err);

/* ---- fill.c ---- */

enum top_base { TOP_NO_BASE, TOP_BASE, TOP_DIFF_BASE };

/* Options of a table. */
struct top_how {
	enum rep_granularity granularity;
	bool cum, each; /* each: one row per goroutine, task or region */
	char type[96];	/* the sample type; "": the default */
	enum top_base base;
};

/* The results besides the table. */
struct top_result {
	struct top_model *model; /* NULL: rows do not unfold */
	char found[96];		 /* the sample type that is shown */
	size_t at, ntypes;	 /* its index, and the number of types */
	struct tp_buf types;	 /* the names of all types, each with its NUL */
	char meant[40];		 /* the report that was made, if not the one named; else "" */
	bool based;		 /* the marked run was subtracted */
};
void top_result_release(struct top_result *t);

struct top_ask {
	struct tui_fill fill;
	struct top_entry entry;
	struct top_how how;
	struct top_result result;
};

/* As tui_fill.fill and tui_fill.release; `f` is the member `fill` of a struct top_ask. */
int top_fill(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
	     struct tp_err *err);
void top_ask_release(struct tui_fill *f);

/* ---- top.c ---- */

/* How a row is related to the row that it was unfolded from. */
struct top_way {
	uint32_t node; /* its node in the model's chains */
	bool callers;  /* it is a caller, else a callee */
	bool below;    /* it is unfolded into callers */
};

struct top {
	struct tui_rows rows;
	struct top_entry list[TOP_MOST_ENTRIES];
	size_t nlist;
	int at;	      /* index of the table in the list */
	size_t shown; /* the sheet that is shown */

	struct top_how how;	  /* requested options */
	struct top_result result; /* results of the table that is shown */
	struct top_way *way;	  /* by row; NULL: nothing is unfolded yet */
	size_t nways;
	bool fresh; /* the next table is a different one; show it from its first row */

	/* the list to choose a table from */
	bool choosing;
	struct tui_rows choice;

	enum { TOP_CHART_FITTING, TOP_CHART_ALWAYS, TOP_CHART_NEVER } chart;
	bool charted; /* the chart was drawn last time */
	bool all_lines;
};

static inline const struct top_entry *top_entry_of(const struct top *top)
{
	return &top->list[top->at];
}

/* ---- leads.c ---- */

/* Open the flame graph of a row, and the critical path of a request. Return false if the row has none. */
bool top_lead_flame(struct tui_view *v);
bool top_lead_path(struct tui_view *v);
/* Opens the table of wakers, filtered by the function of the row. */
void top_lead_wakers(struct tui_view *v);

/* ---- unfold.c ---- */

/* Prepares a sheet for unfolding, if its rows can unfold. Returns 0 or TP_ENOMEM. */
int top_unfoldable(const struct top *top, struct rep_sheet *s);
/* Unfolds the row under the cursor into its callers or its callees, or folds it. */
void top_unfold(struct tui_view *v, bool callers);
/* Returns the sheet that is shown, or NULL. */
struct rep_sheet *top_sheet(struct top *top);

/* ---- worst.c ---- */

/* Finds the worst moment of the row under the cursor in the background, and opens the timeline
 * there. Returns false if the row is not a sum of spans. */
bool top_worst(struct tui_view *v);

/* ---- paint.c ---- */

void top_draw(struct tui_view *v, struct tui_area a);

/* ---- save.c ---- */

/* As tui_view_ops.yank. The row under the cursor is copied with its stack. */
int top_yank(struct tui_view *v, bool all, struct tp_buf *out);
int top_save(struct tui_view *v, const char *path, const struct rep_sink *sink, struct tp_err *err);
bool top_source(struct tui_view *v, char *file, size_t size, int64_t *line);

#endif
