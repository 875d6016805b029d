#include "order/v1/advance.h"

#include <string.h>

/* Returns whether the lane's goroutine, if any, is running (Go: checkRunning with allowG0). */
static inline bool context_runs(const struct tp_v1_lane *l)
{
	return !l->g || l->g->status == V1_RUNNING;
}

static inline bool runs(const struct tp_v1_lane *l)
{
	return l->g && l->g->status == V1_RUNNING;
}

/* Maps local variants to the others, whose names Go's readers use for both. */
static inline unsigned wire_name_of(unsigned type)
{
	switch (type) {
	case TP_V1_GO_START_LOCAL:
		return TP_V1_GO_START;
	case TP_V1_GO_UNBLOCK_LOCAL:
		return TP_V1_GO_UNBLOCK;
	case TP_V1_GO_SYSEXIT_LOCAL:
		return TP_V1_GO_SYSEXIT;
	default:
		return type;
	}
}

static inline void count(struct tp_v1_order *o, unsigned type, int64_t ns, bool with_stack)
{
	if (unlikely(o->quiet || o->muted))
		return;
	type = wire_name_of(type);
	o->wires[type]++;
	o->stacked[type] += with_stack;
	if (o->version < 11 && ns > o->last_wire_ns)
		o->last_wire_ns = ns;
}

/* Returns the stack on which a goroutine starts: an entry of the table or, in go 1.5, a bare PC (to
 * which Go adds 1, because symbolizers expect return addresses). */
static uint32_t first_stack(struct tp_v1_order *o, const struct tp_v1_g *g)
{
	uint32_t id = 0;
	int code;

	if (o->version >= 7)
		return tp_v1_stack(o, g->create_stack);
	if (!g->create_stack || o->quiet)
		return 0;
	code = tp_trace_push_address(o->opt, o->trace->dict, g->create_stack + 1, &id);
	if (code && !o->code)
		o->code = tp_err_full(o->err, code, "too many stacks");
	return id;
}

/* Fills in the first status of a goroutine that existed before the trace: also its time of
 * announcement and its first stack, which Go 1.19's statistics use. */
static void put_status(struct tp_v1_order *o, struct tp_event *ev, struct tp_v1_g *g, unsigned to)
{
	turn(ev, tp_v1_g_index(o, g), TP_ST_UNDETERMINED, to);
	ev->str2 = first_stack(o, g);
	ev->arg[0] = (uint64_t)g->created;
	g->unseen = false;
}

static int create(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		  const char **why)
{
	struct tp_v1_g *g = tp_v1_g_get(o, a[0]);
	struct tp_event *ev;

	if (!g)
		return o->code;
	REQUIRE(context_runs(l), "it is created by a goroutine that is not running");
	REQUIRE(!g->exists, "it is created a second time");
	g->exists = true;
	g->ended = false;
	g->fresh = true;
	g->status = V1_RUNNABLE;
	g->seq = 1;
	g->create_stack = a[1];
	g->created = ns;
	if (a[0] > o->top_g)
		o->top_g = a[0];
	tp_v1_changed(o, g);
	if (unlikely(!o->initialised)) {
		g->unseen = true;
		return tp_v1_add_starter(o, g);
	}
	ev = tp_v1_put_on(o, l, TP_EV_GO_CREATE, ns);
	turn(ev, tp_v1_g_index(o, g), TP_ST_NOT_EXIST, TP_ST_RUNNABLE);
	ev->stack = tp_v1_stack(o, l->ev.stack);
	ev->str2 = first_stack(o, g);
	return 0;
}

/* GoWaiting, GoInSyscall: the state of a goroutine at the beginning. */
static int waits(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		 const char **why)
{
	struct tp_v1_g *g = tp_v1_g_get(o, a[0]);
	bool in_syscall = l->ev.type == TP_V1_GO_IN_SYSCALL;
	struct tp_event *ev;

	if (!g)
		return o->code;
	REQUIRE(g->status == V1_RUNNABLE && (g->seq == 1 || o->version < 7),
		"it is waiting at the beginning, but has not just been announced");
	g->status = V1_WAITING;
	g->seq = 2;
	tp_v1_changed(o, g);
	g->in_syscall = in_syscall;
	g->on_network = false;
	if (in_syscall)
		g->blocked_at = l->ev.ticks;
	ev = tp_v1_put_on(o, l, TP_EV_GO_STATUS, ns);
	put_status(o, ev, g, in_syscall ? TP_ST_SYSCALL : TP_ST_WAITING);
	ev->g = ev->subject;
	return 0;
}

static int start(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		 const char **why)
{
	struct tp_v1_g *g = tp_v1_g_get(o, a[0]);
	unsigned type = l->ev.type;
	bool numbered = type != TP_V1_GO_START_LOCAL && o->version >= 7;
	struct tp_event *ev;
	bool with_stack = false;

	if (unlikely(!g))
		return o->code;
	REQUIRE(g->status == V1_RUNNABLE && (!numbered || g->seq == a[1]),
		"it starts without being runnable");
	REQUIRE(!l->g, "it starts on a P that is running another");
	if (unlikely(g->exit_owed)) {
		REQUIRE(!o->opt->strict, "it starts before it returns from a system call");
		g->exit_owed = false;
		g->exit_skips++;
		tp_v1_put_exit(o, g, l->ev.ticks);
	}
	g->status = V1_RUNNING;
	g->seq++;
	tp_v1_changed(o, g);
	g->lane = l->number;
	g->on_network = false;
	l->g = g;
	l->unsure = false;
	if (g->fresh && !o->muted) {
		g->fresh = false;
		with_stack = o->version >= 11 ? tp_v1_has_stack(o, g->create_stack)
					      : o->version >= 7 && g->create_stack;
	}
	if (unlikely(!o->initialised && type != TP_V1_GO_START_LABEL)) {
		ev = tp_v1_put_on(o, l, TP_EV_GO_STATUS, ns);
		put_status(o, ev, g, TP_ST_RUNNING);
	} else {
		ev = tp_v1_put_on(o, l, TP_EV_GO_START, ns);
		turn(ev, ev->g, TP_ST_RUNNABLE, TP_ST_RUNNING);
	}
	if (type == TP_V1_GO_START_LABEL) {
		ev = tp_v1_put_on(o, l, TP_EV_GO_LABEL, ns);
		ev->subject = ev->g;
		ev->str = tp_v1_text(o, a[2]);
	}
	count(o, type, ns, with_stack);
	return 0;
}

/* Takes the goroutine off its P: it ends, blocks or yields. */
static int leave(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, unsigned type,
		 unsigned to, enum tp_v1_status status, const char **why)
{
	struct tp_v1_g *g = l->g;
	struct tp_event *ev;

	REQUIRE(runs(l), "the goroutine that stops is not running");
	ev = tp_v1_put_on(o, l, type, ns);
	turn(ev, ev->g, TP_ST_RUNNING, to);
	ev->str = o->reasons[l->ev.type];
	ev->stack = tp_v1_stack(o, l->ev.stack);
	g->status = (uint8_t)status;
	tp_v1_changed(o, g);
	g->on_network = l->ev.type == TP_V1_GO_BLOCK_NET;
	g->in_syscall = false;
	g->lane = TP_NONE;
	l->g = NULL;
	if (status == V1_DEAD) {
		g->ended = true;
		while (g->regions != NO_NODE && l->ev.type == TP_V1_GO_END)
			tp_v1_region_pop(o, g);
		tp_v1_g_retire(o, g);
	}
	return 0;
}

static int unblock(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		   const char **why)
{
	struct tp_v1_g *g = tp_v1_g_get(o, a[0]);
	bool numbered = l->ev.type == TP_V1_GO_UNBLOCK && o->version >= 7, by_timer;
	struct tp_event *ev;

	if (!g)
		return o->code;
	REQUIRE(context_runs(l), "it is woken by a goroutine that is not running");
	REQUIRE(g->status == V1_WAITING && (!numbered || g->seq == a[1]),
		"it is woken without waiting");
	g->status = V1_RUNNABLE;
	g->seq++;
	g->in_syscall = false;
	tp_v1_changed(o, g);
	ev = tp_v1_put_on(o, l, TP_EV_GO_UNBLOCK, ns);
	turn(ev, tp_v1_g_index(o, g), TP_ST_WAITING, TP_ST_RUNNABLE);
	ev->stack = tp_v1_stack(o, l->ev.stack);
	by_timer = o->ix->timers.count && l->g && tp_ids_get(&o->ix->timers, l->g->id) != TP_NO_ID;
	if (g->on_network && !(by_timer && o->version < 11)) {
		ev->p = tp_v1_pseudo_p(o, TP_V1_NETPOLL_P);
		ev->m = TP_NONE;
	} else if (by_timer) {
		ev->p = tp_v1_pseudo_p(o, TP_V1_TIMER_P);
		ev->m = TP_NONE;
	}
	g->on_network = false;
	return 0;
}

/* A system call that does not block gets the shortest possible duration: 1 ns, or 0 up to go 1.10,
 * whose reader allows equal times. One that blocks begins here; up to go 1.10 it begins at its
 * GoSysBlock, because that reader counts the time before as running. */
static int syscall_begin(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const char **why)
{
	struct tp_event *ev;
	uint32_t stack;
	bool blocks;

	REQUIRE(runs(l), "the goroutine that makes a system call is not running");
	l->g->on_network = false;
	if (o->quiet)
		return 0;
	blocks = tp_v1_lane_blocks(o, l);
	stack = tp_v1_stack(o, l->ev.stack);
	if (blocks && o->version < 11) {
		l->g->syscall_stack = stack;
		return o->code;
	}
	ev = tp_v1_put_on(o, l, TP_EV_GO_SYSCALL_BEGIN, ns);
	turn(ev, ev->g, TP_ST_RUNNING, TP_ST_SYSCALL);
	ev->stack = stack;
	if (!blocks) {
		ev = tp_v1_put_on(o, l, TP_EV_GO_SYSCALL_END, o->version < 11 ? ns : ns + 1);
		turn(ev, ev->g, TP_ST_SYSCALL, TP_ST_RUNNING);
	}
	return o->code;
}

static int syscall_blocks(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const char **why)
{
	struct tp_v1_g *g = l->g;
	struct tp_event *ev;

	REQUIRE(runs(l), "the goroutine whose system call blocks is not running");
	if (o->version < 11) {
		ev = tp_v1_put_on(o, l, TP_EV_GO_SYSCALL_BEGIN, ns);
		turn(ev, ev->g, TP_ST_RUNNING, TP_ST_SYSCALL);
		ev->stack = g->syscall_stack;
		g->syscall_stack = 0;
	}
	g->status = V1_WAITING;
	tp_v1_changed(o, g);
	g->blocked_at = l->ev.ticks;
	g->in_syscall = true;
	g->lane = TP_NONE;
	l->g = NULL;
	return 0;
}

void tp_v1_put_exit(struct tp_v1_order *o, struct tp_v1_g *g, int64_t ticks)
{
	int64_t ns = tp_v1_ns(o, ticks);
	struct tp_event *ev = tp_v1_put(o, TP_EV_GO_SYSCALL_BLOCKED, ns);

	ev->g = tp_v1_g_index(o, g);
	ev->p = tp_v1_pseudo_p(o, TP_V1_SYSCALL_P);
	turn(ev, ev->g, TP_ST_SYSCALL, TP_ST_RUNNABLE);
	count(o, TP_V1_GO_SYSEXIT, ns, false);
}

int tp_v1_advance_exit(struct tp_v1_order *o, struct tp_v1_g *g, int64_t ticks, const char **why)
{
	REQUIRE(g->status == V1_WAITING, "it returns from a system call without waiting for it");
	if (o->version < 7) {
		REQUIRE(!o->opt->strict || ticks >= o->latest, "time stamps out of order");
		g->status = V1_RUNNABLE;
		g->in_syscall = false;
		if (ticks > o->latest)
			o->latest = ticks;
	}
	tp_v1_put_exit(o, g, ticks);
	return o->code;
}

static int syscall_exit(struct tp_v1_order *o, struct tp_v1_lane *l, const uint64_t *a,
			const char **why)
{
	bool local = l->ev.type == TP_V1_GO_SYSEXIT_LOCAL;
	int64_t real = (int64_t)(local ? a[1] : a[2]);
	struct tp_v1_g *g;

	if (o->version < 7)
		return 0; /* delivered at its real sequence number: special.c */
	g = tp_v1_g_get(o, a[0]);
	if (!g)
		return o->code;
	REQUIRE(g->status == V1_WAITING && (local || g->seq == a[1]),
		"it returns from a system call without waiting for it");
	if (real && o->opt->strict) {
		REQUIRE(g->blocked_at, "stray syscall exit");
		REQUIRE(real >= g->blocked_at, "time stamps out of order");
	}
	if (!real) {
		tp_v1_put_exit(o, g, l->ev.ticks);
	} else if (g->exit_told) {
		g->exit_told = false;
	} else if (real > l->ev.ticks) {
		g->exit_owed = true; /* clocks differ: it is due later than it was written */
	} else {
		tp_v1_put_exit(o, g, real);
		if (g->exit_held)
			g->exit_held = false;
		else if (g->exit_skips < UINT8_MAX)
			g->exit_skips++;
	}
	g->status = V1_RUNNABLE;
	g->seq++;
	g->in_syscall = false;
	tp_v1_changed(o, g);
	return o->code;
}

static void procs_change(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a)
{
	struct tp_event *ev;

	if (likely(o->initialised)) {
		ev = tp_v1_put_on(o, l, TP_EV_PROCS_CHANGE, ns);
		ev->arg[0] = a[0];
		ev->stack = tp_v1_stack(o, l->ev.stack);
		return;
	}
	/* The first one ends the list of existing goroutines: those without a status are runnable.
	 */
	o->initialised = true;
	for (uint32_t i = 0; i < o->nstarters; i++) {
		struct tp_v1_g *g = o->starters[i];

		if (!g->unseen)
			continue;
		ev = tp_v1_put(o, TP_EV_GO_STATUS, ns);
		put_status(o, ev, g, TP_ST_RUNNABLE);
	}
}

static int proc_start(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		      const char **why)
{
	struct tp_event *ev;

	REQUIRE(!l->running, "the P starts while it is running");
	l->running = true;
	l->unsure = false;
	l->m = tp_v1_m_index(o, a[0]);
	ev = tp_v1_put_on(o, l, l->seen ? TP_EV_PROC_START : TP_EV_PROC_STATUS, ns);
	turn(ev, l->p, l->seen ? TP_ST_IDLE : TP_ST_UNDETERMINED, TP_ST_RUNNING);
	l->seen = true;
	return 0;
}

static int proc_stop(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const char **why)
{
	struct tp_event *ev;

	REQUIRE(l->running, "the P stops without running");
	REQUIRE(!l->g, "the P stops while it is running a goroutine");
	l->running = false;
	ev = tp_v1_put_on(o, l, l->seen ? TP_EV_PROC_STOP : TP_EV_PROC_STATUS, ns);
	turn(ev, l->p, l->seen ? TP_ST_RUNNING : TP_ST_UNDETERMINED, TP_ST_IDLE);
	l->seen = true;
	l->m = TP_NONE;
	return 0;
}

void tp_v1_deliver_sample(struct tp_v1_order *o, const struct tp_v1_special *s)
{
	int64_t ns = tp_v1_ns(o, s->ticks);
	struct tp_event *ev = tp_v1_put(o, TP_EV_CPU_SAMPLE, ns);

	if (s->g)
		ev->g = tp_v1_g_index(o, tp_v1_g_get(o, s->g));
	ev->p = tp_v1_p_index(o, s->pid);
	ev->stack = tp_v1_stack(o, s->stack);
	count(o, TP_V1_CPU_SAMPLE, ns, s->stack != 0);
}

int tp_v1_advance(struct tp_v1_order *o, struct tp_v1_lane *l, const char **why)
{
	const struct tp_v1_ev *e = &l->ev;
	const uint64_t *a = e->v + o->lead;
	int64_t ns = tp_v1_ns(o, e->ticks);
	struct tp_event *ev;
	int code = 0;

	switch (e->type) {
	case TP_V1_GO_CREATE:
		code = create(o, l, ns, a, why);
		break;
	case TP_V1_GO_WAITING:
	case TP_V1_GO_IN_SYSCALL:
		code = waits(o, l, ns, a, why);
		break;
	case TP_V1_GO_START:
	case TP_V1_GO_START_LOCAL:
	case TP_V1_GO_START_LABEL:
		return start(o, l, ns, a,
			     why); /* counts itself: its stack is that of the creation */
	case TP_V1_GO_END:
		code = leave(o, l, ns, TP_EV_GO_DESTROY, TP_ST_NOT_EXIST, V1_DEAD, why);
		break;
	case TP_V1_GO_STOP:
		code = leave(o, l, ns, TP_EV_GO_BLOCK, TP_ST_WAITING, V1_DEAD, why);
		break;
	case TP_V1_GO_SCHED:
	case TP_V1_GO_PREEMPT:
		code = leave(o, l, ns, TP_EV_GO_STOP, TP_ST_RUNNABLE, V1_RUNNABLE, why);
		break;
	case TP_V1_GO_SLEEP:
	case TP_V1_GO_BLOCK:
	case TP_V1_GO_BLOCK_SEND:
	case TP_V1_GO_BLOCK_RECV:
	case TP_V1_GO_BLOCK_SELECT:
	case TP_V1_GO_BLOCK_SYNC:
	case TP_V1_GO_BLOCK_COND:
	case TP_V1_GO_BLOCK_NET:
	case TP_V1_GO_BLOCK_GC:
		code = leave(o, l, ns, TP_EV_GO_BLOCK, TP_ST_WAITING, V1_WAITING, why);
		break;
	case TP_V1_GO_UNBLOCK:
	case TP_V1_GO_UNBLOCK_LOCAL:
		code = unblock(o, l, ns, a, why);
		break;
	case TP_V1_GO_SYSCALL:
		code = syscall_begin(o, l, ns, why);
		break;
	case TP_V1_GO_SYSBLOCK:
		code = syscall_blocks(o, l, ns, why);
		break;
	case TP_V1_GO_SYSEXIT:
	case TP_V1_GO_SYSEXIT_LOCAL:
		return syscall_exit(o, l, a, why);
	case TP_V1_GOMAXPROCS:
		procs_change(o, l, ns, a);
		break;
	case TP_V1_PROC_START:
		code = proc_start(o, l, ns, a, why);
		break;
	case TP_V1_PROC_STOP:
		code = proc_stop(o, l, ns, why);
		break;
	case TP_V1_GC_START:
	case TP_V1_GC_DONE:
		code = tp_v1_advance_gc(o, l, ns, a, why);
		break;
	case TP_V1_STW_START:
	case TP_V1_STW_DONE:
		code = tp_v1_advance_stw(o, l, ns, a, why);
		break;
	case TP_V1_SWEEP_START:
	case TP_V1_SWEEP_DONE:
		code = tp_v1_advance_sweep(o, l, ns, a, why);
		break;
	case TP_V1_ASSIST_START:
	case TP_V1_ASSIST_DONE:
		code = tp_v1_advance_assist(o, l, ns, why);
		break;
	case TP_V1_TASK_CREATE:
	case TP_V1_TASK_END:
		code = tp_v1_advance_task(o, l, ns, a, why);
		break;
	case TP_V1_REGION:
		code = tp_v1_advance_region(o, l, ns, a, why);
		break;
	case TP_V1_LOG:
		code = tp_v1_advance_message(o, l, ns, a);
		break;
	case TP_V1_HEAP_ALLOC:
	case TP_V1_HEAP_GOAL:
		ev = tp_v1_put_on(
		    o, l, e->type == TP_V1_HEAP_ALLOC ? TP_EV_HEAP_ALLOC : TP_EV_HEAP_GOAL, ns);
		ev->arg[0] = a[0];
		break;
	case TP_V1_FUTILE_WAKEUP:
		/* Go's converter does not know this event; go 1.11 and later never write it. */
		REQUIRE(!o->opt->strict || o->version < 11, "unexpected event type 36");
		break;
	default:
		break;
	}
	if (!code)
		count(o, e->type, ns, e->stack != 0);
	return code;
}
