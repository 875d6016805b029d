/* Time of Ps, by segment: a P's time in a state is cut at the boundaries of segments, and counted
 * in the segment in which it entered the state. */
#include <stdlib.h>
#include <string.h>

#include "timeline/parts.h"

static struct tp_proc *proc_at(struct tp_procs *s, uint32_t p)
{
	uint32_t room = s->np ? s->np : 16;
	struct tp_proc *more;

	if (p < s->np)
		return &s->p[p];
	if (p >= TP_SPANS_LIMIT_MP)
		return NULL;
	while (room <= p)
		room *= 2;
	more = realloc(s->p, room * sizeof(*more));
	if (!more)
		return NULL;
	memset(more + s->np, 0, (room - s->np) * sizeof(*more));
	s->p = more;
	s->np = room;
	return &s->p[p];
}

/* Counts what the P has done since `since`, up to `until`. */
static void advance(struct tp_proc *p, int64_t until)
{
	if (p->state == TP_ST_RUNNING)
		tp_grow_by(&p->run.total, tp_since(p->since, until));
	else if (p->state == TP_ST_IDLE)
		tp_grow_by(&p->idle.total, tp_since(p->since, until));
	p->since = until;
}

int tp_proc_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_proc *p;

	if (ev->subject == TP_NONE || ev->from == ev->to)
		return 0;
	p = proc_at(&t->procs, ev->subject);
	if (!p)
		return tp_timeline_nomem(err);
	if (p->state == TP_ST_NONE) {
		/* Since the last Sync it has been in the state it is first seen in. */
		p->state = ev->from == TP_ST_UNDETERMINED ? ev->to : ev->from;
		p->since = ev->from == TP_ST_NOT_EXIST ? ev->ts : t->spans->sync_ts;
	}
	advance(p, ev->ts);
	p->state = ev->to;
	if (ev->to == TP_ST_RUNNING)
		p->run.count++;
	else if (ev->to == TP_ST_IDLE)
		p->idle.count++;
	return 0;
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

void tp_proc_release(struct tp_procs *s)
{
	free(s->p);
}
