/* Transitions that are not among the most frequent: goroutines and Ps appear, start, stop and end. */
#include "order/v2/advance.h"

/* Each generation reports the status of a P before any other event of it, so that the generation can be read
 * by itself. The status must agree with earlier generations. */
static enum tp_v2_advance proc_status(struct tp_v2_order *o, struct tp_v2_cursor *c,
				      const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint64_t id = tp_v2_varint(in);
	uint8_t status = (uint8_t)tp_v2_varint(in), from, to;
	struct tp_v2_p *p;

	NEED(status < TP_V2_NPSTATUS, "P %lld has the invalid status %u", (long long)id, status);
	p = tp_v2_p_get(&o->s, id);
	if (!p)
		return tp_v2_out_of_memory(o, TP_ELIMIT);
	from = to = tp_v2_pstate[status];
	if (p->alive) {
		/* "Abandoned" warns that the thread which left the P behind in a syscall may be unknown. Here
		 * that syscall was seen, so nothing is lost. */
		if (status == TP_V2_P_ABANDONED && p->status == TP_V2_P_SYSCALL)
			from = to = TP_ST_RUNNING;
		else
			NEED(p->status == status, "P %lld is reported as %s, but it is %s",
			     (long long)id, tp_v2_pstatus_names[status],
			     tp_v2_pstatus_names[p->status]);
	} else {
		p->alive = p != &o->s.no_p;
		p->status = status;
		from = o->g.number == o->s.initial_gen ? TP_ST_UNDETERMINED : TP_ST_NOT_EXIST;
	}
	p->seq = 0;
	p->seq_gen = o->g.number;
	if (status == TP_V2_P_ABANDONED && from == TP_ST_RUNNING) {
		/* It is about to be stolen, so the context is that of the thread that holds it. */
		o->tries += o->s.nms;
		NEED(o->tries <= o->most_tries, "too many Ps are stolen to look for their threads");
		m = tp_v2_holder_of_p(&o->s, p);
		NEED(m, "P %lld is about to be stolen, but no thread holds it", (long long)id);
	}
	TRANSITION(TP_EV_PROC_STATUS, p->index, from, to);
	if (status == TP_V2_P_RUNNING || status == TP_V2_P_SYSCALL)
		bind_p(c->m, p);
	return TP_V2_ADVANCED;
}

/* Steals a P from a thread that is in a syscall. That thread records nothing about it and continues by itself
 * when the syscall ends, so only the sequence number gives the moment of the steal. */
static enum tp_v2_advance proc_steal(struct tp_v2_order *o, struct tp_v2_cursor *c,
				     const uint8_t **in)
{
	struct tp_v2_m *m = c->m, *victim;
	struct tp_v2_p *p = tp_v2_p_find(&o->s, tp_v2_varint(in));
	uint64_t seq = tp_v2_varint(in), from_m = tp_v2_varint(in);

	if (!p || (p->status != TP_V2_P_SYSCALL && p->status != TP_V2_P_ABANDONED) ||
	    !follows(o, seq, p->seq, p->seq_gen))
		return TP_V2_WAITS;
	NEED_THREAD;
	if (p->status == TP_V2_P_ABANDONED) {
		/* Its thread has left the syscall without it, and may have another P by now. */
		TRANSITION(TP_EV_PROC_STEAL, p->index, TP_ST_IDLE, TP_ST_IDLE);
	} else {
		victim = from_m == m->id ? m : tp_idmap_get(&o->s.ms, from_m);
		NEED(victim && victim->alive,
		     "P %lld is stolen from thread %lld, which does not exist", (long long)p->id,
		     (long long)from_m);
		if (victim->p != p) {
			/* Salvage may get here many times, and shows no message. */
			const struct tp_v2_m *holder =
			    o->salvage ? NULL : tp_v2_holder_of_p(&o->s, p);

			NEED(holder, "P %lld is stolen from thread %lld, but no thread holds it",
			     (long long)p->id, (long long)from_m);
			return tp_v2_fault(
			    o, c, "P %lld is stolen from thread %lld, but thread %lld holds it",
			    (long long)p->id, (long long)from_m, (long long)holder->id);
		}
		TRANSITION(TP_EV_PROC_STEAL, p->index, TP_ST_RUNNING, TP_ST_IDLE);
		victim->p = &o->s.no_p;
	}
	p->status = TP_V2_P_IDLE;
	p->seq = seq;
	p->seq_gen = o->g.number;
	return TP_V2_ADVANCED;
}

/* Waits until the P's former holder has given it up, and until this thread has lost the P that it had:
 * another M may have stolen that, and only the thief records it. */
static enum tp_v2_advance proc_start(struct tp_v2_order *o, struct tp_v2_cursor *c,
				     const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_p *p = tp_v2_p_find(&o->s, tp_v2_varint(in));
	uint64_t seq = tp_v2_varint(in);

	if (!p || p->status != TP_V2_P_IDLE || !follows(o, seq, p->seq, p->seq_gen) || has_p(m))
		return TP_V2_WAITS;
	NEED_THREAD;
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
	NEED(p->status == TP_V2_P_RUNNING || p->status == TP_V2_P_SYSCALL,
	     "P %lld is %s, but must be running", (long long)p->id,
	     tp_v2_pstatus_names[p->status]);
	p->status = TP_V2_P_IDLE;
	TRANSITION(TP_EV_PROC_STOP, p->index, TP_ST_RUNNING, TP_ST_IDLE);
	m->p = &o->s.no_p;
	return TP_V2_ADVANCED;
}

/* Each generation reports the status of every live goroutine before any other event of it. The status must
 * agree with earlier generations. */
static enum tp_v2_advance go_status(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in)
{
	struct tp_v2_m *m = c->m, *on = NULL;
	uint64_t id = tp_v2_varint(in), mid = tp_v2_varint(in);
	uint8_t status = (uint8_t)tp_v2_varint(in), from;
	bool first = o->g.number == o->s.initial_gen;
	struct tp_v2_g *g, *context = m->g;
	uint32_t stack = 0;

	NEED(status < TP_V2_NGSTATUS, "goroutine %lld has the invalid status %u", (long long)id,
	     status);
	g = tp_v2_g_get(&o->s, id);
	if (!g)
		return tp_v2_out_of_memory(o, TP_ELIMIT);
	if (g->alive) {
		NEED(g->status == status, "goroutine %lld is reported as %s, but it is %s",
		     (long long)id, tp_v2_gstatus_names[status], tp_v2_gstatus_names[g->status]);
		from = tp_v2_gstate[status];
	} else {
		/* The first generation reports all goroutines that lived before the trace. */
		NEED(first || o->salvage, "goroutine %lld was neither created nor reported before",
		     (long long)id);
		from = TP_ST_UNDETERMINED;
	}
	if (status == TP_V2_G_SYSCALL) {
		NEED(mid != UINT64_MAX, "goroutine %lld is in a syscall without a thread",
		     (long long)id);
		if (mid == m->id) {
			NEED(first || m->g == g,
			     "goroutine %lld is in a syscall on this thread, "
			     "which has goroutine %lld",
			     (long long)id, (long long)m->g->id);
		} else {
			/* It is in a syscall on another thread, which has no P and so cannot write the status
			 * itself. */
			on = tp_v2_m_get(&o->s, mid);
			if (!on)
				return tp_v2_out_of_memory(o, TP_ELIMIT);
			if (on->alive) {
				NEED(on->g == g,
				     "goroutine %lld is in a syscall on thread %lld, "
				     "which has goroutine %lld",
				     (long long)id, (long long)mid, (long long)on->g->id);
				context = g;
			}
		}
	}
	if (c->type == TP_V2_GoStatusStack)
		STACK(tp_v2_varint(in), &stack);
	if (!g->alive && tp_v2_g_born(&o->s, g, status, o->g.number, TP_V2_FOUND))
		return tp_v2_out_of_memory(o, TP_ENOMEM);
	g->seq = 0;
	tp_v2_g_mentioned(&o->s, g, o->g.number);
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
	if (g->alive)
		NEED_STATUS(g, TP_V2_G_RUNNING);
	g = tp_v2_g_get(&o->s, id);
	if (!g)
		return tp_v2_out_of_memory(o, TP_ELIMIT);
	NEED(!g->alive, "goroutine %lld is created, but it exists", (long long)id);
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

	NEED_THREAD;
	NEED(!has_g(m), "goroutine %lld is created, but goroutine %lld runs on this thread",
	     (long long)id, (long long)m->g->id);
	g = tp_v2_g_get(&o->s, id);
	if (!g)
		return tp_v2_out_of_memory(o, TP_ELIMIT);
	NEED(!g->alive, "goroutine %lld is created, but it exists", (long long)id);
	if (tp_v2_g_born(&o->s, g, TP_V2_G_SYSCALL, o->g.number, TP_V2_CREATED))
		return tp_v2_out_of_memory(o, TP_ENOMEM);
	TRANSITION(TP_EV_GO_CREATE_SYSCALL, g->index, TP_ST_NOT_EXIST, TP_ST_SYSCALL);
	m->g = g;
	return TP_V2_ADVANCED;
}

/* Hands the thread over to another goroutine (a coroutine switch). This one event makes three transitions:
 * the next goroutine is woken, this one blocks or ends, and the next one starts. */
static enum tp_v2_advance go_switch(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g, *next;
	uint64_t id = tp_v2_varint(in), seq = tp_v2_varint(in);

	NEED_USER;
	NEED_STATE;
	NEED_STATUS(g, TP_V2_G_RUNNING);
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

/* A syscall ended without a P, because the P was stolen. The thief's event may have a later time, so this one
 * waits for it. */
static enum tp_v2_advance go_syscall_end_blocked(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;

	if (has_p(m) && m->p->status == TP_V2_P_SYSCALL)
		return TP_V2_WAITS;
	NEED_G;
	NEED_STATE;
	NEED_STATUS(g, TP_V2_G_SYSCALL);
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
	NEED_STATUS(g, TP_V2_G_RUNNING);
	TRANSITION(TP_EV_GO_DESTROY, g->index, TP_ST_RUNNING, TP_ST_NOT_EXIST);
	tp_v2_g_died(&o->s, g, TP_V2_ENDED);
	m->g = &o->s.nobody;
	return TP_V2_ADVANCED;
}

/* A C thread returns from Go to C: its goroutine ends in what counts as a syscall. It loses its P
 * here; the event of the M that steals the P comes later, and finds it abandoned. */
static enum tp_v2_advance go_destroy_syscall(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	struct tp_v2_p *p = m->p;

	NEED_G;
	NEED_STATE;
	NEED_STATUS(g, TP_V2_G_SYSCALL);
	if (has_p(m)) {
		NEED_P_STATUS(p, TP_V2_P_SYSCALL);
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
