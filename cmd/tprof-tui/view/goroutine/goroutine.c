/* The view goroutine: the life of one goroutine, from its first to its last moment. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "tprof-tui/prompt.h"
#include "tprof-tui/view/goroutine/inside.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"

#define WIDE 130 /* columns from which stacks are shown beside the table */

const char *const gr_titles[GR_NSECTIONS] = {
    [GR_SPANS] = "spans",   [GR_TOTALS] = "totals",	[GR_LONGEST] = "longest",
    [GR_ORIGIN] = "origin", [GR_CHILDREN] = "children", [GR_REGIONS] = "regions",
    [GR_TASKS] = "tasks",   [GR_LOGS] = "logs",		[GR_RANGES] = "ranges",
};

static bool is_id(const char *text, struct rep_goid *id)
{
	return text && rep_goid_parse(text, id) == 1;
}

/* Returns the pieces to make now. Slow ones are made when they are first shown. */
static unsigned pieces_of(const struct gr_life *g)
{
	if (!rep_goid_is(&g->id))
		return 1u << GR_CHOICE;
	return ((1u << GR_NPIECES) - 1) & ~(1u << GR_CHOICE | 1u << GR_TOTALS | 1u << GR_LONGEST);
}

static bool open_view(struct tui_view *v, const char *arg)
{
	struct gr_life *g = v->state;
	struct rep_goid id;

	tui_pieces_init(&g->pieces, g->section, GR_NPIECES, gr_ask);
	g->want = -1;
	g->id = REP_GOID_NONE;
	g->at_ns = v->select.at_ns;
	if (is_id(arg, &id))
		g->id = id;
	else if (rep_goid_is(&v->select.at_goroutine))
		g->id = v->select.at_goroutine;
	else if (is_id(v->select.goroutine, &id))
		g->id = id;
	if (arg && !is_id(arg, &id)) {
		tui_error(v->tui, "'%.100s' is not a goroutine id", arg);
		return false;
	}
	if (!tui_is_trace(&v->select))
		return true;
	/* Views opened from here begin at this goroutine. */
	v->select.at_goroutine = v->tui->select.at_goroutine = g->id;
	g->pieces.pending = pieces_of(g);
	return true;
}

static void close_view(struct tui_view *v)
{
	struct gr_life *g = v->state;

	tui_pieces_release(&g->pieces);
}

static struct tui_rows *current(const struct tui_view *v)
{
	struct gr_life *g = v->state;

	return &g->section[!rep_goid_is(&g->id) ? (int)GR_CHOICE : (int)g->here];
}

/* ---- drawing ---- */

static void draw_table(struct tui_view *v, struct tui_area a)
{
	struct gr_life *g = v->state;
	struct tui_rows *s = current(v);

	if (g->centre && g->here == GR_SPANS && s->table.sheet && a.rows > 1) {
		size_t page = (size_t)a.rows - 1, half = page / 2;

		s->table.top = s->table.cursor > half ? s->table.cursor - half : 0;
		if (s->table.top + page > s->table.n)
			s->table.top = s->table.n > page ? s->table.n - page : 0;
		g->centre = false;
	}
	tui_rows_draw(s, a, !s->done, "none");
}

static bool has_stacks(const struct gr_life *g)
{
	return g->here == GR_SPANS || g->here == GR_LONGEST || g->here == GR_TOTALS;
}

static void draw(struct tui_view *v, struct tui_area a)
{
	struct gr_life *g = v->state;
	struct tui_area body = a, stacks;

	if (!tui_is_trace(&v->select)) {
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM,
			"a profile does not record the lives of goroutines; press 4 for its "
			"functions");
		return;
	}
	g->pieces.first = (int)g->here;
	tui_pieces_ask(v, &g->pieces,
		       rep_goid_is(&g->id) && !current(v)->done && g->pieces.doing != (int)g->here
			   ? 1u << g->here
			   : 0);
	if (!rep_goid_is(&g->id)) {
		tui_say(a.row, a.col, a.cols, TUI_STYLE_STRONG,
			"choose a goroutine: Enter opens the one under the cursor, @ and an id any "
			"other");
		body.row++;
		body.rows--;
		draw_table(v, body);
		return;
	}
	g->ticks = v->select.run->row.ticks;
	gr_draw_heading(g, a);
	body.row += GR_HEADING;
	body.rows -= GR_HEADING;
	if (has_stacks(g) && a.cols >= WIDE) {
		body.cols = a.cols * 3 / 5;
		stacks = (struct tui_area){body.row, body.col + body.cols + 2, body.rows,
					   a.cols - body.cols - 2};
		gr_draw_stacks(g, stacks);
	} else if (has_stacks(g) && body.rows >= 12) {
		int rows = body.rows / 3 < 16 ? body.rows / 3 : 16;

		body.rows -= rows + 1;
		stacks = (struct tui_area){body.row + body.rows + 1, a.col, rows, a.cols};
		gr_draw_stacks(g, stacks);
	}
	draw_table(v, body);
}

static void title(struct tui_view *v, char *text, size_t size)
{
	const struct gr_life *g = v->state;

	if (rep_goid_is(&g->id)) {
		char id[REP_GOID_SIZE];

		snprintf(text, size, "%s", rep_goid_text(&g->id, id));
	}
}

/* ---- keys ---- */

static bool open_goroutine(const struct tui_view *v, struct rep_goid id, int64_t at_ns)
{
	struct tui *t = v->tui;

	t->select.at_goroutine = id;
	t->select.at_ns = at_ns;
	return tui_open(t, v->ops, NULL);
}

static int64_t number(const struct rep_sheet *s, long row, const char *column)
{
	const struct rep_value *v = rep_sheet_cell(s, row, column);

	return v && v->type == REP_TYPE_INT ? v->i : INT64_MIN;
}

static struct rep_goid waker(const struct rep_sheet *s, long row)
{
	return tui_lead_goid(rep_sheet_cell(s, row, "waker"));
}

/* Returns when the goroutine of this row was woken: at the end of a wait, or at the start of a runnable
 * span. */
static int64_t woken_at(const struct rep_sheet *s, long row)
{
	int64_t at = number(s, row, "start_ns"), dur = number(s, row, "dur_ns");

	if (at == INT64_MIN)
		at = number(s, row, "at_ns");
	if (at == INT64_MIN || dur == INT64_MIN ||
	    !rep_value_is(rep_sheet_cell(s, row, "state"), "blocked"))
		return at;
	return (int64_t)((uint64_t)at + (uint64_t)dur);
}

/* Goes to the waker. For a running span or a system call, the waker is that of an earlier span. */
static void follow_waker(struct tui_view *v)
{
	const struct gr_life *g = v->state;
	struct tui_rows *s = current(v);
	const struct rep_sheet *sheet = s->table.sheet;
	long row = tui_table_row(&s->table);
	struct rep_goid by;

	if (!rep_sheet_cell(sheet, row, "waker")) {
		tui_message(v->tui,
			    "only spans and the longest waits have wakers; Tab leads there");
		return;
	}
	by = waker(sheet, row);
	while (g->here == GR_SPANS && row > 0 && !rep_goid_is(&by) &&
	       !rep_value_is(rep_sheet_cell(sheet, row, "state"), "blocked") &&
	       !rep_value_is(rep_sheet_cell(sheet, row, "state"), "runnable"))
		by = waker(sheet, --row);
	if (!rep_goid_is(&by)) {
		tui_message(
		    v->tui,
		    "it was not woken by a goroutine but by the runtime, a timer or the network");
		return;
	}
	if (open_goroutine(v, by, woken_at(sheet, row)))
		((struct gr_life *)tui_current(v->tui)->state)->followed = true;
}

static bool is_plain(const struct tui_table *table)
{
	return table->sort < 0 && !table->turned && !(table->filter && *table->filter);
}

/* Moves between all spans, including those outside the table's window. */
static bool move_spans(struct tui_view *v, enum tui_action action)
{
	struct gr_life *g = v->state;
	struct tui_table *table = &g->section[GR_SPANS].table;
	int64_t at = g->want >= 0 ? g->want : g->base + (int64_t)table->cursor;
	int page = table->page > 0 ? table->page : 1;
	long by;

	if (!table->sheet || !is_plain(table) || !tui_move(action, page, page / 2, &by))
		return false;
	gr_go_to_span(v, tp_plus(at, by));
	return true;
}

/* Opens a view restricted to this goroutine. */
static void open_narrowed(struct tui_view *v, const char *view)
{
	const struct gr_life *g = v->state;
	struct tui *t = v->tui;
	char id[REP_GOID_SIZE];

	tui_open_narrowed(t, tui_select_set(&t->select.goroutine, rep_goid_text(&g->id, id)), view,
			  NULL);
}

/* Clears the time range and the filters, so that the whole life is shown. */
static void clear(const struct tui_view *v)
{
	const struct gr_life *g = v->state;
	struct tui *t = v->tui;

	tui_select_clear(&t->select);
	t->select.at_goroutine = g->id;
	tui_open(t, v->ops, NULL);
}

static void turn(struct tui_view *v, int by)
{
	struct gr_life *g = v->state;

	do
		g->here = (enum gr_section_id)(((int)g->here + by + GR_NSECTIONS) % GR_NSECTIONS);
	while (gr_is_empty(g, (int)g->here));
}

static void note_window(const struct tui_view *v, enum tui_action action)
{
	const struct gr_life *g = v->state;

	if (g->here == GR_SPANS && g->last - g->first > GR_WINDOW &&
	    (action == TUI_DO_SORT_RIGHT || action == TUI_DO_SORT_LEFT ||
	     action == TUI_DO_SORT_TURN))
		tui_message(
		    v->tui,
		    "this covers only the %d spans around the cursor; 'longest' (Tab) covers all",
		    GR_WINDOW);
}

static bool act(struct tui_view *v, enum tui_action action)
{
	struct gr_life *g = v->state;
	struct tui_rows *s = current(v);

	if (!tui_is_trace(&v->select))
		return false;
	if (rep_goid_is(&g->id) && action == TUI_DO_SECTION_NEXT) {
		turn(v, 1);
		return true;
	}
	if (rep_goid_is(&g->id) && action == TUI_DO_SECTION_BACK) {
		turn(v, -1);
		return true;
	}
	if (action == TUI_DO_REFRESH) {
		tui_pieces_again(v, &g->pieces, pieces_of(g));
		return false;
	}
	if (action == TUI_DO_CLEAR && rep_goid_is(&g->id)) {
		clear(v);
		return true;
	}
	if (action == TUI_DO_WAKER) {
		follow_waker(v);
		return true;
	}
	if (action == TUI_DO_WAKER_BACK) {
		if (!g->followed || !tui_back(v->tui))
			tui_message(v->tui, "press w to go to the waker, then b to come back");
		return true;
	}
	if (rep_goid_is(&g->id) && (action == TUI_DO_TOP || action == TUI_DO_FLAME)) {
		open_narrowed(v, action == TUI_DO_TOP ? "top" : "flame");
		return true;
	}
	if (rep_goid_is(&g->id) && g->here == GR_SPANS && move_spans(v, action))
		return true;
	if (action != TUI_DO_GOROUTINE &&
	    tui_lead_act(v, s->table.sheet, tui_table_row(&s->table), action))
		return true;
	note_window(v, action);
	return false;
}

/* An id opens another goroutine, a time goes to a span of this one. */
static bool go(struct tui_view *v, const char *text)
{
	struct gr_life *g = v->state;
	struct rep_goid id;
	int64_t ns;

	if (!tui_is_trace(&v->select))
		return false;
	if (is_id(text, &id)) {
		open_goroutine(v, id, INT64_MIN);
		return true;
	}
	if (!rep_goid_is(&g->id))
		return false;
	if (!tui_time(v->tui, text, &ns))
		return true;
	g->here = GR_SPANS;
	g->at_ns = ns;
	g->want = -1;
	tui_pieces_ask(v, &g->pieces, 1u << GR_SPANS);
	return true;
}

static struct tui_table *table(struct tui_view *v)
{
	return &current(v)->table;
}

static void filtered(struct tui_view *v)
{
	note_window(v, TUI_DO_SORT_TURN);
}

const struct tui_view_ops tui_goroutine = {
    .where = TUI_GOROUTINE,
    .name = "goroutine",
    .arg = "[ID]",
    .size = sizeof(struct gr_life),
    .needs_run = true,
    .open = open_view,
    .close = close_view,
    .draw = draw,
    .act = act,
    .go = go,
    .table = table,
    .filtered = filtered,
    .title = title,
    .keep = title,
};
