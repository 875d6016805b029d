#include "order/sched/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "order/sched/calls.h"

static int fail(struct tp_sched *s, int code)
{
	if (code && !s->code)
		s->code = tp_err_full(s->err, code, "the trace has too many names or stacks");
	return s->code;
}

/* ---- delivery ---- */

static void take_room(struct tp_sched *s)
{
	s->out = s->sink->room ? s->sink->room(s->sink->ctx) : s->own;
}

static int flush(struct tp_sched *s)
{
	struct tp_trace *t = s->trace;

	if (s->nout && !s->code) {
		t->events += s->nout;
		if (!t->started)
			t->first_ts = s->out[0].ts;
		t->started = true;
		t->last_ts = s->out[s->nout - 1].ts;
		s->code = s->sink->events(s->sink->ctx, s->out, s->nout, s->err);
	}
	s->nout = 0;
	take_room(s);
	return s->code;
}

/* Returns a new event with a time and a processor. */
static struct tp_event *put(struct tp_sched *s, unsigned type, int64_t ts, uint32_t p)
{
	struct tp_event *ev;

	if (s->nout == TP_BATCH_EVENTS)
		flush(s);
	ev = &s->out[s->nout++];
	*ev = (struct tp_event){.ts = ts,
				.g = TP_NONE,
				.m = TP_NONE,
				.p = p,
				.subject = TP_NONE,
				.type = (uint8_t)type};
	return ev;
}

int tp_sched_init(struct tp_sched *s)
{
	static const char preempted[] = "preempted";

	s->own = malloc(TP_BATCH_EVENTS * sizeof(*s->own));
	if (!s->own)
		return s->code = tp_nomem(s->err);
	take_room(s);
	s->last_ts = INT64_MIN;
	return fail(s, tp_dict_string(s->trace->dict, preempted, strlen(preempted), &s->preempted));
}

void tp_sched_release(struct tp_sched *s)
{
	free(s->own);
	free(s->threads);
	free(s->cpus);
	tp_ids_release(&s->thread_of);
	tp_ids_release(&s->cpu_of);
}

/* ---- threads ---- */

static bool same(struct tp_scan a, struct tp_scan b)
{
	return tp_scan_left(&a) == tp_scan_left(&b) && !memcmp(a.at, b.at, tp_scan_left(&a));
}

static void rename_thread(struct tp_sched_thread *t, struct tp_scan comm)
{
	if (comm.at == comm.end || (t->comm.at && same(t->comm, comm)))
		return;
	t->comm = comm;
	t->name = t->root = 0;
}

/* Returns the goroutine of a thread, which is added if new; TP_NONE for the idle one, and if it fails. */
static uint32_t thread_at(struct tp_sched *s, int64_t tid, struct tp_scan comm)
{
	uint32_t g;
	bool again;

	if (tid <= 0 || s->code)
		return TP_NONE;
	g = tp_ids_get(&s->thread_of, (uint64_t)tid);
	again = g != TP_NO_ID;
	if (g == TP_NO_ID || s->threads[g].state == TP_ST_NOT_EXIST) {
		g = tp_trace_new_g(s->trace, (uint64_t)tid);
		if (g == TP_NONE || tp_grow(&s->threads, &s->room, g, sizeof(*s->threads)) ||
		    tp_ids_put(&s->thread_of, (uint64_t)tid, g)) {
			s->code = tp_nomem(s->err);
			return TP_NONE;
		}
		s->threads[g] =
		    (struct tp_sched_thread){.tid = (uint64_t)tid, .pid = -1, .again = again};
	}
	rename_thread(&s->threads[g], comm);
	return g;
}

static uint32_t name_of(struct tp_sched *s, struct tp_sched_thread *t)
{
	if (!t->name && t->comm.at)
		fail(s,
		     tp_dict_string(s->trace->dict, t->comm.at, tp_scan_left(&t->comm), &t->name));
	return t->name;
}

/* Returns the stack that has only the thread's name. */
static uint32_t root_of(struct tp_sched *s, uint32_t g)
{
	struct tp_sched_thread *t = g == TP_NONE ? NULL : &s->threads[g];
	struct tp_function function = {0};
	struct tp_frame frame = {0};
	uint32_t id;
	int code;

	if (!t || t->root || !(function.name = name_of(s, t)))
		return t ? t->root : 0;
	code = tp_dict_function(s->trace->dict, &function, &frame.function);
	if (!code)
		code = tp_dict_frame(s->trace->dict, &frame, &id);
	if (!code)
		code = tp_dict_stack(s->trace->dict, 0, id, &t->root);
	fail(s, code);
	return t->root;
}

static uint32_t stack_of(struct tp_sched *s, const struct tp_sched_context *c, uint32_t g)
{
	uint32_t stack = root_of(s, g);

	for (size_t i = c->nframes; i-- && !s->code;)
		fail(s, tp_dict_stack(s->trace->dict, stack, c->frames[i], &stack));
	return stack;
}

/* Delivers a transition of a thread. */
static struct tp_event *move(struct tp_sched *s, unsigned type, int64_t ts, uint32_t p, uint32_t g,
			     enum tp_state to)
{
	struct tp_sched_thread *t = &s->threads[g];
	bool first = t->state == TP_ST_NONE;
	struct tp_event *ev = put(s, type, ts, p);

	ev->subject = ev->g = g;
	ev->from = first ? TP_ST_UNDETERMINED : t->state;
	ev->to = (uint8_t)to;
	ev->flags = (first ? TP_EVF_NAMED : 0) | (t->lost ? TP_EVF_LOST : 0);
	t->lost = false;
	t->state = (uint8_t)to;
	t->p = to == TP_ST_RUNNING ? p : TP_NONE;
	return ev;
}

/* Says in which state the thread was before its first event. */
static struct tp_event *begin(struct tp_sched *s, int64_t ts, uint32_t p, uint32_t g,
			      enum tp_state state)
{
	uint32_t root = root_of(s, g);
	struct tp_event *ev =
	    move(s, TP_EV_GO_STATUS, ts, state == TP_ST_RUNNING ? p : TP_NONE, g, state);

	ev->stack = root;
	return ev;
}

static void create(struct tp_sched *s, int64_t ts, uint32_t p, uint32_t g, unsigned type,
		   enum tp_state to, uint32_t parent, uint32_t stack)
{
	struct tp_event *ev = move(s, type, ts, p, g, to);

	ev->from = TP_ST_NOT_EXIST;
	ev->g = parent;
	ev->stack = stack;
	ev->str2 = root_of(s, g);
}

static void wake(struct tp_sched *s, int64_t ts, uint32_t p, uint32_t g, uint32_t waker,
		 uint32_t stack)
{
	struct tp_event *ev = move(s, TP_EV_GO_UNBLOCK, ts, p, g, TP_ST_RUNNABLE);

	ev->g = waker;
	ev->stack = stack;
}

/* Puts a thread into the state that an event shows, where those before it contradict that. How it came there,
 * and when, is lost. */
static void infer(struct tp_sched *s, int64_t ts, uint32_t p, uint32_t g, enum tp_state state)
{
	struct tp_event *ev = move(s, TP_EV_GO_STATUS, ts, p, g, state);

	ev->from = TP_ST_UNDETERMINED;
	ev->flags |= TP_EVF_INFERRED | TP_EVF_LOST;
	s->trace->inferred++;
}

/* ---- processors ---- */

static uint32_t cpu_at(struct tp_sched *s, int64_t cpu)
{
	uint32_t p;

	if (cpu < 0 || s->code)
		return TP_NONE;
	p = tp_ids_get(&s->cpu_of, (uint64_t)cpu);
	if (p != TP_NO_ID)
		return p;
	p = tp_trace_new_p(s->trace, cpu);
	if (p == TP_NONE || tp_grow(&s->cpus, &s->cpu_room, p, sizeof(*s->cpus)) ||
	    tp_ids_put(&s->cpu_of, (uint64_t)cpu, p)) {
		s->code = tp_nomem(s->err);
		return TP_NONE;
	}
	s->cpus[p] = (struct tp_sched_cpu){.g = TP_NONE};
	return p;
}

static void move_cpu(struct tp_sched *s, int64_t ts, uint32_t p, bool first, bool idle)
{
	struct tp_event *ev = put(s,
				  first	 ? TP_EV_PROC_STATUS
				  : idle ? TP_EV_PROC_STOP
					 : TP_EV_PROC_START,
				  ts, p);

	ev->subject = p;
	ev->from = first ? TP_ST_UNDETERMINED : idle ? TP_ST_RUNNING : TP_ST_IDLE;
	ev->to = idle ? TP_ST_IDLE : TP_ST_RUNNING;
}

/* Takes a running thread off its processor; the event that says so is lost. What it did since is not known before
 * its next event: only a waking shows that it slept. */
static void displace(struct tp_sched *s, int64_t ts, uint32_t g)
{
	uint32_t p = s->threads[g].p;

	s->contradictions++;
	infer(s, ts, p, g, TP_ST_WAITING);
	s->threads[g].lost = true;
	move_cpu(s, ts, p, false, true);
	s->cpus[p].g = TP_NONE;
}

/* Begins a thread that runs, but of which nothing was recorded before. If the trace has the beginnings of threads,
 * it is older, and what it did is lost. Otherwise its age is unknown, and it begins where it is first seen. */
static void begin_late(struct tp_sched *s, int64_t ts, uint32_t p, uint32_t g)
{
	if (s->births && !s->threads[g].again) {
		begin(s, ts, p, g, TP_ST_RUNNABLE)->flags |= TP_EVF_LOST;
		return;
	}
	create(s, ts, p, g, TP_EV_GO_CREATE, TP_ST_RUNNABLE, TP_NONE, 0);
	s->unborn++;
}

/* Lets a thread run. */
static void start(struct tp_sched *s, int64_t ts, uint32_t p, uint32_t g)
{
	struct tp_sched_thread *t = &s->threads[g];

	if (t->state == TP_ST_RUNNING)
		displace(s, ts, g);
	if (t->state == TP_ST_NONE)
		begin_late(s, ts, p, g);
	if (t->lost) {
		infer(s, ts, p, g, TP_ST_RUNNABLE);
	} else if (t->state == TP_ST_WAITING) {
		if (t->woken)
			wake(s, ts, p, g, t->waker, t->waker_stack);
		else
			wake(s, ts, p, g, TP_NONE, 0);
		s->unwoken += !t->woken;
	}
	if (t->state != TP_ST_RUNNING)
		move(s, TP_EV_GO_START, ts, p, g, TP_ST_RUNNING);
	t->woken = false;
}

/* Makes what runs on a processor agree with an event on it. */
static void settle(struct tp_sched *s, int64_t ts, uint32_t p, uint32_t g)
{
	struct tp_sched_thread *t = g == TP_NONE ? NULL : &s->threads[g];
	struct tp_event *ev;

	if (s->cpus[p].known && s->cpus[p].g == g)
		return;
	if (!s->cpus[p].known) {
		ev = put(s, TP_EV_PROCS_CHANGE, ts, p);
		ev->arg[0] = s->trace->np;
		move_cpu(s, ts, p, true, g == TP_NONE);
		s->cpus[p].known = true;
		if (t && t->state == TP_ST_NONE)
			begin(s, ts, p, g, TP_ST_RUNNING);
	} else {
		s->contradictions += s->cpus[p].g == TP_NONE;
		if (s->cpus[p].g != TP_NONE)
			displace(s, ts, s->cpus[p].g);
		if (t)
			move_cpu(s, ts, p, false, false);
	}
	if (t && t->state == TP_ST_RUNNING && t->p != p)
		displace(s, ts, g);
	if (t && t->state != TP_ST_RUNNING)
		infer(s, ts, p, g, TP_ST_RUNNING);
	s->cpus[p].g = g;
}

/* ---- events ---- */

static uint32_t reason_of(struct tp_sched *s, const struct tp_sched_thread *t, struct tp_scan state)
{
	static const struct {
		char letter;
		const char *word;
	} words[] = {
	    {'S', "interruptible"}, {'D', "uninterruptible"}, {'T', "stopped"}, {'t', "traced"},
	    {'I', "idle"},	    {'P', "parked"},
	};
	char text[128];
	const char *word = "state";
	struct tp_scan call = t->call;
	uint32_t id = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].letter == *state.at)
			word = words[i].word;
	if (t->in_call && call.at == call.end)
		word = tp_sched_call_name(s->machine, t->number);
	if (t->in_call && call.at < call.end)
		snprintf(text, sizeof(text), "%.*s (%.*s)",
			 tp_scan_left(&call) < 64 ? (int)tp_scan_left(&call) : 64, call.at,
			 (int)tp_scan_left(&state), state.at);
	else if (!word)
		snprintf(text, sizeof(text), "system call %lld (%.*s)", (long long)t->number,
			 (int)tp_scan_left(&state), state.at);
	else
		snprintf(text, sizeof(text), "%s (%.*s)", word, (int)tp_scan_left(&state),
			 state.at);
	fail(s, tp_dict_string(s->trace->dict, text, strlen(text), &id));
	return id;
}

/* Returns whether a thread that is switched out in a state has ended: Z (zombie), X (dead), and x of kernels
 * before 4.14. */
static bool is_end(struct tp_scan state)
{
	return *state.at == 'X' || *state.at == 'x' || *state.at == 'Z';
}

static void leave(struct tp_sched *s, int64_t ts, uint32_t p, uint32_t g, struct tp_scan state,
		  uint32_t stack)
{
	struct tp_sched_thread *t = &s->threads[g];
	struct tp_event *ev;

	if (*state.at == 'R') {
		ev = move(s, TP_EV_GO_STOP, ts, p, g, TP_ST_RUNNABLE);
		ev->str = s->preempted;
	} else if (is_end(state)) {
		ev = move(s, TP_EV_GO_DESTROY, ts, p, g, TP_ST_NOT_EXIST);
	} else {
		uint32_t reason = reason_of(s, t, state);

		ev = move(s, TP_EV_GO_BLOCK, ts, p, g, TP_ST_WAITING);
		ev->str = reason;
	}
	ev->stack = stack;
}

static void switched(struct tp_sched *s, const struct tp_sched_context *c,
		     const struct tp_tracepoint *tp, int64_t ts, uint32_t p)
{
	uint32_t prev = thread_at(s, tp->from.tid, tp->from.comm);
	uint32_t next = thread_at(s, tp->to.tid, tp->to.comm);

	/* perf knows no number of a thread that ends. */
	if (c->line.tid >= 0 && c->line.tid != tp->from.tid && !is_end(tp->state))
		s->other_ids = true;
	if (s->code || prev == next)
		return;
	settle(s, ts, p, prev);
	if (prev != TP_NONE)
		leave(s, ts, p, prev, tp->state, stack_of(s, c, prev));
	if ((prev == TP_NONE) != (next == TP_NONE))
		move_cpu(s, ts, p, false, next == TP_NONE);
	s->cpus[p].g = next;
	if (next != TP_NONE)
		start(s, ts, p, next);
}

static void woken(struct tp_sched *s, const struct tp_sched_context *c,
		  const struct tp_tracepoint *tp, int64_t ts, uint32_t p)
{
	uint32_t g = thread_at(s, tp->to.tid, tp->to.comm), waker = s->cpus[p].g;
	uint32_t stack = stack_of(s, c, waker);
	struct tp_sched_thread *t;

	if (tp->type == TP_TRACEPOINT_WAKEUP_NEW)
		s->births = true;
	else
		s->wakeups = true;
	if (g == TP_NONE || s->code)
		return;
	t = &s->threads[g];
	if (t->state == TP_ST_NONE && tp->type == TP_TRACEPOINT_WAKEUP_NEW) {
		create(s, ts, p, g, TP_EV_GO_CREATE, TP_ST_RUNNABLE, waker, stack);
		return;
	}
	if (t->state == TP_ST_NONE)
		begin(s, ts, p, g, TP_ST_WAITING);
	t->lost = false;
	if (t->state == TP_ST_WAITING && tp->type == TP_TRACEPOINT_WAKEUP && t->woken)
		wake(s, ts, p, g, t->waker, t->waker_stack);
	else if (t->state == TP_ST_WAITING)
		wake(s, ts, p, g, waker, stack);
	t->woken = t->state == TP_ST_RUNNING && tp->type == TP_TRACEPOINT_WAKING;
	t->waker = waker;
	t->waker_stack = stack;
}

static void forked(struct tp_sched *s, const struct tp_sched_context *c,
		   const struct tp_tracepoint *tp, int64_t ts, uint32_t p)
{
	uint32_t old = tp_ids_get(&s->thread_of, (uint64_t)tp->to.tid), g;

	s->births = true;
	if (old != TP_NO_ID && s->threads[old].state != TP_ST_NOT_EXIST &&
	    s->threads[old].state != TP_ST_NONE) {
		if (s->threads[old].state == TP_ST_RUNNING)
			displace(s, ts, old);
		move(s, TP_EV_GO_DESTROY, ts, p, old, TP_ST_NOT_EXIST)->flags |= TP_EVF_INFERRED;
		s->trace->inferred++;
		s->contradictions++;
	}
	g = thread_at(s, tp->to.tid, tp->to.comm);
	if (g != TP_NONE)
		create(s, ts, p, g, TP_EV_GO_CREATE_BLOCKED, TP_ST_WAITING, s->cpus[p].g,
		       stack_of(s, c, s->cpus[p].g));
}

/* Returns the time of an event, which is never before those of others. If the next line is earlier, but not than
 * those before, the time of this one is wrong: it must not hold up all that follow. */
static int64_t time_of(struct tp_sched *s, const struct tp_perf_sample *line)
{
	int64_t ts =
	    line->time_ns < s->next_ts || s->next_ts < s->last_ts ? line->time_ns : s->next_ts;

	if (ts < s->last_ts)
		ts = s->last_ts;
	s->late += ts != line->time_ns;
	return s->last_ts = ts;
}

/* Returns whether a thread has a name that a line begins with: perf knows more of the names of the kernel's
 * workers, kworker/1:1-events. */
static bool is_named(const struct tp_sched *s, uint32_t g, struct tp_scan comm)
{
	struct tp_scan name = s->threads[g].comm;

	if (tp_scan_left(&comm) > tp_scan_left(&name))
		comm.end = comm.at + tp_scan_left(&name);
	return name.at && same(name, comm);
}

/* Returns whether a line is of another thread than the switches say runs there: its switch is missing. */
static bool is_other(const struct tp_sched *s, const struct tp_perf_sample *line, uint32_t p)
{
	uint32_t g = s->cpus[p].g, known;

	if (s->other_ids || line->tid <= 0 || line->comm.at == line->comm.end ||
	    (g != TP_NONE && s->threads[g].tid == (uint64_t)line->tid))
		return false;
	known = tp_ids_get(&s->thread_of, (uint64_t)line->tid);
	return (known != TP_NO_ID && s->threads[known].state != TP_ST_NOT_EXIST &&
		is_named(s, known, line->comm)) ||
	       (g != TP_NONE && !is_named(s, g, line->comm));
}

/* Returns what runs on a processor at an event that is not a switch. */
static uint32_t look(struct tp_sched *s, const struct tp_perf_sample *line, int64_t ts, uint32_t p)
{
	uint32_t g = s->cpus[p].g;

	if (!s->cpus[p].known ? !s->other_ids && line->tid >= 0 : is_other(s, line, p)) {
		g = thread_at(s, line->tid, line->comm);
		if (!s->code)
			settle(s, ts, p, g);
	}
	if (g != TP_NONE && line->pid >= 0 && (int64_t)s->threads[g].tid == line->tid)
		s->threads[g].pid = line->pid;
	return g;
}

int tp_sched_tracepoint(struct tp_sched *s, const struct tp_sched_context *c,
			const struct tp_tracepoint *tp)
{
	int64_t ts = time_of(s, &c->line);
	uint32_t p = cpu_at(s, c->line.cpu), g;

	if (s->code)
		return s->code;
	if (tp->type == TP_TRACEPOINT_SWITCH) {
		switched(s, c, tp, ts, p);
		return s->code;
	}
	g = look(s, &c->line, ts, p);
	if (s->code)
		return s->code;
	switch (tp->type) {
	case TP_TRACEPOINT_WAKING:
	case TP_TRACEPOINT_WAKEUP:
	case TP_TRACEPOINT_WAKEUP_NEW:
		woken(s, c, tp, ts, p);
		break;
	case TP_TRACEPOINT_FORK:
		forked(s, c, tp, ts, p);
		break;
	case TP_TRACEPOINT_CALL:
	case TP_TRACEPOINT_RETURN:
		if (g == TP_NONE)
			break;
		s->threads[g].in_call = tp->type == TP_TRACEPOINT_CALL;
		s->threads[g].call = tp->call;
		s->threads[g].number = tp->number;
		break;
	default:
		break;
	}
	return s->code;
}

int tp_sched_sample(struct tp_sched *s, const struct tp_sched_context *c)
{
	int64_t ts = time_of(s, &c->line);
	uint32_t p = cpu_at(s, c->line.cpu), g = TP_NONE, stack;
	struct tp_event *ev;

	if (p != TP_NONE)
		g = look(s, &c->line, ts, p);
	else if (c->line.tid > 0 && !s->other_ids &&
		 !s->code) /* events of single threads may say no processor */
		g = tp_ids_get(&s->thread_of, (uint64_t)c->line.tid);
	if (s->code || g == TP_NONE || s->threads[g].state != TP_ST_RUNNING)
		return s->code;
	stack = stack_of(s, c, g);
	ev = put(s, TP_EV_CPU_SAMPLE, ts, p);
	ev->g = g;
	ev->stack = stack;
	return s->code;
}

/* ---- the end ---- */

/* A thread that is not the first of its process has the process' name before its own, if it is another. */
static uint32_t full_name(struct tp_sched *s, struct tp_sched_thread *t)
{
	uint32_t leader = !s->other_ids && t->pid > 0 && t->pid != (int64_t)t->tid
			      ? tp_ids_get(&s->thread_of, (uint64_t)t->pid)
			      : TP_NO_ID;
	uint32_t id = name_of(s, t);
	struct tp_scan process;
	char text[256];

	if (leader == TP_NO_ID || !id || !s->threads[leader].comm.at ||
	    same(s->threads[leader].comm, t->comm))
		return id;
	process = s->threads[leader].comm;
	snprintf(text, sizeof(text), "%.*s/%.*s",
		 tp_scan_left(&process) < 100 ? (int)tp_scan_left(&process) : 100, process.at,
		 tp_scan_left(&t->comm) < 100 ? (int)tp_scan_left(&t->comm) : 100, t->comm.at);
	fail(s, tp_dict_string(s->trace->dict, text, strlen(text), &id));
	return id;
}

int tp_sched_finish(struct tp_sched *s)
{
	struct tp_trace *t = s->trace;

	for (uint32_t g = 0; g < t->ng && !s->code; g++)
		if (s->threads[g].lost)
			infer(s, s->last_ts, TP_NONE, g, TP_ST_WAITING);
	flush(s);
	t->g_name = tp_many(t->ng + 1ul, sizeof(*t->g_name));
	if (!t->g_name)
		return s->code = tp_nomem(s->err);
	for (uint32_t g = 0; g < t->ng && !s->code; g++)
		t->g_name[g] = full_name(s, &s->threads[g]);
	return s->code;
}
