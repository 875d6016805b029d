/* Shared by the files of the view; private to view/top. */
#ifndef TUI_VIEW_TOP_TOP_H
#define TUI_VIEW_TOP_TOP_H

#include <string.h>

#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/top/fill.h"
#include "tprof-tui/view/top/list.h"
#include "tprof-tui/view/top/model.h"

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

/* Prepares a sheet for unfolding, if its rows can unfold. TP_ENOMEM. */
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
