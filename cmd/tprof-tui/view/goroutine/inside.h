/* The life of one goroutine: a heading and several sections, one of which is shown. Private to
 * view/goroutine. A goroutine may have millions of spans, so the table holds a window of them. */
#ifndef TUI_GOROUTINE_INSIDE_H
#define TUI_GOROUTINE_INSIDE_H

#include "tprof-tui/view/rows.h"

enum gr_section_id {
	GR_SPANS,
	GR_TOTALS,
	GR_LONGEST,
	GR_ORIGIN,
	GR_CHILDREN,
	GR_REGIONS,
	GR_TASKS,
	GR_LOGS,
	GR_RANGES,
	GR_NSECTIONS,
	/* Tables that are not sections: the goroutine's row of tprof-top goroutines, and the
	 * list of goroutines to choose from. */
	GR_SUMS = GR_NSECTIONS,
	GR_CHOICE,
	GR_NPIECES
};

extern const char *const gr_titles[GR_NSECTIONS];

#define GR_WINDOW 4000 /* most spans in the table at a time */

struct gr_life {
	struct rep_goid id; /* REP_GOID_NONE: the user is to choose one */
	struct tui_rows section[GR_NPIECES];
	struct tui_pieces pieces;
	enum gr_section_id here;
	/* Numbers of spans: [first, last) are in the time range; base is the first in the table;
	 * want is being fetched for the cursor (-1: none). */
	int64_t first, last, base, want;
	int64_t at_ns; /* where the cursor starts; INT64_MIN: at the first span */
	bool ticks;    /* the run has no clock */
	bool followed; /* it was opened as the waker of another goroutine */
	bool centre;   /* the cursor has jumped, and is to be shown in the middle */
};

/* Asks the worker for one piece (load.c). */
void gr_ask(struct tui_view *v, int piece);
/* Moves the cursor to a span by its number, and fetches it if it is not in the table. */
void gr_go_to_span(struct tui_view *v, int64_t number);

/* Returns a cell of a piece, or NULL. */
static inline const struct rep_value *gr_cell(const struct gr_life *g, int piece, long row,
					      const char *column)
{
	return rep_sheet_cell(tui_rows_sheet(&g->section[piece]), row, column);
}

/* Returns whether a section is known to be empty. Empty sections are skipped. */
bool gr_is_empty(const struct gr_life *g, int section);

/* Draw the heading, and the stacks of the row under the cursor (draw.c). */
#define GR_HEADING 3 /* rows */
void gr_draw_heading(const struct gr_life *g, struct tui_area a);
void gr_draw_stacks(const struct gr_life *g, struct tui_area a);

#endif
