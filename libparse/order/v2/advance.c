/* One event of the wire takes effect: the frequent types, which are most of any trace, and the loop
 * that takes one after the other from an M. What else there is, see advance.h. */
#include "order/v2/advance.h"

enum tp_v2_advance tp_v2_fault(struct tp_v2_order *o, const struct tp_v2_cursor *c,
			       const char *what)
{
	tp_err_set(o->err, TP_EFORMAT, (uint64_t)(c->from - o->g.data),
		   "generation %llu: %s on M %lld (G %lld, P %lld): %s",
		   (unsigned long long)o->g.number, tp_v2_wires[c->type].name, (long long)c->m->id,
		   (long long)c->m->g->id, (long long)c->m->p->id, what);
	return TP_V2_FAULTY;
}

enum tp_v2_advance tp_v2_out_of_memory(struct tp_v2_order *o, int code)
{
	if (code == TP_ELIMIT)
		code = tp_v2_state_refusal(&o->s);
	tp_err_full(o->err, code, "too many goroutines, regions or tasks");
	return TP_V2_FAULTY;
}

/* Where the next event goes, and the time of the last one: what of struct tp_v2_order the loop
 * below keeps in registers, as bytes written to events may be anywhere as far as a compiler knows.
 */
struct pen {
	struct tp_event *at;
	const struct tp_event *full; /* behind this one there may be no room for the next */
	int64_t last_ts;
};

static inline struct pen take_pen(const struct tp_v2_order *o)
{
	return (struct pen){o->out + o->n, o->out + TP_V2_BATCH, o->last_ts};
}

static inline void lay_down(struct tp_v2_order *o, struct pen pen)
{
	o->n = (size_t)(pen.at - o->out);
	o->last_ts = pen.last_ts;
}

static inline int64_t pen_time(struct pen *pen, int64_t ts)
{
	return pen->last_ts = tp_v2_time_after(pen->last_ts, ts);
}

/* The event an M is at: what of struct tp_v2_cursor the loop keeps in registers, for the same
 * reason. Type and beginning are in the cursor as well, for whoever has to tell of a fault. */
struct spot {
	const uint8_t *from, *at;
	int64_t ts;
	uint8_t type;
};

static inline struct spot stand(const struct tp_v2_cursor *c)
{
	return (struct spot){c->from, c->at, c->ts, c->type};
}

static inline void leave(struct tp_v2_cursor *c, struct spot spot)
{
	c->at = spot.at;
	c->ts = spot.ts;
}

static enum tp_v2_advance take_other(struct tp_v2_order *o, struct tp_v2_cursor *c,
				     const uint8_t **in)
{
	size_t before = o->n;
	enum tp_v2_advance how;

	switch (c->type) {
	case TP_V2_ProcStart:
	case TP_V2_ProcStop:
	case TP_V2_ProcSteal:
	case TP_V2_ProcStatus:
	case TP_V2_GoCreate:
	case TP_V2_GoCreateBlocked:
	case TP_V2_GoCreateSyscall:
	case TP_V2_GoStatus:
	case TP_V2_GoStatusStack:
	case TP_V2_GoSwitch:
	case TP_V2_GoSwitchDestroy:
	case TP_V2_GoSyscallEndBlocked:
	case TP_V2_GoDestroy:
	case TP_V2_GoDestroySyscall:
		how = tp_v2_take_transition(o, c, in);
		break;
	case TP_V2_STWBegin:
	case TP_V2_STWEnd:
	case TP_V2_GCActive:
	case TP_V2_GCBegin:
	case TP_V2_GCEnd:
	case TP_V2_GCSweepActive:
	case TP_V2_GCMarkAssistActive:
	case TP_V2_GCMarkAssistBegin:
	case TP_V2_GCMarkAssistEnd:
		how = tp_v2_take_range(o, c, in);
		break;
	default:
		how = tp_v2_take_annotation(o, c, in);
		break;
	}
	if (how == TP_V2_ADVANCED)
		o->tally[c->type] +=
		    tp_v2_tally((size_t)(*in - c->from), o->out[before].stack != 0);
	return how;
}

#define LATER 99 /* the next event of the root is, beside TP_V2_RUN_… */

/* As EVENT and TRANSITION, but by the pen; and the event of the wire is counted. */
#define PUT(t, of, stack_, ...)                                                                    \
	do {                                                                                       \
		*pen->at++ = (struct tp_event){.ts = pen_time(pen, spot->ts),                      \
					       .g = m->g->index,                                   \
					       .m = m->index,                                      \
					       .p = m->p->index,                                   \
					       .type = TP_EV_##t,                                  \
					       .subject = of,                                      \
					       .stack = stack_,                                    \
					       __VA_ARGS__};                                       \
		o->tally[TP_EV_##t] += tp_v2_tally((size_t)(at - spot->from), (stack_) != 0);      \
		spot->at = at;                                                                     \
	} while (0)
#define MOVE(t, of, stack_, a, b, ...) PUT(t, of, stack_, .from = a, .to = b, __VA_ARGS__)

static inline __attribute__((always_inline)) enum tp_v2_advance
take(struct tp_v2_order *o, struct tp_v2_cursor *c, struct tp_v2_m *m, struct pen *pen,
     struct spot *spot)
{
	const uint8_t *at = spot->at, *behind;
	struct tp_v2_g *g = m->g;
	struct tp_v2_p *p = m->p;
	enum tp_v2_advance how;
	uint64_t id, seq;
	uint32_t str, stack;

	switch (spot->type) {
	case TP_V2_GoStart:
		id = tp_v2_varint(&at);
		seq = tp_v2_varint(&at);
		g = tp_v2_g_near(&o->s, id);
		if (!g || g->status != TP_V2_G_RUNNABLE || !follows(o, seq, g->seq, g->seq_gen))
			return TP_V2_WAITS;
		NEED_P;
		NEED(!has_g(m), "a goroutine is running already");
		g->status = TP_V2_G_RUNNING;
		g->seq = seq;
		MOVE(GO_START, g->index, 0, TP_ST_RUNNABLE, TP_ST_RUNNING);
		m->g = g;
		return TP_V2_ADVANCED;
	case TP_V2_GoUnblock:
		id = tp_v2_varint(&at);
		seq = tp_v2_varint(&at);
		g = tp_v2_g_near(&o->s, id);
		if (!g || g->status != TP_V2_G_WAITING || !follows(o, seq, g->seq, g->seq_gen))
			return TP_V2_WAITS;
		STACK(tp_v2_varint(&at), &stack);
		g->status = TP_V2_G_RUNNABLE;
		g->seq = seq;
		MOVE(GO_UNBLOCK, g->index, stack, TP_ST_WAITING, TP_ST_RUNNABLE);
		return TP_V2_ADVANCED;
	case TP_V2_GoBlock:
		STRING(tp_v2_varint(&at), &str);
		STACK(tp_v2_varint(&at), &stack);
		NEED_USER;
		NEED_STATE;
		NEED(g->status == TP_V2_G_RUNNING, "its goroutine is not running");
		g->status = TP_V2_G_WAITING;
		MOVE(GO_BLOCK, g->index, stack, TP_ST_RUNNING, TP_ST_WAITING, .str = str);
		m->g = &o->s.nobody;
		return TP_V2_ADVANCED;
	case TP_V2_GoStop:
		STRING(tp_v2_varint(&at), &str);
		STACK(tp_v2_varint(&at), &stack);
		NEED_USER;
		NEED_STATE;
		NEED(g->status == TP_V2_G_RUNNING, "its goroutine is not running");
		g->status = TP_V2_G_RUNNABLE;
		MOVE(GO_STOP, g->index, stack, TP_ST_RUNNING, TP_ST_RUNNABLE, .str = str);
		m->g = &o->s.nobody;
		return TP_V2_ADVANCED;
	case TP_V2_GoSyscallBegin:
		seq = tp_v2_varint(&at);
		STACK(tp_v2_varint(&at), &stack);
		NEED_USER;
		NEED_STATE;
		NEED(g->status == TP_V2_G_RUNNING, "its goroutine is not running");
		NEED(follows(o, seq, p->seq, p->seq_gen), "not the next sequence number of its P");
		g->status = TP_V2_G_SYSCALL;
		p->status = TP_V2_P_SYSCALL;
		p->seq = seq;
		MOVE(GO_SYSCALL_BEGIN, g->index, stack, TP_ST_RUNNING, TP_ST_SYSCALL);
		return TP_V2_ADVANCED;
	case TP_V2_GoSyscallEnd:
		NEED_USER;
		NEED_STATE;
		NEED(g->status == TP_V2_G_SYSCALL, "its goroutine is not in a syscall");
		NEED(p->status == TP_V2_P_SYSCALL, "its P is not in a syscall");
		g->status = TP_V2_G_RUNNING;
		p->status = TP_V2_P_RUNNING;
		MOVE(GO_SYSCALL_END, g->index, 0, TP_ST_SYSCALL, TP_ST_RUNNING);
		return TP_V2_ADVANCED;
	case TP_V2_HeapAlloc:
		id = tp_v2_varint(&at);
		NEED_P;
		PUT(HEAP_ALLOC, TP_NONE, 0, .arg = {id});
		return TP_V2_ADVANCED;
	case TP_V2_GCSweepBegin:
		STACK(tp_v2_varint(&at), &stack);
		NEED_P;
		NEED(p->sweeping != o->s.ranges, "a sweep is in flight already");
		p->sweeping = o->s.ranges;
		PUT(GC_SWEEP_BEGIN, p->index, stack);
		return TP_V2_ADVANCED;
	case TP_V2_GCSweepEnd:
		id = tp_v2_varint(&at); /* bytes swept and reclaimed */
		seq = tp_v2_varint(&at);
		NEED_P;
		NEED(p->sweeping == o->s.ranges, "no sweep is in flight");
		p->sweeping = 0;
		PUT(GC_SWEEP_END, p->index, 0, .arg = {id, seq});
		return TP_V2_ADVANCED;
	default:
		lay_down(o, *pen);
		leave(c, *spot);
		behind = at;
		how = take_other(o, c, &behind);
		if (how == TP_V2_ADVANCED)
			spot->at = behind;
		*pen = take_pen(o);
		return how;
	}
}

enum tp_v2_advance tp_v2_advance(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	struct pen pen = take_pen(o);
	struct spot spot = stand(c);
	enum tp_v2_advance how;

	c->m->alive = true;
	how = take(o, c, c->m, &pen, &spot);
	lay_down(o, pen);
	leave(c, spot);
	return how;
}

/* As tp_v2_cursor_next. */
static inline __attribute__((always_inline)) int next(struct tp_v2_order *o, struct tp_v2_cursor *c,
						      struct spot *spot)
{
	const uint8_t *p = spot->at;
	int more;

	if (unlikely(p >= c->slow || !tp_v2_arity[*p])) {
		leave(c, *spot);
		more = tp_v2_cursor_next_slow(&o->f, c, o->err);
		*spot = stand(c);
		return more;
	}
	c->from = spot->from = p;
	c->type = spot->type = *p++;
	spot->ts = tp_v2_cursor_time(&o->f, spot->ts, &p);
	spot->at = p;
	return 1;
}

/* Until when the root of the heap stays its root, and no sample comes first. */
static inline int64_t root_until(const struct tp_v2_order *o)
{
	const struct tp_v2_entry *h = o->f.heap;
	int64_t until = INT64_MAX;

	if (o->f.n > 1)
		until = h[1].ts;
	if (o->f.n > 2 && h[2].ts < until)
		until = h[2].ts;
	if (o->next_sample < o->g.nsamples && o->g.samples[o->next_sample].ts < until)
		until = o->g.samples[o->next_sample].ts;
	return until;
}

/* The events of the root's cursor up to `until`: 1, or what tp_v2_advance_all returns. */
static inline __attribute__((always_inline)) int
advance_root(struct tp_v2_order *o, struct tp_v2_cursor *c, struct pen *pen, int64_t until)
{
	struct spot spot = stand(c);
	struct tp_v2_m *m = c->m;
	int code = LATER;

	m->alive = true;
	do {
		struct pen before = *pen;
		enum tp_v2_advance how;
		int more;

		if (unlikely(pen->at > pen->full)) {
			lay_down(o, *pen);
			code = tp_v2_order_flush(o);
			before = *pen = take_pen(o);
			if (code)
				break;
			code = LATER;
		}
		how = take(o, c, m, pen, &spot);
		if (unlikely(how != TP_V2_ADVANCED)) {
			*pen = before;
			code = how == TP_V2_WAITS ? TP_V2_RUN_WAITS : o->err->code;
			break;
		}
		more = next(o, c, &spot);
		if (unlikely(more <= 0)) {
			if (more && o->opt->strict)
				*pen = before;
			code = more ? more : TP_V2_RUN_ENDS;
			break;
		}
	} while (spot.ts <= until);
	leave(c, spot);
	return code;
}

int tp_v2_advance_all(struct tp_v2_order *o)
{
	struct tp_v2_entry *root = o->f.heap;
	struct pen pen = take_pen(o);
	int code;

	for (;;) {
		struct tp_v2_cursor *c = root->of;

		code = advance_root(o, c, &pen, root_until(o));
		if (code >= 0)
			root->ts = c->ts;
		if (unlikely(code != LATER))
			break;
		tp_v2_frontier_sift_down(root, o->f.n, 0);
		code = TP_V2_RUN_SAMPLE;
		if (o->next_sample < o->g.nsamples && o->g.samples[o->next_sample].ts < root->ts)
			break;
	}
	lay_down(o, pen);
	return code;
}
