/* goroutine: the life of one, from its first to its last moment. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "life/life.h"
#include "tprof-tui/prompt.h"
#include "tprof-tui/view/goroutine/inside.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"

#define WIDE 130 /* from here on stacks stand beside the table */

const char *const gr_titles[GR_NSECTIONS] = {
    [GR_SPANS] = "spans",   [GR_TOTALS] = "totals",	[GR_LONGEST] = "longest",
    [GR_ORIGIN] = "origin", [GR_CHILDREN] = "children", [GR_REGIONS] = "regions",
    [GR_TASKS] = "tasks",   [GR_LOGS] = "logs",		[GR_RANGES] = "ranges",
};

static bool is_trace(const struct tui_view *v)
{
	return v->select.run && !strcmp(v->select.run->row.kind, "trace");
}

static bool is_id(const char *text, struct rep_goid *id)
{
	return text && rep_goid_parse(text, id) == 1;
}

/* What has to read much is made when it is looked at. */
static unsigned pieces_of(const struct gr_life *g)
{
	if (!rep_goid_is(&g->id))
		return 1u << GR_CHOICE;
	return ((1u << GR_NPIECES) - 1) & ~(1u << GR_CHOICE | 1u << GR_TOTALS | 1u << GR_LONGEST);
}

static bool open_view(struct tui *t, struct tui_view *v, const char *arg)
{
	struct gr_life *g = v->state;
	struct rep_goid id;

	g->doing = -1;
	g->want = -1;
	g->id = REP_GOID_NONE;
	g->at_ns = v->select.at_ns;
	for (int i = 0; i < GR_NPIECES; i++)
		g->section[i].table.sort = -1;
	if (is_id(arg, &id))
		g->id = id;
	else if (rep_goid_is(&v->select.at_goroutine))
		g->id = v->select.at_goroutine;
	else if (is_id(v->select.goroutine, &id))
		g->id = id;
	if (arg && !is_id(arg, &id)) {
		tui_error(t, "'%.100s' is no goroutine's id", arg);
		return false;
	}
	if (!is_trace(v))
		return true;
	/* What is opened from here begins here. */
	v->select.at_goroutine = t->select.at_goroutine = g->id;
	g->pending = pieces_of(g);
	return true;
}

static void close_view(struct tui *t, struct tui_view *v)
{
	struct gr_life *g = v->state;

	(void)t;
	for (int i = 0; i < GR_NPIECES; i++)
		gr_section_release(&g->section[i]);
}

static struct gr_section *current(const struct tui_view *v)
{
	struct gr_life *g = v->state;

	return &g->section[!rep_goid_is(&g->id) ? (int)GR_CHOICE : (int)g->here];
}

/* ---- drawing ---- */

static void draw_table(struct tui_view *v, struct tui_area a)
{
	struct gr_life *g = v->state;
	struct gr_section *s = current(v);

	g->body = a;
	if (g->centre && g->here == GR_SPANS && s->table.sheet && a.rows > 1) {
		size_t page = (size_t)a.rows - 1, half = page / 2;

		s->table.top = s->table.cursor > half ? s->table.cursor - half : 0;
		if (s->table.top + page > s->table.n)
			s->table.top = s->table.n > page ? s->table.n - page : 0;
		g->centre = false;
	}
	if (s->error)
		tui_say(a.row, a.col, a.cols, TUI_STYLE_ERROR, s->error);
	else if (!s->table.sheet)
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM, s->done ? "nothing" : "one moment");
	else if (!s->table.sheet->nrows)
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM, "none");
	else
		tui_table_draw(&s->table, a);
}

static bool has_stacks(const struct gr_life *g)
{
	return g->here == GR_SPANS || g->here == GR_LONGEST || g->here == GR_TOTALS;
}

static void draw(struct tui *t, struct tui_view *v, struct tui_area a)
{
	struct gr_life *g = v->state;
	struct tui_area body = a, stacks;

	if (!is_trace(v)) {
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM,
			v->select.run ? "this is a profile: no goroutine of it has a life to show; "
					"4 lists its functions"
				      : "this store holds no runs; tprof-import puts some in");
		return;
	}
	gr_ask(t, v,
	       rep_goid_is(&g->id) && !current(v)->done && g->doing != (int)g->here ? 1u << g->here
										    : 0);
	if (!rep_goid_is(&g->id)) {
		tui_say(
		    a.row, a.col, a.cols, TUI_STYLE_STRONG,
		    "which goroutine? Enter opens the one under the cursor, @ and an id any other");
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

static void title(struct tui *t, struct tui_view *v, char *text, size_t size)
{
	const struct gr_life *g = v->state;

	(void)t;
	if (rep_goid_is(&g->id)) {
		char id[REP_GOID_SIZE];

		snprintf(text, size, "%s", rep_goid_text(&g->id, id));
	}
}

static void keep(struct tui *t, struct tui_view *v, char *text, size_t size)
{
	const struct gr_life *g = v->state;

	(void)t;
	if (rep_goid_is(&g->id)) {
		char id[REP_GOID_SIZE];

		snprintf(text, size, "%s", rep_goid_text(&g->id, id));
	}
}

/* ---- keys ---- */

static bool open_goroutine(struct tui *t, const struct tui_view *v, struct rep_goid id,
			   int64_t at_ns)
{
	struct tui_select select;

	if (!tui_select_copy(&select, &v->select)) {
		tui_nomem(t);
		return false;
	}
	select.at_goroutine = id;
	select.at_ns = at_ns;
	return tui_lead_open(t, &select, "goroutine", NULL);
}

static bool is_state(const struct tui_sheet *s, size_t row, const char *state)
{
	int c = tui_sheet_column(s, "state");
	const struct rep_value *v = c < 0 ? NULL : tui_cell(s, row, (size_t)c);

	return v && v->type == REP_TYPE_TEXT && v->text.size == strlen(state) &&
	       !memcmp(v->text.data, state, v->text.size);
}

static int64_t number(const struct tui_sheet *s, size_t row, const char *column)
{
	int c = tui_sheet_column(s, column);
	const struct rep_value *v = c < 0 ? NULL : tui_cell(s, row, (size_t)c);

	return v && v->type == REP_TYPE_INT ? v->i : INT64_MIN;
}

static struct rep_goid waker(const struct tui_sheet *s, size_t row)
{
	int c = tui_sheet_column(s, "waker");

	return c < 0 ? REP_GOID_NONE : tui_lead_goid(tui_cell(s, row, (size_t)c));
}

/* When whoever woke it did so: the end of a wait, the beginning of being runnable. */
static int64_t woken_at(const struct tui_sheet *s, size_t row)
{
	int64_t at = number(s, row, "start_ns"), dur = number(s, row, "dur_ns");

	if (at == INT64_MIN)
		at = number(s, row, "at_ns");
	if (at == INT64_MIN || dur == INT64_MIN || !is_state(s, row, "blocked"))
		return at;
	return (int64_t)((uint64_t)at + (uint64_t)dur);
}

/* Of a span in which nobody woke it (it runs, calls the system), what made it run is told by those
 * before. */
static void follow_waker(struct tui *t, struct tui_view *v)
{
	const struct gr_life *g = v->state;
	struct gr_section *s = current(v);
	const struct tui_sheet *sheet = s->table.sheet;
	long row = tui_table_row(&s->table);
	struct rep_goid by;

	if (!sheet || row < 0 || tui_sheet_column(sheet, "waker") < 0) {
		tui_message(t, "spans and the longest waits have who woke it: Tab leads there");
		return;
	}
	by = waker(sheet, (size_t)row);
	while (g->here == GR_SPANS && row > 0 && !rep_goid_is(&by) &&
	       !is_state(sheet, (size_t)row, "blocked") &&
	       !is_state(sheet, (size_t)row, "runnable"))
		by = waker(sheet, (size_t)--row);
	if (!rep_goid_is(&by)) {
		tui_message(t, "nobody is known to have woken it here: the runtime, a timer or the "
			       "network did");
		return;
	}
	if (open_goroutine(t, v, by, woken_at(sheet, (size_t)row)))
		((struct gr_life *)tui_current(t)->state)->followed = true;
}

static bool is_plain(const struct tui_table *table)
{
	return table->sort < 0 && !table->turned && !(table->filter && *table->filter);
}

/* Moving among spans goes beyond those that are in the table. */
static bool move_spans(struct tui *t, struct tui_view *v, enum tui_action action)
{
	struct gr_life *g = v->state;
	struct tui_table *table = &g->section[GR_SPANS].table;
	int64_t at = g->want >= 0 ? g->want : g->base + (int64_t)table->cursor;
	int page = table->page > 0 ? table->page : 1;

	if (!table->sheet || !is_plain(table))
		return false;
	switch (action) {
	case TUI_DO_UP:
		at--;
		break;
	case TUI_DO_DOWN:
		at++;
		break;
	case TUI_DO_PAGE_UP:
		at -= page;
		break;
	case TUI_DO_PAGE_DOWN:
		at += page;
		break;
	case TUI_DO_HALF_UP:
		at -= page / 2;
		break;
	case TUI_DO_HALF_DOWN:
		at += page / 2;
		break;
	case TUI_DO_FIRST:
		at = g->first;
		break;
	case TUI_DO_LAST:
		at = g->last - 1;
		break;
	default:
		return false;
	}
	gr_go_to_span(t, v, at);
	return true;
}

/* Views of what is selected are about this goroutine. */
static void open_narrowed(struct tui *t, struct tui_view *v, const char *view)
{
	const struct gr_life *g = v->state;
	struct tui_select select;
	char id[REP_GOID_SIZE];

	if (tui_select_copy(&select, &v->select) &&
	    tui_select_set(&select.goroutine, rep_goid_text(&g->id, id))) {
		tui_lead_open(t, &select, view, NULL);
		return;
	}
	tui_select_release(&select);
	tui_nomem(t);
}

/* All of its life. */
static void clear(struct tui *t, const struct tui_view *v)
{
	const struct gr_life *g = v->state;
	struct tui_select select;

	tui_select_init(&select);
	select.run = v->select.run;
	select.other = v->select.other;
	select.at_goroutine = g->id;
	tui_lead_open(t, &select, "goroutine", NULL);
}

static void turn(struct tui_view *v, int by)
{
	struct gr_life *g = v->state;

	do
		g->here = (enum gr_section_id)(((int)g->here + by + GR_NSECTIONS) % GR_NSECTIONS);
	while (gr_is_empty(g, (int)g->here));
}

static void note_window(struct tui *t, const struct tui_view *v, enum tui_action action)
{
	const struct gr_life *g = v->state;

	if (g->here == GR_SPANS && g->last - g->first > GR_WINDOW &&
	    (action == TUI_DO_SORT_RIGHT || action == TUI_DO_SORT_LEFT ||
	     action == TUI_DO_SORT_TURN))
		tui_message(t,
			    "of the %d spans around the cursor; Tab: 'longest' knows all of them",
			    GR_WINDOW);
}

static bool act(struct tui *t, struct tui_view *v, enum tui_action action)
{
	struct gr_life *g = v->state;
	struct gr_section *s = current(v);

	if (!is_trace(v))
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
		/* What failed, or was interrupted, once more. */
		for (int i = 0; i < GR_NPIECES; i++)
			if (g->section[i].error || !g->section[i].done)
				gr_ask(t, v, 1u << i & pieces_of(g));
		return false;
	}
	if (action == TUI_DO_CLEAR && rep_goid_is(&g->id)) {
		clear(t, v);
		return true;
	}
	if (action == TUI_DO_WAKER) {
		follow_waker(t, v);
		return true;
	}
	if (action == TUI_DO_WAKER_BACK) {
		if (!g->followed || !tui_back(t))
			tui_message(t, "w follows a wake-up, b goes back along it");
		return true;
	}
	if (rep_goid_is(&g->id) && (action == TUI_DO_TOP || action == TUI_DO_FLAME)) {
		open_narrowed(t, v, action == TUI_DO_TOP ? "top" : "flame");
		return true;
	}
	if (rep_goid_is(&g->id) && g->here == GR_SPANS && move_spans(t, v, action))
		return true;
	if (action != TUI_DO_GOROUTINE &&
	    tui_lead_act(t, v, s->table.sheet, tui_table_row(&s->table), action))
		return true;
	note_window(t, v, action);
	return tui_table_act(&s->table, action);
}

/* An id is another goroutine, a time a span of this one. */
static bool go(struct tui *t, struct tui_view *v, const char *text)
{
	struct gr_life *g = v->state;
	struct rep_goid id;
	struct tp_err err;
	int64_t ns;

	if (!is_trace(v))
		return false;
	if (is_id(text, &id)) {
		open_goroutine(t, v, id, INT64_MIN);
		return true;
	}
	if (!rep_goid_is(&g->id))
		return false;
	if (rep_filter_time(text, "time", v->select.run->row.duration_ns, &ns, &err) ||
	    rep_filter_check_unit(text, "time", v->select.run, &err)) {
		tui_error(t, "%s", err.msg);
		return true;
	}
	g->here = GR_SPANS;
	g->at_ns = ns;
	g->want = -1;
	gr_ask(t, v, 1u << GR_SPANS);
	return true;
}

static void click(struct tui *t, struct tui_view *v, int row, int col, bool twice)
{
	struct gr_life *g = v->state;

	if (tui_table_click(&current(v)->table, g->body, row, col) && twice)
		tui_act(t, TUI_DO_ENTER);
}

static bool search(struct tui *t, struct tui_view *v, const char *text, int step)
{
	(void)t;
	return tui_table_find(&current(v)->table, text, step < 0 ? -1 : 1, !step);
}

static void filter(struct tui *t, struct tui_view *v, const char *text)
{
	if (!tui_table_filter(&current(v)->table, text))
		tui_nomem(t);
	note_window(t, v, TUI_DO_SORT_TURN);
}

static int yank(struct tui *t, struct tui_view *v, bool all, struct tp_buf *out)
{
	(void)t;
	return tui_table_yank(&current(v)->table, all, out);
}

static bool save(struct tui *t, struct tui_view *v, const char *path)
{
	return tui_table_save(t, &current(v)->table, path);
}

/* "/src/shop/pay.go:12" */
static bool source(struct tui *t, struct tui_view *v, char *file, size_t size, int64_t *line)
{
	const struct rep_value *at = tui_table_cell(&current(v)->table, "location");
	size_t n;

	(void)t;
	if (!at || at->type != REP_TYPE_TEXT)
		return false;
	n = at->text.size;
	while (n && isdigit((unsigned char)at->text.data[n - 1]))
		n--;
	if (n < 2 || n >= size || at->text.data[n - 1] != ':')
		return false;
	*line = strtoll(at->text.data + n, NULL, 10);
	memcpy(file, at->text.data, n - 1);
	file[n - 1] = '\0';
	return true;
}

const struct tui_view_ops tui_goroutine = {
    .where = TUI_GOROUTINE,
    .name = "goroutine",
    .arg = "[ID]",
    .size = sizeof(struct gr_life),
    .open = open_view,
    .close = close_view,
    .draw = draw,
    .act = act,
    .go = go,
    .click = click,
    .search = search,
    .filter = filter,
    .yank = yank,
    .save = save,
    .source = source,
    .title = title,
    .keep = keep,
};
