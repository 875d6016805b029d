/* Requests data from the worker, one item at a time: after each drawing, the most urgent one that is
 * missing. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tprof-tui/view/timeline/timeline.h"

#define PLAY_MS 120 /* delay between two events */

/* ---- missing data ---- */

static uint64_t rows_hash(const struct timeline *s)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < tl_shown_rows(s); i++) {
		const struct rep_lane *row = s->list.row[s->top + i];

		hash = (hash ^ ((uint64_t)row->kind << 32 | row->index)) * 1099511628211u;
	}
	return hash;
}

static bool is_current(const struct timeline *s)
{
	return tl_window_same(&s->picture.window, &s->window) &&
	       tl_picture_of(&s->picture, s->list.row + s->top, tl_shown_rows(s));
}

/* Returns whether the old picture, stretched to the window, is good enough until the exact one is made. */
static bool is_near(const struct timeline *s)
{
	const struct tl_window *w = &s->window, *p = &s->picture.window;
	size_t there = 0, n = tl_shown_rows(s);
	int64_t from, to;

	if (!p->cols || p->cell / 8 > w->cell)
		return false;
	from = w->from > p->from ? w->from : p->from;
	to = tl_window_to(w) < tl_window_to(p) ? tl_window_to(w) : tl_window_to(p);
	for (size_t i = 0; i < n; i++)
		there += tl_picture_row(&s->picture, s->list.row[s->top + i]) >= 0;
	return to > from && to - from >= (tl_window_to(w) - w->from) / 2 && there >= (n + 1) / 2;
}

static bool moment_missing(const struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);
	int64_t from, to;

	if (!row || row->kind == REP_LANE_GROUP || row->kind == REP_LANE_TASK)
		return false;
	tl_column(s, &from, &to);
	return (to && (s->detail.from != from || s->detail.to != to)) ||
	       !tl_detail_holds(&s->detail, row, s->ns);
}

static bool is_special(enum tl_ask ask)
{
	return ask == TL_ASK_STEP || ask == TL_ASK_LONGEST || ask == TL_ASK_FIND;
}

static enum tl_ask missing(const struct timeline *s)
{
	bool later = s->special == TL_ASK_STEP && s->playing;

	if (!s->ready)
		return *s->error ? TL_ASK_NOTHING : TL_ASK_ROSTER;
	if (is_special(s->special) && !later)
		return s->special;
	if (!s->gave_up && s->layout.cols && s->list.n) {
		bool current = is_current(s);

		if (!current && !is_near(s))
			return TL_ASK_COARSE;
		if (moment_missing(s))
			return TL_ASK_MOMENT;
		if (!current || !s->picture.exact)
			return TL_ASK_EXACT;
	}
	if (later)
		return s->special;
	return s->read_ahead || s->gave_up ? TL_ASK_NOTHING : TL_ASK_AHEAD;
}

/* Returns whether the current job is still useful. */
static bool still_serves(const struct timeline *s, enum tl_ask ask)
{
	const struct rep_lane *row = tl_row(s);
	int64_t from, to;

	switch (s->asked) {
	case TL_ASK_NOTHING:
		return false;
	case TL_ASK_ROSTER:
	case TL_ASK_LONGEST:
	case TL_ASK_FIND:
		return true;
	case TL_ASK_AHEAD:
		return ask == TL_ASK_AHEAD;
	case TL_ASK_STEP:
		return !s->playing || ask == TL_ASK_NOTHING || ask == TL_ASK_STEP;
	case TL_ASK_COARSE:
	case TL_ASK_EXACT:
		return ask == s->asked && tl_window_same(&s->asked_window, &s->window) &&
		       s->asked_rows == rows_hash(s);
	case TL_ASK_MOMENT:
		tl_column(s, &from, &to);
		return ask == TL_ASK_MOMENT && row && s->asked_place.goroutine == row->index &&
		       s->asked_place.ns == s->ns && s->asked_from == from && s->asked_to == to;
	}
	return false;
}

/* ---- requests ---- */

static void release(struct tui_job *job)
{
	struct tl_job *j = (struct tl_job *)job;

	tl_roster_release(&j->roster);
	tl_picture_release(&j->picture);
	tl_detail_release(&j->detail);
	free(j->row);
	free(j->member);
	free(j->wait);
	free(j->text);
}

static bool take_rows(struct tl_job *j, const struct timeline *s, size_t from, size_t n)
{
	j->row = calloc(n + 1, sizeof(*j->row));
	if (!j->row)
		return false;
	for (size_t i = 0; i < n; i++)
		j->row[i] = *s->list.row[from + i];
	j->nrows = n;
	return true;
}

/* Sets a step from the last event, or if the cursor has moved since, from the cursor. Returns false if
 * memory is out. */
static bool set_step(struct tl_job *j, const struct timeline *s)
{
	const struct tui_select *select = &s->view->select;
	int64_t from, to;

	tl_column(s, &from, &to);
	j->step = s->step;
	j->only = TP_NONE;
	j->delay_ms = s->playing ? PLAY_MS : 0;
	if (s->event_known && s->event.ns == s->ns)
		j->event = s->event;
	else
		j->event = (struct rep_event_at){.number = UINT64_MAX, .ns = to ? from : s->ns};
	if (s->step_here && tl_row(s)) {
		j->only =
		    tl_row(s)->kind == REP_LANE_GOROUTINE ? tl_row(s)->index : s->detail.goroutine;
	} else if (select->goroutine || select->task || select->region) {
		j->nmembers = s->roster.nof;
		j->member = calloc(j->nmembers + 1, sizeof(*j->member));
		for (size_t i = 0; j->member && i < j->nmembers; i++)
			j->member[i] = s->roster.of[i] != 0;
		return j->member != NULL;
	}
	return true;
}

#define MOST_SEARCHED 20000 /* rows of a search */

static bool set_find(struct tl_job *j, const struct timeline *s)
{
	size_t n = s->list.n - s->row;

	j->step = s->find_step;
	j->text = strdup(s->wanted ? s->wanted : "");
	j->ns = s->ns;
	j->col = tl_window_col(&s->window, s->ns);
	if (s->find_step >= 0)
		return j->text && take_rows(j, s, s->row, n < MOST_SEARCHED ? n : MOST_SEARCHED);
	n = s->row + 1 < MOST_SEARCHED ? s->row + 1 : MOST_SEARCHED;
	return j->text && take_rows(j, s, s->row + 1 - n, n);
}

static bool set(struct tl_job *j, struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);

	j->window = s->window;
	switch (j->ask) {
	case TL_ASK_COARSE:
	case TL_ASK_EXACT:
		s->asked_window = s->window;
		s->asked_rows = rows_hash(s);
		return take_rows(j, s, s->top, tl_shown_rows(s));
	case TL_ASK_MOMENT:
		s->asked_place = (struct tl_place){row->index, s->ns};
		j->lane = *row;
		j->ns = s->ns;
		tl_column(s, &j->from, &j->to);
		s->asked_from = j->from;
		s->asked_to = j->to;
		return true;
	case TL_ASK_STEP:
		return set_step(j, s);
	case TL_ASK_FIND:
		return set_find(j, s);
	default:
		return true;
	}
}

static void done(struct tui_view *v, struct tui_job *job);

void tl_ask(struct tui *t, struct timeline *s)
{
	enum tl_ask ask = missing(s);
	const struct tui_job how = {.work = tl_job_work,
				    .done = done,
				    .release = release,
				    .gives_way = ask == TL_ASK_COARSE || ask == TL_ASK_EXACT ||
						 ask == TL_ASK_AHEAD};
	struct tl_job *j;

	if (ask == TL_ASK_NOTHING || still_serves(s, ask))
		return;
	j = tui_job_new(s->view, sizeof(*j), &how);
	if (j)
		j->ask = ask;
	if (!j || !set(j, s)) {
		if (j)
			tui_job_free(&j->job);
		tui_nomem(t);
		s->gave_up = true;
		s->special = TL_ASK_NOTHING;
		return;
	}
	s->asked = ask;
	tui_job_ask(&j->job);
	s->view->busy = ask != TL_ASK_AHEAD;
}

void tl_want(struct timeline *s, enum tl_ask special)
{
	s->special = special;
	if (s->asked == special)
		s->asked = TL_ASK_NOTHING;
}

/* ---- results ---- */

static void take_roster(struct timeline *s, struct tl_job *j)
{
	s->roster = j->roster;
	j->roster = (struct tl_roster){0};
	s->duration = j->duration > 0 ? j->duration : 1;
	if (s->duration > TL_WINDOW_MOST)
		s->duration = TL_WINDOW_MOST;
	s->ready = tl_list_init(&s->list, &s->roster);
	if (!s->ready)
		snprintf(s->error, sizeof(s->error), "out of memory");
	else if (!s->roster.nmembers)
		snprintf(s->error, sizeof(s->error), "%s",
			 s->view->select.goroutine || s->view->select.task || s->view->select.region
			     ? "no goroutine of this run matches the selection; press c to clear it"
			     : "this trace has no goroutines");
	else
		tl_begin(s);
}

static void take_event(struct tui *t, struct timeline *s, struct tl_job *j)
{
	int64_t from, to;
	char at[TUI_TIME_SIZE];

	tl_range(s, &from, &to);
	if (j->code == TP_ENOENT || j->event.ns < from || j->event.ns >= to) {
		s->playing = false;
		tui_message(t, "there is no event %s this one%s", s->step > 0 ? "after" : "before",
			    s->view->select.from_ns != INT64_MIN ||
				    s->view->select.to_ns != INT64_MAX
				? " in the selected time range"
				: "");
		return;
	}
	s->event = j->event;
	s->event_known = true;
	if (s->event.goroutine == TP_NONE || !tl_jump(s, s->event.goroutine, s->event.ns))
		tl_move_to(s, s->event.ns);
	tui_message(t, "%s %s", tl_time_text(s, at, s->event.ns), s->event.text);
	if (s->playing)
		tl_want(s, TL_ASK_STEP);
}

static void take_waits(struct tui *t, struct timeline *s, struct tl_job *j)
{
	free(s->wait);
	s->wait = j->wait;
	s->nwaits = j->nwaits;
	j->wait = NULL;
	s->waits_known = true;
	tl_go_to_wait(t, s, s->waits_ahead);
}

static void take_found(struct tui *t, struct timeline *s, struct tl_job *j)
{
	if (j->code == TP_ENOENT || !j->found) {
		tui_error(t, "nothing %s the cursor contains '%.200s'",
			  j->step < 0 ? "before" : "after", j->text);
		return;
	}
	if (j->lane.kind == REP_LANE_GOROUTINE && tl_jump(s, j->lane.index, j->ns))
		return;
	s->at_kind = j->lane.kind;
	s->at_index = j->lane.index;
	tl_move_to(s, j->ns);
}

static void take(struct tui *t, struct timeline *s, struct tl_job *j)
{
	struct tl_picture picture;
	struct tl_detail detail;

	switch (j->ask) {
	case TL_ASK_ROSTER:
		take_roster(s, j);
		break;
	case TL_ASK_STEP:
		take_event(t, s, j);
		break;
	case TL_ASK_LONGEST:
		take_waits(t, s, j);
		break;
	case TL_ASK_FIND:
		take_found(t, s, j);
		break;
	case TL_ASK_COARSE:
	case TL_ASK_EXACT:
		picture = s->picture;
		s->picture = j->picture;
		s->picture.exact |= j->ask == TL_ASK_EXACT;
		j->picture = picture;
		tl_highlight_picture(s);
		break;
	case TL_ASK_MOMENT:
		detail = s->detail;
		s->detail = j->detail;
		j->detail = detail;
		tl_moment(t, s);
		break;
	case TL_ASK_AHEAD:
	case TL_ASK_NOTHING:
		break;
	}
}

static void done(struct tui_view *v, struct tui_job *job)
{
	struct tl_job *j = (struct tl_job *)job;
	struct timeline *s = v->state;

	s->asked = TL_ASK_NOTHING;
	if (j->ask == TL_ASK_AHEAD) {
		s->read_ahead = true;
		return;
	}
	if (is_special(j->ask) && j->ask == s->special)
		s->special = TL_ASK_NOTHING;
	if (!job->code || (job->code == TP_ENOENT && is_special(j->ask))) {
		j->code = job->code;
		take(v->tui, s, j);
		return;
	}
	s->gave_up = true;
	s->playing = false;
	if (j->ask == TL_ASK_ROSTER)
		snprintf(s->error, sizeof(s->error), "%s",
			 job->code == TP_ECANCEL ? "interrupted; press 3 to start again"
						 : job->err.msg);
	else if (job->code == TP_ECANCEL)
		tui_message(v->tui, "interrupted; press any key to continue");
	else
		tui_error(v->tui, "%s", job->err.msg);
}

void tl_ask_release(struct timeline *s)
{
	tl_roster_release(&s->roster);
	tl_list_release(&s->list);
	tl_picture_release(&s->picture);
	tl_detail_release(&s->detail);
	free(s->chain);
	free(s->wait);
	free(s->wanted);
}
