/* Drilling down from a row of a table, in every view: Enter opens the details of the row, and
 * the keys of other views open these on its subject.
 *
 *	static bool act(struct tui_view *v, enum tui_action action)
 *	{
 *		struct mine *m = v->state;
 *
 *		return tui_lead_act(v, m->rows.table.sheet, tui_table_row(&m->rows.table), action);
 *	}
 *
 * The subject of a row follows from the names of its table and of its columns, which are those
 * of tprof-top: `goroutine` is an id, `start_ns`, `at_ns`, `ts_ns` … a moment since the run
 * began, `function` and `stack` (leaf first, separated by semicolons) are code, `entry` is a goroutine's
 * first function, `reason`, `state`, `task` (an id), `region`. */
#ifndef TUI_VIEW_LEAD_H
#define TUI_VIEW_LEAD_H

#include "tprof-tui/tui.h"
#include "output/cells.h"

struct tui_lead {
	struct rep_goid goroutine; /* REP_GOID_NONE: none */
	int64_t at_ns;		   /* INT64_MIN: none */
	int64_t dur_ns;		   /* its length; 0: none */
	int64_t task;		   /* an id; -1: none */
	/* REP_TYPE_NULL: none. They point into the sheet. */
	struct rep_value function; /* for focus */
	struct rep_value entry;	   /* the entry function of its goroutines */
	struct rep_value reason, state, task_type, region;
};

/* Returns the goroutine that a cell names, the first of several; REP_GOID_NONE if it names no
 * goroutine. */
struct rep_goid tui_lead_goid(const struct rep_value *v);

/* Reads the subject of a row. Returns false if there is no such row. */
bool tui_lead_read(const struct rep_sheet *s, long row, struct tui_lead *lead);

/* Narrows a selection to the subject of the row (goroutine, focus, reason, state, task, region) and
 * sets where views begin (at_ns, at_goroutine). Returns false if memory is out; the selection may
 * then be half narrowed. */
bool tui_lead_narrow(struct tui_select *select, const struct rep_sheet *s, long row);

/* Handles these keys:
 *
 *	Enter	opens the details of the row
 *	v	restricts all views to the time of the row
 *	3, 8	open the timeline and the goroutine at the row's place; for a row of a task, 3 opens
 *		the timeline of the whole task
 *	4, 5	open tables and a flame graph of the row's subject
 *
 * Returns true if it opened a view or a message says why not. Returns false for other actions, and
 * if the row lacks what the action needs. */
bool tui_lead_act(struct tui_view *v, const struct rep_sheet *s, long row, enum tui_action action);

/* Sets a filter to a regular expression that matches this text only. Does nothing if the value is
 * not a text. Returns false if memory is out. */
bool tui_lead_set_only(char **to, struct rep_value v);

#endif
