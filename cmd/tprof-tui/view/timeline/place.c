/* Moves the cursor by rows, columns and spans, along wake-ups, and to waits, goroutines and times. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "base/units.h"
#include "tprof-tui/view/timeline/timeline.h"

const struct rep_lane *tl_row(const struct timeline *s)
{
	return s->row < s->list.n ? s->list.row[s->row] : NULL;
}

size_t tl_shown_rows(const struct timeline *s)
{
	size_t left = s->list.n > s->top ? s->list.n - s->top : 0;

	return left < (size_t)s->layout.chart ? left : (size_t)s->layout.chart;
}

/* ---- rows ---- */

/* Scrolls so that the cursor is on the screen and no rows are left empty. */
static void scroll(struct timeline *s)
{
	size_t rows = s->layout.chart > 0 ? (size_t)s->layout.chart : 1;

	if (s->row < s->top)
		s->top = s->row;
	if (s->row >= s->top + rows)
		s->top = s->row - rows + 1;
	if (s->top + rows > s->list.n)
		s->top = s->list.n > rows ? s->list.n - rows : 0;
}

static void remember_row(struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);

	if (!row)
		return;
	s->at_kind = row->kind;
	s->at_index = row->index;
}

void tl_relist(struct timeline *s)
{
	size_t at;
	bool was_shown = s->row >= s->top && s->row < s->top + (size_t)s->layout.chart;
	size_t below = s->row - s->top;

	if (!s->ready || !tl_list_fill(&s->list, &s->roster, &s->window)) {
		s->list.n = 0;
		return;
	}
	at = tl_list_find(&s->list, &s->roster, s->at_kind, s->at_index);
	if (at == s->list.n)
		at = s->row < s->list.n ? s->row : s->list.n ? s->list.n - 1 : 0;
	s->row = at;
	/* Keep the cursor on its row of the screen, whatever has changed above. */
	if (was_shown)
		s->top = at > below ? at - below : 0;
	remember_row(s);
	scroll(s);
}

void tl_move_to_row(struct timeline *s, size_t row)
{
	s->row = row < s->list.n ? row : s->list.n ? s->list.n - 1 : 0;
	remember_row(s);
	scroll(s);
}

void tl_move_rows(struct timeline *s, long by)
{
	long to = (long)s->row + by;

	tl_move_to_row(s, to < 0 ? 0 : (size_t)to);
}

void tl_kind(struct timeline *s, int step)
{
	uint32_t on = s->detail.there ? s->detail.goroutine : TP_NONE;
	bool from_goroutine = s->list.kind == TL_GOROUTINES;

	s->list.kind = (enum tl_kind)(((int)s->list.kind + step + TL_NKINDS) % TL_NKINDS);
	/* From another kind back to goroutines: go to the one that ran at the cursor. */
	if (s->list.kind == TL_GOROUTINES && !from_goroutine && on != TP_NONE &&
	    tl_jump(s, on, s->ns))
		return;
	s->row = s->top = 0;
	tl_relist(s);
}

void tl_fold(struct tui *t, struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);
	size_t group;

	if (!row || !tl_list_fold(&s->list, &s->roster, row)) {
		tui_message(t, "there is nothing to unfold here");
		return;
	}
	if (row->kind == REP_LANE_GOROUTINE) {
		group = tl_roster_group_of(&s->roster, row->index);
		s->at_kind = REP_LANE_GROUP;
		s->at_index = s->roster.group[group].index;
	}
	tl_relist(s);
}

/* ---- time ---- */

static void set_time(struct timeline *s, int64_t ns)
{
	if (ns >= s->duration)
		ns = s->duration - 1;
	s->ns = ns < 0 ? 0 : ns;
}

void tl_move_to(struct timeline *s, int64_t ns)
{
	set_time(s, ns);
	s->loose = false;
	tl_window_reveal(&s->window, s->ns);
	tl_relist(s);
}

void tl_move_columns(struct timeline *s, int by)
{
	struct tl_window *w = &s->window;
	int col = tl_window_col(w, s->ns) + by;

	set_time(s, tl_window_at(w, col));
	s->loose = true;
	col = tl_window_col(w, s->ns);
	if (col < 0)
		tl_window_pan(w, -(w->cols / 4) - 1);
	else if (col >= w->cols)
		tl_window_pan(w, w->cols / 4 + 1);
	tl_window_reveal(w, s->ns);
	tl_relist(s);
}

void tl_zoom(struct timeline *s, int by)
{
	tl_window_zoom(&s->window, s->ns, by);
	tl_window_reveal(&s->window, s->ns);
	tl_relist(s);
}

void tl_pan(struct timeline *s, int64_t columns)
{
	int64_t before = s->window.from;

	tl_window_pan(&s->window, columns);
	/* At the end of the run, the cursor moves instead of the window. */
	if (s->window.from == before)
		set_time(s, columns < 0 ? 0 : s->duration - 1);
	else
		set_time(s, s->ns + (s->window.from - before));
	tl_window_reveal(&s->window, s->ns);
	tl_relist(s);
}

void tl_zoom_all(struct timeline *s)
{
	const struct tl_window *w = &s->window;
	struct tl_window before = *w;
	int64_t from, to;

	tl_range(s, &from, &to);
	tl_window_show(&s->window, from, to);
	/* If the window was at the range already, show the whole run. */
	if (tl_window_same(&before, w))
		tl_window_show(&s->window, 0, s->duration);
	if (tl_window_col(w, s->ns) < 0 || tl_window_col(w, s->ns) >= w->cols) {
		set_time(s, tl_window_at(w, w->cols / 2));
		s->loose = true;
	}
	tl_relist(s);
}

/* ---- places ---- */

bool tl_jump(struct timeline *s, uint32_t goroutine, int64_t ns)
{
	const struct rep_lane *lane = tl_roster_goroutine(&s->roster, goroutine);
	size_t group = tl_roster_group_of(&s->roster, goroutine);

	if (!lane || group >= s->roster.ngroups)
		return false;
	s->list.kind = TL_GOROUTINES;
	s->list.unfolded[group] = true;
	set_time(s, ns);
	s->loose = false;
	tl_window_reveal(&s->window, s->ns);
	s->at_kind = REP_LANE_GOROUTINE;
	s->at_index = goroutine;
	tl_relist(s);
	return true;
}

static bool holds(const struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);

	return row && tl_detail_holds(&s->detail, row, s->ns);
}

static void zoom_to_span(struct timeline *s, bool only_if_small)
{
	const struct tp_span *span = &s->detail.moment.span;
	int64_t size = tp_minus(span->end, span->start), margin = size / 4;

	if (!s->detail.there ||
	    (only_if_small && size / s->window.cell >= 3 && size < s->window.cell * s->window.cols))
		return;
	tl_window_show(&s->window, tp_minus(span->start, margin + 1),
		       tp_plus(span->end, margin + 1));
	tl_window_reveal(&s->window, s->ns);
	tl_relist(s);
}

void tl_zoom_here(struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);

	if (row && (row->kind == REP_LANE_GROUP || row->kind == REP_LANE_TASK)) {
		tl_window_show(&s->window, row->from, row->to);
		tl_window_reveal(&s->window, s->ns);
		tl_relist(s);
	} else if (holds(s)) {
		zoom_to_span(s, false);
	} else {
		s->zoom_here = TL_ZOOM_HERE;
	}
}

/* ---- the wake-up chain ---- */

static bool push(struct timeline *s)
{
	struct tl_place *more = realloc(s->chain, (s->nchain + 1) * sizeof(*more));

	if (!more)
		return false;
	s->chain = more;
	more[s->nchain++] = (struct tl_place){s->detail.goroutine, s->ns};
	return true;
}

/* Goes to a waker that the filters hide: opens a timeline of all goroutines on top of this one. Writes the
 * filters that it removed to `cleared`. Returns false with a message. */
static bool follow_outside(struct tui *t, struct timeline *s, char *cleared, size_t size)
{
	static const enum tui_text hide[] = {TUI_TEXT_GOROUTINE, TUI_TEXT_TASK, TUI_TEXT_REGION};
	const struct tl_detail *d = &s->detail;
	struct tl_place *chain = calloc(s->nchain, sizeof(*chain));
	struct timeline *next;

	*cleared = '\0';
	for (size_t i = 0; i < TP_COUNT_OF(hide); i++) {
		char **text = &t->select.text[hide[i]];

		if (*text)
			tui_add(cleared, size, ", ", "%s %s", tui_texts[hide[i]].name, *text);
		tui_select_set(text, NULL);
	}
	t->select.at_ns = d->moment.cause.ns;
	t->select.at_goroutine = d->cause_id;
	if (!tui_open_narrowed(t, chain != NULL, s->view->ops->name, NULL)) {
		free(chain);
		return false;
	}
	memcpy(chain, s->chain, s->nchain * sizeof(*chain));
	next = tui_current(t)->state;
	next->chain = chain;
	next->nchain = s->nchain;
	next->window = s->window;
	next->follow = s->follow;
	s->follow = 0;
	return true;
}

static void follow_now(struct tui *t, struct timeline *s)
{
	const struct tl_detail *d = &s->detail;
	const char *back = s->nchain ? ", b to go back" : "";
	char who[200], by[200], when[TUI_TIME_SIZE], cleared[300];

	tl_goroutine_text(s, d->goroutine, REP_GOID_NONE, who, sizeof(who));
	if (!d->there) {
		tui_message(t,
			    "there is no goroutine here; press B for the longest wait, h and l for "
			    "other times, j and k for other rows%s",
			    back);
	} else if (d->moment.cause.goroutine == TP_NONE) {
		if (d->moment.span.state == TP_ST_WAITING && d->moment.span.open)
			tui_message(
			    t,
			    "%s was still waiting when the run ended; press B for the next longest "
			    "wait, Enter for its life%s",
			    who, back);
		else if (*d->outside)
			tui_message(
			    t,
			    "%s woke it, so the chain ends; press B for the next longest wait, "
			    "Enter for its life%s",
			    d->outside, back);
		else
			tui_message(t,
				    "its waker is not known; press { for the previous span, B for "
				    "the next longest wait%s",
				    back);
	} else if (!push(s)) {
		tui_nomem(t);
	} else {
		tl_goroutine_text(s, d->moment.cause.goroutine, d->cause_id, by, sizeof(by));
		tl_time_text(s, when, d->moment.cause.ns);
		if (tl_jump(s, d->moment.cause.goroutine, d->moment.cause.ns)) {
			tui_message(t, "here %s woke %s, at %s; press b to go back", by, who, when);
		} else {
			if (tui_current(t) == s->view &&
			    follow_outside(t, s, cleared, sizeof(cleared)))
				tui_message(t,
					    "cleared %s (press Esc to undo): here %s "
					    "woke %s, at %s; press b to go back",
					    cleared, by, who, when);
			s->nchain--;
		}
	}
}

/* Goes to the waker. If the details are not known yet, tl_moment() does it when they come. */
void tl_follow(struct tui *t, struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);

	if (s->special == TL_ASK_LONGEST) {
		s->follow++;
		return;
	}
	if (!row)
		return;
	if (row->kind == REP_LANE_GROUP || row->kind == REP_LANE_TASK)
		tui_message(
		    t,
		    "only goroutines have wakers; press Enter to see those of this %s, B for the "
		    "longest wait",
		    row->kind == REP_LANE_TASK ? "task" : "group");
	else if (holds(s))
		follow_now(t, s);
	else
		s->follow++;
}

void tl_follow_back(struct tui *t, struct timeline *s)
{
	struct tl_place to;

	s->follow = 0;
	if (!s->nchain) {
		tui_message(t, "this is where the chain began; press w to follow it");
		return;
	}
	to = s->chain[--s->nchain];
	tl_jump(s, to.goroutine, to.ns);
}

/* ---- spans ---- */

static void hop(struct timeline *s)
{
	const struct tp_span *span = &s->detail.moment.span;

	if (s->hops > 0) {
		s->hops--;
		if (span->end < s->duration)
			tl_move_to(s, span->end);
		else
			s->hops = 0;
	} else {
		s->hops++;
		if (s->ns > span->start) {
			tl_move_to(s, span->start);
		} else if (span->start > 0) {
			s->snap = true;
			tl_move_to(s, span->start - 1);
		} else {
			s->hops = 0;
		}
	}
}

static enum tl_show shown_at(const struct timeline *s, long row, int col, uint32_t *g)
{
	const struct rep_cell *cell = &s->picture.cell[row * s->picture.window.cols + col];

	*g = cell->g;
	return tl_show_of(cell);
}

/* Goes to the next column that looks different. */
static void hop_cells(struct timeline *s, int step)
{
	const struct rep_lane *lane = tl_row(s);
	long row = lane ? tl_picture_row(&s->picture, lane) : -1;
	int col = tl_picture_col(&s->picture, s->ns);
	enum tl_show what;
	uint32_t g, other;

	if (row < 0 || col < 0 || !tl_window_same(&s->picture.window, &s->window))
		return;
	what = shown_at(s, row, col, &g);
	for (col += step; col >= 0 && col < s->window.cols; col += step)
		if (shown_at(s, row, col, &other) != what || other != g)
			break;
	tl_move_columns(s, col - tl_window_col(&s->window, s->ns));
}

void tl_next_span(struct timeline *s, int step)
{
	const struct rep_lane *row = tl_row(s);

	if (!row)
		return;
	if (row->kind != REP_LANE_GOROUTINE) {
		hop_cells(s, step);
		return;
	}
	s->hops += step;
	if (s->hops && holds(s) && s->detail.there)
		hop(s);
}

void tl_moment(struct tui *t, struct timeline *s)
{
	const struct tl_detail *d = &s->detail;
	const struct rep_lane *row = tl_row(s);
	bool zoom = s->zoom_here != TL_ZOOM_NOT, if_small = s->zoom_here == TL_ZOOM_IF_SMALL;
	int64_t from, to;

	/* Move the cursor within its column to the moment that was chosen for the column. */
	tl_column(s, &from, &to);
	if (to && row && d->from == from && d->to == to && row->index == d->index) {
		set_time(s, d->ns);
		s->detail.ns = s->ns;
	}
	if (!holds(s))
		return;
	if (!d->there)
		s->hops = s->follow = 0;
	if (s->snap && d->there)
		set_time(s, d->moment.span.start);
	s->snap = false;
	s->zoom_here = TL_ZOOM_NOT;
	if (zoom)
		zoom_to_span(s, if_small);
	if (s->follow) {
		s->follow--;
		follow_now(t, s);
	} else if (s->hops) {
		hop(s);
	}
}

/* ---- the longest waits ---- */

void tl_go_to_wait(struct tui *t, struct timeline *s, size_t i)
{
	const struct tl_wait *w;
	char who[200], took[TUI_TIME_SIZE];
	int64_t size;

	if (!s->nwaits) {
		s->follow = 0;
		tui_select_words(&s->view->select, who, sizeof(who));
		tui_message(t, "no goroutine%s waits, except idle ones%s",
			    *who ? " of the selection" : "",
			    *who ? "; press c to clear the selection" : "");
		return;
	}
	s->at_wait = i % s->nwaits;
	w = &s->wait[s->at_wait];
	size = tp_minus(w->to, w->from);
	tl_goroutine_text(s, w->goroutine, REP_GOID_NONE, who, sizeof(who));
	if (!tl_jump(s, w->goroutine, w->from)) {
		s->follow = 0;
		tui_message(t,
			    "longest wait %zu of %zu%s: the selection hides %s; press c to clear "
			    "the selection, B for the next wait",
			    s->at_wait + 1, s->nwaits, s->nwaits == TL_MOST_WAITS ? " or more" : "",
			    who);
		return;
	}
	tl_window_show(&s->window, tp_minus(w->from, size / 4), tp_plus(w->to, size / 4));
	tl_relist(s);
	tui_message(t, "longest wait %zu of %zu%s, %s: %s", s->at_wait + 1, s->nwaits,
		    s->nwaits == TL_MOST_WAITS ? " or more" : "",
		    tui_length_text(s->view->select.run, size, took),
		    w->open ? "it had not ended; press B for the next"
			    : "press w for its waker, B for the next");
	if (s->follow && holds(s)) {
		s->follow--;
		follow_now(t, s);
	}
}

void tl_longest(struct tui *t, struct timeline *s)
{
	if (s->waits_known) {
		tl_go_to_wait(t, s, s->at_wait + 1);
	} else if (s->special == TL_ASK_LONGEST) {
		s->waits_ahead++;
	} else {
		s->waits_ahead = 0;
		tl_want(s, TL_ASK_LONGEST);
	}
}

/* ---- places typed after @ ---- */

static bool go_to_goroutine(struct tui *t, struct timeline *s, const struct rep_goid *id)
{
	const struct rep_lane *lane = tl_roster_by_goid(&s->roster, id);
	char text[REP_GOID_SIZE];

	if (!lane) {
		tui_error(t, "there is no goroutine %s here", rep_goid_text(id, text));
		return true;
	}
	return tl_jump(s, lane->index,
		       s->ns < lane->from ? lane->from
		       : s->ns > lane->to ? lane->to
					  : s->ns);
}

bool tl_go(struct tui_view *v, const char *text)
{
	struct timeline *s = v->state;
	const char *digits = *text == 'g' || *text == 'G' ? text + 1 : text;
	struct rep_goid id;
	int64_t ns;

	if (!tl_usable(s))
		return true;
	if (rep_goid_parse(digits, &id) == 1)
		return go_to_goroutine(v->tui, s, &id);
	if (!tui_time(v->tui, text, &ns))
		return true;
	if (ns > s->duration) {
		char end[TUI_TIME_SIZE];

		tui_error(v->tui, "the run ends at %s",
			  tui_length_text(s->view->select.run, s->duration, end));
		return true;
	}
	tl_move_to(s, ns);
	return true;
}
