/* The heading of a goroutine's life, and the stacks of the row under the cursor. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "life/life.h"
#include "output/ops.h"
#include "tprof-tui/view/goroutine/inside.h"
#include "tprof-tui/view/lead.h"

/* Returns `text` with a cell formatted for display; "" if the cell does not exist. */
static const char *shown(const struct gr_life *g, int piece, long row, const char *column,
			 enum rep_kind kind, char text[200])
{
	return rep_value_shown(gr_cell(g, piece, row, column), kind, text, 200);
}

/* Returns the kind of values of moments and sums: ns or, in a run without a clock, ticks. */
static enum rep_kind times(const struct gr_life *g)
{
	return g->ticks ? REP_COUNT : REP_NS;
}

static bool is_there(const struct gr_life *g, int piece, long row, const char *column)
{
	const struct rep_value *v = gr_cell(g, piece, row, column);

	return v && v->type != REP_TYPE_NULL;
}

/* Draws "goroutine 32 main.churn, ended at 4.61s, created by 1 main.main at 904us". */
static void draw_identity(const struct gr_life *g, struct tui_area a)
{
	char name[200], creator[200], id[200], when[200];
	int col = a.col, end = a.col + a.cols;

	/* Show the full id once it is loaded: 17 may be 17/2. */
	if (is_there(g, GR_ORIGIN, REP_LIFE_ENTRY, "goroutine"))
		shown(g, GR_ORIGIN, REP_LIFE_ENTRY, "goroutine", REP_ID, id);
	else
		rep_goid_text(&g->id, id);
	col += tui_sayf(a.row, col, end - col, TUI_STYLE_STRONG, "goroutine %s ", id);
	col += tui_say(a.row, col, end - col, TUI_STYLE_STRONG,
		       shown(g, GR_ORIGIN, REP_LIFE_ENTRY, "value", REP_TEXT, name));
	if (is_there(g, GR_ORIGIN, REP_LIFE_ENDED, "at_ns")) {
		shown(g, GR_ORIGIN, REP_LIFE_ENDED, "at_ns", times(g), when);
		col += tui_sayf(a.row, col, end - col, TUI_STYLE_NORMAL, ", ended at %.20s", when);
	} else if (is_there(g, GR_SUMS, 0, "state")) {
		shown(g, GR_SUMS, 0, "state", REP_TEXT, when);
		col +=
		    tui_sayf(a.row, col, end - col, TUI_STYLE_NORMAL, ", %.20s at the end", when);
	}
	if (is_there(g, GR_ORIGIN, REP_LIFE_CREATOR, "goroutine")) {
		shown(g, GR_ORIGIN, REP_LIFE_CREATOR, "goroutine", REP_ID, id);
		shown(g, GR_ORIGIN, REP_LIFE_CREATOR, "value", REP_TEXT, creator);
		shown(g, GR_ORIGIN, REP_LIFE_CREATOR, "at_ns", times(g), when);
		tui_sayf(a.row, col, end - col, TUI_STYLE_NORMAL, ", created by %s %s at %s", id,
			 creator, when);
	} else if (tui_rows_sheet(&g->section[GR_ORIGIN])) {
		shown(g, GR_ORIGIN, REP_LIFE_CREATED, "at_ns", times(g), when);
		tui_sayf(a.row, col, end - col, TUI_STYLE_NORMAL, ", first seen at %.20s", when);
	}
}

/* Draws a share, " 6.5%", formatted as in reports. Returns the cells taken. */
static int draw_share(int row, int col, int cols, int64_t ns, const struct rep_value *total)
{
	struct rep_value share;
	char text[40];

	if (total->type != REP_TYPE_INT || total->i <= 0)
		return 0;
	share = rep_float((double)ns / (double)total->i);
	return tui_sayf(row, col, cols, TUI_STYLE_NORMAL, " %s",
			rep_value_shown(&share, REP_SHARE, text, sizeof(text)));
}

static void draw_sums(const struct gr_life *g, struct tui_area a)
{
	static const struct {
		const char *column, *name;
		enum tui_style style;
	} sums[] = {{"running_ns", "running", TUI_STYLE_RUNNING},
		    {"runnable_ns", "runnable", TUI_STYLE_RUNNABLE},
		    {"blocked_ns", "blocked", TUI_STYLE_BLOCKED},
		    {"syscall_ns", "in system calls", TUI_STYLE_SYSCALL},
		    {"syscall_blocked_ns", "without a P", TUI_STYLE_SYSCALL},
		    {"lost_ns", "lost", TUI_STYLE_LOST}};
	const struct rep_value *total = gr_cell(g, GR_SUMS, 0, "total_ns");
	int col = a.col, end = a.col + a.cols;
	char text[200];

	if (g->section[GR_SPANS].error)
		return;
	if (g->section[GR_SUMS].done && !total) {
		tui_say(a.row, col, end - col, TUI_STYLE_DIM,
			"it did not exist in the selected time range");
		return;
	}
	col += tui_sayf(a.row, col, end - col, TUI_STYLE_NORMAL, "%s",
			shown(g, GR_SUMS, 0, "total_ns", times(g), text));
	for (size_t i = 0; total && i < sizeof(sums) / sizeof(sums[0]); i++) {
		const struct rep_value *v = gr_cell(g, GR_SUMS, 0, sums[i].column);

		if (!v || v->type != REP_TYPE_INT || (!v->i && i > 2))
			continue;
		shown(g, GR_SUMS, 0, sums[i].column, times(g), text);
		col += tui_say(a.row, col, end - col, TUI_STYLE_NORMAL, i ? ", " : ": ");
		col +=
		    tui_sayf(a.row, col, end - col, sums[i].style, "%s %.20s", sums[i].name, text);
		col += draw_share(a.row, col, end - col, v->i, total);
	}
}

bool gr_is_empty(const struct gr_life *g, int i)
{
	const struct tui_rows *s = &g->section[i];

	return i >= GR_CHILDREN && s->done && !s->error &&
	       !(s->table.sheet && s->table.sheet->nrows);
}

static void draw_tabs(const struct gr_life *g, struct tui_area a)
{
	int col = a.col, end = a.col + a.cols;

	for (int i = 0; i < GR_NSECTIONS; i++) {
		const struct tui_rows *s = &g->section[i];
		bool here = i == (int)g->here;
		int64_t n = s->table.sheet ? (int64_t)s->table.sheet->nrows : 0;
		char text[80], count[32] = "";

		if (gr_is_empty(g, i) && !here)
			continue;
		if ((i == GR_SPANS || i >= GR_CHILDREN) && s->done && !s->error)
			snprintf(count, sizeof(count), " %" PRId64,
				 i == GR_SPANS ? g->last - g->first : n);
		snprintf(text, sizeof(text), "%s%s%s%s", here ? "[" : " ", gr_titles[i], count,
			 here ? "]" : " ");
		col +=
		    tui_say(a.row, col, end - col, here ? TUI_STYLE_HEADING : TUI_STYLE_DIM, text);
	}
}

void gr_draw_heading(const struct gr_life *g, struct tui_area a)
{
	draw_identity(g, a);
	a.row++;
	draw_sums(g, a);
	a.row++;
	draw_tabs(g, a);
}

/* ---- stacks ---- */

/* Draws the frames of a stack, one on each line. Returns the next row. */
static int draw_frames(struct tui_area a, int row, const struct rep_value *v)
{
	const char *at = v->text.data, *end = at + v->text.size;

	while (at < end && row < a.row + a.rows) {
		const char *semi = memchr(at, ';', (size_t)(end - at));
		size_t n = (size_t)((semi ? semi : end) - at);

		if (semi && row + 1 == a.row + a.rows) {
			tui_say(row++, a.col + 2, a.cols - 2, TUI_STYLE_DIM,
				tui_screen_ascii() ? "..." : "…");
			break;
		}
		tui_put(row++, a.col + 2, a.cols - 2, TUI_STYLE_NORMAL, REP_SHORTEN_FUNCTION, at,
			n);
		at += n + (semi != NULL);
	}
	return row;
}

static const struct rep_value *here(const struct gr_life *g, const char *column)
{
	const struct rep_value *v = tui_table_cell(&g->section[g->here].table, column);

	return rep_value_is_text(v) ? v : NULL;
}

void gr_draw_stacks(const struct gr_life *g, struct tui_area a)
{
	const struct rep_value *stack = here(g, "stack"), *waking = here(g, "waker_stack");
	const struct rep_value *waker = tui_table_cell(&g->section[g->here].table, "waker");
	const struct rep_value *entry = here(g, "waker_entry"), *state = here(g, "state");
	struct rep_goid by = tui_lead_goid(waker);
	char number[REP_GOID_SIZE];
	bool ready = rep_value_is(state, "runnable");
	struct tui_area top = a;
	int row = a.row;

	if (stack && !ready) {
		tui_say(row++, a.col, a.cols, TUI_STYLE_DIM,
			g->here == GR_TOTALS ? "most of it in" : "in");
		/* Leave half of the rows for the waker's stack. */
		top.rows = waking && a.rows > 6 ? a.rows / 2 : waking ? a.rows - 2 : a.rows;
		row = draw_frames(top, row, stack);
	}
	if (row >= a.row + a.rows || !(waking || rep_goid_is(&by)))
		return;
	if (rep_goid_is(&by))
		tui_sayf(row++, a.col, a.cols, TUI_STYLE_DIM, "woken by %s %.*s%s",
			 rep_goid_text(&by, number),
			 entry ? (int)(entry->text.size < 200 ? entry->text.size : 200) : 0,
			 entry ? entry->text.data : "", waking ? " in" : "");
	else
		tui_say(row++, a.col, a.cols, TUI_STYLE_DIM, "made runnable in");
	if (waking)
		draw_frames(a, row, waking);
}
