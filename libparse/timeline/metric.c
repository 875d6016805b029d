/* Metrics: GOMAXPROCS and the heap goal whenever they change; the heap size as often as a chart can
 * show it, and where a collection begins and ends.
 *
 * HeapAlloc events are frequent (one in eight of a server's), so they are not handled one by one.
 * Instead the batch is searched for the latest one at every stop of the world and end of a mark
 * phase, where the heap is largest and smallest, and at the end of the batch. A small trace keeps
 * all of them. A budget, which grows with the trace, limits the searches. */
#include "timeline/parts.h"

#define ROWS_IN_FULL	(1 << 12)
#define BUDGET		(1 << 18) /* events examined */
#define BUDGET_OF_BATCH 32

static int put(struct tp_timeline *t, uint32_t name, const struct tp_event *ev, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(METRIC, name)] = name;
	v[TP_COL(METRIC, ts_ns)] = tp_time_value(t, ev->ts);
	v[TP_COL(METRIC, value)] = ev->arg[0] < INT64_MAX ? (int64_t)ev->arg[0] : INT64_MAX;
	return tp_timeline_put(t, TP_TABLE_METRIC, v, err);
}

static int put_heap(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_metrics *m = &t->metrics;

	if (m->rows && m->heap == ev->arg[0])
		return 0;
	m->rows++;
	m->heap = ev->arg[0];
	return put(t, TP_STR_HEAP_OBJECTS, ev, err);
}

int tp_metric_heap(struct tp_timeline *t, const struct tp_event *until, struct tp_err *err)
{
	struct tp_metrics *m = &t->metrics;
	const struct tp_event *from = m->looked;
	int code = 0;

	m->looked = until;
	if (m->rows < ROWS_IN_FULL) {
		for (; !code && from < until; from++)
			if (from->type == TP_EV_HEAP_ALLOC)
				code = put_heap(t, from, err);
		return code;
	}
	while (until > from && m->budget > 0) {
		m->budget--;
		if ((--until)->type == TP_EV_HEAP_ALLOC)
			return put_heap(t, until, err);
	}
	return 0;
}

void tp_metric_begin(struct tp_timeline *t, const struct tp_event *batch)
{
	if (!t->metrics.looked)
		t->metrics.budget = BUDGET;
	t->metrics.looked = batch;
	t->metrics.budget += BUDGET_OF_BATCH;
}

int tp_metric_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	bool procs = ev->type == TP_EV_PROCS_CHANGE;
	struct tp_metrics *m = &t->metrics;
	uint64_t *latest = procs ? &m->procs : &m->goal;
	bool *known = procs ? &m->procs_known : &m->goal_known;
	int code = tp_metric_heap(t, ev, err);

	if (code || (*known && *latest == ev->arg[0]))
		return code;
	*latest = ev->arg[0];
	*known = true;
	return put(t, procs ? TP_STR_GOMAXPROCS : TP_STR_HEAP_GOAL, ev, err);
}
