/* Cells of a picture. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"
#include "lanes/grid.h"

/* Sources of the spans within a segment. */
enum source {
	NOTHING, /* it has no such rows, or lies outside */
	SUMS,	 /* in one column as a whole: its sums are exact */
	SPREAD,	 /* its sums, spread evenly */
	SPANS,
};

struct row {
	int32_t next;	 /* of the same goroutine or group; -1 */
	size_t sum, end; /* its next sum, and the end of its goroutine's or group's sums */
};

struct drawing {
	struct rep_lanes *l;
	struct rep_picture *picture;
	const atomic_bool *stop;
	struct rep_grid *grid;
	uint8_t *source; /* by segment */
	struct row *row;
	int32_t *group_row;	    /* by group, -1 */
	struct rep_lane_stay *stay; /* of tasks, by row */
	size_t nstays, stay_room;
	bool kind[REP_NLANE_KINDS];
};

static bool stopped(const struct drawing *d)
{
	return d->stop && atomic_load(d->stop);
}

static const struct rep_lane_sums *sums_of(const struct drawing *d, enum rep_lane_kind kind)
{
	return kind == REP_LANE_GROUP ? &d->l->group_sums : &d->l->goroutine_sums;
}

/* ---- sources ---- */

static uint32_t find_group(const struct rep_lanes *l, uint32_t entry)
{
	for (uint32_t g = 0; g < l->ngroups; g++) {
		if (l->group[g].entry == entry)
			return g;
	}
	return TP_NONE;
}

/* Finds the sums of the rows. */
static int look_at_rows(struct drawing *d, struct tp_err *err)
{
	const struct rep_picture *p = d->picture;
	struct rep_lanes *l = d->l;
	int code = 0;

	d->row = calloc(p->nrows + 1, sizeof(*d->row));
	d->group_row = tp_many(l->ngroups + (size_t)1, sizeof(*d->group_row));
	d->source = calloc(l->v.nsegments + 1, 1);
	if (!d->row || !d->group_row || !d->source || p->nrows > INT32_MAX)
		return tp_nomem(err);
	memset(d->group_row, 0xff, (l->ngroups + (size_t)1) * sizeof(*d->group_row));
	for (size_t r = 0; r < p->nrows; r++) {
		if ((unsigned)p->row[r].kind < REP_NLANE_KINDS)
			d->kind[p->row[r].kind] = true;
	}
	if (d->kind[REP_LANE_GOROUTINE] || d->kind[REP_LANE_TASK])
		code = rep_lanes_need_goroutine_sums(l, err);
	if (!code && (d->kind[REP_LANE_PROC] || d->kind[REP_LANE_THREAD]))
		code = rep_lanes_need_procs(l, err);
	if (!code && d->kind[REP_LANE_TASK])
		code = rep_lanes_need_tasks(l, err);
	rep_tasks_anew(&l->tasks);
	for (size_t r = 0; r < p->nrows && !code; r++) {
		const struct rep_lane *lane = &p->row[r];
		struct row *row = &d->row[r];
		uint32_t owner = lane->index;

		row->next = -1;
		if (lane->kind == REP_LANE_GROUP) {
			owner = find_group(l, lane->index);
			if (owner == TP_NONE)
				continue;
			row->next = d->group_row[owner];
			d->group_row[owner] = (int32_t)r;
			row->sum = l->group_sums.first[owner];
			row->end = l->group_sums.first[owner + 1];
		} else if (lane->kind == REP_LANE_GOROUTINE && owner < l->ng) {
			row->sum = l->goroutine_sums.first[owner];
			row->end = l->goroutine_sums.first[owner + 1];
		} else if (lane->kind == REP_LANE_TASK) {
			code = rep_lanes_task_stays(l, lane->index, (uint32_t)r, &d->stay,
						    &d->stay_room, &d->nstays);
			if (code == TP_ELIMIT)
				tp_err_set(err, code, TP_OFFSET_NONE,
					   "the run has too many tasks and regions");
			else if (code)
				tp_nomem(err);
		}
	}
	return code;
}

static bool overlaps(const struct drawing *d, const struct tp_segment *s)
{
	return s->from_ns < d->picture->to && s->to_ns >= d->picture->from;
}

/* Returns whether the whole segment lies in one column. */
static bool in_one_column(const struct drawing *d, const struct tp_segment *s)
{
	int c;

	if (s->from_ns < d->picture->from || s->to_ns >= d->picture->to)
		return false;
	c = rep_grid_column(d->grid, s->from_ns);
	return s->to_ns < d->grid->bound[c + 1];
}

static void need(struct drawing *d, size_t segment, bool whole)
{
	if (d->source[segment] != SPANS && overlaps(d, &d->l->v.segments[segment]))
		d->source[segment] =
		    whole && in_one_column(d, &d->l->v.segments[segment]) ? SUMS : SPANS;
}

/* Marks the segments in which a goroutine has spans within a stay. */
static void need_stay(struct drawing *d, const struct rep_lane_stay *stay)
{
	const struct rep_lane_sums *sums = &d->l->goroutine_sums;

	for (size_t i = sums->first[stay->goroutine]; i < sums->first[stay->goroutine + 1]; i++) {
		const struct tp_segment *s = &d->l->v.segments[sums->sum[i].segment];

		if (s->from_ns < stay->to && s->to_ns >= stay->from)
			need(d, sums->sum[i].segment, false);
	}
}

static void choose_sources(struct drawing *d)
{
	const struct rep_lanes *l = d->l;
	bool places = d->kind[REP_LANE_PROC] || d->kind[REP_LANE_THREAD];

	for (size_t r = 0; r < d->picture->nrows; r++) {
		const struct rep_lane_sums *sums = sums_of(d, d->picture->row[r].kind);

		for (size_t i = d->row[r].sum; i < d->row[r].end; i++)
			need(d, sums->sum[i].segment, true);
	}
	for (size_t i = 0; i < d->nstays; i++)
		need_stay(d, &d->stay[i]);
	for (size_t i = 0; i < l->v.nsegments && places; i++)
		need(d, i, false);
	d->picture->exact = true;
	for (size_t i = 0; i < l->v.nsegments; i++) {
		/* A cached segment is at least as good as sums, and as fast. */
		if (d->source[i] == SPANS && d->picture->coarse &&
		    !rep_cache_find(&d->l->segments, i)) {
			d->source[i] = SPREAD;
			d->picture->exact = false;
		}
	}
}

/* ---- drawing ---- */

static void draw_span(struct drawing *d, size_t row, const struct rep_lane_span *span, int64_t lo,
		      int64_t hi)
{
	int64_t from = span->start > lo ? span->start : lo;
	int col;

	lo = lo > d->picture->from ? lo : d->picture->from;
	hi = hi < d->picture->to ? hi : d->picture->to;
	if (span->start >= hi || (span->end <= lo && span->start < lo))
		return;
	col = rep_grid_column(d->grid, from > lo ? from : lo);
	rep_grid_span(d->grid, row, &col, span, lo, hi);
}

static void draw_crossing_of(struct drawing *d, size_t row, uint32_t goroutine, int64_t lo,
			     int64_t hi)
{
	const struct rep_lanes *l = d->l;

	for (size_t i = l->first_crossing[goroutine]; i < l->first_crossing[goroutine + 1]; i++) {
		struct rep_lane_span span = l->crossing[i].span;

		span.goroutine = TP_NONE;
		draw_span(d, row, &span, lo, hi);
	}
}

static bool on_place(unsigned state)
{
	return state == TP_ST_RUNNING || state == TP_ST_SYSCALL || state == TP_ST_SYSCALL_BLOCKED;
}

/* Draws spans that cross segments, of all goroutines: for groups, Ps and Ms. */
static void draw_crossing(struct drawing *d)
{
	const struct rep_lanes *l = d->l;
	bool places = d->kind[REP_LANE_PROC] || d->kind[REP_LANE_THREAD];

	for (size_t r = 0; r < d->picture->nrows; r++) {
		const struct rep_lane *lane = &d->picture->row[r];

		if (lane->kind == REP_LANE_GOROUTINE && lane->index < l->ng)
			draw_crossing_of(d, r, lane->index, INT64_MIN, INT64_MAX);
	}
	for (size_t i = 0; i < d->nstays; i++)
		draw_crossing_of(d, d->stay[i].row, d->stay[i].goroutine, d->stay[i].from,
				 d->stay[i].to);
	if (!places && !d->kind[REP_LANE_GROUP])
		return;
	for (size_t i = 0; i < l->ncrossing; i++) {
		struct rep_lane_span span = l->crossing[i].span;
		uint32_t group = l->group_of[span.goroutine];

		span.goroutine = TP_NONE;
		for (int32_t r = group == TP_NONE ? -1 : d->group_row[group]; r >= 0;
		     r = d->row[r].next)
			draw_span(d, (size_t)r, &span, INT64_MIN, INT64_MAX);
		span = l->crossing[i].span;
		if (!places || !on_place(l->class_state[span.class]) ||
		    !rep_lanes_shows(l, span.goroutine))
			continue;
		for (size_t r = 0; r < d->picture->nrows; r++) {
			const struct rep_lane *lane = &d->picture->row[r];

			if ((lane->kind == REP_LANE_PROC && lane->index == span.p &&
			     l->class_state[span.class] != TP_ST_SYSCALL_BLOCKED) ||
			    (lane->kind == REP_LANE_THREAD && lane->index == span.m))
				draw_span(d, r, &span, INT64_MIN, INT64_MAX);
		}
	}
}

/* Returns the first time of a P that may overlap what begins at lo. */
static size_t first_proc_span(const struct rep_lanes *l, uint32_t p, int64_t lo)
{
	const struct rep_lane_span *s = l->proc_span;
	size_t first = 0;

	TP_SEARCH(first, l->nproc_spans, i, s[i].p < p || (s[i].p == p && s[i].end < lo));
	return first;
}

/* Draws idle Ps, and the time that Ps and Ms were held in segments without spans. */
static void draw_procs(struct drawing *d, size_t row, uint32_t p)
{
	const struct rep_lanes *l = d->l;

	for (size_t i = first_proc_span(l, p, d->picture->from); i < l->nproc_spans; i++) {
		const struct rep_lane_span *span = &l->proc_span[i];

		if (span->p != p || span->start >= d->picture->to)
			break;
		if (span->class == TP_ST_IDLE)
			draw_span(d, row, span, INT64_MIN, INT64_MAX);
	}
}

static void spread_places(struct drawing *d, const struct tp_segment *s)
{
	const struct rep_lanes *l = d->l;

	for (size_t r = 0; r < d->picture->nrows; r++) {
		const struct rep_lane *lane = &d->picture->row[r];
		bool proc = lane->kind == REP_LANE_PROC;
		size_t i = proc ? first_proc_span(l, lane->index, s->from_ns) : 0;

		if (!proc && lane->kind != REP_LANE_THREAD)
			continue;
		for (; i < l->nproc_spans; i++) {
			const struct rep_lane_span *span = &l->proc_span[i];

			if (proc && (span->p != lane->index || span->start >= s->to_ns))
				break;
			if (span->class == TP_ST_RUNNING && (proc || span->m == lane->index))
				draw_span(d, r, span, s->from_ns, s->to_ns);
		}
	}
}

static void draw_sums(struct drawing *d, size_t segment, bool spread)
{
	const struct tp_segment *s = &d->l->v.segments[segment];

	for (size_t r = 0; r < d->picture->nrows; r++) {
		const struct rep_lane *lane = &d->picture->row[r];
		const struct rep_lane_sums *sums = sums_of(d, lane->kind);
		int64_t lo = s->from_ns, hi = s->to_ns;

		if (spread) {
			lo = lane->from > lo ? lane->from : lo;
			hi = lane->to < hi ? lane->to : hi;
		}
		while (d->row[r].sum < d->row[r].end && sums->sum[d->row[r].sum].segment < segment)
			d->row[r].sum++;
		for (; d->row[r].sum < d->row[r].end && sums->sum[d->row[r].sum].segment == segment;
		     d->row[r].sum++)
			rep_grid_sum(d->grid, r, &sums->sum[d->row[r].sum], lo, hi, lo, INT64_MAX);
	}
	for (size_t i = 0; i < d->nstays && spread; i++) {
		const struct rep_lane_stay *stay = &d->stay[i];
		const struct rep_lane_sums *sums = &d->l->goroutine_sums;

		for (size_t k = sums->first[stay->goroutine]; k < sums->first[stay->goroutine + 1];
		     k++) {
			if (sums->sum[k].segment == segment)
				rep_grid_sum(d->grid, stay->row, &sums->sum[k], s->from_ns,
					     s->to_ns, stay->from, stay->to);
		}
	}
	if (spread && (d->kind[REP_LANE_PROC] || d->kind[REP_LANE_THREAD]))
		spread_places(d, s);
}

static void draw_list(struct drawing *d, size_t row, const struct rep_lane_segment *s,
		      uint32_t goroutine, int64_t lo, int64_t hi)
{
	uint32_t at = rep_lane_segment_find(s->by_g.list, s->by_g.nlists, goroutine);

	if (at < s->by_g.nlists)
		rep_grid_list(d->grid, row, s, &s->by_g.list[at], lo, hi);
}

static void draw_segment(struct drawing *d, const struct rep_lane_segment *s)
{
	for (size_t r = 0; r < d->picture->nrows; r++) {
		const struct rep_lane *lane = &d->picture->row[r];

		if (lane->kind == REP_LANE_GOROUTINE)
			draw_list(d, r, s, lane->index, INT64_MIN, INT64_MAX);
		else if (lane->kind == REP_LANE_PROC || lane->kind == REP_LANE_THREAD)
			rep_grid_places(d->grid, r, s, lane->kind == REP_LANE_PROC, lane->index);
	}
	for (size_t i = 0; i < d->nstays; i++)
		draw_list(d, d->stay[i].row, s, d->stay[i].goroutine, d->stay[i].from,
			  d->stay[i].to);
	for (uint32_t k = 0; k < s->by_g.nlists && d->kind[REP_LANE_GROUP]; k++) {
		uint32_t group = d->l->group_of[s->by_g.list[k].owner];

		for (int32_t r = group == TP_NONE ? -1 : d->group_row[group]; r >= 0;
		     r = d->row[r].next)
			rep_grid_list(d->grid, (size_t)r, s, &s->by_g.list[k], INT64_MIN,
				      INT64_MAX);
	}
}

static int draw(struct drawing *d, struct tp_err *err)
{
	int code = 0;

	draw_crossing(d);
	for (size_t r = 0; r < d->picture->nrows; r++) {
		if (d->picture->row[r].kind == REP_LANE_PROC)
			draw_procs(d, r, d->picture->row[r].index);
	}
	for (size_t i = 0; i < d->l->v.nsegments && !code; i++) {
		struct rep_lane_segment *drawn;

		if (stopped(d))
			return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
		if (d->source[i] == SUMS || d->source[i] == SPREAD)
			draw_sums(d, i, d->source[i] == SPREAD);
		if (d->source[i] != SPANS)
			continue;
		code = rep_lane_segment_get(d->l, i, d->stop, &drawn, err);
		if (!code)
			draw_segment(d, drawn);
	}
	return code;
}

static int take_room(struct rep_picture *p, struct tp_err *err)
{
	size_t cells;

	if (p->cols < 1 || p->to <= p->from || p->nrows > SIZE_MAX / 1024 / (size_t)p->cols)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "the picture has too many cells");
	cells = p->nrows * (size_t)p->cols;
	if (cells > p->room || !p->cell) {
		struct rep_cell *more = tp_more(p->cell, cells + 1, sizeof(*more));

		if (!more)
			return tp_nomem(err);
		p->cell = more;
		p->room = cells;
	}
	memset(p->cell, 0, cells * sizeof(*p->cell));
	return 0;
}

int rep_lanes_draw(struct rep_lanes *l, struct rep_picture *picture, const atomic_bool *stop,
		   struct tp_err *err)
{
	struct drawing d = {.l = l, .picture = picture, .stop = stop, .grid = l->grid};
	int code = take_room(picture, err);

	picture->exact = false;
	if (code)
		return code;
	l->segments.now++;
	if (!d.grid)
		d.grid = l->grid = calloc(1, sizeof(*l->grid));
	if (!d.grid || rep_grid_init(d.grid, l, picture))
		code = tp_nomem(err);
	else
		code = look_at_rows(&d, err);
	if (!code) {
		choose_sources(&d);
		code = draw(&d, err);
	}
	if (!code)
		rep_grid_cells(d.grid, picture->cell);
	else
		picture->exact = false;
	if (d.grid)
		rep_grid_shrink(d.grid);
	free(d.row);
	free(d.group_row);
	free(d.source);
	free(d.stay);
	return code;
}
