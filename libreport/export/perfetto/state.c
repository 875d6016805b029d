/* State changes of goroutines and Ps, and the causes of wake-ups. */
#include "base/sum.h"
#include "export/perfetto/show.h"

/* ---- causes of wake-ups ---- */

static void flow_name(struct show *s, const struct g_state *g)
{
	if (g->cause_reason == TP_NONE)
		json_str(s->p, "name", "go");
	else if (g->cause_reason)
		show_text(s, "name", "unblock (", g->cause_reason, ")");
	else
		json_str(s->p, "name", "unblock");
	json_str(s->p, "cat", "wake-up");
	json_uint(s->p, "id", s->p->flows);
}

static void flow(struct show *s, struct g_state *g, uint32_t p)
{
	if (g->cause_ts == INT64_MIN || g->cause_ts < s->from || !show_in_range(s) || !g->wanted)
		return;
	s->p->flows++;
	show_name_p(s, g->cause_p);
	show_name_p(s, p);
	json_begin(s->p, 's', PERFETTO_PS, (uint64_t)s->ps[g->cause_p].id);
	show_ts(s, g->cause_ts);
	flow_name(s, g);
	json_stack(s->p, "sf", g->cause_stack);
	json_end(s->p);
	json_begin(s->p, 'f', PERFETTO_PS, (uint64_t)s->ps[p].id);
	show_ts(s, s->now);
	flow_name(s, g);
	json_str(s->p, "bp", "e");
	json_end(s->p);
}

/* ---- the states of goroutines ---- */

static const char *const state_names[TP_NSTATES] = {
    [TP_ST_RUNNABLE] = "runnable",
    [TP_ST_RUNNING] = "running",
    [TP_ST_WAITING] = "blocked",
    [TP_ST_SYSCALL] = "syscall",
};

void show_state_slice(struct show *s, struct g_state *g)
{
	bool tells;

	if (!g->wanted || g->state >= TP_NSTATES || !state_names[g->state])
		return;
	if (s->now >= s->from && g->since < s->to)
		show_name_g(s, g);
	if (!show_slice(s, PERFETTO_GS, g->id, g->since))
		return;
	if (g->state == TP_ST_WAITING && g->reason)
		show_text(s, "name", "blocked (", g->reason, ")");
	else
		json_str(s->p, "name", state_names[g->state]);
	json_str(s->p, "cat", "state");
	/* A slice of a P has no place for the stack with which a goroutine began to run if that
	 * enters a system call first. */
	tells = g->state != TP_ST_RUNNING || g->shown == TP_NONE;
	if (tells && g->stack != g->shown)
		json_stack(s->p, "sf", g->stack);
	g->shown = tells ? g->stack : 0;
	json_end(s->p);
}

void show_counters(struct show *s, bool last)
{
	if (s->now < s->from || (!last && s->now >= s->to) || !s->stale ||
	    (!last && s->told != INT64_MIN && tp_minus(s->now, s->told) < s->step))
		return;
	s->told = s->now;
	s->stale = false;
	json_begin(s->p, 'C', PERFETTO_COUNTERS, 0);
	show_ts(s, s->now < s->to ? s->now : s->to);
	json_str(s->p, "name", "Goroutines");
	json_args(s->p);
	json_int(s->p, "Running", s->count[TP_ST_RUNNING] + s->count[TP_ST_SYSCALL]);
	json_int(s->p, "Runnable", s->count[TP_ST_RUNNABLE]);
	json_int(s->p, "GCWaiting", s->gc_waiting);
	json_args_end(s->p);
	json_end(s->p);
	json_begin(s->p, 'C', PERFETTO_COUNTERS, 0);
	show_ts(s, s->now < s->to ? s->now : s->to);
	json_str(s->p, "name", "Threads");
	json_args(s->p);
	json_int(s->p, "Running", s->running_ps);
	json_int(s->p, "InSyscall", s->count[TP_ST_SYSCALL]);
	json_args_end(s->p);
	json_end(s->p);
}

void show_count(struct show *s, const struct g_state *g, int n)
{
	if (g->state >= TP_NSTATES || !state_names[g->state])
		return;
	s->count[g->state] += n;
	if (g->state == TP_ST_WAITING && g->assist_since != INT64_MIN)
		s->gc_waiting += n;
	s->stale = true;
}

/* Writes the slices of Go's cmd/trace/procgen.go, GoroutineTransition. */
void show_go_transition(struct show *s, const struct tp_event *ev)
{
	struct g_state *g = &s->gs[ev->subject];
	uint8_t from = ev->from, to = ev->to;
	bool begins = from == TP_ST_UNDETERMINED;
	int64_t since = begins ? 0 : s->now;

	if (from == to || to >= TP_NSTATES)
		return;
	if (from == TP_ST_RUNNING && to != TP_ST_SYSCALL)
		show_leave_p(s, g, ev->stack);
	if (to == TP_ST_RUNNING && from != TP_ST_SYSCALL && show_real_p(s, ev->p)) {
		uint32_t other = s->ps[ev->p].in_call;

		/* Traces up to go 1.21 need not record that a call lost its P. */
		if (other != TP_NONE && other != ev->subject) {
			show_call_end(s, &s->gs[other], true);
			show_leave_p(s, &s->gs[other], 0);
			s->ps[ev->p].in_call = TP_NONE;
		}
		flow(s, g, ev->p);
		g->cause_ts = INT64_MIN;
		show_enter_p(g, ev->p, since);
	}
	if ((from == TP_ST_WAITING || (from == TP_ST_NOT_EXIST && to == TP_ST_RUNNABLE)) &&
	    show_real_p(s, ev->p)) {
		g->cause_ts = s->now;
		g->cause_p = ev->p;
		g->cause_stack = ev->stack;
		g->cause_reason = from == TP_ST_WAITING ? g->reason : TP_NONE;
	}
	if (to == TP_ST_SYSCALL && show_real_p(s, ev->p)) {
		if (g->p == TP_NONE)
			show_enter_p(g, ev->p, since);
		g->call_since = since;
		g->call_stack = ev->stack;
		s->ps[ev->p].in_call = ev->subject;
	}
	if (from == TP_ST_SYSCALL && g->p != TP_NONE && s->ps[g->p].in_call == ev->subject) {
		show_call_end(s, g, false);
		s->ps[g->p].in_call = TP_NONE;
		if (to != TP_ST_RUNNING)
			show_leave_p(s, g, ev->stack);
	}
	show_state_slice(s, g);
	show_count(s, g, -1);
	g->state = to;
	g->since = since;
	g->reason = to == TP_ST_WAITING ? ev->str : 0;
	/* The stack is where the goroutine is while it does not run; a waker's stack is
	 * elsewhere. */
	if (ev->stack && (from == TP_ST_RUNNING || to == TP_ST_SYSCALL || begins))
		g->stack = ev->stack;
	show_count(s, g, 1);
	show_counters(s, false);
}

void show_proc_transition(struct show *s, const struct tp_event *ev)
{
	struct p_state *p = &s->ps[ev->subject];

	if (!show_real_p(s, ev->subject) || ev->from == ev->to)
		return;
	if (ev->from == TP_ST_RUNNING && p->in_call != TP_NONE) {
		struct g_state *g = &s->gs[p->in_call];

		show_call_end(s, g, true);
		show_leave_p(s, g, ev->stack);
		p->in_call = TP_NONE;
	}
	s->running_ps += (ev->to == TP_ST_RUNNING) - (ev->from == TP_ST_RUNNING);
	s->stale = true;
	if (!show_in_range(s) || (ev->to != TP_ST_RUNNING && ev->from != TP_ST_RUNNING))
		return;
	show_name_p(s, ev->subject);
	show_instant(s, PERFETTO_PS, (uint64_t)p->id,
		     ev->to == TP_ST_RUNNING ? "proc start" : "proc stop", ev->stack);
}
