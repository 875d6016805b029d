/* The view flame, a flame graph of time, samples or memory: of a profile by sample type, of a trace by
 * the state of goroutines. */
#include "tprof-tui/view/flame/flame.h"

#include <stdlib.h>
#include <string.h>

#include "tprof-tui/view/views.h"

/* ---- opening ---- */

/* Returns the view of a trace that covers the selected state or reason. */
static enum rep_trace_view view_of(const struct tui_select *s)
{
	static const struct {
		const char *state;
		enum rep_trace_view view;
	} views[] = {{"running", REP_TRACE_RUNNING},
		     {"runnable", REP_TRACE_SCHED},
		     {"blocked", REP_TRACE_OFFCPU},
		     {"syscall", REP_TRACE_SYSCALL}};

	for (size_t i = 0; s->state && i < sizeof(views) / sizeof(views[0]); i++)
		if (!strcmp(s->state, views[i].state))
			return views[i].view;
	return s->reason && !s->state ? REP_TRACE_OFFCPU : REP_TRACE_WALL;
}

/* Parses an argument of the view. Returns false if it is unknown. */
static bool take_word(struct tui_view *v, const char *word)
{
	struct flame *f = v->state;

	if (!strcmp(word, "diff")) {
		f->want.differ = true;
		return true;
	}
	if (!strcmp(word, "reverse")) {
		f->want.reverse = true;
		return true;
	}
	if (tui_is_profile(&v->select)) {
		snprintf(f->want.type, sizeof(f->want.type), "%s", word);
		return true;
	}
	if (!strcmp(word, "events")) {
		f->want.count = true;
		return true;
	}
	for (int i = 0; rep_trace_views[i].name; i++) {
		if (!strcmp(word, rep_trace_views[i].name)) {
			f->want.view = (enum rep_trace_view)i;
			return true;
		}
	}
	return false;
}

static bool can_differ(const struct tui_view *v)
{
	if (!v->select.other)
		tui_error(v->tui, "no run is marked; mark one in the view runs (1, then m)");
	else if (v->select.other == v->select.run)
		tui_error(v->tui, "the marked run is this one; mark another (1, then m)");
	else
		return true;
	return false;
}

static bool open_view(struct tui_view *v, const char *arg)
{
	struct flame *f = v->state;
	char words[200], *rest, *word;

	f->want.view = view_of(&v->select);
	if (!v->select.run)
		return true;
	snprintf(words, sizeof(words), "%s", arg ? arg : "");
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (!take_word(v, word)) {
			tui_error(v->tui,
				  "'%.60s' is not an argument of flame; the arguments are cpu, "
				  "running, offcpu, sched, syscall, wall, events, diff and reverse",
				  word);
			return false;
		}
	}
	if (f->want.differ && !can_differ(v))
		return false;
	flame_ask(v);
	return true;
}

static void resume(struct tui_view *v)
{
	const struct flame *f = v->state;

	if (f->dropped && !v->busy)
		flame_ask(v);
}

static void close_view(struct tui_view *v)
{
	struct flame *f = v->state;

	flame_free_picture(f->pic);
	rep_flame_cells_release(&f->cells);
	rep_flame_found_release(&f->found);
	free(f->before);
	free(f->search);
	free(f->error);
	tp_buf_release(&f->name);
	tp_buf_release(&f->label);
}

/* ---- views and sample types ---- */

/* Steps through the views of a trace, or the sample types of a profile. */
static void turn(struct tui_view *v, int step)
{
	struct flame *f = v->state;
	int n = REP_NTRACE_VIEWS, view = (int)f->want.view;

	if (tui_is_profile(&v->select)) {
		size_t types = f->pic ? f->pic->ntypes : 0, at;

		/* Nothing was loaded: the wanted type was probably misspelled. Start with the default. */
		if (!types) {
			f->want.type[0] = '\0';
			flame_ask(v);
			return;
		}
		for (at = 0; at < types && strcmp(f->pic->types[at], f->want.type); at++)
			;
		at = at < types ? at : f->pic->index;
		at = (at + types + (step < 0 ? types - 1 : 1)) % types;
		snprintf(f->want.type, sizeof(f->want.type), "%s", f->pic->types[at]);
	} else {
		/* Samples have neither states nor reasons. */
		do
			view = (view + n + step) % n;
		while (view == REP_TRACE_CPU && (v->select.state || v->select.reason));
		f->want.view = (enum rep_trace_view)view;
	}
	flame_ask(v);
}

static void count(struct tui_view *v)
{
	struct flame *f = v->state;

	if (tui_is_profile(&v->select)) {
		turn(v, 1);
		return;
	}
	f->want.count = !f->want.count;
	flame_ask(v);
}

static void differ(struct tui_view *v)
{
	struct flame *f = v->state;

	if (!f->want.differ && !can_differ(v))
		return;
	f->want.differ = !f->want.differ;
	flame_ask(v);
}

/* ---- keys ---- */

/* Follows the widest child at each level to the leaf. */
static void go_deep(struct flame *f)
{
	uint32_t bar = f->bar;

	while (bar < f->cells.n && f->cells.bar[bar].nchildren)
		bar = f->cells.bar[bar].child;
	flame_go(f, bar);
}

static bool move(struct flame *f, enum tui_action action)
{
	long page = f->levels > 1 ? (long)f->levels - 1 : 1, half = page > 1 ? page / 2 : 1, by;

	switch (action) {
	case TUI_DO_UP:
		flame_step(f, f->upwards ? REP_FLAME_CHILD : REP_FLAME_PARENT);
		return true;
	case TUI_DO_DOWN:
		flame_step(f, f->upwards ? REP_FLAME_PARENT : REP_FLAME_CHILD);
		return true;
	case TUI_DO_LEFT:
		flame_step(f, REP_FLAME_BEFORE);
		return true;
	case TUI_DO_RIGHT:
		flame_step(f, REP_FLAME_BEHIND);
		return true;
	case TUI_DO_FIRST:
		flame_go(f, 0);
		return true;
	case TUI_DO_LAST:
		go_deep(f);
		return true;
	default:
		if (!tui_move(action, page, half, &by))
			return false;
		flame_scroll(f, f->upwards ? -by : by);
		return true;
	}
}

static bool act(struct tui_view *v, enum tui_action action)
{
	struct flame *f = v->state;

	if (!v->select.run)
		return false;
	switch (action) {
	case TUI_DO_ENTER:
	case TUI_DO_ZOOM_IN:
		flame_zoom_in(v->tui, f);
		return true;
	case TUI_DO_ZOOM_OUT:
		flame_zoom_out(v->tui, f);
		return true;
	case TUI_DO_FLIP:
		f->upwards = !f->upwards;
		return true;
	case TUI_DO_REVERSE:
		f->want.reverse = !f->want.reverse;
		flame_ask(v);
		return true;
	case TUI_DO_KIND:
		turn(v, 1);
		return true;
	case TUI_DO_KIND_BACK:
		turn(v, -1);
		return true;
	case TUI_DO_COUNT:
		count(v);
		return true;
	case TUI_DO_DIFFER:
		differ(v);
		return true;
	case TUI_DO_TOP:
		flame_top(v);
		return true;
	case TUI_DO_CLEAR:
		/* This clears the search first, and the filters only if nothing is searched for. */
		if (!f->search)
			return false;
		flame_find(v->tui, f, NULL);
		return true;
	default:
		return move(f, action);
	}
}

/* ---- the mouse ---- */

/* A click on the bar under the cursor zooms, as a double click does. */
static void click(struct tui_view *v, int row, int col, bool twice)
{
	struct flame *f = v->state;
	long level = f->upwards ? f->first_row + (long)f->levels - 1 - row : row - f->first_row;
	uint32_t bar;

	if (!f->pic || level < 0 || level >= (long)f->levels || col < v->area.col)
		return;
	bar =
	    rep_flame_cells_at(&f->cells, f->top + (uint32_t)level, (uint32_t)(col - v->area.col));
	if (bar == UINT32_MAX)
		return;
	if (bar == f->bar || twice) {
		f->bar = bar;
		flame_zoom_in(v->tui, f);
	} else {
		flame_go(f, bar);
	}
}

static void wheel(struct tui_view *v, int lines)
{
	struct flame *f = v->state;

	flame_scroll(f, f->upwards ? -lines : lines);
}

/* ---- search ---- */

static bool search(struct tui_view *v, const char *text, int step)
{
	struct flame *f = v->state;

	if (!step || !f->search || strcmp(f->search, text) != 0)
		return flame_find(v->tui, f, text);
	return flame_find_next(f, step);
}

static void highlight(struct tui_view *v, const char *text)
{
	if (!flame_find(v->tui, v->state, text) && *text)
		tui_error(v->tui, "nothing here contains '%.200s'", text);
}

/* Writes arguments for take_word(). The run that it is compared with is not saved. */
static void keep(struct tui_view *v, char *text, size_t size)
{
	const struct flame_kind *k = &((const struct flame *)v->state)->want;

	snprintf(text, size, "%s%s%s",
		 tui_is_profile(&v->select) ? k->type : rep_trace_views[k->view].name,
		 k->count ? " events" : "", k->reverse ? " reverse" : "");
}

const struct tui_view_ops tui_flame = {
    .where = TUI_FLAME,
    .name = "flame",
    .size = sizeof(struct flame),
    .needs_run = true,
    .open = open_view,
    .close = close_view,
    .resume = resume,
    .draw = flame_draw,
    .act = act,
    .click = click,
    .wheel = wheel,
    .search = search,
    .highlight = highlight,
    .yank = flame_yank,
    .save = flame_save,
    .source = flame_source,
    .title = flame_title,
    .keep = keep,
};
