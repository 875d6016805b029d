/* Ranges: stops of the world and mark assists (of a goroutine), sweeps (of a P), the mark phase (of
 * the whole program). Their events yield a row per range and, by Go's rules
 * (internal/trace/summary.go), the time of each goroutine in ranges of each name. Go counts a P's
 * sweep for the goroutine that runs there at its begin, if the same one runs at its end. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "timeline/parts.h"

struct row {
	uint32_t name, g, p, stack;
	int64_t start, end, swept, reclaimed;
	bool complete;
};

static int put_row(struct tp_timeline *t, const struct row *r, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(RANGE, name)] = r->name;
	v[TP_COL(RANGE, goroutine)] = tp_index_value(r->g);
	v[TP_COL(RANGE, p)] = tp_index_value(r->p);
	v[TP_COL(RANGE, start_ns)] = tp_time_value(t, r->start);
	v[TP_COL(RANGE, end_ns)] = tp_time_value(t, r->end);
	v[TP_COL(RANGE, complete)] = r->complete;
	v[TP_COL(RANGE, swept_bytes)] = r->swept;
	v[TP_COL(RANGE, reclaimed_bytes)] = r->reclaimed;
	v[TP_COL(RANGE, stack)] = r->stack;
	return tp_timeline_put(t, TP_TABLE_RANGE, v, err);
}

static uint32_t range_name(const struct tp_event *ev)
{
	switch (ev->type) {
	case TP_EV_STW_BEGIN:
	case TP_EV_STW_END:
		return ev->str;
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
	case TP_EV_GC_SWEEP_END:
		return TP_STR_GC_SWEEP;
	case TP_EV_GC_ACTIVE:
	case TP_EV_GC_BEGIN:
	case TP_EV_GC_END:
		return TP_STR_GC_MARK;
	default:
		return TP_STR_MARK_ASSIST;
	}
}

/* ---- of a goroutine ---- */

static struct tp_grange *find(struct tp_ranges *r, uint32_t list, uint32_t name)
{
	while (list) {
		struct tp_grange *x = tp_pool_at(&r->nodes, list);

		if (x->name == name)
			return x;
		list = x->node.next;
	}
	return NULL;
}

static struct tp_grange *find_or_make(struct tp_ranges *r, uint32_t *list, uint32_t name)
{
	struct tp_grange *x = find(r, *list, name);

	if (x)
		return x;
	r->nodes.size = sizeof(*x);
	x = tp_pool_push(&r->nodes, list);
	if (x)
		x->name = name;
	return x;
}

static int put_grange(struct tp_timeline *t, struct tp_grange *x, uint32_t g, int64_t end,
		      bool complete, struct tp_err *err)
{
	const struct row row = {.name = x->name,
				.g = g,
				.p = TP_NONE,
				.stack = x->stack,
				.start = x->start,
				.end = end,
				.swept = TP_NULL,
				.reclaimed = TP_NULL,
				.complete = complete && x->complete};

	x->open = false;
	return put_row(t, &row, err);
}

/* Updates Go's sums; the range began or was found active at `since`. */
static void sum_begin(struct tp_grange *x, int64_t since, bool active)
{
	if (active && x->last) {
		tp_grow_by(&x->total, tp_since(x->last, since));
		x->summed = true;
	}
	x->last = since;
}

static void sum_end(struct tp_grange *x, int64_t end)
{
	if (!x->last)
		return;
	tp_grow_by(&x->total, tp_since(x->last, end));
	x->summed = true;
	x->last = 0;
}

static int grange_begin(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	bool active = ev->type == TP_EV_MARK_ASSIST_ACTIVE;
	struct tp_gsum *sum = tp_summary_find(t, ev->subject);
	uint32_t *list = sum ? &sum->ranges : &t->ranges.nobody;
	struct tp_grange *x = find_or_make(&t->ranges, list, range_name(ev));
	int64_t since = active ? t->spans->sync_ts : ev->ts;
	int code;

	if (!x)
		return tp_nomem(err);
	code = ev->type == TP_EV_STW_BEGIN ? tp_metric_heap(t, ev, err)
					   : tp_gcwork_assist(t, ev, sum, err);
	if (code)
		return code;
	if (sum)
		sum_begin(x, since, active);
	if (x->open && active)
		return 0;
	if (x->open)
		code = put_grange(t, x, ev->subject, ev->ts, false, err);
	x->open = true;
	x->complete = !active;
	x->start = since;
	x->stack = ev->stack;
	return code;
}

static int grange_end(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_gsum *sum = tp_summary_find(t, ev->subject);
	uint32_t *list = sum ? &sum->ranges : &t->ranges.nobody;
	struct tp_grange *x = find(&t->ranges, *list, range_name(ev));
	int code;

	code = ev->type == TP_EV_STW_END ? tp_metric_heap(t, ev, err)
					 : tp_gcwork_assisted(t, ev, sum, err);
	if (code || !x)
		return code;
	sum_end(x, ev->ts);
	return x->open ? put_grange(t, x, ev->subject, ev->ts, true, err) : 0;
}

int tp_range_close(struct tp_timeline *t, uint32_t g, uint32_t *list, int64_t ts,
		   struct tp_err *err)
{
	for (uint32_t id = *list; id;) {
		struct tp_grange *x = tp_pool_at(&t->ranges.nodes, id);
		int code;

		id = x->node.next;
		sum_end(x, ts);
		code = x->open ? put_grange(t, x, g, ts, false, err) : 0;
		if (code)
			return code;
	}
	return 0;
}

int tp_range_sums(struct tp_timeline *t, uint32_t g, uint32_t *list, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	while (*list) {
		struct tp_grange *x = tp_pool_pop(&t->ranges.nodes, list);
		int code;

		if (!x->summed)
			continue;
		v[TP_COL(GOROUTINE_RANGE, goroutine)] = g;
		v[TP_COL(GOROUTINE_RANGE, name)] = x->name;
		v[TP_COL(GOROUTINE_RANGE, total_ns)] = x->total;
		code = tp_timeline_put(t, TP_TABLE_GOROUTINE_RANGE, v, err);
		if (code)
			return code;
	}
	return 0;
}

/* ---- of a P, and the mark phase ---- */

static int put_prange(struct tp_timeline *t, struct tp_prange *x, uint32_t name, uint32_t p,
		      const struct tp_event *end, struct tp_err *err)
{
	bool swept = end && end->type == TP_EV_GC_SWEEP_END;
	const struct row row = {.name = name,
				.g = x->row_g,
				.p = p,
				.stack = x->stack,
				.start = x->start,
				.end = t->last,
				.swept = swept ? (int64_t)end->arg[0] : TP_NULL,
				.reclaimed = swept ? (int64_t)end->arg[1] : TP_NULL,
				.complete = end && x->complete};

	x->open = false;
	return put_row(t, &row, err);
}

static int prange_begin(struct tp_timeline *t, struct tp_prange *x, const struct tp_event *ev,
			bool active, struct tp_err *err)
{
	int code = 0;

	if (x->open && active)
		return 0;
	if (x->open)
		code = put_prange(t, x, range_name(ev), ev->subject, NULL, err);
	x->open = true;
	x->complete = !active;
	x->start = active ? t->spans->sync_ts : ev->ts;
	x->stack = ev->stack;
	x->row_g = ev->type == TP_EV_GC_SWEEP_BEGIN ? ev->g : TP_NONE;
	return code;
}

static struct tp_prange *sweep_at(struct tp_ranges *r, uint32_t p)
{
	size_t had = r->np;

	if (p >= TP_SPANS_LIMIT_MP || tp_grow(&r->sweep, &r->np, p, sizeof(*r->sweep)))
		return NULL;
	while (had < r->np)
		r->sweep[had++].sum_g = TP_NONE;
	return &r->sweep[p];
}

static int sweep_begin(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	bool active = ev->type == TP_EV_GC_SWEEP_ACTIVE;
	struct tp_prange *x = sweep_at(&t->ranges, ev->subject);
	struct tp_gsum *sum = tp_summary_find(t, ev->g);
	struct tp_grange *mine;

	if (ev->subject == TP_NONE)
		return 0;
	if (!x)
		return tp_nomem(err);
	if (sum) {
		mine = find_or_make(&t->ranges, &sum->ranges, TP_STR_GC_SWEEP);
		if (!mine)
			return tp_nomem(err);
		x->sum_g = ev->g;
		sum_begin(mine, active ? t->spans->sync_ts : ev->ts, active);
	}
	return prange_begin(t, x, ev, active, err);
}

static int sweep_end(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_prange *x = sweep_at(&t->ranges, ev->subject);
	struct tp_gsum *sum;
	struct tp_grange *mine;

	if (ev->subject == TP_NONE)
		return 0;
	if (!x)
		return tp_nomem(err);
	if (x->sum_g != TP_NONE && x->sum_g == ev->g) {
		sum = tp_summary_find(t, ev->g);
		mine = sum ? find(&t->ranges, sum->ranges, TP_STR_GC_SWEEP) : NULL;
		if (mine)
			sum_end(mine, ev->ts);
	}
	x->sum_g = TP_NONE;
	return x->open ? put_prange(t, x, TP_STR_GC_SWEEP, ev->subject, ev, err) : 0;
}

static int mark_begin(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	return prange_begin(t, &t->ranges.mark, ev, ev->type == TP_EV_GC_ACTIVE, err);
}

static int mark_end(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_prange *mark = &t->ranges.mark;
	int code = tp_metric_heap(t, ev, err);

	return mark->open && !code ? put_prange(t, mark, TP_STR_GC_MARK, TP_NONE, ev, err) : code;
}

tp_event_fn tp_range_of_type(uint8_t type)
{
	switch (type) {
	case TP_EV_GC_ACTIVE:
	case TP_EV_GC_BEGIN:
		return mark_begin;
	case TP_EV_GC_END:
		return mark_end;
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
		return sweep_begin;
	case TP_EV_GC_SWEEP_END:
		return sweep_end;
	case TP_EV_STW_BEGIN:
	case TP_EV_MARK_ASSIST_BEGIN:
	case TP_EV_MARK_ASSIST_ACTIVE:
		return grange_begin;
	default:
		return grange_end;
	}
}

int tp_range_finish(struct tp_timeline *t, struct tp_err *err)
{
	struct tp_ranges *r = &t->ranges;
	int code = tp_range_close(t, TP_NONE, &r->nobody, t->last, err);

	if (!code && r->mark.open)
		code = put_prange(t, &r->mark, TP_STR_GC_MARK, TP_NONE, NULL, err);
	for (uint32_t p = 0; !code && p < r->np; p++)
		if (r->sweep[p].open)
			code = put_prange(t, &r->sweep[p], TP_STR_GC_SWEEP, p, NULL, err);
	return code;
}

void tp_range_release(struct tp_ranges *r)
{
	tp_pool_release(&r->nodes);
	free(r->sweep);
}
