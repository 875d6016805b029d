/* What the files of the view have in common; private to view/top. */
#ifndef TUI_VIEW_TOP_TOP_H
#define TUI_VIEW_TOP_TOP_H

#include <string.h>

#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/top/fill.h"
#include "tprof-tui/view/top/list.h"
#include "tprof-tui/view/top/model.h"

/* How a row of an unfolded table came to be, by row of the sheet. */
struct top_way {
	uint32_t node; /* of the model's chains */
	bool callers;  /* it calls what it is below of, or is called by it */
	bool below;    /* that is what rows below it are: callers */
};

struct top {
	struct tui_rows rows;
	struct top_entry list[TOP_MOST_ENTRIES];
	size_t nlist;
	int at;	      /* of the list */
	size_t shown; /* sheet of the cells that is shown */

	struct top_how how;   /* asked for */
	struct top_told told; /* of what is shown */
	struct top_way *way;  /* by row; NULL: nothing is unfolded yet */
	size_t nways;
	bool fresh; /* the next table is another one, and begins at its top */

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

/* The flame graph of what the row adds up, the path of a request: false where it is none. */
bool top_lead_flame(struct tui_view *v);
bool top_lead_path(struct tui_view *v);
/* Who ends the waits of the row's function: the table of wakers, with its lines alone. */
void top_lead_wakers(struct tui_view *v);

/* ---- unfold.c ---- */

/* May the rows of this sheet unfold? Prepares it. */
int top_unfoldable(const struct top *top, struct rep_sheet *s);
/* Unfolds, or folds, the row under the cursor: into its callers, else whom it calls. */
void top_unfold(struct tui_view *v, bool callers);
/* Of the sheet that is shown: NULL for none. */
struct rep_sheet *top_sheet(struct top *top);

/* ---- worst.c ---- */

/* Opens the timeline at the worst moment of the row under the cursor, once it is found. False: it
 * is not one that adds up spans. */
bool top_worst(struct tui_view *v);

/* ---- paint.c ---- */

void top_draw(struct tui_view *v, struct tui_area a);

/* ---- save.c ---- */

/* The stack of the row under the cursor is copied with it. */
int top_yank(struct tui_view *v, bool all, struct tp_buf *out);
int top_save(struct tui_view *v, const char *path, const struct rep_sink *sink, struct tp_err *err);
bool top_source(struct tui_view *v, char *file, size_t size, int64_t *line);

#endif
