/* The life of one goroutine: sections, of which one is shown, below a heading; private to
 * view/goroutine. Spans come in windows: a goroutine may have millions. */
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
	/* What is filled, too, but no section: the goroutine's row of tprof-top goroutines, and all
	 * of them, to choose from. */
	GR_SUMS = GR_NSECTIONS,
	GR_CHOICE,
	GR_NPIECES
};

extern const char *const gr_titles[GR_NSECTIONS];

#define GR_WINDOW 4000 /* spans in the table at a time */

struct gr_life {
	struct rep_goid id; /* REP_GOID_NONE: one is to be chosen */
	struct tui_rows section[GR_NPIECES];
	struct tui_pieces pieces;
	enum gr_section_id here;
	/* Numbers of spans: those of the time range, [first, last); the table's first; the one that
	 * is being fetched for the cursor (-1: none). */
	int64_t first, last, base, want;
	int64_t at_ns; /* where to begin, INT64_MIN: at the first */
	bool ticks;    /* the run has no clock */
	bool followed; /* it was opened as the waker of another */
	bool centre;   /* the cursor has jumped: it is shown with what is around it */
};

/* Asks for one of the pieces (load.c). */
void gr_ask(struct tui_view *v, int piece);
/* The cursor to a span by its number, fetching it if it is not there. */
void gr_go_to_span(struct tui_view *v, int64_t number);

/* A cell of a piece, NULL where it is not there. */
static inline const struct rep_value *gr_cell(const struct gr_life *g, int piece, long row,
					      const char *column)
{
	return rep_sheet_cell(tui_rows_sheet(&g->section[piece]), row, column);
}

/* Is it known that there is nothing in a section? Then it is passed over. */
bool gr_is_empty(const struct gr_life *g, int section);

/* The heading, and the stacks of the row under the cursor (draw.c). */
#define GR_HEADING 3 /* rows */
void gr_draw_heading(const struct gr_life *g, struct tui_area a);
void gr_draw_stacks(const struct gr_life *g, struct tui_area a);

#endif
