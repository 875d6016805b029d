/* Jobs of the timeline on the worker's thread. */
#include "tprof-tui/view/timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sum.h"
#include "top/top.h"
#include "top/worst.h"
#include "output/cells.h"

/* ---- lanes: cached, as all timelines can use the data that they have read ---- */

struct lanes {
	struct tui_select select; /* the filter points to its texts */
	struct rep_filter filter;
	struct rep_lanes *lanes;
};

static void free_lanes(void *object)
{
	struct lanes *l = object;

	rep_lanes_free(l->lanes);
	rep_filter_release(&l->filter);
	tui_select_release(&l->select);
	free(l);
}

static int new_lanes(struct tui_job *job, struct tp_store *store, void **out, struct tp_err *err)
{
	struct lanes *l = calloc(1, sizeof(*l));
	struct rep_filter_text text;
	int code;

	if (!l || !tui_select_copy(&l->select, &job->select)) {
		free(l);
		return tp_nomem(err);
	}
	text = tui_select_filter(&l->select, REP_BY_GOROUTINE | REP_BY_TASK, NULL);
	code = rep_filter_init(&l->filter, &text, err);
	if (!code)
		code = rep_lanes_new(&l->lanes, store, l->select.run, &l->filter, err);
	if (code) {
		free_lanes(l);
		return code;
	}
	*out = l;
	return 0;
}

static const struct tui_cache_kind lanes_kind = {new_lanes, free_lanes};

/* ---- rows ---- */

static const enum rep_lane_kind lane_kinds[TL_NKINDS] = {
    [TL_GOROUTINES] = REP_LANE_GROUP,
    [TL_PROCS] = REP_LANE_PROC,
    [TL_THREADS] = REP_LANE_THREAD,
    [TL_TASKS] = REP_LANE_TASK,
};

static int add_goroutines(struct tl_roster *r, struct rep_lanes *lanes, struct tp_err *err)
{
	struct rep_lanes_options opt = {.kind = REP_LANE_GROUP, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_lane_rows rows = {0};
	uint32_t *groups;
	int code = rep_lanes_rows(lanes, &opt, &rows, err);

	groups = calloc(rows.n + 1, sizeof(*groups));
	if (!code && !groups)
		code = tp_nomem(err);
	for (size_t i = 0; !code && groups && i < rows.n; i++)
		groups[i] = rows.row[i].index;
	opt.unfolded = groups;
	opt.nunfolded = rows.n;
	rep_lane_rows_release(&rows);
	if (!code) {
		rows = (struct rep_lane_rows){0};
		code = rep_lanes_rows(lanes, &opt, &rows, err);
		if (!code)
			code = tl_roster_goroutines(r, rows.row, rows.n, err);
		rep_lane_rows_release(&rows);
	}
	free(groups);
	return code;
}

static int make_roster(struct tl_job *j, struct rep_lanes *lanes, struct tp_err *err)
{
	int code = add_goroutines(&j->roster, lanes, err);

	for (enum tl_kind kind = TL_PROCS; kind < TL_NKINDS && !code; kind++) {
		const struct rep_lanes_options opt = {
		    .kind = lane_kinds[kind], .from = INT64_MIN, .to = INT64_MAX};
		struct rep_lane_rows rows = {0};

		code = rep_lanes_rows(lanes, &opt, &rows, err);
		if (!code)
			code = tl_roster_others(&j->roster, kind, rows.row, rows.n, err);
		rep_lane_rows_release(&rows);
	}
	j->duration = rep_lanes_duration(lanes);
	return code;
}

/* ---- events ---- */

static int wait_a_little(struct tl_job *j)
{
	const struct timespec ms = {0, 5000000};

	for (int left = j->delay_ms; left > 0 && !j->job.stop; left -= 5)
		nanosleep(&ms, NULL);
	return j->job.stop ? TP_ECANCEL : 0;
}

#define MOST_STEPS 2000000 /* limit on skipped events of goroutines that are not selected */

static int step(struct tl_job *j, struct rep_lanes *lanes, struct tp_err *err)
{
	int code = wait_a_little(j);

	for (size_t i = 0; !code; i++) {
		uint32_t g;

		code = rep_lanes_step(lanes, j->step, j->only, &j->event, err);
		g = j->event.goroutine;
		if (code || !j->member || (g < j->nmembers && j->member[g]))
			break;
		if (j->job.stop)
			code = TP_ECANCEL;
		else if (i == MOST_STEPS)
			code = TP_ENOENT;
	}
	if (code == TP_ECANCEL)
		return tp_err_set(err, code, TP_OFFSET_NONE, "interrupted");
	return code;
}

/* ---- the longest waits ---- */

/* Returns whether a goroutine belongs to the runtime. The entry function of the program's own goroutines
 * is runtime.main or is outside the runtime. */
static bool is_runtimes(const struct rep_view *v, uint32_t goroutine)
{
	struct tp_text name = tp_dict_text(v->dict, rep_view_entry(v, goroutine));

	return name.size > 7 && !memcmp(name.text, "runtime", 7) &&
	       (name.text[7] == '.' || name.text[7] == '/') &&
	       !(name.size == 12 && !memcmp(name.text, "runtime.main", 12));
}

/* Returns the rank of a wait: first the program's waits, then the runtime's, then all waits that had not
 * ended, whose length is unknown. */
static int rank(const struct rep_view *v, const struct rep_worst *w)
{
	return w->span.open ? 2 : is_runtimes(v, w->span.goroutine) ? 1 : 0;
}

static int take_waits(struct tl_job *j, const struct rep_view *v, const struct rep_worst *worst,
		      size_t n, struct tp_err *err)
{
	j->wait = calloc(n + 1, sizeof(*j->wait));
	if (!j->wait)
		return tp_nomem(err);
	for (int r = 0; r < 3; r++)
		for (size_t i = 0; i < n; i++)
			if (rank(v, &worst[i]) == r)
				j->wait[j->nwaits++] = (struct tl_wait){
				    worst[i].span.goroutine, worst[i].at_ns,
				    tp_plus(worst[i].at_ns, worst[i].dur_ns), worst[i].span.open};
	return 0;
}

/* Finds the longest waits of the selection, without idle time unless a reason is searched for. The
 * caller frees *worst. */
static int longest(struct tl_job *j, struct tp_store *store, struct tui_filtered *all,
		   struct rep_worst **worst, size_t *n, struct tp_err *err)
{
	const struct rep_worst_options opt = {.states = 1u << TP_ST_WAITING,
					      .n = TL_MOST_WAITS,
					      .no_rest = j->ask == TL_ASK_LONGEST,
					      .stop = &j->job.stop};
	int code = tui_filtered_init(all, &j->job.select, TUI_BY_ALL & ~(unsigned)REP_BY_STATE,
				     store, err);

	*worst = calloc(TL_MOST_WAITS, sizeof(**worst));
	if (!code && !*worst)
		code = tp_nomem(err);
	if (!code)
		code = rep_view_load(&all->view, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
	return code ? code : rep_worst(&all->view, &opt, *worst, n, err);
}

static int find_longest(struct tl_job *j, struct tp_store *store, struct tp_err *err)
{
	struct rep_worst *worst = NULL;
	struct tui_filtered all = {0};
	size_t n = 0;
	int code = longest(j, store, &all, &worst, &n, err);

	if (!code)
		code = take_waits(j, &all.view, worst, n, err);
	tui_filtered_release(&all);
	free(worst);
	return code;
}

/* ---- search: the next cell whose reason contains the text ---- */

#define AT_ONCE 64 /* rows drawn at a time */

/* Searches cells from `first` on, in the direction of the search. Returns -1 if none matches. */
static long find_in(const struct tl_job *j, const struct tl_picture *p, long first)
{
	long n = (long)p->nrows * p->window.cols;

	for (long i = first; i >= 0 && i < n; i += j->step < 0 ? -1 : 1) {
		const struct tl_reason *r = tl_picture_reason(p, p->cell[i].reason);

		if (r && rep_text_holds(r->text, r->size, j->text))
			return i;
	}
	return -1;
}

static int find(struct tl_job *j, struct rep_lanes *lanes, struct tp_err *err)
{
	bool back = j->step < 0;
	int code = 0;

	for (size_t at = 0; at < j->nrows && !code && !j->found; at += AT_ONCE) {
		size_t n = j->nrows - at < AT_ONCE ? j->nrows - at : AT_ONCE;
		const struct rep_lane *row = back ? j->row + j->nrows - at - n : j->row + at;
		long first, i;

		code = tl_picture_make(&j->picture, lanes, &j->window, row, n, false, &j->job.stop,
				       err);
		/* The cursor's own cell is included only while the text is being typed (step 0). */
		first = back ? (long)(n - 1) * j->window.cols + j->window.cols - 1 : 0;
		if (!at)
			first = back ? (long)(n - 1) * j->window.cols + j->col - 1
				     : j->col + (j->step > 0);
		i = code ? -1 : find_in(j, &j->picture, first);
		if (i >= 0) {
			j->found = true;
			j->lane = row[i / j->window.cols];
			j->ns = tl_window_at(&j->window, (int)(i % j->window.cols));
		}
		tl_picture_release(&j->picture);
	}
	return code;
}

/* Finds a wait that no cell shows, since others in its cell took longer: among the longest waits that
 * match, the next one after the cursor, or before it. */
static int find_hidden(struct tl_job *j, struct tp_store *store, struct tp_err *err)
{
	struct rep_worst *worst = NULL, *best = NULL;
	struct tui_filtered all = {0};
	char *pattern = NULL;
	size_t n = 0;
	int code = 0;

	/* The text is in lower case, so it cannot contain \E. */
	if (asprintf(&pattern, "(?i)\\Q%s\\E", j->text) < 0)
		return tp_nomem(err);
	if (!tui_select_set(&j->job.select.reason, pattern))
		code = tp_nomem(err);
	free(pattern);
	if (!code)
		code = longest(j, store, &all, &worst, &n, err);

	for (size_t i = 0; !code && i < n; i++) {
		bool back = j->step < 0;

		if (back ? worst[i].at_ns >= j->ns : worst[i].at_ns <= j->ns)
			continue;
		if (!best || (back ? worst[i].at_ns > best->at_ns : worst[i].at_ns < best->at_ns))
			best = &worst[i];
	}
	if (best) {
		j->found = true;
		j->lane.kind = REP_LANE_GOROUTINE;
		j->lane.index = best->span.goroutine;
		j->ns = best->at_ns;
	}
	tui_filtered_release(&all);
	free(worst);
	return code;
}

int tl_job_work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct tl_job *j = (struct tl_job *)job;
	struct rep_lanes *lanes;
	void *object;
	int code;

	if (j->ask == TL_ASK_LONGEST)
		return find_longest(j, store, err);
	code = tui_cache_get(job, store, &lanes_kind,
			     tui_select_key(&job->select, REP_BY_GOROUTINE | REP_BY_TASK, ""),
			     &object, err);
	if (code)
		return code;
	lanes = ((struct lanes *)object)->lanes;
	switch (j->ask) {
	case TL_ASK_ROSTER:
		return make_roster(j, lanes, err);
	case TL_ASK_STEP:
		return step(j, lanes, err);
	case TL_ASK_FIND:
		code = find(j, lanes, err);
		return code || j->found ? code : find_hidden(j, store, err);
	case TL_ASK_COARSE:
	case TL_ASK_EXACT:
		return tl_picture_make(&j->picture, lanes, &j->window, j->row, j->nrows,
				       j->ask == TL_ASK_COARSE, &job->stop, err);
	case TL_ASK_AHEAD:
		return rep_lanes_ahead(lanes, j->window.from, tl_window_to(&j->window), &job->stop,
				       err);
	case TL_ASK_MOMENT:
		return tl_detail_make(
		    &j->detail, lanes,
		    &(struct tl_detail_of){j->lane, j->ns, j->from, j->to, &job->stop}, err);
	default:
		return 0;
	}
}
