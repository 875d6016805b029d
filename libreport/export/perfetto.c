#include "export/perfetto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "export/anonymise.h"
#include "export/perfetto/json.h"

/* Counters of goroutines change with every event: they are told at most this often in a range. */
#define COUNTER_STEPS 8192

/* What is known of a goroutine at a point of the run. */
struct g_state {
	uint64_t id;
	uint32_t name; /* of its entry function */
	bool wanted, named;
	uint8_t state;
	int64_t since;	 /* of the state */
	uint32_t reason; /* of waiting */
	uint32_t stack;	 /* where it stopped */
	/* On a P, with or without a system call. */
	uint32_t p;
	int64_t on_since;
	int64_t call_since; /* INT64_MIN: in none */
	uint32_t call_stack;
	int64_t assist_since, stw_since; /* INT64_MIN: in none */
	uint32_t stw, range_stack;
	/* What made it ready, to be shown when it runs. */
	int64_t cause_ts; /* INT64_MIN: nothing to show */
	uint32_t cause_p, cause_stack;
	uint32_t cause_reason; /* it waited for; TP_NONE: it was made */
};

struct p_state {
	int64_t id;
	uint32_t in_call; /* goroutine whose system call it serves, TP_NONE */
	bool named;
	int64_t sweep_since; /* INT64_MIN: none */
	uint32_t sweep_stack;
};

struct show {
	struct rep_perfetto *p;
	const struct rep_perfetto_run *opt;
	struct tp_dict *dict;
	struct g_state *gs;
	struct p_state *ps;
	uint32_t ng, np;
	int64_t from, to; /* of the range, within the run */
	int64_t now;
	int64_t gc_since;
	uint32_t gc_stack;
	bool gc_named;
	int64_t count[TP_NSTATES], gc_waiting, running_ps;
	int64_t told, step; /* goroutines' counters: when last, how often */
	bool stale;
	uint64_t heap, goal, procs;
};

static bool in_range(const struct show *s)
{
	return s->now >= s->from && s->now < s->to;
}

static void ts(struct show *s, int64_t at)
{
	json_ts(s->p, "ts", tp_plus(at, s->opt->shift_ns));
}

static void text(struct show *s, const char *key, const char *before, uint32_t string,
		 const char *after)
{
	struct tp_text t = tp_dict_text(s->dict, string);
	char all[300];
	int n = snprintf(all, sizeof(all), "%s%.*s%s", before, (int)(t.size > 200 ? 200 : t.size),
			 t.text, after);

	json_text(s->p, key, all, n < 0 ? 0 : (size_t)n);
}

/* ---- names ---- */

static void g_name(const struct show *s, const struct g_state *g, char name[240])
{
	struct tp_text t = tp_dict_text(s->dict, g->name);

	snprintf(name, 240, "G%llu%s%.*s", (unsigned long long)g->id, t.size ? " " : "",
		 (int)(t.size > 200 ? 200 : t.size), t.text);
}

static void name_g(struct show *s, struct g_state *g)
{
	char name[240];

	if (g->named)
		return;
	g->named = true;
	g_name(s, g, name);
	json_name(s->p, "thread_name", PERFETTO_GS, g->id, name, strlen(name));
}

static void name_p(struct show *s, uint32_t p)
{
	char name[32];

	if (s->ps[p].named)
		return;
	s->ps[p].named = true;
	snprintf(name, sizeof(name), "Proc %lld", (long long)s->ps[p].id);
	json_name(s->p, "thread_name", PERFETTO_PS, (uint64_t)s->ps[p].id, name, strlen(name));
}

static bool real_p(const struct show *s, uint32_t p)
{
	return p < s->np && s->ps[p].id >= 0;
}

/* ---- slices ---- */

/* Begins a complete event of [since, now), cut to the range; false where nothing of it is there.
 * An event of no length at its very edge belongs to the range that begins there. */
static bool slice(struct show *s, enum perfetto_section section, uint64_t tid, int64_t since)
{
	int64_t from = since < s->from ? s->from : since, end = s->now < s->to ? s->now : s->to;

	if (from > end || since >= s->to || (s->now <= s->from && s->now != since) ||
	    s->now < s->from)
		return false;
	json_begin(s->p, 'X', section, tid);
	ts(s, from);
	json_ts(s->p, "dur", tp_minus(end, from));
	s->p->slices++;
	return true;
}

static bool p_slice(struct show *s, uint32_t p, int64_t since)
{
	if (since < s->to && s->now >= s->from)
		name_p(s, p);
	return slice(s, PERFETTO_PS, (uint64_t)s->ps[p].id, since);
}

static void range_slice(struct show *s, uint32_t p, int64_t since, uint32_t name, uint32_t stack)
{
	if (since == INT64_MIN || !p_slice(s, p, since))
		return;
	text(s, "name", "", name, "");
	json_stack(s->p, "sf", stack);
	json_end(s->p);
}

static void call_end(struct show *s, struct g_state *g, bool blocked)
{
	if (g->call_since == INT64_MIN)
		return;
	if (g->wanted && p_slice(s, g->p, g->call_since)) {
		json_str(s->p, "name", "syscall");
		json_stack(s->p, "sf", g->call_stack);
		json_args(s->p);
		json_str(s->p, "blocked", blocked ? "yes" : "no");
		json_args_end(s->p);
		json_end(s->p);
	}
	g->call_since = INT64_MIN;
}

/* It leaves its P. */
static void leave_p(struct show *s, struct g_state *g, uint32_t stack)
{
	char name[240];

	if (g->p == TP_NONE)
		return;
	if (g->wanted) {
		range_slice(s, g->p, g->assist_since, TP_STR_MARK_ASSIST, g->range_stack);
		range_slice(s, g->p, g->stw_since, g->stw, g->range_stack);
	}
	if (g->wanted && p_slice(s, g->p, g->on_since)) {
		g_name(s, g, name);
		json_text(s->p, "name", name, strlen(name));
		json_stack(s->p, "sf", g->stack);
		json_stack(s->p, "esf", stack);
		json_args(s->p);
		json_uint(s->p, "goroutine", g->id);
		json_args_end(s->p);
		json_end(s->p);
	}
	if (s->ps[g->p].in_call == (uint32_t)(g - s->gs))
		s->ps[g->p].in_call = TP_NONE;
	g->p = TP_NONE;
	g->call_since = INT64_MIN;
	/* Ranges go on where it runs next. */
	if (g->assist_since != INT64_MIN)
		g->assist_since = INT64_MAX;
	if (g->stw_since != INT64_MIN)
		g->stw_since = INT64_MAX;
}

static void enter_p(struct g_state *g, uint32_t p, int64_t since)
{
	g->p = p;
	g->on_since = since;
	if (g->assist_since == INT64_MAX)
		g->assist_since = since;
	if (g->stw_since == INT64_MAX)
		g->stw_since = since;
}

/* ---- what made a goroutine ready ---- */

static void flow_name(struct show *s, const struct g_state *g)
{
	if (g->cause_reason == TP_NONE)
		json_str(s->p, "name", "go");
	else if (g->cause_reason)
		text(s, "name", "unblock (", g->cause_reason, ")");
	else
		json_str(s->p, "name", "unblock");
	json_str(s->p, "cat", "wake-up");
	json_uint(s->p, "id", s->p->flows);
}

static void flow(struct show *s, struct g_state *g, uint32_t p)
{
	if (g->cause_ts == INT64_MIN || g->cause_ts < s->from || !in_range(s) || !g->wanted)
		return;
	s->p->flows++;
	name_p(s, g->cause_p);
	name_p(s, p);
	json_begin(s->p, 's', PERFETTO_PS, (uint64_t)s->ps[g->cause_p].id);
	ts(s, g->cause_ts);
	flow_name(s, g);
	json_stack(s->p, "sf", g->cause_stack);
	json_end(s->p);
	json_begin(s->p, 'f', PERFETTO_PS, (uint64_t)s->ps[p].id);
	ts(s, s->now);
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

static void state_slice(struct show *s, struct g_state *g)
{
	if (!g->wanted || g->state >= TP_NSTATES || !state_names[g->state])
		return;
	if (s->now >= s->from && g->since < s->to)
		name_g(s, g);
	if (!slice(s, PERFETTO_GS, g->id, g->since))
		return;
	if (g->state == TP_ST_WAITING && g->reason)
		text(s, "name", "blocked (", g->reason, ")");
	else
		json_str(s->p, "name", state_names[g->state]);
	json_str(s->p, "cat", "state");
	if (g->state != TP_ST_RUNNING)
		json_stack(s->p, "sf", g->stack);
	json_end(s->p);
}

static void counters(struct show *s, bool last)
{
	if (s->now < s->from || (!last && s->now >= s->to) || !s->stale ||
	    (!last && s->told != INT64_MIN && tp_minus(s->now, s->told) < s->step))
		return;
	s->told = s->now;
	s->stale = false;
	json_begin(s->p, 'C', PERFETTO_COUNTERS, 0);
	ts(s, s->now < s->to ? s->now : s->to);
	json_str(s->p, "name", "Goroutines");
	json_args(s->p);
	json_int(s->p, "Running", s->count[TP_ST_RUNNING] + s->count[TP_ST_SYSCALL]);
	json_int(s->p, "Runnable", s->count[TP_ST_RUNNABLE]);
	json_int(s->p, "GCWaiting", s->gc_waiting);
	json_args_end(s->p);
	json_end(s->p);
	json_begin(s->p, 'C', PERFETTO_COUNTERS, 0);
	ts(s, s->now < s->to ? s->now : s->to);
	json_str(s->p, "name", "Threads");
	json_args(s->p);
	json_int(s->p, "Running", s->running_ps);
	json_int(s->p, "InSyscall", s->count[TP_ST_SYSCALL]);
	json_args_end(s->p);
	json_end(s->p);
}

static void count(struct show *s, const struct g_state *g, int n)
{
	if (g->state >= TP_NSTATES || !state_names[g->state])
		return;
	s->count[g->state] += n;
	if (g->state == TP_ST_WAITING && g->assist_since != INT64_MIN)
		s->gc_waiting += n;
	s->stale = true;
}

/* Go: cmd/trace/procgen.go, GoroutineTransition, whose slices these are. */
static void go_transition(struct show *s, const struct tp_event *ev)
{
	struct g_state *g = &s->gs[ev->subject];
	uint8_t from = ev->from, to = ev->to;
	bool begins = from == TP_ST_UNDETERMINED;
	int64_t since = begins ? 0 : s->now;

	if (from == to || to >= TP_NSTATES)
		return;
	if (from == TP_ST_RUNNING && to != TP_ST_SYSCALL)
		leave_p(s, g, ev->stack);
	if (to == TP_ST_RUNNING && from != TP_ST_SYSCALL && real_p(s, ev->p)) {
		uint32_t other = s->ps[ev->p].in_call;

		/* Traces up to go 1.21 need not say that a call has lost its P. */
		if (other != TP_NONE && other != ev->subject) {
			call_end(s, &s->gs[other], true);
			leave_p(s, &s->gs[other], 0);
			s->ps[ev->p].in_call = TP_NONE;
		}
		flow(s, g, ev->p);
		g->cause_ts = INT64_MIN;
		enter_p(g, ev->p, since);
	}
	if ((from == TP_ST_WAITING || (from == TP_ST_NOT_EXIST && to == TP_ST_RUNNABLE)) &&
	    real_p(s, ev->p)) {
		g->cause_ts = s->now;
		g->cause_p = ev->p;
		g->cause_stack = ev->stack;
		g->cause_reason = from == TP_ST_WAITING ? g->reason : TP_NONE;
	}
	if (to == TP_ST_SYSCALL && real_p(s, ev->p)) {
		if (g->p == TP_NONE)
			enter_p(g, ev->p, since);
		g->call_since = since;
		g->call_stack = ev->stack;
		s->ps[ev->p].in_call = ev->subject;
	}
	if (from == TP_ST_SYSCALL && g->p != TP_NONE && s->ps[g->p].in_call == ev->subject) {
		call_end(s, g, false);
		s->ps[g->p].in_call = TP_NONE;
		if (to != TP_ST_RUNNING)
			leave_p(s, g, ev->stack);
	}
	state_slice(s, g);
	count(s, g, -1);
	g->state = to;
	g->since = since;
	g->reason = to == TP_ST_WAITING ? ev->str : 0;
	/* Where it is as long as it does not run; who wakes it is elsewhere. */
	if (ev->stack && (from == TP_ST_RUNNING || to == TP_ST_SYSCALL || begins))
		g->stack = ev->stack;
	count(s, g, 1);
	counters(s, false);
}

static void instant(struct show *s, enum perfetto_section section, uint64_t tid, const char *name,
		    uint32_t stack)
{
	json_begin(s->p, 'i', section, tid);
	ts(s, s->now);
	json_str(s->p, "name", name);
	json_str(s->p, "s", "t");
	json_stack(s->p, "sf", stack);
	json_end(s->p);
}

static void proc_transition(struct show *s, const struct tp_event *ev)
{
	struct p_state *p = &s->ps[ev->subject];

	if (!real_p(s, ev->subject) || ev->from == ev->to)
		return;
	if (ev->from == TP_ST_RUNNING && p->in_call != TP_NONE) {
		struct g_state *g = &s->gs[p->in_call];

		call_end(s, g, true);
		leave_p(s, g, ev->stack);
		p->in_call = TP_NONE;
	}
	s->running_ps += (ev->to == TP_ST_RUNNING) - (ev->from == TP_ST_RUNNING);
	s->stale = true;
	if (!in_range(s) || (ev->to != TP_ST_RUNNING && ev->from != TP_ST_RUNNING))
		return;
	name_p(s, ev->subject);
	instant(s, PERFETTO_PS, (uint64_t)p->id,
		ev->to == TP_ST_RUNNING ? "proc start" : "proc stop", ev->stack);
}

/* ---- ranges, metrics, logs, samples ---- */

static void gc_range(struct show *s, bool end)
{
	if (end && s->gc_since != INT64_MIN) {
		if (!s->gc_named && s->now >= s->from && s->gc_since < s->to) {
			json_name(s->p, "thread_name", PERFETTO_PS, PERFETTO_GC, "GC", 2);
			s->gc_named = true;
		}
		if (slice(s, PERFETTO_PS, PERFETTO_GC, s->gc_since)) {
			text(s, "name", "", TP_STR_GC_MARK, "");
			json_stack(s->p, "sf", s->gc_stack);
			json_end(s->p);
		}
	}
	s->gc_since = end ? INT64_MIN : s->now;
}

static struct g_state *owner(struct show *s, const struct tp_event *ev)
{
	uint32_t g = ev->subject != TP_NONE ? ev->subject : ev->g;

	return g < s->ng ? &s->gs[g] : NULL;
}

static void range(struct show *s, const struct tp_event *ev)
{
	struct g_state *g;

	switch (ev->type) {
	case TP_EV_GC_ACTIVE:
		if (s->gc_since == INT64_MIN)
			s->gc_since = 0;
		return;
	case TP_EV_GC_BEGIN:
		s->gc_stack = ev->stack;
		gc_range(s, false);
		return;
	case TP_EV_GC_END:
		gc_range(s, true);
		return;
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
	case TP_EV_GC_SWEEP_END: {
		uint32_t at = ev->type == TP_EV_GC_SWEEP_ACTIVE ? ev->subject : ev->p;

		if (!real_p(s, at))
			return;
		if (ev->type == TP_EV_GC_SWEEP_END) {
			range_slice(s, at, s->ps[at].sweep_since, TP_STR_GC_SWEEP,
				    s->ps[at].sweep_stack);
			s->ps[at].sweep_since = INT64_MIN;
		} else if (s->ps[at].sweep_since == INT64_MIN) {
			s->ps[at].sweep_since = ev->type == TP_EV_GC_SWEEP_ACTIVE ? 0 : s->now;
			s->ps[at].sweep_stack = ev->stack;
		}
		return;
	}
	default:
		break;
	}
	g = owner(s, ev);
	if (!g)
		return;
	switch (ev->type) {
	case TP_EV_MARK_ASSIST_ACTIVE:
	case TP_EV_MARK_ASSIST_BEGIN:
		if (g->assist_since == INT64_MIN) {
			count(s, g, -1);
			g->assist_since = g->p == TP_NONE			 ? INT64_MAX
					  : ev->type == TP_EV_MARK_ASSIST_ACTIVE ? g->on_since
										 : s->now;
			count(s, g, 1);
		}
		g->range_stack = ev->stack;
		return;
	case TP_EV_MARK_ASSIST_END:
		if (g->p != TP_NONE && g->wanted)
			range_slice(s, g->p, g->assist_since, TP_STR_MARK_ASSIST, g->range_stack);
		count(s, g, -1);
		g->assist_since = INT64_MIN;
		count(s, g, 1);
		return;
	case TP_EV_STW_BEGIN:
		g->stw = ev->str;
		g->stw_since = g->p == TP_NONE ? INT64_MAX : s->now;
		g->range_stack = ev->stack;
		return;
	default:
		if (g->p != TP_NONE && g->wanted)
			range_slice(s, g->p, g->stw_since, g->stw, g->range_stack);
		g->stw_since = INT64_MIN;
		return;
	}
}

static void metric(struct show *s, const struct tp_event *ev)
{
	if (ev->type == TP_EV_PROCS_CHANGE)
		s->procs = ev->arg[0];
	else if (ev->type == TP_EV_HEAP_ALLOC)
		s->heap = ev->arg[0];
	else
		s->goal = ev->arg[0];
	if (!in_range(s))
		return;
	json_begin(s->p, 'C', PERFETTO_COUNTERS, 0);
	ts(s, s->now);
	json_str(s->p, "name", ev->type == TP_EV_PROCS_CHANGE ? "GOMAXPROCS" : "Heap");
	json_args(s->p);
	if (ev->type == TP_EV_PROCS_CHANGE) {
		json_uint(s->p, "GOMAXPROCS", s->procs);
	} else {
		/* The goal of a program that never collects is "none". */
		json_uint(s->p, "Allocated", s->heap);
		json_uint(s->p, "NextGC",
			  s->goal > s->heap && s->goal <= INT64_MAX ? s->goal - s->heap : 0);
	}
	json_args_end(s->p);
	json_end(s->p);
}

static void log_event(struct show *s, const struct tp_event *ev)
{
	struct g_state *g = ev->g < s->ng ? &s->gs[ev->g] : NULL;

	if (!g || !g->wanted || !in_range(s))
		return;
	name_g(s, g);
	json_begin(s->p, 'i', PERFETTO_GS, g->id);
	ts(s, s->now);
	text(s, "name", "", ev->str2, "");
	json_str(s->p, "cat", "log");
	json_str(s->p, "s", "t");
	json_stack(s->p, "sf", ev->stack);
	json_args(s->p);
	text(s, "category", "", ev->str, "");
	json_uint(s->p, "task", ev->arg[0]);
	json_args_end(s->p);
	json_end(s->p);
}

static void event(struct show *s, const struct tp_event *ev)
{
	s->now = ev->ts;
	switch (tp_event_descs[ev->type].kind) {
	case TP_KIND_TRANSITION:
		if (tp_event_descs[ev->type].subject == 'P' ? ev->subject >= s->np
							    : ev->subject >= s->ng)
			return;
		if (tp_event_descs[ev->type].subject == 'P')
			proc_transition(s, ev);
		else
			go_transition(s, ev);
		return;
	case TP_KIND_RANGE_BEGIN:
	case TP_KIND_RANGE_ACTIVE:
	case TP_KIND_RANGE_END:
		range(s, ev);
		return;
	case TP_KIND_METRIC:
		metric(s, ev);
		return;
	case TP_KIND_LOG:
		log_event(s, ev);
		return;
	case TP_KIND_STACK_SAMPLE:
		if (in_range(s) && real_p(s, ev->p) && (ev->g >= s->ng || s->gs[ev->g].wanted)) {
			name_p(s, ev->p);
			instant(s, PERFETTO_PS, (uint64_t)s->ps[ev->p].id, "CPU profile sample",
				ev->stack);
		}
		return;
	default:
		return;
	}
}

/* What goes on when the range or the run ends. */
static void finish_slices(struct show *s, int64_t end)
{
	s->now = end;
	for (uint32_t i = 0; i < s->np; i++)
		if (s->ps[i].sweep_since != INT64_MIN)
			range_slice(s, i, s->ps[i].sweep_since, TP_STR_GC_SWEEP,
				    s->ps[i].sweep_stack);
	gc_range(s, true);
	for (uint32_t i = 0; i < s->ng; i++) {
		struct g_state *g = &s->gs[i];

		if (g->p != TP_NONE) {
			call_end(s, g, false);
			leave_p(s, g, 0);
		}
		state_slice(s, g);
	}
	counters(s, true);
}

/* ---- tasks and regions, from their tables ---- */

static void tasks(struct show *s, const struct tp_rows *t)
{
	for (size_t i = 0; i < t->nrows; i++) {
		const int64_t *const *c = (const int64_t *const *)t->col;
		int64_t start = c[TP_COL(TASK, start_ns)][i], end = c[TP_COL(TASK, end_ns)][i];
		uint64_t id = (uint64_t)c[TP_COL(TASK, id)][i];
		uint32_t name = (uint32_t)c[TP_COL(TASK, name)][i];
		int64_t g = c[TP_COL(TASK, goroutine)][i];
		struct tp_text n = tp_dict_text(s->dict, name);
		char label[240];

		if (start == TP_NULL)
			start = 0;
		if (g >= 0 && g < s->ng && !s->gs[g].wanted)
			continue;
		s->now = end == TP_NULL ? s->to : end;
		if (start >= s->to || s->now < s->from)
			continue;
		snprintf(label, sizeof(label), "T%llu %.*s", (unsigned long long)id,
			 (int)(n.size > 200 ? 200 : n.size), n.text);
		json_name(s->p, "thread_name", PERFETTO_TASKS, id, label, strlen(label));
		if (!slice(s, PERFETTO_TASKS, id, start))
			continue;
		text(s, "name", "", name, "");
		json_stack(s->p, "sf", (uint32_t)c[TP_COL(TASK, stack)][i]);
		json_args(s->p);
		json_uint(s->p, "id", id);
		json_uint(s->p, "parent", (uint64_t)c[TP_COL(TASK, parent)][i]);
		if (g >= 0 && g < s->ng)
			json_uint(s->p, "start_g", s->gs[g].id);
		json_str(s->p, "ended", end == TP_NULL ? "no" : "yes");
		json_args_end(s->p);
		json_end(s->p);
	}
}

static void regions(struct show *s, const struct tp_rows *t)
{
	for (size_t i = 0; i < t->nrows; i++) {
		const int64_t *const *c = (const int64_t *const *)t->col;
		int64_t start = c[TP_COL(REGION, start_ns)][i];
		int64_t end = c[TP_COL(REGION, end_ns)][i];
		int64_t g = c[TP_COL(REGION, goroutine)][i];
		uint32_t name = (uint32_t)c[TP_COL(REGION, name)][i];
		int64_t at[2] = {start == TP_NULL || start < s->from ? s->from : start,
				 end == TP_NULL || end > s->to ? s->to : end};

		if (!name || g < 0 || g >= s->ng || !s->gs[g].wanted || at[0] >= s->to ||
		    at[1] < s->from || at[1] < at[0])
			continue;
		name_g(s, &s->gs[g]);
		s->p->flows++;
		for (int k = 0; k < 2; k++) {
			json_begin(s->p, k ? 'e' : 'b', PERFETTO_GS, s->gs[g].id);
			ts(s, at[k]);
			text(s, "name", "", name, "");
			json_str(s->p, "cat", "Region");
			json_uint(s->p, "id", s->p->flows);
			if (!k)
				json_stack(s->p, "sf", (uint32_t)c[TP_COL(REGION, stack)][i]);
			json_args(s->p);
			json_int(s->p, "taskid", c[TP_COL(REGION, task)][i]);
			json_args_end(s->p);
			json_end(s->p);
		}
	}
}

/* ---- a run ---- */

static int nomem(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

static int load(struct show *s, struct tp_store *store, int64_t run)
{
	const uint32_t columns = 1u << TP_COL(GOROUTINE, id) | 1u << TP_COL(GOROUTINE, name);
	struct rep_perfetto *p = s->p;
	struct tp_rows g = {0}, proc = {0};
	int code = tp_rows_load(store, run, TP_TABLE_GOROUTINE, columns, &g, p->err);

	if (!code)
		code =
		    tp_rows_load(store, run, TP_TABLE_PROC, 1u << TP_COL(PROC, id), &proc, p->err);
	if (!code) {
		s->gs = calloc(g.nrows + 1, sizeof(*s->gs));
		s->ps = calloc(proc.nrows + 1, sizeof(*s->ps));
		code = s->gs && s->ps ? 0 : nomem(p->err);
	}
	for (size_t i = 0; !code && i < g.nrows; i++, s->ng++)
		s->gs[i] = (struct g_state){
		    .id = (uint64_t)g.col[TP_COL(GOROUTINE, id)][i],
		    .name = (uint32_t)g.col[TP_COL(GOROUTINE, name)][i],
		    .wanted = !s->opt->wanted || (i < s->opt->ngoroutines && s->opt->wanted[i]),
		    .p = TP_NONE,
		    .call_since = INT64_MIN,
		    .assist_since = INT64_MIN,
		    .stw_since = INT64_MIN,
		    .cause_ts = INT64_MIN,
		};
	for (size_t i = 0; !code && i < proc.nrows; i++, s->np++)
		s->ps[i] = (struct p_state){.id = proc.col[TP_COL(PROC, id)][i],
					    .in_call = TP_NONE,
					    .sweep_since = INT64_MIN};
	tp_rows_release(&g);
	tp_rows_release(&proc);
	return code;
}

static int add_stacks(struct rep_perfetto *p, struct tp_dict *dict)
{
	uint32_t n = tp_dict_stacks(dict);
	uint8_t *used = calloc(n, 1);
	struct perfetto_stacks *all =
	    used ? tp_more(p->stacks, p->nstacks + 1, sizeof(*all)) : NULL;

	if (!all) {
		free(used);
		tp_dict_free(dict);
		return nomem(p->err);
	}
	p->stacks = all;
	p->stacks[p->nstacks++] =
	    (struct perfetto_stacks){.dict = dict, .used = used, .n = n, .first = p->frames};
	p->frames += n;
	return 0;
}

static void name_run(struct show *s)
{
	static const char *const sections[PERFETTO_NSECTIONS] = {
	    [PERFETTO_PS] = "Ps",
	    [PERFETTO_GS] = "goroutines",
	    [PERFETTO_TASKS] = "tasks",
	    [PERFETTO_COUNTERS] = "counters",
	};
	char name[300];

	for (unsigned i = 0; i < PERFETTO_NSECTIONS; i++) {
		int n = snprintf(name, sizeof(name), "%.200s: %s", s->opt->name, sections[i]);

		json_name(s->p, "process_name", (enum perfetto_section)i, 0, name,
			  n < 0 ? 0 : (size_t)n);
		json_begin(s->p, 'M', (enum perfetto_section)i, 0);
		json_str(s->p, "name", "process_sort_index");
		json_args(s->p);
		json_uint(s->p, "sort_index", s->p->pid + i);
		json_args_end(s->p);
		json_end(s->p);
	}
}

static int show_events(struct show *s, struct tp_store *store, int64_t run)
{
	struct tp_event_range range = {INT64_MIN, s->to, 0, INT64_MAX};
	struct tp_event_reader *r = NULL;
	const struct tp_event *ev;
	size_t n;
	bool done = false;
	int more = 0, code = tp_events_open(&r, store, run, &range, s->p->err);

	while (!code && !s->p->code && !done && (more = tp_events_next(r, &ev, &n, s->p->err)) > 0)
		for (size_t i = 0; i < n && !done; i++) {
			done = ev[i].ts >= s->to;
			if (!done)
				event(s, &ev[i]);
		}
	tp_events_close(r);
	return code ? code : more < 0 ? more : 0;
}

static int show_tables(struct show *s, struct tp_store *store, int64_t run)
{
	struct tp_rows t = {0};
	int code = tp_rows_load(store, run, TP_TABLE_TASK, 0, &t, s->p->err);

	if (!code)
		tasks(s, &t);
	tp_rows_release(&t);
	t = (struct tp_rows){0};
	if (!code)
		code = tp_rows_load(store, run, TP_TABLE_REGION, 0, &t, s->p->err);
	if (!code)
		regions(s, &t);
	tp_rows_release(&t);
	return code;
}

int rep_perfetto_run(struct rep_perfetto *p, struct tp_store *store, const struct rep_run *run,
		     const struct rep_perfetto_run *opt, struct tp_err *err)
{
	struct show s = {.p = p, .opt = opt, .gc_since = INT64_MIN, .told = INT64_MIN};
	int64_t end = run->row.duration_ns;
	int code;

	p->err = err;
	s.from = opt->from_ns < 0 ? 0 : opt->from_ns;
	s.to = opt->to_ns > end ? (end < INT64_MAX ? end + 1 : end) : opt->to_ns;
	s.step = tp_minus(s.to, s.from) / COUNTER_STEPS;
	code = tp_dict_load(store, run->row.id, &s.dict, err);
	if (!code)
		code = add_stacks(p, s.dict);
	if (!code && opt->anonymise)
		code = rep_anonymise_trace(opt->anonymise, store, run->row.id, s.dict, err);
	if (!code)
		code = load(&s, store, run->row.id);
	if (!code) {
		name_run(&s);
		code = show_events(&s, store, run->row.id);
	}
	if (!code) {
		finish_slices(&s, opt->to_ns > end ? end : s.to);
		code = show_tables(&s, store, run->row.id);
	}
	p->pid += PERFETTO_NSECTIONS;
	free(s.gs);
	free(s.ps);
	return code ? code : p->code;
}

/* ---- the file ---- */

int rep_perfetto_begin(struct rep_perfetto **out, const struct tp_out *to,
		       const struct rep_perfetto_clock *clock, struct tp_err *err)
{
	struct rep_perfetto *p = calloc(1, sizeof(*p));

	*out = NULL;
	if (!p)
		return nomem(err);
	p->out = *to;
	p->err = err;
	p->pid = 1;
	p->frames = 1;
	json_raw(p, "{");
	json_str(p, "displayTimeUnit", "ns");
	json_raw(p, ",\"otherData\":{");
	json_str(p, "clock", clock->unix_time ? "unix" : "run");
	if (clock->unix_time) {
		char base[24];

		/* Text: 64 bits are more than a number of JSON holds. */
		snprintf(base, sizeof(base), "%lld", (long long)clock->base_ns);
		json_str(p, "base_unix_ns", base);
		json_int(p, "error_ns", clock->error_ns);
	}
	json_raw(p, "},\"traceEvents\":[");
	if (p->code) {
		rep_perfetto_free(p);
		return TP_ENOMEM;
	}
	*out = p;
	return 0;
}

static void put_frames(struct rep_perfetto *p, struct perfetto_stacks *s, bool *any)
{
	/* A caller's number is smaller than that of what it calls. */
	for (uint32_t i = s->n - 1; i > 0; i--)
		if (s->used[i])
			s->used[tp_dict_stack_at(s->dict, i).parent] = 1;
	for (uint32_t i = 1; i < s->n && !p->code; i++) {
		struct tp_stack_node node = tp_dict_stack_at(s->dict, i);
		struct tp_frame f = tp_dict_frame_at(s->dict, node.frame);
		struct tp_text t = tp_dict_text(s->dict, tp_dict_frame_name(s->dict, node.frame));
		char text[320];
		int n;

		if (!s->used[i])
			continue;
		snprintf(text, sizeof(text), "%s\"%llu\":{", *any ? ",\n" : "\n",
			 (unsigned long long)(s->first + i));
		*any = true;
		json_raw(p, text);
		n = snprintf(text, sizeof(text), "%.*s:%lld", (int)(t.size > 250 ? 250 : t.size),
			     t.text, (long long)f.line);
		json_text(p, "name", text, n < 0 ? 0 : (size_t)n);
		if (node.parent)
			json_uint(p, "parent", s->first + node.parent);
		json_end(p);
	}
}

int rep_perfetto_end(struct rep_perfetto *p, struct tp_err *err)
{
	bool any = false;

	p->err = err;
	json_raw(p, "],\"stackFrames\":{");
	for (size_t i = 0; i < p->nstacks; i++)
		put_frames(p, &p->stacks[i], &any);
	json_raw(p, "}}\n");
	if (!p->code)
		p->code = p->out.write(p->out.ctx, p->buf.data, p->buf.size, err);
	p->buf.size = 0;
	return p->code;
}

void rep_perfetto_free(struct rep_perfetto *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nstacks; i++) {
		tp_dict_free(p->stacks[i].dict);
		free(p->stacks[i].used);
	}
	free(p->stacks);
	tp_buf_release(&p->buf);
	free(p);
}
