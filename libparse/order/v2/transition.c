/* Transitions that are not among the most frequent: goroutines and Ps appear, start, stop and end.
 */
#include "order/v2/advance.h"

static enum tp_v2_advance proc_status(struct tp_v2_order *o, struct tp_v2_cursor *c,
				      const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint64_t id = tp_v2_varint(in);
	uint8_t status = (uint8_t)tp_v2_varint(in), from, to;
	struct tp_v2_p *p;

	NEED(status < TP_V2_NPSTATUS, "invalid P status");
	p = tp_v2_p_get(&o->s, id);
	if (!p)
		return tp_v2_out_of_memory(o, TP_ELIMIT);
	from = to = tp_v2_pstate[status];
	if (p->alive) {
		/* An abandoned syscall that we saw begin is one that we know all about. */
		if (status == TP_V2_P_ABANDONED && p->status == TP_V2_P_SYSCALL)
			from = to = TP_ST_RUNNING;
		else
			NEED(p->status == status, "P status differs from what went before");
	} else {
		p->alive = p != &o->s.no_p;
		p->status = status;
		from = o->g.number == o->s.initial_gen ? TP_ST_UNDETERMINED : TP_ST_NOT_EXIST;
	}
	p->seq = 0;
	p->seq_gen = o->g.number;
	if (status == TP_V2_P_ABANDONED && from == TP_ST_RUNNING) {
		struct tp_v2_m *holder = NULL;

		o->tries += o->s.nms;
		NEED(o->tries <= o->most_tries, "too many stolen Ps to look for");
		for (size_t i = 0; i < o->s.nms && !holder; i++)
			if (o->s.all_ms[i]->p == p)
				holder = o->s.all_ms[i];
		NEED(holder, "no M holds the P that is about to be stolen");
		m = holder;
	}
	TRANSITION(TP_EV_PROC_STATUS, p->index, from, to);
	if (status == TP_V2_P_RUNNING || status == TP_V2_P_SYSCALL)
		bind_p(c->m, p);
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance proc_steal(struct tp_v2_order *o, struct tp_v2_cursor *c,
				     const uint8_t **in)
{
	struct tp_v2_m *m = c->m, *victim;
	struct tp_v2_p *p = tp_v2_p_find(&o->s, tp_v2_varint(in));
	uint64_t seq = tp_v2_varint(in), from_m = tp_v2_varint(in);

	if (!p || (p->status != TP_V2_P_SYSCALL && p->status != TP_V2_P_ABANDONED) ||
	    !follows(o, seq, p->seq, p->seq_gen))
		return TP_V2_WAITS;
	NEED(is_thread(m), "needs a thread");
	if (p->status == TP_V2_P_ABANDONED) { /* its M may have moved on: leave it alone */
		TRANSITION(TP_EV_PROC_STEAL, p->index, TP_ST_IDLE, TP_ST_IDLE);
	} else {
		victim = from_m == m->id ? m : tp_idmap_get(&o->s.ms, from_m);
		NEED(victim && victim->alive, "the P is stolen from an M that does not exist");
		NEED(victim->p == p, "the M it is stolen from does not hold the P");
		TRANSITION(TP_EV_PROC_STEAL, p->index, TP_ST_RUNNING, TP_ST_IDLE);
		victim->p = &o->s.no_p;
	}
	p->status = TP_V2_P_IDLE;
	p->seq = seq;
	p->seq_gen = o->g.number;
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance proc_start(struct tp_v2_order *o, struct tp_v2_cursor *c,
				     const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_p *p = tp_v2_p_find(&o->s, tp_v2_varint(in));
	uint64_t seq = tp_v2_varint(in);

	if (!p || p->status != TP_V2_P_IDLE || !follows(o, seq, p->seq, p->seq_gen) || has_p(m))
		return TP_V2_WAITS;
	NEED(is_thread(m), "needs a thread");
	p->status = TP_V2_P_RUNNING;
	p->seq = seq;
	TRANSITION(TP_EV_PROC_START, p->index, TP_ST_IDLE, TP_ST_RUNNING);
	m->p = p;
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance proc_stop(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_p *p = m->p;

	NEED_P;
	NEED(p->status == TP_V2_P_RUNNING || p->status == TP_V2_P_SYSCALL, "its P is not running");
	p->status = TP_V2_P_IDLE;
	TRANSITION(TP_EV_PROC_STOP, p->index, TP_ST_RUNNING, TP_ST_IDLE);
	m->p = &o->s.no_p;
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance go_status(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in)
{
	struct tp_v2_m *m = c->m, *on = NULL;
	uint64_t id = tp_v2_varint(in), mid = tp_v2_varint(in);
	uint8_t status = (uint8_t)tp_v2_varint(in), from;
	bool first = o->g.number == o->s.initial_gen;
	struct tp_v2_g *g, *context = m->g;
	uint32_t stack = 0;

	NEED(status < TP_V2_NGSTATUS, "invalid goroutine status");
	g = tp_v2_g_get(&o->s, id);
	if (!g)
		return tp_v2_out_of_memory(o, TP_ELIMIT);
	if (g->alive) {
		NEED(g->status == status, "goroutine status differs from what went before");
		from = tp_v2_gstate[status];
	} else {
		NEED(first || o->salvage, "a goroutine that the first generation does not know");
		from = TP_ST_UNDETERMINED;
	}
	if (status == TP_V2_G_SYSCALL) {
		NEED(mid != UINT64_MAX, "a goroutine in a syscall without a thread");
		if (mid == m->id) {
			NEED(first || m->g == g, "the thread has another goroutine in a syscall");
		} else {
			/* It sits in a syscall on another M, which has no P and says nothing. */
			on = tp_v2_m_get(&o->s, mid);
			if (!on)
				return tp_v2_out_of_memory(o, TP_ELIMIT);
			if (on->alive) {
				NEED(on->g == g, "the thread has another goroutine in a syscall");
				context = g;
			}
		}
	}
	if (c->type == TP_V2_GoStatusStack)
		STACK(tp_v2_varint(in), &stack);
	if (!g->alive && tp_v2_g_born(&o->s, g, status, o->g.number, TP_V2_FOUND))
		return tp_v2_out_of_memory(o, TP_ENOMEM);
	g->seq = 0;
	tp_v2_g_told(&o->s, g, o->g.number);
	EVENT(c->type, g->index, .from = from, .to = tp_v2_gstate[status], .stack = stack);
	if (on) {
		o->out[o->n - 1].m = on->index;
		o->out[o->n - 1].g = context->index;
		if (!on->alive) {
			on->alive = true;
			tp_v2_m_bind(&o->s, on, g);
		}
	} else if (status == TP_V2_G_RUNNING || status == TP_V2_G_SYSCALL) {
		bind_g(m, g);
	}
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance go_create(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	uint64_t id = tp_v2_varint(in);
	uint32_t stack, stack2;

	STACK(tp_v2_varint(in), &stack2);
	STACK(tp_v2_varint(in), &stack);
	NEED_P;
	NEED(!g->alive || g->status == TP_V2_G_RUNNING, "its goroutine is not running");
	g = tp_v2_g_get(&o->s, id);
	if (!g)
		return tp_v2_out_of_memory(o, TP_ELIMIT);
	NEED(!g->alive, "a goroutine with this id exists");
	if (tp_v2_g_born(&o->s, g, c->type == TP_V2_GoCreate ? TP_V2_G_RUNNABLE : TP_V2_G_WAITING,
			 o->g.number, TP_V2_CREATED))
		return tp_v2_out_of_memory(o, TP_ENOMEM);
	TRANSITION(c->type, g->index, TP_ST_NOT_EXIST, tp_v2_gstate[g->status], .stack = stack,
		   .str2 = stack2);
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance go_create_syscall(struct tp_v2_order *o, struct tp_v2_cursor *c,
					    const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint64_t id = tp_v2_varint(in);
	struct tp_v2_g *g;

	NEED(is_thread(m), "needs a thread");
	NEED(!has_g(m), "a goroutine is running already");
	g = tp_v2_g_get(&o->s, id);
	if (!g)
		return tp_v2_out_of_memory(o, TP_ELIMIT);
	NEED(!g->alive, "a goroutine with this id exists");
	if (tp_v2_g_born(&o->s, g, TP_V2_G_SYSCALL, o->g.number, TP_V2_CREATED))
		return tp_v2_out_of_memory(o, TP_ENOMEM);
	TRANSITION(TP_EV_GO_CREATE_SYSCALL, g->index, TP_ST_NOT_EXIST, TP_ST_SYSCALL);
	m->g = g;
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance go_switch(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g, *next;
	uint64_t id = tp_v2_varint(in), seq = tp_v2_varint(in);

	NEED_USER;
	NEED_STATE;
	NEED(g->status == TP_V2_G_RUNNING, "its goroutine is not running");
	next = tp_v2_g_find(&o->s, id);
	if (!next || next->status != TP_V2_G_WAITING || !follows(o, seq, next->seq, next->seq_gen))
		return TP_V2_WAITS;
	TRANSITION(c->type, next->index, TP_ST_WAITING, TP_ST_RUNNABLE);
	if (c->type == TP_V2_GoSwitch) {
		TRANSITION(TP_EV_GO_BLOCK, g->index, TP_ST_RUNNING, TP_ST_WAITING);
		g->status = TP_V2_G_WAITING;
	} else {
		TRANSITION(TP_EV_GO_DESTROY, g->index, TP_ST_RUNNING, TP_ST_NOT_EXIST);
		tp_v2_g_died(&o->s, g, TP_V2_ENDED);
	}
	m->g = &o->s.nobody;
	TRANSITION(TP_EV_GO_START, next->index, TP_ST_RUNNABLE, TP_ST_RUNNING);
	next->status = TP_V2_G_RUNNING;
	next->seq = seq;
	m->g = next;
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance go_syscall_end_blocked(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;

	if (has_p(m) && m->p->status == TP_V2_P_SYSCALL)
		return TP_V2_WAITS; /* the P has yet to be taken away */
	NEED(has_g(m), "needs a goroutine");
	NEED_STATE;
	NEED(g->status == TP_V2_G_SYSCALL, "its goroutine is not in a syscall");
	g->status = TP_V2_G_RUNNABLE;
	TRANSITION(TP_EV_GO_SYSCALL_BLOCKED, g->index, TP_ST_SYSCALL, TP_ST_RUNNABLE);
	m->g = &o->s.nobody;
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance go_destroy(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;

	NEED_USER;
	NEED_STATE;
	NEED(g->status == TP_V2_G_RUNNING, "its goroutine is not running");
	TRANSITION(TP_EV_GO_DESTROY, g->index, TP_ST_RUNNING, TP_ST_NOT_EXIST);
	tp_v2_g_died(&o->s, g, TP_V2_ENDED);
	m->g = &o->s.nobody;
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance go_destroy_syscall(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	struct tp_v2_p *p = m->p;

	NEED(has_g(m), "needs a goroutine");
	NEED_STATE;
	NEED(g->status == TP_V2_G_SYSCALL, "its goroutine is not in a syscall");
	if (has_p(m)) {
		NEED(p->status == TP_V2_P_SYSCALL, "its P is not in a syscall");
		p->status = TP_V2_P_ABANDONED;
		TRANSITION(TP_EV_PROC_STEAL, p->index, TP_ST_RUNNING, TP_ST_IDLE);
	}
	TRANSITION(TP_EV_GO_DESTROY_SYSCALL, g->index, TP_ST_SYSCALL, TP_ST_NOT_EXIST);
	tp_v2_g_died(&o->s, g, TP_V2_ENDED);
	m->g = &o->s.nobody;
	m->p = &o->s.no_p;
	return TP_V2_ADVANCED;
}

enum tp_v2_advance tp_v2_take_transition(struct tp_v2_order *o, struct tp_v2_cursor *c,
					 const uint8_t **in)
{
	switch (c->type) {
	case TP_V2_ProcStart:
		return proc_start(o, c, in);
	case TP_V2_ProcStop:
		return proc_stop(o, c);
	case TP_V2_ProcSteal:
		return proc_steal(o, c, in);
	case TP_V2_ProcStatus:
		return proc_status(o, c, in);
	case TP_V2_GoCreate:
	case TP_V2_GoCreateBlocked:
		return go_create(o, c, in);
	case TP_V2_GoCreateSyscall:
		return go_create_syscall(o, c, in);
	case TP_V2_GoStatus:
	case TP_V2_GoStatusStack:
		return go_status(o, c, in);
	case TP_V2_GoSwitch:
	case TP_V2_GoSwitchDestroy:
		return go_switch(o, c, in);
	case TP_V2_GoSyscallEndBlocked:
		return go_syscall_end_blocked(o, c);
	case TP_V2_GoDestroy:
		return go_destroy(o, c);
	default:
		return go_destroy_syscall(o, c);
	}
}
