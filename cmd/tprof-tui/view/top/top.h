/* Shared by the files of the view; private to view/top. */
#ifndef TUI_VIEW_TOP_TOP_H
#define TUI_VIEW_TOP_TOP_H

#include <string.h>

#include "profile/chain.h"
#include "profile/options.h"
#include "profile/top.h"
#include "tprof-tui/view/rows.h"

/* ---- list.c ---- */

enum top_kind {
	TOP_REPORT,	/* which: of rep_reports[] */
	TOP_FUNCTIONS,	/* which: enum rep_trace_view */
	TOP_GO,		/* which: enum rep_trace_go */
	TOP_LONGEST,	/* which: an index of top_longest[] */
	TOP_PATH,	/* which: enum rep_path_report */
	TOP_LEAKS,	/* of a trace or a profile */
	TOP_PROFILE,	/* the functions of a profile */
	TOP_LABELS,	/* and its labels */
	TOP_GOROUTINES, /* of goroutine profiles and dumps */
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

/* Returns whether it can have a row for each goroutine, task or region (--each). */
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
	struct rep_profile_top top; /* has the rows of the table, unless: */
	bool by_name;		    /* rows of the table are found in it by their function */
	struct rep_chains *chains;  /* NULL until a row is unfolded */
	/* Texts that the options of `top` point to. */
	char *focus, *type;
};

/* Returns a model with one user; NULL if memory is out. */
struct top_model *top_model_new(void);
struct top_model *top_model_keep(struct top_model *m);
void top_model_drop(struct top_model *m); /* NULL: nothing */

/* A row to be unfolded, and what it unfolds into. */
struct top_unfold {
	uint32_t row; /* of the sheet */
	bool callers; /* into callers, else into callees */
	size_t root;  /* the row of model->top that the chain belongs to */
	/* The chain before the root (callers, outermost first), and after it. */
	uint32_t *before, *behind;
	size_t nbefore, nbehind;
	/* found */
	struct rep_chain_next *next;
	size_t nnext;
};
void top_unfold_release(struct top_unfold *u);
/* On the worker's thread. */
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

/* As tui_fill.fill and tui_fill.release; `f` is the member `fill` of a struct top_ask. */
int top_fill(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
	     struct tp_err *err);
void top_ask_release(struct tui_fill *f);

/* ---- top.c ---- */

/* How an unfolded row belongs to the row above it. */
struct top_way {
	uint32_t node; /* of the model's chains */
	bool callers;  /* it is a caller, else a callee */
	bool below;    /* the rows below it are callers */
};

struct top {
	struct tui_rows rows;
	struct top_entry list[TOP_MOST_ENTRIES];
	size_t nlist;
	int at;	      /* in the list */
	size_t shown; /* the sheet that is shown */

	struct top_how how;	  /* asked for */
	struct top_result result; /* of what is shown */
	struct top_way *way;	  /* by row; NULL: nothing is unfolded yet */
	size_t nways;
	bool fresh; /* the next table is another one, and starts at its top */

	/* the list, where one is chosen */
	bool choosing;
	struct tui_rows choice;

	enum { TOP_CHART_FITTING, TOP_CHART_ALWAYS, TOP_CHART_NEVER } chart;
	bool charted; /* it was drawn last time */
	bool all_lines;
};

static inline const struct top_entry *top_entry_of(const struct top *top)
{
	return &top->list[top->at];
}

/* ---- leads.c ---- */

/* Open the flame graph of the row, and the path of a request. Return false if the row has none. */
bool top_lead_flame(struct tui_view *v);
bool top_lead_path(struct tui_view *v);
/* Opens the table of wakers, filtered by the function of the row. */
void top_lead_wakers(struct tui_view *v);

/* ---- unfold.c ---- */

/* Prepares a sheet for unfolding, if its rows can unfold. Returns 0 or TP_ENOMEM. */
int top_unfoldable(const struct top *top, struct rep_sheet *s);
/* Unfolds the row under the cursor into its callers, or its callees, or folds it. */
void top_unfold(struct tui_view *v, bool callers);
/* Returns the sheet that is shown, or NULL. */
struct rep_sheet *top_sheet(struct top *top);

/* ---- worst.c ---- */

/* Finds the worst moment of the row under the cursor in the background, and opens the timeline
 * there. Returns false if the row does not add up spans. */
bool top_worst(struct tui_view *v);

/* ---- paint.c ---- */

void top_draw(struct tui_view *v, struct tui_area a);

/* ---- save.c ---- */

/* As tui_view_ops.yank; the stack of the row under the cursor is copied with it. */
int top_yank(struct tui_view *v, bool all, struct tp_buf *out);
int top_save(struct tui_view *v, const char *path, const struct rep_sink *sink, struct tp_err *err);
bool top_source(struct tui_view *v, char *file, size_t size, int64_t *line);

#endif
