/* Times in which a P worked for the garbage collector instead of the program: mark assists while
 * their goroutine runs, and background workers. Mutator utilisation is computed from them, and from
 * the stops of the world and the sweeps of the table range.
 *
 * Only goroutines in an assist, or running with a label, are examined; timeline.c knows them by
 * tp_gstate.gc. (The label is the runtime's GoLabel when a worker starts: "GC (dedicated)", "GC
 * (fractional)", "GC (idle)".) Rules: Go's internal/trace/gc.go, MutatorUtilizationV2. */
#include <stdlib.h>

#include "timeline/parts.h"

enum { ASSISTS = 1, WORKS = 2 }; /* tp_gsum.gc */

/* Returns whether the state is executing (Go: GoState.Executing). */
static bool executes(uint8_t state)
{
	return state == TP_ST_RUNNING || state == TP_ST_SYSCALL;
}

static int put_row(struct tp_timeline *t, const struct tp_gcwork *w, int64_t end,
		   struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(GC_WORK, name)] = w->name;
	v[TP_COL(GC_WORK, goroutine)] =
	    w->name == TP_STR_MARK_ASSIST ? TP_NULL : tp_index_value(w->g);
	v[TP_COL(GC_WORK, p)] = tp_index_value(w->p);
	v[TP_COL(GC_WORK, start_ns)] = tp_time_value(t, w->start);
	v[TP_COL(GC_WORK, end_ns)] = tp_time_value(t, end);
	v[TP_COL(GC_WORK, told_ns)] = tp_time_value(t, w->told_at);
	return tp_timeline_put(t, TP_TABLE_GC_WORK, v, err);
}

static struct tp_gcwork *node_at(struct tp_gcworks *s, uint32_t id)
{
	return tp_pool_at(&s->nodes, id);
}

static int finish(struct tp_timeline *t, struct tp_gsum *sum, int64_t end, struct tp_err *err)
{
	struct tp_gcworks *s = &t->gcworks;
	struct tp_gcwork *w;

	if (!sum->gc_work)
		return 0;
	w = node_at(s, sum->gc_work);
	sum->gc_work = 0;
	if (w->node.next)
		node_at(s, w->node.next)->before = w->before;
	return put_row(
	    t, tp_pool_pop(&s->nodes, w->before ? &node_at(s, w->before)->node.next : &s->open),
	    end, err);
}

static int begin(struct tp_timeline *t, const struct tp_gcwork *work, struct tp_gsum *sum,
		 struct tp_err *err)
{
	struct tp_gcworks *s = &t->gcworks;
	struct tp_gcwork *w;
	struct tp_node node;
	int code = finish(t, sum, work->start, err);

	if (code)
		return code;
	s->nodes.size = sizeof(*w);
	w = tp_pool_push(&s->nodes, &s->open);
	if (!w)
		return tp_nomem(err);
	node = w->node;
	*w = *work;
	w->node = node;
	if (node.next)
		node_at(s, node.next)->before = s->open;
	sum->gc_work = s->open;
	return 0;
}

/* Sets why transitions of the goroutine are passed to this file; 0 stops that. */
static void watch(struct tp_timeline *t, uint32_t g, struct tp_gsum *sum, unsigned gc)
{
	struct tp_gstate *st = tp_gstate_find(t->spans, g);

	sum->gc = (uint8_t)gc;
	if (st)
		st->gc = sum->gc;
}

int tp_gcwork_assist(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
		     struct tp_err *err)
{
	bool active = ev->type == TP_EV_MARK_ASSIST_ACTIVE;
	const struct tp_gstate *st = tp_gstate_find(t->spans, ev->subject);
	bool runs = st && executes(st->state);
	struct tp_gcwork w = {
	    .g = ev->subject,
	    .name = TP_STR_MARK_ASSIST,
	    .p = active && st ? st->at.p : ev->p,
	    .start = active ? t->spans->sync_ts : ev->ts,
	    .told_at = ev->ts,
	};

	if (!sum || (active && sum->gc & ASSISTS))
		return 0;
	watch(t, ev->subject, sum, sum->gc | ASSISTS);
	return runs || !active ? begin(t, &w, sum, err) : 0;
}

int tp_gcwork_assisted(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
		       struct tp_err *err)
{
	if (!sum || !(sum->gc & ASSISTS))
		return 0;
	watch(t, ev->subject, sum, sum->gc & ~(unsigned)ASSISTS);
	return finish(t, sum, ev->ts, err);
}

/* The label comes right after the start. It does not change an assist, which only an ordinary
 * goroutine makes. */
int tp_gcwork_label(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_gsum *sum = tp_summary_find(t, ev->subject);
	const struct tp_gstate *st = tp_gstate_find(t->spans, ev->subject);
	const struct tp_gcwork w = {
	    .g = ev->subject,
	    .name = ev->str,
	    .p = ev->p,
	    .start = st && st->start && !(sum && sum->gc) ? st->start : ev->ts,
	    .told_at = ev->ts,
	};

	if (!sum || !st || !executes(st->state) || sum->gc & ASSISTS)
		return 0;
	watch(t, ev->subject, sum, WORKS);
	return begin(t, &w, sum, err);
}

int tp_gcwork_transition(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
			 struct tp_err *err)
{
	const struct tp_gcwork w = {
	    .g = ev->subject,
	    .name = TP_STR_MARK_ASSIST,
	    .p = ev->p,
	    .start = ev->ts,
	    .told_at = ev->ts,
	};

	if (executes(ev->to))
		return executes(ev->from) || !(sum->gc & ASSISTS) ? 0 : begin(t, &w, sum, err);
	if (sum->gc & WORKS)
		watch(t, ev->subject, sum, sum->gc & ASSISTS);
	return finish(t, sum, ev->ts, err);
}

int tp_gcwork_lost(struct tp_timeline *t, uint32_t g, struct tp_gsum *sum, int64_t ts,
		   struct tp_err *err)
{
	if (!sum->gc)
		return 0;
	watch(t, g, sum, 0);
	return finish(t, sum, ts, err);
}

int tp_gcwork_finish(struct tp_timeline *t, struct tp_err *err)
{
	int code = 0;

	while (!code && t->gcworks.open)
		code = put_row(t, tp_pool_pop(&t->gcworks.nodes, &t->gcworks.open), t->last, err);
	return code;
}

void tp_gcwork_release(struct tp_gcworks *s)
{
	tp_pool_release(&s->nodes);
}
