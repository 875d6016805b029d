/* Times of Ps: a row for each period in one state, and sums by segment. For the sums, a period is
 * cut at the boundaries of segments, and counted in the segment in which it began. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "timeline/parts.h"

static struct tp_proc *proc_at(struct tp_procs *s, uint32_t p)
{
	if (p >= TP_SPANS_LIMIT_MP || tp_grow(&s->p, &s->np, p, sizeof(*s->p)))
		return NULL;
	return &s->p[p];
}

/* Adds the P's time from `since` to `until` to the sums. */
static void advance(struct tp_proc *p, int64_t until)
{
	if (p->state == TP_ST_RUNNING)
		tp_grow_by(&p->run.total, tp_since(p->since, until));
	else if (p->state == TP_ST_IDLE)
		tp_grow_by(&p->idle.total, tp_since(p->since, until));
	p->since = until;
}

static int put_span(struct tp_timeline *t, uint32_t p, int64_t end, bool open, struct tp_err *err)
{
	const struct tp_proc *proc = &t->procs.p[p];
	int64_t v[TP_MAX_COLUMNS];

	if (proc->state != TP_ST_RUNNING && proc->state != TP_ST_IDLE)
		return 0;
	v[TP_COL(PROC_SPAN, p)] = p;
	v[TP_COL(PROC_SPAN, state)] = proc->state;
	v[TP_COL(PROC_SPAN, start_ns)] = tp_time_value(t, proc->start);
	v[TP_COL(PROC_SPAN, end_ns)] = tp_time_value(t, end);
	v[TP_COL(PROC_SPAN, m)] = tp_index_value(proc->m);
	v[TP_COL(PROC_SPAN, open)] = open;
	return tp_timeline_put(t, TP_TABLE_PROC_SPAN, v, err);
}

int tp_proc_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_proc *p;
	int code = 0;

	if (ev->subject == TP_NONE || ev->from == ev->to)
		return 0;
	p = proc_at(&t->procs, ev->subject);
	if (!p)
		return tp_nomem(err);
	if (p->state == TP_ST_NONE) {
		/* It has been in its first known state since the last Sync. */
		p->state = ev->from == TP_ST_UNDETERMINED ? ev->to : ev->from;
		p->since = ev->from == TP_ST_NOT_EXIST ? ev->ts : t->spans->sync_ts;
		p->start = p->since;
		p->m = p->state == TP_ST_RUNNING ? ev->m : TP_NONE;
	}
	advance(p, ev->ts);
	if (p->state != ev->to) {
		code = put_span(t, ev->subject, ev->ts, false, err);
		p->start = ev->ts;
		p->m = ev->to == TP_ST_RUNNING ? ev->m : TP_NONE;
	}
	p->state = ev->to;
	if (ev->to == TP_ST_RUNNING)
		p->run.count++;
	else if (ev->to == TP_ST_IDLE)
		p->idle.count++;
	return code;
}

static int put_row(struct tp_timeline *t, uint32_t p, enum tp_state state, int64_t count,
		   int64_t total, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	if (!count && !total)
		return 0;
	v[TP_COL(PROC_TIME, segment)] = t->segment;
	v[TP_COL(PROC_TIME, p)] = p;
	v[TP_COL(PROC_TIME, state)] = state;
	v[TP_COL(PROC_TIME, count)] = count;
	v[TP_COL(PROC_TIME, total_ns)] = total;
	return tp_timeline_put(t, TP_TABLE_PROC_TIME, v, err);
}

int tp_proc_flush(struct tp_timeline *t, int64_t until, struct tp_err *err)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < t->procs.np; i++) {
		struct tp_proc *p = &t->procs.p[i];

		if (p->state == TP_ST_NONE)
			continue;
		advance(p, until);
		code = put_row(t, i, TP_ST_RUNNING, p->run.count, p->run.total, err);
		if (!code)
			code = put_row(t, i, TP_ST_IDLE, p->idle.count, p->idle.total, err);
		p->run.count = p->run.total = p->idle.count = p->idle.total = 0;
	}
	return code;
}

int tp_proc_finish(struct tp_timeline *t, struct tp_err *err)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < t->procs.np; i++)
		code = put_span(t, i, t->last, true, err);
	return code;
}

void tp_proc_release(struct tp_procs *s)
{
	free(s->p);
}
