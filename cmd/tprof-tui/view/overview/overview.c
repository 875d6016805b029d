/* The view overview: a page of sections that summarise a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof-tui/prompt.h"
#include "tprof-tui/view/overview/inside.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"

#define WIDE 140 /* columns from which tables are shown side by side */

struct layout {
	const struct ov_section_ops *ops;
	int which;
	const char *title;
	int narrow, wide; /* number of its band in each layout */
};

/* clang-format off */
static const struct layout of_trace[] = {
    {&ov_facts, 0,         NULL,                                     0,  0},
    {&ov_heat,  0,         NULL,                                     1,  1},
    {&ov_chart, 0,         "busy Ps",                                2,  2},
    {&ov_chart, 1,         "goroutines alive",                       2,  2},
    {&ov_chart, 2,         "heap and its goal",                      3,  2},
    {&ov_chart, 3,         "minimum mutator utilisation by window",    3,  2},
    {&ov_table, OV_WAITS,  "longest waits (without sleep and idle time)", 4,  3},
    {&ov_table, OV_READY,  "longest scheduling latencies",           5,  3},
    {&ov_table, OV_BLOCK,  "where goroutines block",                 6,  4},
    {&ov_table, OV_SCHED,  "where scheduling latency arises",        7,  4},
    {&ov_table, OV_STOPS,  "stop-the-world pauses",                     8,  5},
    {&ov_table, OV_LOSSES, "losses and warnings",                    9,  5},
};
static const struct layout of_profile[] = {
    {&ov_facts, 0,            NULL,                0, 0},
    {&ov_table, OV_FUNCTIONS, "largest functions", 1, 1},
    {&ov_table, OV_LABELS,    "labels",            2, 2},
    {&ov_table, OV_LOSSES,    "losses and warnings", 3, 2},
};
/* clang-format on */

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- sections ---- */

static void lay_out(struct overview *o, bool wide)
{
	const struct layout *l = o->profile ? of_profile : of_trace;

	o->wide = wide ? 2 : 1;
	o->nsections = o->profile ? COUNT(of_profile) : COUNT(of_trace);
	for (int i = 0; i < o->nsections; i++) {
		struct ov_section *s = &o->section[i];

		s->ops = l[i].ops;
		s->title = l[i].title;
		s->which = l[i].which;
		s->band = wide ? l[i].wide : l[i].narrow;
	}
	o->top = 0;
}

static unsigned pieces_of(const struct overview *o)
{
	const unsigned of_profiles = 1u << OV_TYPES | 1u << OV_FUNCTIONS | 1u << OV_LABELS;

	if (o->profile)
		return of_profiles | 1u << OV_LOSSES;
	return ((1u << OV_NPIECES) - 1) & ~(of_profiles | 1u << OV_GROUPS);
}

static bool open_view(struct tui_view *v, const char *arg)
{
	struct overview *o = v->state;

	if (arg) {
		tui_error(v->tui, "the overview takes no arguments; top has reports");
		return false;
	}
	o->view = v;
	tui_pieces_init(&o->pieces, o->piece, OV_NPIECES, ov_ask);
	o->heat.mark_ns = INT64_MIN;
	o->heat.row = ov_bands(o);
	o->profile = tui_is_profile(&v->select);
	lay_out(o, false);
	/* Pieces are requested when the view is drawn, when the width of pictures is known. */
	o->pieces.pending = pieces_of(o);
	/* The cursor starts in the heat map of a trace. */
	o->here = o->profile ? 0 : 1;
	return true;
}

static void close_view(struct tui_view *v)
{
	struct overview *o = v->state;

	for (int i = 0; i < OV_NPIECES; i++)
		ov_result_release(&o->result[i]);
	tui_pieces_release(&o->pieces);
}

void ov_open_at(const struct tui_view *v, const char *view, const char *arg, int64_t at_ns)
{
	struct tui *t = v->tui;

	if (at_ns != INT64_MIN) {
		t->select.at_ns = at_ns;
		t->select.at_goroutine = REP_GOID_NONE;
	}
	tui_open(t, tui_view_find(view), arg);
}

/* ---- drawing ---- */

void ov_title(const struct tui_area *a, const char *title, bool here, const char *right)
{
	int used = tui_sayf(a->row, a->col, a->cols, here ? TUI_STYLE_STRONG : TUI_STYLE_DIM,
			    "%s %s", here ? ">" : "-", title ? title : "");

	if (*right)
		tui_put_right(a->row, a->col + used + 1, a->cols - used - 2, TUI_STYLE_NORMAL,
			      right, strlen(right));
}

/* Sets the heights of the bands, each that of its highest section. Returns the number of bands. */
static int measure(const struct overview *o, int cols, struct ov_band *band)
{
	int n = o->section[o->nsections - 1].band + 1;

	for (int b = 0; b < n; b++) {
		int across = 0;

		band[b] = (struct ov_band){0};
		for (int i = 0; i < o->nsections; i++)
			across += o->section[i].band == b;
		for (int i = 0; i < o->nsections; i++) {
			const struct ov_section *s = &o->section[i];
			int least, most;

			if (s->band != b)
				continue;
			s->ops->height(o, s, cols / across, &least, &most);
			band[b].least = least > band[b].least ? least : band[b].least;
			band[b].most = most > band[b].most ? most : band[b].most;
		}
		if (band[b].most < band[b].least)
			band[b].most = band[b].least;
	}
	return n;
}

/* Draws the sections of a band side by side. Returns the row below it. */
static int draw_band(struct overview *o, int number, struct tui_area a)
{
	int first = 0, n = 0;

	while (o->section[first].band != number)
		first++;
	while (first + n < o->nsections && o->section[first + n].band == number)
		n++;
	for (int k = 0; k < n; k++) {
		struct ov_section *s = &o->section[first + k];
		int each = a.cols / n;

		s->area = (struct tui_area){a.row, a.col + k * each, a.rows,
					    k + 1 < n ? each : a.cols - k * each};
		s->ops->draw(o, s, s->area, s == &o->section[o->here]);
	}
	return a.row + a.rows;
}

static void draw(struct tui_view *v, struct tui_area a)
{
	struct overview *o = v->state;
	struct ov_band band[OV_SECTIONS];
	struct tui_area at = a;
	int n;

	if ((a.cols >= WIDE) != (o->wide == 2))
		lay_out(o, a.cols >= WIDE);
	n = measure(o, a.cols, band);
	o->top = ov_bands_top(band, n, o->top, o->section[o->here].band, a.rows);
	ov_bands_fit(band, n, o->top, a.rows);
	for (int i = 0; i < o->nsections; i++)
		o->section[i].area = (struct tui_area){0};
	for (int b = 0; b < n; b++) {
		if (!band[b].rows)
			continue;
		at.rows = band[b].rows;
		at.row = draw_band(o, b, at);
	}
	tui_pieces_ask(v, &o->pieces, 0);
}

/* ---- keys ---- */

static void go(struct overview *o, int to)
{
	if (to >= 0 && to < o->nsections)
		o->here = to;
}

/* Scrolls by a screen. */
static void turn_page(struct overview *o, bool down)
{
	struct ov_band band[OV_SECTIONS];
	int n = measure(o, o->view->area.cols, band), to = 0;

	o->top = ov_bands_turn(band, n, o->top, o->view->area.rows, down);
	while (to + 1 < o->nsections && o->section[to].band < o->top)
		to++;
	go(o, to);
}

static bool act(struct tui_view *v, enum tui_action action)
{
	struct overview *o = v->state;
	struct ov_section *s = &o->section[o->here];

	if (!v->select.run)
		return false;
	if (action == TUI_DO_KIND && !o->profile) {
		for (int i = 0; i < o->nsections; i++)
			if (o->section[i].ops == &ov_heat) {
				go(o, i);
				return ov_heat.act(v, &o->section[i], action);
			}
	}
	if (s->ops->act(v, s, action))
		return true;
	switch (action) {
	case TUI_DO_REFRESH:
		tui_pieces_again(v, &o->pieces, pieces_of(o));
		return false;
	case TUI_DO_SECTION_NEXT:
		go(o, (o->here + 1) % o->nsections);
		return true;
	case TUI_DO_SECTION_BACK:
		go(o, (o->here + o->nsections - 1) % o->nsections);
		return true;
	case TUI_DO_DOWN:
		go(o, o->here + 1);
		return true;
	case TUI_DO_UP:
		go(o, o->here - 1);
		return true;
	case TUI_DO_PAGE_DOWN:
	case TUI_DO_HALF_DOWN:
		turn_page(o, true);
		return true;
	case TUI_DO_PAGE_UP:
	case TUI_DO_HALF_UP:
		turn_page(o, false);
		return true;
	case TUI_DO_FIRST:
		go(o, 0);
		return true;
	case TUI_DO_LAST:
		go(o, o->nsections - 1);
		return true;
	default:
		return false;
	}
}

static void click(struct tui_view *v, int row, int col, bool twice)
{
	struct overview *o = v->state;

	for (int i = 0; i < o->nsections; i++) {
		struct ov_section *s = &o->section[i];
		const struct tui_area *a = &s->area;

		if (row < a->row || row >= a->row + a->rows || col < a->col ||
		    col >= a->col + a->cols)
			continue;
		o->here = i;
		if (s->ops->click)
			s->ops->click(v, s, row, col);
		if (twice)
			tui_act(v->tui, TUI_DO_ENTER);
		return;
	}
}

static bool search(struct tui_view *v, const char *text, int step)
{
	struct overview *o = v->state;

	/* Search from the cursor's section on, and wrap around. */
	for (int i = 0; i <= o->nsections; i++) {
		int at =
		    (o->here + (step < 0 ? o->nsections - i % o->nsections : i)) % o->nsections;
		struct ov_section *s = &o->section[at];

		if (s->ops == &ov_table && tui_table_find(&o->piece[s->which].table, text,
							  step < 0 ? -1 : 1, !step || i)) {
			go(o, at);
			return true;
		}
	}
	return false;
}

static struct tui_table *table(struct tui_view *v)
{
	struct overview *o = v->state;
	const struct ov_section *s = &o->section[o->here];

	return s->ops == &ov_table ? &o->piece[s->which].table : NULL;
}

static int yank(struct tui_view *v, bool all, struct tp_buf *out)
{
	struct overview *o = v->state;
	struct ov_section *s = &o->section[o->here];

	return s->ops->yank ? s->ops->yank(o, s, all, out) : tui_table_yank(table(v), all, out);
}

static int save(struct tui_view *v, const char *path, const struct rep_sink *sink,
		struct tp_err *err)
{
	struct overview *o = v->state;
	struct ov_section *s = &o->section[o->here];

	if (table(v))
		return tui_table_save(table(v), path, sink, err);
	if (s->ops == &ov_chart)
		return ov_chart_save(o, s, sink, err);
	return tp_err_set(
	    err, TP_ENOENT, TP_OFFSET_NONE,
	    "only tables and charts can be saved; Tab leads to one, Y copies this section");
}

/* Returns whether the cursor's section has this action; some are for certain sections only. */
static bool can(struct tui_view *v, enum tui_action action)
{
	const struct overview *o = v->state;
	const struct ov_section *s = &o->section[o->here];

	switch (action) {
	case TUI_DO_RANGE:
		return s->ops == &ov_heat;
	case TUI_DO_KIND:
		return !o->profile;
	case TUI_DO_FILTER:
	case TUI_DO_SORT_RIGHT:
	case TUI_DO_SORT_LEFT:
	case TUI_DO_SORT_TURN:
		return s->ops == &ov_table;
	default:
		return true;
	}
}

static void title(struct tui_view *v, char *text, size_t size)
{
	struct overview *o = v->state;
	int left = 0;

	for (int i = 0; i < OV_NPIECES; i++)
		left += (int)(o->pieces.pending >> i & 1);
	if (left && v->busy)
		snprintf(text, size, "(%d more)", left);
}

const struct tui_view_ops tui_overview = {
    .where = TUI_OVERVIEW,
    .name = "overview",
    .size = sizeof(struct overview),
    .needs_run = true,
    .open = open_view,
    .close = close_view,
    .draw = draw,
    .act = act,
    .click = click,
    .search = search,
    .table = table,
    .yank = yank,
    .save = save,
    .title = title,
    .can = can,
};
