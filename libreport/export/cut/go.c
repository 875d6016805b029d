/* Goroutines: the events of a goroutine, and the events that must precede them for Go's reader to
 * accept them (internal/trace/order.go: advanceGoStart, advanceGoStopExec, …). */
#include "export/cut/state.h"

static void unbind(struct cut *c, struct cut_g *g)
{
	if (g->m != TP_NONE)
		c->ms[g->m].g = TP_NONE;
	g->m = TP_NONE;
}

static void bind(struct cut *c, uint32_t at, uint32_t m)
{
	c->gs[at].m = m;
	c->ms[m].g = at;
}

static void die(struct cut *c, struct cut_g *g)
{
	unbind(c, g);
	while (g->region)
		cut_region_pop(c, g);
	g->status = TP_V2_G_BAD;
	g->assist = false;
	g->stopping = false;
	g->stack = 0;
}

static void born(struct cut *c, uint32_t at, uint8_t status, uint32_t stack)
{
	struct cut_g *g = &c->gs[at];

	g->status = status;
	g->seq = 0;
	g->gen = c->gen;
	g->stack = stack;
	g->m = TP_NONE;
	if (c->telling && !g->seen) {
		g->seen = true;
		c->result->goroutines++;
	}
}

/* Makes a running goroutine leave its thread. */
static int leave(struct cut *c, uint32_t at, enum tp_v2_wire type, uint8_t status, uint32_t reason,
		 uint32_t stack)
{
	struct cut_g *g = &c->gs[at];
	uint32_t m = g->m;

	cut_tell_g(c, at, TP_NONE);
	unbind(c, g);
	g->status = status;
	if (stack)
		g->stack = stack;
	return cut_put(c, m, type, reason, stack, 0, 0);
}

static int unblock(struct cut *c, uint32_t at, uint32_t lane, uint32_t stack)
{
	struct cut_g *g = &c->gs[at];

	cut_tell_g(c, at, lane);
	g->status = TP_V2_G_RUNNABLE;
	return cut_put(c, lane, TP_V2_GoUnblock, g->id, ++g->seq, stack, 0);
}

static int start(struct cut *c, uint32_t at, uint32_t m)
{
	struct cut_g *g = &c->gs[at];

	cut_tell_g(c, at, m);
	g->status = TP_V2_G_RUNNING;
	bind(c, at, m);
	return cut_put(c, m, TP_V2_GoStart, g->id, ++g->seq, 0, 0);
}

/* Ends a system call without a P: the goroutine becomes runnable, on no thread. */
static int end_call_blocked(struct cut *c, uint32_t at)
{
	struct cut_g *g = &c->gs[at];
	uint32_t m = g->m, p = c->ms[m].p;

	cut_tell_g(c, at, TP_NONE);
	if (p != TP_NONE && c->ps[p].status == TP_V2_P_SYSCALL) {
		cut_mend(c);
		cut_p_stop(c, p);
	}
	unbind(c, g);
	g->status = TP_V2_G_RUNNABLE;
	return cut_put(c, m, TP_V2_GoSyscallEndBlocked, 0, 0, 0, 0);
}

/* Introduces an unknown goroutine: in the first generation by a status, later as created on a P.
 * Without a P it stays unknown. */
static int appear(struct cut *c, uint32_t at, uint32_t m, uint8_t status, uint32_t stack)
{
	cut_mend(c);
	if (c->gen <= 1) {
		born(c, at, status, stack);
		c->gs[at].gen = 0;
		return cut_tell_g(c, at, m);
	}
	for (uint32_t i = 0; i < c->np && (m == TP_NONE || c->ms[m].p == TP_NONE); i++)
		if (c->ps[i].status == TP_V2_P_RUNNING)
			m = c->ps[i].m;
	if (m == TP_NONE || c->ms[m].p == TP_NONE ||
	    (c->ms[m].g != TP_NONE && c->gs[c->ms[m].g].status != TP_V2_G_RUNNING))
		return c->code;
	born(c, at, status, stack);
	return cut_put(c, m, status == TP_V2_G_WAITING ? TP_V2_GoCreateBlocked : TP_V2_GoCreate,
		       c->gs[at].id, stack, 0, 0);
}

/* Makes a goroutine in any state runnable, or unknown if it cannot be written. */
static int make_runnable(struct cut *c, uint32_t at, uint32_t lane)
{
	struct cut_g *g = &c->gs[at];

	if (g->status == TP_V2_G_RUNNABLE)
		return c->code;
	if (g->status == TP_V2_G_BAD)
		return appear(c, at, lane, TP_V2_G_RUNNABLE, 0);
	cut_mend(c);
	if (g->status == TP_V2_G_WAITING)
		return unblock(c, at, lane, 0);
	if (g->status == TP_V2_G_SYSCALL)
		return end_call_blocked(c, at);
	if (c->ms[g->m].p == TP_NONE) {
		uint32_t m = g->m, p = TP_NONE;

		/* It cannot stop without a P. */
		for (uint32_t i = 0; i < c->np && p == TP_NONE; i++)
			if (c->ps[i].status == TP_V2_P_IDLE)
				p = i;
		if (p == TP_NONE)
			return cut_leave_out(c);
		cut_tell_p(c, p, m);
		cut_put(c, m, TP_V2_ProcStart, c->ps[p].id, ++c->ps[p].seq, 0, 0);
		c->ps[p].status = TP_V2_P_RUNNING;
		c->ps[p].m = m;
		c->ms[m].p = p;
		leave(c, at, TP_V2_GoStop, TP_V2_G_RUNNABLE, 0, 0);
		return cut_p_stop(c, p);
	}
	return leave(c, at, TP_V2_GoStop, TP_V2_G_RUNNABLE, 0, 0);
}

/* Returns the thread of the event's P, with no other goroutine running on it; TP_NONE if there is
 * no such thread. */
static uint32_t clear_lane(struct cut *c, const struct tp_event *ev)
{
	uint32_t m = cut_lane_p(c, ev, false), other;

	if (m == TP_NONE)
		return TP_NONE;
	other = c->ms[m].g;
	if (other != TP_NONE && c->gs[other].status == TP_V2_G_SYSCALL) {
		/* Traces up to go 1.21 need not record that a system call lost its P. */
		cut_mend(c);
		m = cut_p_move(c, c->ms[m].p);
	} else if (other != TP_NONE) {
		make_runnable(c, other, m);
	}
	return m == TP_NONE || c->ms[m].g != TP_NONE || c->ms[m].p == TP_NONE ? TP_NONE : m;
}

static int go_start(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	uint32_t m;

	if (c->gs[at].status == TP_V2_G_RUNNING && c->gs[at].m == cut_lane(c, ev))
		return cut_leave_out(c);
	m = clear_lane(c, ev);
	if (m == TP_NONE)
		return cut_leave_out(c);
	make_runnable(c, at, m);
	/* Making the goroutine runnable may have taken the P. */
	if (c->gs[at].status != TP_V2_G_RUNNABLE || c->ms[m].p == TP_NONE)
		return cut_leave_out(c);
	return start(c, at, m);
}

static bool has_p(const struct cut *c, const struct cut_g *g)
{
	return g->status == TP_V2_G_RUNNING && c->ms[g->m].p != TP_NONE;
}

/* Makes a goroutine run with a P, as its own events require. Returns the thread, or TP_NONE. */
static uint32_t must_run(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	const struct cut_g *g = &c->gs[at];

	if (!has_p(c, g)) {
		cut_mend(c);
		go_start(c, ev, at);
	}
	return has_p(c, g) ? g->m : TP_NONE;
}

static int go_leave(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	static const struct {
		uint8_t type;
		enum tp_v2_wire wire;
		uint8_t status;
	} how[] = {
	    {TP_EV_GO_STOP, TP_V2_GoStop, TP_V2_G_RUNNABLE},
	    {TP_EV_GO_BLOCK, TP_V2_GoBlock, TP_V2_G_WAITING},
	    {TP_EV_GO_DESTROY, TP_V2_GoDestroy, TP_V2_G_BAD},
	};
	size_t i = ev->type == TP_EV_GO_STOP ? 0 : ev->type == TP_EV_GO_BLOCK ? 1 : 2;
	uint32_t m = must_run(c, ev, at);

	if (m == TP_NONE)
		return cut_leave_out(c);
	leave(c, at, how[i].wire, how[i].status, ev->str, ev->stack);
	if (how[i].status == TP_V2_G_BAD)
		die(c, &c->gs[at]);
	return c->code;
}

static int go_unblock(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	if (c->gs[at].status == TP_V2_G_BAD)
		appear(c, at, cut_lane(c, ev), TP_V2_G_WAITING, 0);
	if (c->gs[at].status != TP_V2_G_WAITING)
		return cut_leave_out(c);
	return unblock(c, at, cut_lane(c, ev), ev->stack);
}

static int go_create(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	bool blocked = ev->type == TP_EV_GO_CREATE_BLOCKED;
	uint32_t m;

	if (c->gs[at].status != TP_V2_G_BAD)
		return cut_leave_out(c);
	m = cut_lane_p(c, ev, true);
	if (m == TP_NONE || (c->ms[m].g != TP_NONE && c->gs[c->ms[m].g].status != TP_V2_G_RUNNING))
		return cut_leave_out(c);
	born(c, at, blocked ? TP_V2_G_WAITING : TP_V2_G_RUNNABLE, ev->str2);
	return cut_put(c, m, blocked ? TP_V2_GoCreateBlocked : TP_V2_GoCreate, c->gs[at].id,
		       ev->str2, ev->stack, 0);
}

static int go_create_syscall(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	uint32_t m = ev->m;

	if (c->gs[at].status != TP_V2_G_BAD)
		return cut_leave_out(c);
	if (m >= c->real_ms || c->ms[m].g != TP_NONE)
		m = cut_free_m(c, TP_NONE);
	if (m == TP_NONE)
		return c->code;
	born(c, at, TP_V2_G_SYSCALL, 0);
	bind(c, at, m);
	return cut_put(c, m, TP_V2_GoCreateSyscall, c->gs[at].id, 0, 0, 0);
}

static int go_syscall_begin(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	uint32_t m = must_run(c, ev, at);
	struct cut_p *p;

	if (m == TP_NONE)
		return cut_leave_out(c);
	p = &c->ps[c->ms[m].p];
	cut_tell_p(c, c->ms[m].p, m);
	cut_tell_g(c, at, m);
	p->status = TP_V2_P_SYSCALL;
	c->gs[at].status = TP_V2_G_SYSCALL;
	if (ev->stack)
		c->gs[at].stack = ev->stack;
	return cut_put(c, m, TP_V2_GoSyscallBegin, ++p->seq, ev->stack, 0, 0);
}

static int go_syscall_end(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	struct cut_g *g = &c->gs[at];
	uint32_t m = g->m, p;

	if (g->status != TP_V2_G_SYSCALL)
		return cut_leave_out(c);
	p = c->ms[m].p;
	if (p == TP_NONE || c->ps[p].status != TP_V2_P_SYSCALL) {
		/* It lost its P, so it returns like a goroutine that noticed. */
		cut_mend(c);
		end_call_blocked(c, at);
		return go_start(c, ev, at);
	}
	cut_tell_g(c, at, m);
	cut_tell_p(c, p, m);
	c->ps[p].status = TP_V2_P_RUNNING;
	g->status = TP_V2_G_RUNNING;
	return cut_put(c, m, TP_V2_GoSyscallEnd, 0, 0, 0, 0);
}

static int go_syscall_blocked(struct cut *c, uint32_t at)
{
	return c->gs[at].status == TP_V2_G_SYSCALL ? end_call_blocked(c, at) : cut_leave_out(c);
}

static int go_destroy_syscall(struct cut *c, uint32_t at)
{
	struct cut_g *g = &c->gs[at];
	uint32_t m = g->m, p;

	if (g->status != TP_V2_G_SYSCALL)
		return cut_leave_out(c);
	p = c->ms[m].p;
	cut_tell_g(c, at, m);
	if (p != TP_NONE) {
		if (c->ps[p].status == TP_V2_P_SYSCALL) {
			cut_tell_p(c, p, m);
			c->ps[p].status = TP_V2_P_ABANDONED;
			c->ps[p].m = TP_NONE;
			c->ms[m].p = TP_NONE;
		} else {
			cut_mend(c);
			cut_p_stop(c, p);
		}
	}
	die(c, g);
	return cut_put(c, m, TP_V2_GoDestroySyscall, 0, 0, 0, 0);
}

/* Writes the first status of an unknown goroutine, in the first generation. */
static int go_first_status(struct cut *c, const struct tp_event *ev, uint32_t at, uint8_t status)
{
	uint32_t m = TP_NONE;

	if (status == TP_V2_G_RUNNING) {
		m = clear_lane(c, ev);
		if (m == TP_NONE)
			status = TP_V2_G_RUNNABLE;
	} else if (status == TP_V2_G_SYSCALL) {
		m = ev->m;
		if (m >= c->real_ms || c->ms[m].g != TP_NONE)
			m = cut_free_m(c, TP_NONE);
		if (m == TP_NONE)
			return c->code;
		/* The P was recorded before, when no goroutine was known. */
		if (!c->telling && c->ms[m].p != TP_NONE && !c->ps[c->ms[m].p].running)
			c->ps[c->ms[m].p].status = TP_V2_P_SYSCALL;
	}
	born(c, at, status, ev->str2 ? ev->str2 : ev->stack);
	if (m != TP_NONE)
		bind(c, at, m);
	c->gs[at].gen = 0;
	return cut_tell_g(c, at, ev->m < c->real_ms ? ev->m : TP_NONE);
}

static int go_status(struct cut *c, const struct tp_event *ev, uint32_t at)
{
	static const uint8_t status[TP_NSTATES] = {
	    [TP_ST_RUNNABLE] = TP_V2_G_RUNNABLE,
	    [TP_ST_RUNNING] = TP_V2_G_RUNNING,
	    [TP_ST_SYSCALL] = TP_V2_G_SYSCALL,
	    [TP_ST_WAITING] = TP_V2_G_WAITING,
	};
	struct cut_g *g = &c->gs[at];
	uint8_t to = ev->to < TP_NSTATES ? status[ev->to] : 0;
	uint32_t stack = ev->str2 ? ev->str2 : ev->stack;

	if (!to)
		return cut_leave_out(c);
	if (g->status == TP_V2_G_BAD && c->gen <= 1)
		return go_first_status(c, ev, at, to);
	if (g->status == TP_V2_G_BAD && to == TP_V2_G_SYSCALL)
		return go_create_syscall(c, ev, at);
	if (g->status == TP_V2_G_BAD) {
		appear(c, at, cut_lane(c, ev),
		       to == TP_V2_G_WAITING ? TP_V2_G_WAITING : TP_V2_G_RUNNABLE, stack);
		return to == TP_V2_G_RUNNING ? go_start(c, ev, at) : c->code;
	}
	g->gen = 0;
	/* As in the source: with a stack or without. */
	if (stack || !c->telling) {
		g->stack = stack ? stack : g->stack;
		return cut_tell_g(c, at, cut_lane(c, ev));
	}
	stack = g->stack;
	g->stack = 0;
	cut_tell_g(c, at, cut_lane(c, ev));
	g->stack = stack;
	return c->code;
}

int cut_switch(struct cut *c, const struct tp_event *ev, bool destroy)
{
	uint32_t next = ev->subject, at = ev->g, m = must_run(c, ev, at);

	if (m == TP_NONE)
		return cut_leave_out(c);
	cut_tell_g(c, at, m);
	cut_tell_g(c, next, m);
	if (c->gs[next].status != TP_V2_G_WAITING)
		return cut_leave_out(c);
	cut_put(c, m, destroy ? TP_V2_GoSwitchDestroy : TP_V2_GoSwitch, c->gs[next].id,
		++c->gs[next].seq, 0, 0);
	unbind(c, &c->gs[at]);
	if (destroy)
		die(c, &c->gs[at]);
	else
		c->gs[at].status = TP_V2_G_WAITING;
	c->gs[next].status = TP_V2_G_RUNNING;
	bind(c, next, m);
	return c->code;
}

int cut_go(struct cut *c, const struct tp_event *ev)
{
	uint32_t at = ev->subject;

	if (at >= c->ng || !c->gs[at].wanted)
		return 0;
	switch (ev->type) {
	case TP_EV_GO_CREATE:
	case TP_EV_GO_CREATE_BLOCKED:
		return go_create(c, ev, at);
	case TP_EV_GO_CREATE_SYSCALL:
		return go_create_syscall(c, ev, at);
	case TP_EV_GO_START:
		return go_start(c, ev, at);
	case TP_EV_GO_DESTROY:
	case TP_EV_GO_STOP:
	case TP_EV_GO_BLOCK:
		return go_leave(c, ev, at);
	case TP_EV_GO_UNBLOCK:
	case TP_EV_GO_SWITCH:
	case TP_EV_GO_SWITCH_DESTROY:
		return go_unblock(c, ev, at);
	case TP_EV_GO_SYSCALL_BEGIN:
		return go_syscall_begin(c, ev, at);
	case TP_EV_GO_SYSCALL_END:
		return go_syscall_end(c, ev, at);
	case TP_EV_GO_SYSCALL_BLOCKED:
		return go_syscall_blocked(c, at);
	case TP_EV_GO_DESTROY_SYSCALL:
		return go_destroy_syscall(c, at);
	default:
		return go_status(c, ev, at);
	}
}
