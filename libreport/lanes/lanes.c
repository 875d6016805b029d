#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "lanes/grid.h"
#include "lanes/inside.h"
#include "lanes/segment.h"
#include "spans/crossing.h"
#include "task/inside.h"

#define SPANS_BYTES ((size_t)128 << 20) /* of segments with all data about their spans */

/* ---- classes ---- */

static int add_class(struct rep_lanes *l, unsigned state, int64_t reason)
{
	uint32_t at;

	if (state >= TP_NSTATES || reason < 0 || reason >= tp_dict_strings(l->v.dict) ||
	    (l->nclasses == REP_LANES_CLASSES && reason))
		return 0;
	if (rep_keys_add(&l->class_keys, state, (uint32_t)reason, 0, 0, &at))
		return TP_ENOMEM;
	if (at < l->nclasses)
		return 0;
	l->class_state[at] = (uint8_t)state;
	l->class_reason[at] = (uint32_t)reason;
	l->nclasses++;
	return 0;
}

/* Makes the classes that the tables contain. */
static int make_classes(struct rep_lanes *l)
{
	const struct rep_view *v = &l->v;
	size_t sites = v->nrows[TP_TABLE_SITE];
	struct rep_crossing x;
	int code = 0;

	for (unsigned s = 0; s < TP_NSTATES && !code; s++)
		code = add_class(l, s, 0);
	for (size_t i = 0; i < sites && !code; i++)
		code =
		    add_class(l, (unsigned)REP_COL(v, SITE, state)[i], REP_COL(v, SITE, reason)[i]);
	for (size_t i = 0; !code && rep_crossing_next(v, &i, &x);)
		code = add_class(l, x.span.state, x.span.reason);
	for (uint32_t c = 0; c < l->nclasses; c++) {
		if (l->class_state[c] == TP_ST_WAITING && l->class_reason[c] >= l->nwaiting)
			l->nwaiting = l->class_reason[c] + 1;
	}
	l->waiting = tp_many(l->nwaiting + (size_t)1, sizeof(*l->waiting));
	if (code || !l->waiting)
		return TP_ENOMEM;
	for (uint32_t r = 0; r < l->nwaiting; r++)
		l->waiting[r] = TP_ST_WAITING;
	for (uint32_t c = 0; c < l->nclasses; c++) {
		if (l->class_state[c] == TP_ST_WAITING)
			l->waiting[l->class_reason[c]] = (uint16_t)c;
	}
	return 0;
}

/* ---- goroutines ---- */

static int hide(struct rep_lanes *l, struct tp_err *err)
{
	const struct rep_filter *f = l->v.filter;
	bool inside = rep_filter_inside(f);
	struct rep_inside in = {0};
	int code = 0;

	if (!inside && !f->by_id && !f->given[REP_FILTER_GOROUTINE])
		return 0;
	l->hidden = calloc(l->ng + (size_t)1, 1);
	if (!l->hidden)
		return tp_nomem(err);
	l->by_group = !inside && !f->by_id;
	if (inside)
		code = rep_inside_init(&in, &l->v, f->text.task, f->text.region, err);
	for (uint32_t g = 0; g < l->ng && !code; g++)
		l->hidden[g] = !rep_view_match_goroutine(&l->v, g) ||
			       (inside && in.first[g] == in.first[g + 1]);
	rep_inside_release(&in);
	return code ? code : rep_matcher_settle(&l->v.match, err);
}

static int64_t or_else(int64_t value, int64_t otherwise)
{
	return value == TP_NULL ? otherwise : value;
}

static int make_groups(struct rep_lanes *l)
{
	const struct rep_view *v = &l->v;
	struct rep_keys entries = {0};
	size_t room = 0;
	int code = 0;

	l->group_of = tp_many(l->ng + (size_t)1, sizeof(*l->group_of));
	if (!l->group_of)
		return TP_ENOMEM;
	for (uint32_t g = 0; g < l->ng && !code; g++) {
		uint32_t entry = rep_view_entry(v, g), at;
		int64_t from = or_else(REP_COL(v, GOROUTINE, created_ns)[g], 0);
		int64_t to = or_else(REP_COL(v, GOROUTINE, ended_ns)[g], l->duration);
		struct rep_lane_group *group;

		l->group_of[g] = TP_NONE;
		if (!rep_lanes_shows(l, g))
			continue;
		code = rep_keys_add(&entries, entry, 0, 0, 0, &at);
		if (!code)
			code = tp_grow(&l->group, &room, at, sizeof(*l->group));
		if (code)
			break;
		group = &l->group[at];
		if (at == l->ngroups) {
			*group = (struct rep_lane_group){.entry = entry, .from = from, .to = to};
			l->ngroups++;
		}
		group->n++;
		group->from = from < group->from ? from : group->from;
		group->to = to > group->to ? to : group->to;
		tp_sum(&group->busy_ns, REP_COL(v, GOROUTINE, running_ns)[g]);
		tp_sum(&group->busy_ns, REP_COL(v, GOROUTINE, runnable_ns)[g]);
		tp_sum(&group->busy_ns, REP_COL(v, GOROUTINE, syscall_ns)[g]);
		l->group_of[g] = at;
	}
	rep_keys_release(&entries);
	return code;
}

uint32_t *rep_lanes_order(const struct rep_lanes *l, uint32_t n,
			  int (*compare)(const void *a, const void *b, void *lanes))
{
	uint32_t *order = tp_many(n + (size_t)1, sizeof(*order));
	bool sorted = true;

	if (!order)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		sorted = sorted && (!i || compare(&order[i - 1], &order[i], (void *)l) <= 0);
	}
	if (!sorted)
		qsort_r(order, n, sizeof(*order), compare, (void *)l);
	return order;
}

/* Orders goroutines by goid; lives of one goid by their index. */
static int by_goid(const void *a, const void *b, void *lanes)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int64_t gx = rep_lanes_goid(lanes, x).goid, gy = rep_lanes_goid(lanes, y).goid;

	if (gx != gy)
		return gx < gy ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* ---- spans that cross segments ---- */

static int by_place(const void *a, const void *b)
{
	const struct rep_lane_crossing *x = a, *y = b;

	if (x->span.goroutine != y->span.goroutine)
		return x->span.goroutine < y->span.goroutine ? -1 : 1;
	if (x->span.start != y->span.start)
		return x->span.start < y->span.start ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static int take_crossing(struct rep_lanes *l)
{
	size_t rows = rep_crossings(&l->v);
	struct rep_crossing c;

	l->crossing = tp_many(rows + 1, sizeof(*l->crossing));
	l->first_crossing = calloc(l->ng + (size_t)2, sizeof(*l->first_crossing));
	if (!l->crossing || !l->first_crossing || rows >= TP_NONE)
		return TP_ENOMEM;
	for (size_t i = 0; rep_crossing_next(&l->v, &i, &c);) {
		if (c.span.goroutine >= l->ng)
			continue;
		l->first_crossing[c.span.goroutine + 1]++;
		l->crossing[l->ncrossing++] = (struct rep_lane_crossing){
		    .span =
			{
			    .start = c.span.start,
			    .end = c.span.end,
			    .goroutine = c.span.goroutine,
			    .m = c.span.m,
			    .p = c.span.p,
			    .class = rep_lanes_class(l, c.span.state, c.span.reason),
			},
		    .row = (uint32_t)i - 1,
		};
	}
	if (l->ncrossing)
		qsort(l->crossing, l->ncrossing, sizeof(*l->crossing), by_place);
	for (uint32_t g = 0; g < l->ng; g++)
		l->first_crossing[g + 1] += l->first_crossing[g];
	return 0;
}

/* ---- lifecycle ---- */

static int load(struct rep_lanes *l, struct tp_err *err)
{
	struct rep_view *v = &l->v;
	int code =
	    rep_view_load(v, TP_TABLE_GOROUTINE,
			  REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name) |
			      REP_BIT(GOROUTINE, parent) | REP_BIT(GOROUTINE, created_ns) |
			      REP_BIT(GOROUTINE, ended_ns) | REP_BIT(GOROUTINE, running_ns) |
			      REP_BIT(GOROUTINE, runnable_ns) | REP_BIT(GOROUTINE, syscall_ns),
			  err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_SITE,
				     REP_BIT(SITE, segment) | REP_BIT(SITE, entry) |
					 REP_BIT(SITE, state) | REP_BIT(SITE, reason) |
					 REP_BIT(SITE, count) | REP_BIT(SITE, total_ns),
				     err);
	if (!code)
		code = rep_crossings_load(v, err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_PROC, REP_BIT(PROC, id), err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_THREAD, REP_BIT(THREAD, id), err);
	return code;
}

static int prepare(struct rep_lanes *l, struct tp_err *err)
{
	const struct rep_view *v = &l->v;
	int code = load(l, err);

	if (code)
		return code;
	if (v->nrows[TP_TABLE_GOROUTINE] >= TP_SPANS_LIMIT ||
	    v->nrows[TP_TABLE_PROC] >= TP_SPANS_LIMIT_MP ||
	    v->nrows[TP_TABLE_THREAD] >= TP_SPANS_LIMIT_MP || v->nsegments >= REP_LANES_SEGMENTS)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "too many goroutines, threads or segments");
	l->ng = (uint32_t)v->nrows[TP_TABLE_GOROUTINE];
	l->np = (uint32_t)v->nrows[TP_TABLE_PROC];
	l->nm = (uint32_t)v->nrows[TP_TABLE_THREAD];
	l->duration = v->run->row.duration_ns > 0 ? v->run->row.duration_ns : 0;
	if (rep_lane_segments_init(l) || rep_index_cache(&l->spans, v, SPANS_BYTES))
		return tp_nomem(err);
	code = hide(l, err);
	if (code)
		return code;
	l->by_id = rep_lanes_order(l, l->ng, by_goid);
	if (!l->by_id || make_classes(l) || make_groups(l) || take_crossing(l))
		return tp_nomem(err);
	code = rep_lanes_take_group_sums(l, err);
	rep_view_unload(&l->v, TP_TABLE_SITE);
	return code;
}

int rep_lanes_new(struct rep_lanes **lanes, struct tp_store *store, const struct rep_run *run,
		  const struct rep_filter *filter, struct tp_err *err)
{
	const struct rep_filter_text none = {0};
	struct rep_lanes *l = calloc(1, sizeof(*l));
	int code;

	*lanes = NULL;
	if (!l)
		return tp_nomem(err);
	code = rep_filter_init(&l->all, &none, err);
	if (!code)
		code = rep_view_init(&l->v, store, run, filter ? filter : &l->all, NULL, err);
	if (!code)
		code = prepare(l, err);
	if (code) {
		rep_lanes_free(l);
		return code;
	}
	*lanes = l;
	return 0;
}

void rep_lanes_free(struct rep_lanes *l)
{
	if (!l)
		return;
	rep_cache_release(&l->segments);
	rep_cache_release(&l->spans);
	if (l->grid)
		rep_grid_release(l->grid);
	free(l->grid);
	rep_lane_marks_release(&l->marks);
	rep_lanes_sums_release(&l->group_sums);
	rep_lanes_sums_release(&l->goroutine_sums);
	rep_keys_release(&l->class_keys);
	free(l->waiting);
	free(l->hidden);
	free(l->group);
	free(l->group_of);
	free(l->by_id);
	free(l->crossing);
	free(l->first_crossing);
	free(l->proc_span);
	rep_tasks_release(&l->tasks);
	free(l->task_by_start);
	free(l->event);
	free(l->life);
	rep_view_release(&l->v);
	rep_filter_release(&l->all);
	free(l);
}

void rep_lanes_limit(struct rep_lanes *l, size_t bytes)
{
	rep_cache_limit(&l->spans, bytes / 8);
	rep_cache_limit(&l->segments, bytes - bytes / 8);
}

size_t rep_lanes_cached(const struct rep_lanes *l)
{
	return l->spans.bytes + l->segments.bytes;
}

/* ---- names ---- */

struct tp_dict *rep_lanes_dict(struct rep_lanes *l)
{
	return l->v.dict;
}

struct rep_goid rep_lanes_goid(const struct rep_lanes *l, uint32_t goroutine)
{
	return rep_goids_name(&l->v.goids, rep_view_goid(&l->v, goroutine));
}

int64_t rep_lanes_duration(const struct rep_lanes *l)
{
	return l->duration;
}

uint32_t rep_lanes_goroutines(const struct rep_lanes *l)
{
	return l->ng;
}

uint32_t rep_lanes_entry(const struct rep_lanes *l, uint32_t goroutine)
{
	return rep_lanes_shows(l, goroutine) ? l->group[l->group_of[goroutine]].entry : TP_NONE;
}

const uint32_t *rep_lanes_reasons(const struct rep_lanes *l, size_t *n)
{
	*n = l->nclasses;
	return l->class_reason;
}

struct rep_view *rep_lanes_view(struct rep_lanes *l)
{
	return &l->v;
}
