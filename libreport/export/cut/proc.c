/* Ps, and the threads on which events happen.
 *
 * A goroutine in a system call keeps its P until the P is stopped or stolen. If the goroutine is
 * left out, its P runs nothing meanwhile, and a theft becomes a stop. */
#include "export/cut/state.h"

static bool real_p(const struct cut *c, uint32_t p)
{
	return p < c->np && !c->ps[p].none;
}

uint32_t cut_lane(const struct cut *c, const struct tp_event *ev)
{
	if (real_p(c, ev->p) && c->ps[ev->p].m != TP_NONE)
		return c->ps[ev->p].m;
	return ev->m < c->real_ms ? ev->m : TP_NONE;
}

int cut_p_stop(struct cut *c, uint32_t at)
{
	struct cut_p *p = &c->ps[at];

	cut_tell_p(c, at, TP_NONE);
	cut_put(c, p->m, TP_V2_ProcStop, 0, 0, 0, 0);
	c->ms[p->m].p = TP_NONE;
	p->m = TP_NONE;
	p->status = TP_V2_P_IDLE;
	return c->code;
}

/* Starts an idle or unknown P on a thread without one. */
static int p_start(struct cut *c, uint32_t at, uint32_t m)
{
	struct cut_p *p = &c->ps[at];
	bool known = p->status != TP_V2_P_BAD;

	if (known) {
		cut_tell_p(c, at, m);
		cut_put(c, m, TP_V2_ProcStart, p->id, ++p->seq, 0, 0);
	}
	p->status = TP_V2_P_RUNNING;
	p->m = m;
	c->ms[m].p = at;
	return known ? c->code : cut_tell_p(c, at, m);
}

uint32_t cut_p_move(struct cut *c, uint32_t at)
{
	uint32_t m;

	cut_p_stop(c, at);
	m = cut_free_m(c, TP_NONE);
	if (m != TP_NONE)
		p_start(c, at, m);
	return m;
}

/* Handles the theft of a P from a thread that is no longer known. */
static int abandoned_steal(struct cut *c, uint32_t at, uint32_t lane)
{
	struct cut_p *p = &c->ps[at];

	if (lane == TP_NONE)
		lane = cut_free_m(c, TP_NONE);
	cut_tell_p(c, at, lane);
	p->status = TP_V2_P_IDLE;
	return cut_put(c, lane, TP_V2_ProcSteal, p->id, ++p->seq, 0, 0);
}

/* Returns a thread for a P: the given one, if it can take it. Threads of old traces are guesses, so
 * they must not hold a goroutine either. */
static uint32_t m_for_p(struct cut *c, uint32_t hint)
{
	if (hint < c->real_ms && c->ms[hint].p == TP_NONE &&
	    (c->ms[hint].g == TP_NONE ||
	     (!c->old && c->gs[c->ms[hint].g].status == TP_V2_G_SYSCALL)))
		return hint;
	return cut_free_m(c, TP_NONE);
}

static int proc_start(struct cut *c, const struct tp_event *ev)
{
	uint32_t at = ev->subject, m;
	struct cut_p *p = &c->ps[at];

	if (p->status == TP_V2_P_RUNNING || p->status == TP_V2_P_SYSCALL) {
		cut_mend(c);
		cut_p_stop(c, at);
	} else if (p->status == TP_V2_P_ABANDONED) {
		cut_mend(c);
		abandoned_steal(c, at, ev->m < c->real_ms ? ev->m : TP_NONE);
	}
	m = m_for_p(c, ev->m);
	if (p->status == TP_V2_P_BAD) {
		cut_mend(c);
		p->status = TP_V2_P_IDLE;
	}
	return m == TP_NONE ? c->code : p_start(c, at, m);
}

static int proc_stop(struct cut *c, const struct tp_event *ev)
{
	return c->ps[ev->subject].m == TP_NONE ? cut_leave_out(c) : cut_p_stop(c, ev->subject);
}

static int proc_steal(struct cut *c, const struct tp_event *ev)
{
	uint32_t at = ev->subject, lane = ev->m < c->real_ms ? ev->m : TP_NONE, victim;
	struct cut_p *p = &c->ps[at];

	if (p->status == TP_V2_P_ABANDONED)
		return abandoned_steal(c, at, lane);
	if (p->status == TP_V2_P_RUNNING || (p->status == TP_V2_P_SYSCALL && lane == TP_NONE))
		return cut_p_stop(c, at);
	/* If its goroutine was left out, the P was already stopped. */
	if (p->status != TP_V2_P_SYSCALL)
		return c->some ? c->code : cut_leave_out(c);
	victim = p->m;
	cut_tell_p(c, at, TP_NONE);
	p->status = TP_V2_P_IDLE;
	p->m = TP_NONE;
	c->ms[victim].p = TP_NONE;
	return cut_put(c, lane, TP_V2_ProcSteal, p->id, ++p->seq, c->ms[victim].id, 0);
}

static int proc_status(struct cut *c, const struct tp_event *ev)
{
	uint32_t at = ev->subject, m;
	struct cut_p *p = &c->ps[at];

	if (p->status != TP_V2_P_BAD) {
		p->gen = 0;
		return cut_tell_p(c, at, cut_lane(c, ev));
	}
	if (ev->to != TP_ST_RUNNING) {
		p->status = p->abandoned ? TP_V2_P_ABANDONED : TP_V2_P_IDLE;
		return cut_tell_p(c, at, ev->m < c->real_ms ? ev->m : TP_NONE);
	}
	m = m_for_p(c, ev->m);
	if (m == TP_NONE)
		return c->code;
	p->status = p->in_call || (!p->running && c->ms[m].g != TP_NONE &&
				   c->gs[c->ms[m].g].status == TP_V2_G_SYSCALL)
			? TP_V2_P_SYSCALL
			: TP_V2_P_RUNNING;
	p->m = m;
	c->ms[m].p = at;
	return cut_tell_p(c, at, m);
}

int cut_proc(struct cut *c, const struct tp_event *ev)
{
	if (!real_p(c, ev->subject))
		return cut_leave_out(c);
	switch (ev->type) {
	case TP_EV_PROC_START:
		return proc_start(c, ev);
	case TP_EV_PROC_STOP:
		return proc_stop(c, ev);
	case TP_EV_PROC_STEAL:
		return proc_steal(c, ev);
	default:
		return proc_status(c, ev);
	}
}

uint32_t cut_lane_p(struct cut *c, const struct tp_event *ev, bool any)
{
	struct tp_event start = *ev;
	uint32_t m = cut_lane(c, ev);

	if (m != TP_NONE && c->ms[m].p != TP_NONE)
		return m;
	if (real_p(c, ev->p)) {
		cut_mend(c);
		start.subject = ev->p;
		proc_start(c, &start);
		return c->ps[ev->p].m;
	}
	for (uint32_t i = 0; any && i < c->np; i++)
		if (c->ps[i].status == TP_V2_P_RUNNING)
			return c->ps[i].m;
	return TP_NONE;
}
