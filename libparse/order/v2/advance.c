/* One event of the wire takes effect: what each type requires, changes and becomes.
 *
 * The rules are those of Go's internal/trace/order.go (the advance* methods) and event.go (what a
 * transition goes from and to). Three answers are possible. An event that names a goroutine or P by
 * a sequence number waits until that number is next, because its time alone may lie; an event about
 * the M's own goroutine or P cannot wait, so a contradiction there is a fault.
 *
 * Context (g, m, p of the tp_event) is that before the transition. */
#include <stddef.h>

#include "order/v2/order.h"

#if defined(__GNUC__)
#define unlikely(x) __builtin_expect(!!(x), 0)
#else
#define unlikely(x) (x)
#endif

#define EVENT(t, of, ...)                                                                          \
	(o->out[o->n++] = (struct tp_event){.ts = tp_v2_order_time(o, c->ts),                      \
					    .g = m->g->index,                                      \
					    .m = m->index,                                         \
					    .p = m->p->index,                                      \
					    .type = t,                                             \
					    .subject = of,                                         \
					    __VA_ARGS__})

/* A transition of the goroutine or P with index `of`. */
#define TRANSITION(t, of, a, b, ...) EVENT(t, of, .from = a, .to = b, __VA_ARGS__)

static const char *type_name(const struct tp_v2_cursor *c)
{
	return tp_v2_wires[c->type].name;
}

static enum tp_v2_advance fault(struct tp_v2_order *o, const struct tp_v2_cursor *c,
				const char *what)
{
	tp_err_set(o->err, TP_EFORMAT, (uint64_t)(c->from - o->g.data),
		   "generation %llu: %s on M %lld (G %lld, P %lld): %s",
		   (unsigned long long)o->g.number, type_name(c), (long long)c->m->id,
		   (long long)c->m->g->id, (long long)c->m->p->id, what);
	return TP_V2_FAULTY;
}

static enum tp_v2_advance out_of_memory(struct tp_v2_order *o, int code)
{
	tp_err_set(o->err, code, TP_OFFSET_NONE, "%s",
		   code == TP_ELIMIT ? "too many goroutines, regions or tasks" : "out of memory");
	return TP_V2_FAULTY;
}

/* The dictionary id of an id of the generation's tables: false when there is none. */
static inline bool remap(struct tp_v2_order *o, const struct tp_v2_remap *table, uint64_t id,
			 uint32_t *to)
{
	*to = tp_v2_remap_get(table, id);
	if (unlikely(*to == TP_V2_MISSING)) {
		if (!o->lenient)
			return false;
		o->unknown_ids++;
		*to = 0;
	}
	return true;
}

#define STACK(id, to)                                                                              \
	do {                                                                                       \
		if (!remap(o, &o->g.stacks, id, to))                                               \
			return fault(o, c, "a stack that is not in the stack table");              \
	} while (0)
#define STRING(id, to)                                                                             \
	do {                                                                                       \
		if (!remap(o, &o->g.strings, id, to))                                              \
			return fault(o, c, "a string that is not in the string table");            \
	} while (0)

static inline bool has_g(const struct tp_v2_m *m)
{
	return m->g->index != TP_NONE;
}

static inline bool has_p(const struct tp_v2_m *m)
{
	return m->p->index != TP_NONE;
}

static inline bool is_thread(const struct tp_v2_m *m)
{
	return m->index != TP_NONE;
}

/* The M that is no thread is never bound to anything. */
static inline void bind_g(struct tp_v2_m *m, struct tp_v2_g *g)
{
	if (is_thread(m))
		m->g = g;
}

static inline void bind_p(struct tp_v2_m *m, struct tp_v2_p *p)
{
	if (is_thread(m))
		m->p = p;
}

static inline bool follows(const struct tp_v2_order *o, uint64_t seq, uint64_t last,
			   uint64_t last_gen)
{
	return last_gen == o->g.number && seq == last + 1;
}

#define NEED(condition, what)                                                                      \
	do {                                                                                       \
		if (unlikely(!(condition)))                                                        \
			return fault(o, c, what);                                                  \
	} while (0)
/* Salvage does without a P where it does not know which. */
#define NEED_USER  NEED(has_g(m) && (has_p(m) || o->salvage), "needs a goroutine and a P")
#define NEED_P	   NEED(has_p(m) || o->salvage, "needs a P")
#define NEED_STATE NEED(m->g->alive, "its goroutine does not exist")

/* ---- the types that are rare or long ---- */

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
		return out_of_memory(o, TP_ELIMIT);
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
		NEED(o->tries <= TP_V2_MAX_TRIES, "too many stolen Ps to look for");
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
		return out_of_memory(o, TP_ELIMIT);
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
				return out_of_memory(o, TP_ELIMIT);
			if (on->alive) {
				NEED(on->g == g, "the thread has another goroutine in a syscall");
				context = g;
			}
		}
	}
	if (c->type == TP_V2_GoStatusStack)
		STACK(tp_v2_varint(in), &stack);
	if (!g->alive)
		tp_v2_g_born(&o->s, g, status, o->g.number);
	g->seq = 0;
	g->seq_gen = o->g.number;
	EVENT(c->type, g->index, .from = from, .to = tp_v2_gstate[status], .stack = stack);
	if (on) {
		o->out[o->n - 1].m = on->index;
		o->out[o->n - 1].g = context->index;
		if (!on->alive) {
			on->alive = true;
			on->g = g;
		}
	} else if (status == TP_V2_G_RUNNING || status == TP_V2_G_SYSCALL) {
		bind_g(m, g);
	}
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
		tp_v2_g_died(&o->s, g);
	}
	m->g = &o->s.nobody;
	TRANSITION(TP_EV_GO_START, next->index, TP_ST_RUNNABLE, TP_ST_RUNNING);
	next->status = TP_V2_G_RUNNING;
	next->seq = seq;
	m->g = next;
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
	tp_v2_g_died(&o->s, g);
	m->g = &o->s.nobody;
	m->p = &o->s.no_p;
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance stw(struct tp_v2_order *o, struct tp_v2_cursor *c, const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	uint32_t kind, name, stack;
	int code;

	NEED_USER;
	NEED_STATE;
	if (c->type == TP_V2_STWEnd) {
		NEED(g->stw && g->stw->n, "no stop of the world is in flight");
		name = g->stw->name[0];
		g->stw->name[0] = g->stw->name[--g->stw->n];
		EVENT(TP_EV_STW_END, g->index, .str = name);
		return TP_V2_ADVANCED;
	}
	STRING(tp_v2_varint(in), &kind);
	STACK(tp_v2_varint(in), &stack);
	code = tp_v2_stw_name(&o->s, kind, &name);
	if (!code && !g->stw) {
		g->stw = tp_arena_alloc(&o->s.arena, sizeof(*g->stw));
		code = g->stw ? 0 : TP_ENOMEM;
	}
	if (code)
		return out_of_memory(o, code);
	for (uint32_t i = 0; i < g->stw->n; i++)
		NEED(g->stw->name[i] != name, "this stop of the world is in flight already");
	NEED(g->stw->n < TP_V2_MAX_STW, "too many stops of the world are in flight");
	g->stw->name[g->stw->n++] = name;
	EVENT(TP_EV_STW_BEGIN, g->index, .str = name, .stack = stack);
	return TP_V2_ADVANCED;
}

/* The mark phase: begin and end carry a sequence number of their own. */
static enum tp_v2_advance gc_mark(struct tp_v2_order *o, struct tp_v2_cursor *c, const uint8_t **in)
{
	struct tp_v2_state *s = &o->s;
	struct tp_v2_m *m = c->m;
	uint64_t seq = tp_v2_varint(in);
	uint32_t stack = 0;

	if (c->type == TP_V2_GCActive && o->g.number == s->initial_gen) {
		NEED(s->gc == TP_V2_GC_UNKNOWN, "not the first GC event of the first generation");
		s->gc = TP_V2_GC_ON;
	} else if (c->type == TP_V2_GCBegin && s->gc == TP_V2_GC_UNKNOWN) {
		s->gc = TP_V2_GC_ON;
	} else {
		if (seq != s->gc_seq + 1)
			return TP_V2_WAITS;
		if (c->type == TP_V2_GCBegin)
			NEED(s->gc == TP_V2_GC_OFF, "a mark phase is in progress");
		else
			NEED(s->gc == TP_V2_GC_ON, "no mark phase is in progress");
		NEED_USER;
		s->gc = c->type == TP_V2_GCEnd ? TP_V2_GC_OFF : TP_V2_GC_ON;
	}
	s->gc_seq = seq;
	if (c->type == TP_V2_GCBegin)
		STACK(tp_v2_varint(in), &stack);
	EVENT(c->type, TP_NONE, .stack = stack);
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance sweep(struct tp_v2_order *o, struct tp_v2_cursor *c, const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_p *p = m->p;
	uint64_t swept, reclaimed;
	uint32_t stack;

	switch (c->type) {
	case TP_V2_GCSweepActive:
		p = tp_v2_p_find(&o->s, tp_v2_varint(in));
		NEED(p, "unknown P");
		NEED(p->sweeping != (o->g.number == o->s.initial_gen),
		     "a sweep that does not fit what went before");
		p->sweeping = true;
		EVENT(TP_EV_GC_SWEEP_ACTIVE, p->index, .flags = 0);
		return TP_V2_ADVANCED;
	case TP_V2_GCSweepBegin:
		STACK(tp_v2_varint(in), &stack);
		NEED_P;
		NEED(!p->sweeping, "a sweep is in flight already");
		p->sweeping = true;
		EVENT(TP_EV_GC_SWEEP_BEGIN, p->index, .stack = stack);
		return TP_V2_ADVANCED;
	default:
		swept = tp_v2_varint(in);
		reclaimed = tp_v2_varint(in);
		NEED_P;
		NEED(p->sweeping, "no sweep is in flight");
		p->sweeping = false;
		EVENT(TP_EV_GC_SWEEP_END, p->index, .arg = {swept, reclaimed});
		return TP_V2_ADVANCED;
	}
}

static enum tp_v2_advance mark_assist(struct tp_v2_order *o, struct tp_v2_cursor *c,
				      const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	uint32_t stack = 0;

	if (c->type == TP_V2_GCMarkAssistActive) {
		g = tp_v2_g_find(&o->s, tp_v2_varint(in));
		NEED(g, "unknown goroutine");
		NEED(g->assisting != (o->g.number == o->s.initial_gen),
		     "a mark assist that does not fit what went before");
		g->assisting = true;
	} else {
		if (c->type == TP_V2_GCMarkAssistBegin)
			STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		NEED_STATE;
		NEED(g->assisting == (c->type == TP_V2_GCMarkAssistEnd),
		     "a mark assist that does not fit what went before");
		g->assisting = !g->assisting;
	}
	EVENT(c->type, g->index, .stack = stack);
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance user_task(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint64_t id = tp_v2_varint(in), parent = UINT64_MAX; /* Go: NoTask */
	struct tp_v2_task *task = tp_v2_task_find(&o->s, id);
	uint32_t name = 0, stack;

	NEED_USER;
	if (c->type == TP_V2_UserTaskBegin) {
		int code;

		NEED(!task, "a task with this id is active");
		parent = tp_v2_varint(in);
		if (!parent)
			parent = UINT64_MAX;
		STRING(tp_v2_varint(in), &name);
		STACK(tp_v2_varint(in), &stack);
		code = tp_v2_task_start(&o->s, id, parent, name);
		if (code)
			return out_of_memory(o, code);
	} else {
		STACK(tp_v2_varint(in), &stack);
		if (task) {
			parent = task->parent;
			name = task->name;
			tp_v2_task_end(&o->s, id);
		}
	}
	EVENT(c->type, TP_NONE, .str = name, .stack = stack, .arg = {id, parent});
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance user_region(struct tp_v2_order *o, struct tp_v2_cursor *c,
				      const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	uint64_t task = tp_v2_varint(in);
	uint32_t name, stack;

	NEED_USER;
	STRING(tp_v2_varint(in), &name);
	STACK(tp_v2_varint(in), &stack);
	NEED_STATE;
	if (c->type == TP_V2_UserRegionBegin) {
		int code = tp_v2_region_push(&o->s, g, task, name);

		if (code)
			return out_of_memory(o, code);
	} else if (g->regions) { /* else it began before the trace */
		NEED(g->regions->task == task && g->regions->name == name,
		     "not the end of the innermost region");
		tp_v2_region_pop(&o->s, g);
	}
	EVENT(c->type, TP_NONE, .str = name, .stack = stack, .arg = {task});
	return TP_V2_ADVANCED;
}

/* Label, log, heap metrics, GOMAXPROCS: they change nothing. */
static enum tp_v2_advance annotation(struct tp_v2_order *o, struct tp_v2_cursor *c,
				     const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint32_t str, str2, stack;
	uint64_t value;

	switch (c->type) {
	case TP_V2_HeapGoal:
		value = tp_v2_varint(in);
		NEED_P;
		EVENT(TP_EV_HEAP_GOAL, TP_NONE, .arg = {value});
		break;
	case TP_V2_GoLabel:
		STRING(tp_v2_varint(in), &str);
		NEED_USER;
		EVENT(TP_EV_GO_LABEL, m->g->index, .str = str);
		break;
	case TP_V2_UserLog:
		value = tp_v2_varint(in);
		STRING(tp_v2_varint(in), &str);
		STRING(tp_v2_varint(in), &str2);
		STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		EVENT(TP_EV_LOG, TP_NONE, .str = str, .str2 = str2, .stack = stack, .arg = {value});
		break;
	default:
		value = tp_v2_varint(in);
		STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		EVENT(TP_EV_PROCS_CHANGE, TP_NONE, .stack = stack, .arg = {value});
		break;
	}
	return TP_V2_ADVANCED;
}

static enum tp_v2_advance experimental(struct tp_v2_order *o, struct tp_v2_cursor *c,
				       const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	uint64_t v[3] = {0};

	for (unsigned i = 1; i < tp_v2_arity[c->type]; i++)
		v[i - 1] = tp_v2_varint(in);
	NEED(is_thread(m), "needs a thread");
	EVENT(c->type, TP_NONE, .arg = {v[0], v[1], v[2]});
	return TP_V2_ADVANCED;
}

/* ---- the switch ---- */

static inline __attribute__((always_inline)) enum tp_v2_advance
take(struct tp_v2_order *o, struct tp_v2_cursor *c, const uint8_t **in)
{
	struct tp_v2_m *m = c->m;
	struct tp_v2_g *g = m->g;
	struct tp_v2_p *p = m->p;
	uint64_t id, seq;
	uint32_t str, stack, stack2;

	switch (c->type) {
	case TP_V2_GoStart:
		id = tp_v2_varint(in);
		seq = tp_v2_varint(in);
		g = tp_v2_g_find(&o->s, id);
		if (!g || g->status != TP_V2_G_RUNNABLE || !follows(o, seq, g->seq, g->seq_gen))
			return TP_V2_WAITS;
		NEED_P;
		NEED(!has_g(m), "a goroutine is running already");
		g->status = TP_V2_G_RUNNING;
		g->seq = seq;
		TRANSITION(TP_EV_GO_START, g->index, TP_ST_RUNNABLE, TP_ST_RUNNING);
		m->g = g;
		return TP_V2_ADVANCED;
	case TP_V2_GoUnblock:
		id = tp_v2_varint(in);
		seq = tp_v2_varint(in);
		g = tp_v2_g_find(&o->s, id);
		if (!g || g->status != TP_V2_G_WAITING || !follows(o, seq, g->seq, g->seq_gen))
			return TP_V2_WAITS;
		STACK(tp_v2_varint(in), &stack);
		g->status = TP_V2_G_RUNNABLE;
		g->seq = seq;
		TRANSITION(TP_EV_GO_UNBLOCK, g->index, TP_ST_WAITING, TP_ST_RUNNABLE,
			   .stack = stack);
		return TP_V2_ADVANCED;
	case TP_V2_GoBlock:
	case TP_V2_GoStop:
		STRING(tp_v2_varint(in), &str);
		STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		NEED_STATE;
		NEED(g->status == TP_V2_G_RUNNING, "its goroutine is not running");
		g->status = c->type == TP_V2_GoBlock ? TP_V2_G_WAITING : TP_V2_G_RUNNABLE;
		TRANSITION(c->type, g->index, TP_ST_RUNNING, tp_v2_gstate[g->status], .str = str,
			   .stack = stack);
		m->g = &o->s.nobody;
		return TP_V2_ADVANCED;
	case TP_V2_GoSyscallBegin:
		seq = tp_v2_varint(in);
		STACK(tp_v2_varint(in), &stack);
		NEED_USER;
		NEED_STATE;
		NEED(g->status == TP_V2_G_RUNNING, "its goroutine is not running");
		NEED(follows(o, seq, p->seq, p->seq_gen), "not the next sequence number of its P");
		g->status = TP_V2_G_SYSCALL;
		p->status = TP_V2_P_SYSCALL;
		p->seq = seq;
		TRANSITION(TP_EV_GO_SYSCALL_BEGIN, g->index, TP_ST_RUNNING, TP_ST_SYSCALL,
			   .stack = stack);
		return TP_V2_ADVANCED;
	case TP_V2_GoSyscallEnd:
		NEED_USER;
		NEED_STATE;
		NEED(g->status == TP_V2_G_SYSCALL, "its goroutine is not in a syscall");
		NEED(p->status == TP_V2_P_SYSCALL, "its P is not in a syscall");
		g->status = TP_V2_G_RUNNING;
		p->status = TP_V2_P_RUNNING;
		TRANSITION(TP_EV_GO_SYSCALL_END, g->index, TP_ST_SYSCALL, TP_ST_RUNNING);
		return TP_V2_ADVANCED;
	case TP_V2_GoSyscallEndBlocked:
		if (has_p(m) && p->status == TP_V2_P_SYSCALL)
			return TP_V2_WAITS; /* the P has yet to be taken away */
		NEED(has_g(m), "needs a goroutine");
		NEED_STATE;
		NEED(g->status == TP_V2_G_SYSCALL, "its goroutine is not in a syscall");
		g->status = TP_V2_G_RUNNABLE;
		TRANSITION(TP_EV_GO_SYSCALL_BLOCKED, g->index, TP_ST_SYSCALL, TP_ST_RUNNABLE);
		m->g = &o->s.nobody;
		return TP_V2_ADVANCED;
	case TP_V2_GoCreate:
	case TP_V2_GoCreateBlocked:
		id = tp_v2_varint(in);
		STACK(tp_v2_varint(in), &stack2);
		STACK(tp_v2_varint(in), &stack);
		NEED_P;
		NEED(!g->alive || g->status == TP_V2_G_RUNNING, "its goroutine is not running");
		g = tp_v2_g_get(&o->s, id);
		if (!g)
			return out_of_memory(o, TP_ELIMIT);
		NEED(!g->alive, "a goroutine with this id exists");
		tp_v2_g_born(&o->s, g,
			     c->type == TP_V2_GoCreate ? TP_V2_G_RUNNABLE : TP_V2_G_WAITING,
			     o->g.number);
		TRANSITION(c->type, g->index, TP_ST_NOT_EXIST, tp_v2_gstate[g->status],
			   .stack = stack, .str2 = stack2);
		return TP_V2_ADVANCED;
	case TP_V2_HeapAlloc:
		id = tp_v2_varint(in);
		NEED_P;
		EVENT(TP_EV_HEAP_ALLOC, TP_NONE, .arg = {id});
		return TP_V2_ADVANCED;
	case TP_V2_GoDestroy:
		NEED_USER;
		NEED_STATE;
		NEED(g->status == TP_V2_G_RUNNING, "its goroutine is not running");
		TRANSITION(TP_EV_GO_DESTROY, g->index, TP_ST_RUNNING, TP_ST_NOT_EXIST);
		tp_v2_g_died(&o->s, g);
		m->g = &o->s.nobody;
		return TP_V2_ADVANCED;
	case TP_V2_GoCreateSyscall:
		id = tp_v2_varint(in);
		NEED(is_thread(m), "needs a thread");
		NEED(!has_g(m), "a goroutine is running already");
		g = tp_v2_g_get(&o->s, id);
		if (!g)
			return out_of_memory(o, TP_ELIMIT);
		NEED(!g->alive, "a goroutine with this id exists");
		tp_v2_g_born(&o->s, g, TP_V2_G_SYSCALL, o->g.number);
		TRANSITION(TP_EV_GO_CREATE_SYSCALL, g->index, TP_ST_NOT_EXIST, TP_ST_SYSCALL);
		m->g = g;
		return TP_V2_ADVANCED;
	case TP_V2_ProcStart:
		id = tp_v2_varint(in);
		seq = tp_v2_varint(in);
		p = tp_v2_p_find(&o->s, id);
		if (!p || p->status != TP_V2_P_IDLE || !follows(o, seq, p->seq, p->seq_gen) ||
		    has_p(m))
			return TP_V2_WAITS;
		NEED(is_thread(m), "needs a thread");
		p->status = TP_V2_P_RUNNING;
		p->seq = seq;
		TRANSITION(TP_EV_PROC_START, p->index, TP_ST_IDLE, TP_ST_RUNNING);
		m->p = p;
		return TP_V2_ADVANCED;
	case TP_V2_ProcStop:
		NEED_P;
		NEED(p->status == TP_V2_P_RUNNING || p->status == TP_V2_P_SYSCALL,
		     "its P is not running");
		p->status = TP_V2_P_IDLE;
		TRANSITION(TP_EV_PROC_STOP, p->index, TP_ST_RUNNING, TP_ST_IDLE);
		m->p = &o->s.no_p;
		return TP_V2_ADVANCED;
	case TP_V2_ProcSteal:
		return proc_steal(o, c, in);
	case TP_V2_ProcStatus:
		return proc_status(o, c, in);
	case TP_V2_GoDestroySyscall:
		return go_destroy_syscall(o, c);
	case TP_V2_GoStatus:
	case TP_V2_GoStatusStack:
		return go_status(o, c, in);
	case TP_V2_GoSwitch:
	case TP_V2_GoSwitchDestroy:
		return go_switch(o, c, in);
	case TP_V2_STWBegin:
	case TP_V2_STWEnd:
		return stw(o, c, in);
	case TP_V2_GCActive:
	case TP_V2_GCBegin:
	case TP_V2_GCEnd:
		return gc_mark(o, c, in);
	case TP_V2_GCSweepActive:
	case TP_V2_GCSweepBegin:
	case TP_V2_GCSweepEnd:
		return sweep(o, c, in);
	case TP_V2_GCMarkAssistActive:
	case TP_V2_GCMarkAssistBegin:
	case TP_V2_GCMarkAssistEnd:
		return mark_assist(o, c, in);
	case TP_V2_UserTaskBegin:
	case TP_V2_UserTaskEnd:
		return user_task(o, c, in);
	case TP_V2_UserRegionBegin:
	case TP_V2_UserRegionEnd:
		return user_region(o, c, in);
	case TP_V2_ProcsChange:
	case TP_V2_HeapGoal:
	case TP_V2_GoLabel:
	case TP_V2_UserLog:
		return annotation(o, c, in);
	case TP_V2_ClockSnapshot: /* timed, but at home in a sync batch only */
		return fault(o, c, "an event that has no place in the order");
	default:
		return experimental(o, c, in);
	}
}

/* The event of c took effect, and what came of it begins at o->out[before]. Three counts in one
 * number: tp_v2_order_count takes them apart before any of them is full. */
static inline void tally(struct tp_v2_order *o, const struct tp_v2_cursor *c, size_t before,
			 const uint8_t *end)
{
	o->tally[c->type] += (uint64_t)(end - c->from) + TP_V2_TALLY_EVENT +
			     (o->out[before].stack ? TP_V2_TALLY_STACK : 0);
}

enum tp_v2_advance tp_v2_advance(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	const uint8_t *p = c->at;
	size_t before = o->n;
	enum tp_v2_advance how;

	c->m->alive = true;
	how = take(o, c, &p);
	if (how == TP_V2_ADVANCED) {
		tally(o, c, before, p);
		c->at = p;
	}
	return how;
}

int tp_v2_advance_until(struct tp_v2_order *o, struct tp_v2_cursor *c, int64_t until)
{
	c->m->alive = true;
	do {
		const uint8_t *p = c->at;
		int64_t last_ts = o->last_ts;
		size_t n = o->n;
		enum tp_v2_advance how;
		int more;

		if (unlikely(n > TP_BATCH_EVENTS - TP_V2_MOST_EVENTS)) {
			int code = tp_v2_order_flush(o);

			if (code)
				return code;
			n = 0;
		}
		how = take(o, c, &p);
		if (unlikely(how != TP_V2_ADVANCED)) {
			if (how == TP_V2_WAITS)
				return TP_V2_RUN_WAITS;
			o->n = n;
			o->last_ts = last_ts;
			return o->err->code;
		}
		tally(o, c, n, p);
		c->at = p;
		more = tp_v2_cursor_next(&o->f, c, o->err);
		if (unlikely(more <= 0))
			return more ? tp_v2_order_unread(o, n, last_ts, more) : TP_V2_RUN_ENDS;
	} while (c->ts <= until);
	return TP_V2_RUN_LATER;
}
