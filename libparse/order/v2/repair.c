/* Repairs the state for an event that cannot take effect: infers the transitions that must have come before
 * it but are not in the file. */
#include "order/v2/advance.h"
#include "order/v2/salvage.h"

/* Appends an inferred event right before the one that needs it, whose time does not change. */
static struct tp_event *infer(struct tp_v2_order *o, const struct tp_v2_cursor *c, uint8_t type,
			      uint32_t subject, uint8_t from, uint8_t to)
{
	int64_t ts = c->ts > o->last_ts ? c->ts - 1 : o->last_ts;

	if (o->n >= TP_BATCH_EVENTS - 4) /* never reached: see TP_V2_MOST_EVENTS */
		o->n--;
	o->last_ts = ts;
	o->trace->inferred++;
	o->out[o->n] = (struct tp_event){.ts = ts,
					 .g = TP_NONE,
					 .m = TP_NONE,
					 .p = TP_NONE,
					 .subject = subject,
					 .type = type,
					 .from = from,
					 .to = to,
					 .flags = TP_EVF_INFERRED | TP_EVF_LOST};
	return &o->out[o->n++];
}

/* Returns the type of event for a change of status; GoStatus if no single event makes it. */
static uint8_t type_of_change(uint8_t from, uint8_t to)
{
	static const uint8_t types[TP_V2_NGSTATUS][TP_V2_NGSTATUS] = {
	    [TP_V2_G_RUNNABLE] = {[TP_V2_G_RUNNING] = TP_EV_GO_START},
	    [TP_V2_G_RUNNING] = {[TP_V2_G_RUNNABLE] = TP_EV_GO_STOP,
				 [TP_V2_G_WAITING] = TP_EV_GO_BLOCK,
				 [TP_V2_G_SYSCALL] = TP_EV_GO_SYSCALL_BEGIN},
	    [TP_V2_G_SYSCALL] = {[TP_V2_G_RUNNING] = TP_EV_GO_SYSCALL_END,
				 [TP_V2_G_RUNNABLE] = TP_EV_GO_SYSCALL_BLOCKED},
	    [TP_V2_G_WAITING] = {[TP_V2_G_RUNNABLE] = TP_EV_GO_UNBLOCK},
	};
	uint8_t type = types[from][to];

	return type ? type : TP_EV_GO_STATUS;
}

/* Infers that a goroutine gets a status. `m` is the M that has it, or NULL. */
static void infer_g(struct tp_v2_order *o, const struct tp_v2_cursor *c, struct tp_v2_g *g,
		    uint8_t status, struct tp_v2_m *m)
{
	bool stays = status == TP_V2_G_RUNNING || status == TP_V2_G_SYSCALL;
	struct tp_event *ev;

	if (g->index == TP_NONE)
		return;
	if (!g->alive) {
		if (tp_v2_g_born(&o->s, g, status, o->g.number, TP_V2_FOUND)) {
			tp_v2_out_of_memory(o, TP_ENOMEM);
			return;
		}
		infer(o, c, TP_EV_GO_STATUS, g->index, TP_ST_UNDETERMINED, tp_v2_gstate[status]);
	} else if (g->status != status) {
		ev = infer(o, c, type_of_change(g->status, status), g->index,
			   tp_v2_gstate[g->status], tp_v2_gstate[status]);
		if (stays && m)
			ev->m = m->index;
		g->status = status;
	}
	g->lost = false;
	if (m && !stays)
		tp_v2_m_bind(&o->s, m, &o->s.nobody);
}

void tp_v2_infer_g(struct tp_v2_order *o, const struct tp_v2_cursor *c, struct tp_v2_g *g,
		   uint8_t status)
{
	infer_g(o, c, g, status, g->alive ? tp_v2_holder_of_g(&o->s, g) : NULL);
}

/* Does not look at the other Ms, because it may be called for every M after each damaged part. */
void tp_v2_infer_g_gone(struct tp_v2_order *o, const struct tp_v2_cursor *c, struct tp_v2_m *m)
{
	struct tp_v2_g *g = m->g;

	if (g->alive)
		infer_g(o, c, g, g->status == TP_V2_G_SYSCALL ? TP_V2_G_RUNNABLE : TP_V2_G_WAITING,
			m);
	tp_v2_m_bind(&o->s, m, &o->s.nobody);
}

static void infer_idle(struct tp_v2_order *o, const struct tp_v2_cursor *c, struct tp_v2_p *p)
{
	struct tp_v2_m *m;

	if (p->index == TP_NONE)
		return;
	m = tp_v2_holder_of_p(&o->s, p);
	if (m) {
		m->p = &o->s.no_p;
		/* A goroutine does not run without a P, but how it stopped is not known. */
		if (m != c->m && has_g(m) && m->g->alive && m->g->status == TP_V2_G_RUNNING)
			tp_v2_infer_g_gone(o, c, m);
	}
	if (p->alive && tp_v2_pstate[p->status] == TP_ST_RUNNING)
		infer(o, c, TP_EV_PROC_STOP, p->index, TP_ST_RUNNING, TP_ST_IDLE);
	else if (!p->alive)
		infer(o, c, TP_EV_PROC_STATUS, p->index, TP_ST_UNDETERMINED, TP_ST_IDLE);
	p->alive = true;
	p->status = TP_V2_P_IDLE;
}

/* The M must have a P, and the trace does not say which. It is the only P that no M has or, if there
 * is none, the only P whose M is in a syscall, from which it can be stolen. */
void tp_v2_infer_p(struct tp_v2_order *o, const struct tp_v2_cursor *c)
{
	struct tp_v2_p *free_p = NULL, *taken = NULL;
	size_t nfree = 0, ntaken = 0;
	struct tp_event *ev;

	for (size_t i = 0; i < o->s.nms; i++)
		o->s.all_ms[i]->p->held = true;
	for (size_t i = 0; o->s.ps.slots && i <= o->s.ps.mask; i++) {
		struct tp_v2_p *p = o->s.ps.slots[i].value;

		if (!p || !p->alive || p->seq_gen != o->g.number)
			continue;
		if (!p->held) {
			free_p = p;
			nfree++;
		} else if (p->status == TP_V2_P_SYSCALL) {
			taken = p;
			ntaken++;
		}
	}
	for (size_t i = 0; i < o->s.nms; i++)
		o->s.all_ms[i]->p->held = false;
	if (nfree > 1 || (!nfree && ntaken != 1))
		return;
	if (!nfree) {
		infer_idle(o, c, taken);
		free_p = taken;
	}
	ev = infer(o, c, TP_EV_PROC_START, free_p->index, TP_ST_IDLE, TP_ST_RUNNING);
	ev->m = c->m->index;
	free_p->status = TP_V2_P_RUNNING;
	c->m->p = free_p;
}

/* Gives the M's goroutine the status that its event needs. Returns false if the M has no goroutine. */
static bool own(struct tp_v2_order *o, const struct tp_v2_cursor *c, uint8_t status)
{
	struct tp_v2_m *m = c->m;

	if (!has_g(m) || !m->g->alive)
		return false;
	tp_v2_infer_g(o, c, m->g, status);
	if (has_p(m))
		m->p->status = status == TP_V2_G_SYSCALL ? TP_V2_P_SYSCALL : TP_V2_P_RUNNING;
	return true;
}

static void expect_g(struct tp_v2_order *o, struct tp_v2_g *g, uint64_t seq)
{
	/* Only a live goroutine has `seq`; a parked one has `before` in its place. */
	if (!g->alive)
		return;
	g->seq = seq - 1;
	tp_v2_g_mentioned(&o->s, g, o->g.number);
}

static void expect_p(struct tp_v2_order *o, struct tp_v2_p *p, uint64_t seq)
{
	p->seq = seq - 1;
	p->seq_gen = o->g.number;
}

/* Called when something that an event names could not be created. If memory is out, the import ends, because
 * it must not silently lose data. If a limit is exceeded, the event is dropped. */
static bool not_created(struct tp_v2_order *o)
{
	if (tp_v2_state_refusal(&o->s) == TP_ENOMEM)
		tp_v2_out_of_memory(o, TP_ENOMEM);
	return false;
}

/* Gives another goroutine, named by an event, the status that the event needs. */
static bool other(struct tp_v2_order *o, const struct tp_v2_cursor *c, uint64_t id, uint64_t seq,
		  uint8_t status)
{
	struct tp_v2_g *g = tp_v2_g_get(&o->s, id);

	if (!g)
		return not_created(o);
	if (g->index == TP_NONE)
		return false;
	if (!g->alive || g->status != status)
		tp_v2_infer_g(o, c, g, status);
	expect_g(o, g, seq);
	return true;
}

static bool proc_start(struct tp_v2_order *o, const struct tp_v2_cursor *c, const uint8_t *in)
{
	struct tp_v2_p *p = tp_v2_p_get(&o->s, tp_v2_varint(&in));

	if (!p)
		return not_created(o);
	if (p->index == TP_NONE || c->m->index == TP_NONE)
		return false;
	if (has_p(c->m))
		infer_idle(o, c, c->m->p);
	if (!p->alive || p->status != TP_V2_P_IDLE)
		infer_idle(o, c, p);
	expect_p(o, p, tp_v2_varint(&in));
	return true;
}

static bool proc_steal(struct tp_v2_order *o, const struct tp_v2_cursor *c, const uint8_t *in)
{
	struct tp_v2_p *p = tp_v2_p_get(&o->s, tp_v2_varint(&in));
	uint64_t seq = tp_v2_varint(&in), from = tp_v2_varint(&in);
	struct tp_v2_m *victim = from == UINT64_MAX ? NULL : tp_idmap_get(&o->s.ms, from);

	if (!p)
		return not_created(o);
	if (p->index == TP_NONE || c->m->index == TP_NONE)
		return false;
	if (p->alive && victim && victim->p == p) {
		if (has_g(victim) && victim->g->alive && victim->g->status == TP_V2_G_RUNNING)
			tp_v2_infer_g(o, c, victim->g, TP_V2_G_SYSCALL);
		p->status = TP_V2_P_SYSCALL;
		victim->alive = true;
	} else {
		infer_idle(o, c, p);
		p->status = TP_V2_P_ABANDONED;
	}
	expect_p(o, p, seq);
	return true;
}

static bool proc_status(struct tp_v2_order *o, const struct tp_v2_cursor *c, const uint8_t *in)
{
	uint64_t id = tp_v2_varint(&in), status = tp_v2_varint(&in);
	struct tp_v2_p *p = tp_v2_p_get(&o->s, id);
	struct tp_v2_m *holder;

	if (!p)
		return not_created(o);
	if (p->index == TP_NONE || !status || status >= TP_V2_NPSTATUS)
		return false;
	holder = p->alive ? tp_v2_holder_of_p(&o->s, p) : NULL;
	if (status == TP_V2_P_RUNNING || status == TP_V2_P_SYSCALL) {
		if (c->m->p != p && has_p(c->m))
			infer_idle(o, c, c->m->p);
		if (holder && holder != c->m)
			infer_idle(o, c, p);
		if (p->alive && p->status != status && tp_v2_pstate[p->status] == TP_ST_IDLE) {
			struct tp_event *ev =
			    infer(o, c, TP_EV_PROC_START, p->index, TP_ST_IDLE, TP_ST_RUNNING);
			ev->m = c->m->index;
		}
		if (p->alive)
			p->status = (uint8_t)status;
		return true;
	}
	if (!p->alive || (status == TP_V2_P_ABANDONED && p->status == TP_V2_P_SYSCALL && holder))
		return true;
	if (holder || tp_v2_pstate[p->status] != tp_v2_pstate[status])
		infer_idle(o, c, p);
	p->status = (uint8_t)status;
	return true;
}

static bool go_status(struct tp_v2_order *o, const struct tp_v2_cursor *c, const uint8_t *in)
{
	uint64_t id = tp_v2_varint(&in), mid = tp_v2_varint(&in), status = tp_v2_varint(&in);
	struct tp_v2_g *g = tp_v2_g_get(&o->s, id);
	struct tp_v2_m *m = c->m, *holder;

	if (!g)
		return not_created(o);
	if (g->index == TP_NONE || !status || status >= TP_V2_NGSTATUS)
		return false;
	if (status == TP_V2_G_SYSCALL && mid != m->id) {
		m = mid == UINT64_MAX ? NULL : tp_v2_m_get(&o->s, mid);
		if (!m)
			return mid == UINT64_MAX ? false : not_created(o);
	}
	holder = g->alive ? tp_v2_holder_of_g(&o->s, g) : NULL;
	if (status != TP_V2_G_RUNNING && status != TP_V2_G_SYSCALL) {
		if (g->alive && g->status != status)
			tp_v2_infer_g(o, c, g, (uint8_t)status);
		else if (holder)
			tp_v2_m_bind(&o->s, holder, &o->s.nobody);
		return true;
	}
	if (holder && holder != m) {
		g->lost = true;
		tp_v2_m_bind(&o->s, holder, &o->s.nobody);
	}
	if (m->g != g && has_g(m))
		tp_v2_infer_g_gone(o, c, m);
	if (g->alive && g->status != status) {
		tp_v2_m_bind(&o->s, m, g);
		tp_v2_infer_g(o, c, g, (uint8_t)status);
	}
	if (m != c->m && m->alive)
		tp_v2_m_bind(&o->s, m, g);
	else if (status == TP_V2_G_SYSCALL && m->index != TP_NONE && g->alive)
		tp_v2_m_bind(&o->s, m, g);
	return true;
}

static bool stw(struct tp_v2_order *o, const struct tp_v2_cursor *c)
{
	struct tp_v2_g *g = c->m->g;

	if (!g->alive)
		return false;
	if (!g->stw)
		g->stw = tp_arena_alloc(&o->s.arena, sizeof(*g->stw));
	if (!g->stw)
		return false;
	g->stw->n = c->type == TP_V2_STWEnd;
	g->stw->name[0] = 0;
	return true;
}

static bool sweep_or_assist(struct tp_v2_order *o, const struct tp_v2_cursor *c, const uint8_t *in)
{
	bool first = o->g.number == o->s.initial_gen;
	struct tp_v2_p *p = c->m->p;
	struct tp_v2_g *g = c->m->g;

	switch (c->type) {
	case TP_V2_GCSweepActive:
		p = tp_v2_p_find(&o->s, tp_v2_varint(&in));
		if (p)
			p->sweeping = first ? 0 : o->s.ranges;
		return p != NULL;
	case TP_V2_GCMarkAssistActive:
		g = tp_v2_g_find(&o->s, tp_v2_varint(&in));
		if (g)
			g->assisting = first ? 0 : o->s.ranges;
		return g != NULL;
	case TP_V2_GCSweepBegin:
	case TP_V2_GCSweepEnd:
		p->sweeping = c->type == TP_V2_GCSweepEnd ? o->s.ranges : 0;
		return has_p(c->m);
	default:
		g->assisting = c->type == TP_V2_GCMarkAssistEnd ? o->s.ranges : 0;
		return g->alive;
	}
}

bool tp_v2_repair(struct tp_v2_order *o, const struct tp_v2_cursor *c)
{
	struct tp_v2_state *s = &o->s;
	struct tp_v2_m *m = c->m;
	const uint8_t *in = c->at;
	struct tp_v2_g *g;
	uint64_t id, seq;

	switch (c->type) {
	case TP_V2_GoStart:
		id = tp_v2_varint(&in);
		seq = tp_v2_varint(&in);
		if (m->index == TP_NONE)
			return false;
		if (has_g(m))
			tp_v2_infer_g_gone(o, c, m);
		return other(o, c, id, seq, TP_V2_G_RUNNABLE);
	case TP_V2_GoUnblock:
		id = tp_v2_varint(&in);
		seq = tp_v2_varint(&in);
		return other(o, c, id, seq, TP_V2_G_WAITING);
	case TP_V2_GoSwitch:
	case TP_V2_GoSwitchDestroy:
		id = tp_v2_varint(&in);
		seq = tp_v2_varint(&in);
		if (id == m->g->id || !own(o, c, TP_V2_G_RUNNING))
			return false;
		return other(o, c, id, seq, TP_V2_G_WAITING);
	case TP_V2_GoSyscallBegin:
		expect_p(o, m->p, tp_v2_varint(&in));
		return own(o, c, TP_V2_G_RUNNING);
	case TP_V2_GoBlock:
	case TP_V2_GoStop:
	case TP_V2_GoDestroy:
		return own(o, c, TP_V2_G_RUNNING);
	case TP_V2_GoSyscallEnd:
		m->p->status = TP_V2_P_SYSCALL;
		return own(o, c, TP_V2_G_SYSCALL);
	case TP_V2_GoSyscallEndBlocked:
		if (!has_g(m) || !m->g->alive)
			return false;
		tp_v2_infer_g(o, c, m->g, TP_V2_G_SYSCALL);
		if (has_p(m) && m->p->status == TP_V2_P_SYSCALL)
			infer_idle(o, c, m->p);
		return true;
	case TP_V2_GoDestroySyscall:
		return own(o, c, TP_V2_G_SYSCALL);
	case TP_V2_GoCreate:
	case TP_V2_GoCreateBlocked:
	case TP_V2_GoCreateSyscall:
		g = tp_v2_g_find(s, tp_v2_varint(&in));
		if (g || m->index == TP_NONE)
			return false;
		if (c->type == TP_V2_GoCreateSyscall && has_g(m))
			tp_v2_infer_g_gone(o, c, m);
		else if (has_g(m))
			own(o, c, TP_V2_G_RUNNING);
		return true;
	case TP_V2_ProcStart:
		return proc_start(o, c, in);
	case TP_V2_ProcStop:
		m->p->status = TP_V2_P_RUNNING;
		return has_p(m);
	case TP_V2_ProcSteal:
		return proc_steal(o, c, in);
	case TP_V2_ProcStatus:
		return proc_status(o, c, in);
	case TP_V2_GoStatus:
	case TP_V2_GoStatusStack:
		return go_status(o, c, in);
	case TP_V2_STWBegin:
	case TP_V2_STWEnd:
		return stw(o, c);
	case TP_V2_GCActive:
	case TP_V2_GCBegin:
	case TP_V2_GCEnd:
		s->gc_seq = tp_v2_varint(&in) - 1;
		s->gc = c->type == TP_V2_GCBegin ? TP_V2_GC_OFF : TP_V2_GC_ON;
		if (c->type == TP_V2_GCActive && o->g.number == s->initial_gen)
			s->gc = TP_V2_GC_UNKNOWN;
		return has_g(m);
	case TP_V2_GCSweepActive:
	case TP_V2_GCSweepBegin:
	case TP_V2_GCSweepEnd:
	case TP_V2_GCMarkAssistActive:
	case TP_V2_GCMarkAssistBegin:
	case TP_V2_GCMarkAssistEnd:
		return sweep_or_assist(o, c, in);
	case TP_V2_UserTaskBegin:
		tp_v2_task_end(s, tp_v2_varint(&in));
		return has_g(m);
	default:
		return false;
	}
}
