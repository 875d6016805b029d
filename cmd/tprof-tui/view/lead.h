/* What a row of a table leads to, in every view: Enter opens what is behind it, and the keys of
 * other views open them at what the row is about.
 *
 *	static bool act(struct tui_view *v, enum tui_action action)
 *	{
 *		struct mine *m = v->state;
 *
 *		return tui_lead_act(v, m->rows.table.sheet, tui_table_row(&m->rows.table), action);
 *	}
 *
 * What a row is about is told by the names of its table and of its columns, which are those of
 * tprof-top: `goroutine` is an id, `start_ns`, `at_ns`, `ts_ns` … a moment since the run began,
 * `function` and `stack` (leaf first, by semicolons) are code, `entry` is a goroutine's first
 * function, `reason`, `state`, `task` (an id), `region`. */
#ifndef TUI_VIEW_LEAD_H
#define TUI_VIEW_LEAD_H

#include "tprof-tui/tui.h"
#include "output/cells.h"

struct tui_lead {
	struct rep_goid goroutine; /* REP_GOID_NONE: none */
	int64_t at_ns;		   /* INT64_MIN: none */
	int64_t dur_ns;		   /* from then on; 0: none */
	int64_t task;		   /* an id; -1: none */
	/* NULL data: none. They point into the sheet. */
	struct rep_value function; /* that does it: for focus */
	struct rep_value entry;	   /* of its goroutines */
	struct rep_value reason, state, task_type, region;
};

/* The goroutine that a cell names, the first of several; REP_GOID_NONE for NULL. */
struct rep_goid tui_lead_goid(const struct rep_value *v);

/* All that a row says. False: there is no such row. */
bool tui_lead_read(const struct rep_sheet *s, long row, struct tui_lead *lead);

/* Narrows a selection to what the row is about (goroutine, focus, reason, state, task, region) and
 * sets the point where views begin (at_ns, at_goroutine). False: no memory; it may be half done. */
bool tui_lead_narrow(struct tui_select *select, const struct rep_sheet *s, long row);

/* Enter; v (every view is restricted to the time of the row); 3, 8 (the timeline, the goroutine, at
 * the row's place), 4, 5 (tables and flame graph of what the row is about). True: it was one of
 * these, and something opened or a message says why not. False: it was none, or the row says
 * nothing that matters to that key. */
bool tui_lead_act(struct tui_view *v, const struct rep_sheet *s, long row, enum tui_action action);

/* Opens a view by its name on `select`, which it takes over (released in every case): false with a
 * message. Not `fine`: there was no memory for what was selected. */
bool tui_lead_open(struct tui *t, bool fine, struct tui_select *select, const char *view,
		   const char *arg);

/* Sets a filter to a regular expression that matches the text and nothing else; leaves it as it is if
 * the value is not a text. Returns false if memory is out. */
bool tui_lead_set_only(char **to, struct rep_value v);

#endif
