#include "tprof-tui/view/timeline/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"
#include "top/top.h"
#include "tprof-tui/view/views.h"

static bool take_kind(struct tui *t, struct timeline *s, const char *name)
{
	for (enum tl_kind kind = 0; kind < TL_NKINDS; kind++) {
		if (strcasecmp(tl_kinds[kind], name) != 0)
			continue;
		s->list.kind = kind;
		return true;
	}
	tui_error(t, "the timeline has no rows '%.100s'; its rows are goroutines, Ps, Ms or tasks",
		  name);
	return false;
}

static bool open_view(struct tui_view *v, const char *arg)
{
	struct timeline *s = v->state;

	s->view = v;
	s->anchor = INT64_MIN;
	s->duration = 1;
	s->highlight.state = TL_NSHOWN;
	if (!tui_is_trace(&v->select))
		snprintf(s->error, sizeof(s->error),
			 "a profile has no times: press 4 for its functions, 5 for its flame "
			 "graph, 1 for other runs");
	return !arg || take_kind(v->tui, s, arg);
}

void tl_begin(struct timeline *s)
{
	const struct tui_select *select = &s->view->select;
	const struct rep_lane *lane = NULL;
	int64_t from, to;

	bool kept = s->window.cols > 0; /* the window was set by tl_follow() */

	tl_range(s, &from, &to);
	if (!kept) {
		tl_window_init(&s->window, 0, s->duration, s->layout.cols > 0 ? s->layout.cols : 1);
		tl_window_show(&s->window, from, to);
	}
	s->ns = from;
	s->loose = true;
	/* Unfold a group that is the only one. */
	if (s->roster.ngroups == 1)
		s->list.unfolded[0] = true;
	tl_relist(s);
	if (select->at_ns != INT64_MIN)
		tl_move_to(s, select->at_ns);
	if (rep_goid_is(&select->at_goroutine))
		lane = tl_roster_by_goid(&s->roster, &select->at_goroutine);
	if (lane)
		tl_jump(s, lane->index,
			select->at_ns == INT64_MIN && lane->from > from ? lane->from : s->ns);
	if (lane && !kept && select->at_ns != INT64_MIN)
		s->zoom_here = TL_ZOOM_IF_SMALL;
}

static void close_view(struct tui_view *v)
{
	tl_highlight_release(v->state);
	tl_ask_release(v->state);
}

/* Asks again for everything that is missing, since jobs of other views may have replaced ours. */
static void resume(struct tui_view *v)
{
	struct timeline *s = v->state;

	s->asked = TL_ASK_NOTHING;
	v->busy = false;
	s->playing = s->gave_up = false;
}

/* Returns the filters that the timeline obeys. Cells show everything that a goroutine did, so it ignores
 * the others. */
static unsigned filters(const struct tui_view *v)
{
	(void)v;
	return REP_BY_TIME | REP_BY_GOROUTINE | REP_BY_TASK;
}

static void draw(struct tui_view *v, struct tui_area area)
{
	struct timeline *s = v->state;

	tl_lay_out(&s->layout, area);
	if (*s->error) {
		tui_say(area.row, area.col, area.cols, TUI_STYLE_DIM, s->error);
		return;
	}
	if (s->ready && s->window.cols != s->layout.cols) {
		tl_window_resize(&s->window, s->layout.cols);
		tl_window_reveal(&s->window, s->ns);
	}
	tl_relist(s);
	if (s->ready)
		tl_draw(s);
	else
		tui_say(area.row, area.col, area.cols, TUI_STYLE_DIM, "reading the goroutines...");
	tl_ask(v->tui, s);
}

static void title(struct tui_view *v, char *text, size_t size)
{
	const struct timeline *s = v->state;
	char cell[TUI_TIME_SIZE];

	*text = '\0';
	if (s->ready)
		snprintf(text, size, "%s, %s/column", tl_kinds[s->list.kind],
			 tui_length_text(s->view->select.run, s->window.cell, cell));
}

/* ---- keys ---- */

static void open_goroutine(struct tui *t, struct timeline *s, uint32_t goroutine)
{
	const struct rep_lane *lane = tl_roster_goroutine(&s->roster, goroutine);

	if (!lane) {
		tui_message(t, "no goroutine is known to run here");
		return;
	}
	t->select.at_goroutine = lane->goid;
	t->select.at_ns = s->ns;
	tui_open(t, tui_view_find("goroutine"), NULL);
}

/* Opens a timeline of the goroutines that work for a task, restricted to the task's time. */
static void open_task(struct tui *t, const struct rep_lane *row)
{
	struct tui_select *s = &t->select;
	char id[32];

	snprintf(id, sizeof(id), "%" PRId64, row->id);
	s->from_ns = row->from;
	s->to_ns = row->to;
	s->at_ns = INT64_MIN;
	s->at_goroutine = REP_GOID_NONE;
	tui_open_narrowed(t, tui_select_set(&s->task, id), "timeline", NULL);
}

void tl_enter(struct tui *t, struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);

	if (s->anchor != INT64_MIN)
		tl_end_range(t, s);
	else if (!row)
		return;
	else if (row->kind == REP_LANE_GROUP)
		tl_fold(t, s);
	else if (row->kind == REP_LANE_TASK)
		open_task(t, row);
	else if (row->kind == REP_LANE_GOROUTINE)
		open_goroutine(t, s, row->index);
	else
		open_goroutine(t, s, s->detail.there ? s->detail.goroutine : TP_NONE);
}

static void step(struct timeline *s, int by)
{
	s->step = by;
	s->step_here = false;
	tl_want(s, TL_ASK_STEP);
}

static void step_here(struct timeline *s, int by)
{
	step(s, by);
	s->step_here = true;
}

static void pan(struct timeline *s, int by)
{
	tl_pan(s, by * (s->window.cols / 2));
}

static void go_to_end(struct timeline *s, int by)
{
	tl_move_to(s, by < 0 ? 0 : s->duration - 1);
}

static const struct {
	enum tui_action action;
	void (*move)(struct timeline *s, int by);
	int by;
} moves[] = {
    {TUI_DO_KIND, tl_kind, 1},
    {TUI_DO_KIND_BACK, tl_kind, -1},
    {TUI_DO_LEFT, tl_move_columns, -1},
    {TUI_DO_RIGHT, tl_move_columns, 1},
    {TUI_DO_PAN_LEFT, pan, -1},
    {TUI_DO_PAN_RIGHT, pan, 1},
    {TUI_DO_ZOOM_IN, tl_zoom, 2},
    {TUI_DO_ZOOM_OUT, tl_zoom, -2},
    {TUI_DO_START, go_to_end, -1},
    {TUI_DO_END, go_to_end, 1},
    {TUI_DO_SPAN_NEXT, tl_next_span, 1},
    {TUI_DO_SPAN_BACK, tl_next_span, -1},
    {TUI_DO_STEP, step, 1},
    {TUI_DO_STEP_BACK, step, -1},
    {TUI_DO_STEP_HERE, step_here, 1},
    {TUI_DO_STEP_HERE_BACK, step_here, -1},
};

/* Actions whose functions may show a message. */
static const struct {
	enum tui_action action;
	void (*act)(struct tui *t, struct timeline *s);
} acts[] = {
    {TUI_DO_ENTER, tl_enter},	       {TUI_DO_FOLD, tl_fold},
    {TUI_DO_WAKER, tl_follow},	       {TUI_DO_WAKER_BACK, tl_follow_back},
    {TUI_DO_LONGEST, tl_longest},      {TUI_DO_RANGE, tl_begin_range},
    {TUI_DO_ALIKE, tl_highlight_like},
};

static bool move(struct timeline *s, enum tui_action action)
{
	long page = s->layout.chart > 1 ? s->layout.chart - 1 : 1, by;

	if (tui_move(action, page, page / 2 + 1, &by)) {
		tl_move_rows(s, by);
		return true;
	}
	for (size_t i = 0; i < TP_COUNT_OF(moves); i++) {
		if (moves[i].action != action)
			continue;
		moves[i].move(s, moves[i].by);
		return true;
	}
	return false;
}

static bool act(struct tui_view *v, enum tui_action action)
{
	struct tui *t = v->tui;
	struct timeline *s = v->state;
	bool was_playing = s->playing;

	s->gave_up = s->playing = false;
	if (was_playing && s->special == TL_ASK_STEP)
		s->special = TL_ASK_NOTHING;
	if (!tl_usable(s))
		return false;
	if (move(s, action))
		return true;
	for (size_t i = 0; i < TP_COUNT_OF(acts); i++) {
		if (acts[i].action != action)
			continue;
		acts[i].act(t, s);
		return true;
	}
	switch (action) {
	case TUI_DO_GOROUTINE:
		if (!tl_row(s) || tl_row(s)->kind == REP_LANE_GROUP ||
		    tl_row(s)->kind == REP_LANE_TASK)
			return false;
		tl_enter(t, s);
		return true;
	case TUI_DO_ALL_ROWS:
		s->list.all = !s->list.all;
		tl_relist(s);
		return true;
	case TUI_DO_ZOOM_ALL:
		tl_zoom_all(s);
		return true;
	case TUI_DO_ZOOM_HERE:
		tl_zoom_here(s);
		return true;
	case TUI_DO_BACK:
		if (s->anchor == INT64_MIN && !was_playing)
			return false;
		s->anchor = INT64_MIN;
		return true;
	case TUI_DO_CLEAR:
		return tl_clear_range(t, s);
	case TUI_DO_PLAY:
		s->playing = !was_playing;
		if (s->playing)
			step(s, 1);
		return true;
	default:
		return false;
	}
}

/* ---- the view ---- */

/* Writes the kind of rows; goroutines are the default. */
static void keep(struct tui_view *v, char *text, size_t size)
{
	const struct timeline *s = v->state;

	snprintf(text, size, "%s", s->list.kind == TL_GOROUTINES ? "" : tl_kinds[s->list.kind]);
}

static const char *hints(struct tui_view *v)
{
	const struct timeline *s = v->state;
	const struct rep_lane *row = tl_row(s);

	if (!s->ready && *s->error)
		return "1 runs\t4 tables\t5 flame graph\tc clear selection\tq back\t? help";
	if (s->anchor != INT64_MIN)
		return "v end the range\tEsc cancel\tl later\th earlier\t+ zoom";
	if (s->playing)
		return "p stop\tEsc stop";
	if (row && row->kind == REP_LANE_GOROUTINE && s->nchain)
		return "w waker\tb back\tB longest wait\t+ zoom\t} next span\tEnter goroutine\tz "
		       "zoom to it\tv range\t. next event\tx Ps, tasks\tq back\t? help";
	if (row && row->kind == REP_LANE_GOROUTINE)
		return "w waker\tB longest wait\t+ zoom\t} next span\tEnter goroutine\tz zoom to "
		       "it\tv range\t. next event\tx Ps, tasks\tq back\t? help";
	return NULL;
}

static bool can(struct tui_view *v, enum tui_action action)
{
	const struct timeline *s = v->state;
	const struct rep_lane *row = tl_row(s);
	bool goroutine = row && row->kind == REP_LANE_GOROUTINE;
	bool runs = row && (row->kind == REP_LANE_PROC || row->kind == REP_LANE_THREAD) &&
		    s->detail.there && tl_detail_holds(&s->detail, row, s->ns);

	switch (action) {
	case TUI_DO_WAKER:
	case TUI_DO_GOROUTINE:
		return goroutine || runs;
	case TUI_DO_ENTER:
		return row && (s->anchor != INT64_MIN || goroutine || runs ||
			       row->kind == REP_LANE_GROUP || row->kind == REP_LANE_TASK);
	case TUI_DO_WAKER_BACK:
		return s->nchain > 0;
	case TUI_DO_FOLD:
		return row && (row->kind == REP_LANE_GROUP ||
			       (goroutine &&
				tl_roster_group_of(&s->roster, row->index) < s->roster.ngroups));
	case TUI_DO_RANGE:
	case TUI_DO_LONGEST:
	case TUI_DO_ZOOM_IN:
	case TUI_DO_ZOOM_OUT:
		return s->list.n > 0;
	default:
		return true;
	}
}

static void highlight(struct tui_view *v, const char *text)
{
	tl_highlight(v->tui, v->state, text);
}

const struct tui_view_ops tui_timeline = {
    .where = TUI_TIMELINE,
    .name = "timeline",
    .arg = "[ROWS]",
    .size = sizeof(struct timeline),
    .needs_run = true,
    .filters = filters,
    .open = open_view,
    .close = close_view,
    .resume = resume,
    .draw = draw,
    .act = act,
    .click = tl_click,
    .drag = tl_drag,
    .zoom = tl_zoom_there,
    .search = tl_search,
    .go = tl_go,
    .highlight = highlight,
    .yank = tl_yank,
    .save = tl_save,
    .source = tl_source,
    .title = title,
    .can = can,
    .hints = hints,
    .keep = keep,
};
