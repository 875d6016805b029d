/* Makes events take effect: the frequent types, which are most of any trace, and the loop that
 * takes one event after the other from an M. See advance.h for the rules and for the other
 * types. */
#include "order/v2/advance.h"

#include <stdarg.h>
#include <stdio.h>

enum tp_v2_advance tp_v2_fault(struct tp_v2_order *o, const struct tp_v2_cursor *c, const char *fmt,
			       ...)
{
	char what[160];
	va_list ap;

	if (o->salvage) { /* it tries many events and shows no message */
		o->err->code = TP_EFORMAT;
		return TP_V2_FAULTY;
	}
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	tp_err_set(o->err, TP_EFORMAT, (uint64_t)(c->from - o->g.data),
		   "generation %llu: %s on M %lld (G %lld, P %lld): %s",
		   (unsigned long long)o->g.number, tp_v2_wires[c->type].name, (long long)c->m->id,
		   (long long)c->m->g->id, (long long)c->m->p->id, what);
	return TP_V2_FAULTY;
}

uint32_t tp_v2_odd_id(struct tp_v2_order *o, uint32_t found)
{
	if (found != TP_NO_ID) {
		o->unnamed = true;
		return found & ~TP_V2_UNNAMED;
	}
	if (!o->lenient)
		return TP_NO_ID;
	o->unknown_ids++;
	return 0;
}

enum tp_v2_advance tp_v2_out_of_memory(struct tp_v2_order *o, int code)
{
	if (code == TP_ELIMIT)
		code = tp_v2_state_refusal(&o->s);
	tp_err_full(o->err, code, "too many goroutines, regions or tasks");
	return TP_V2_FAULTY;
}

/* The position in the output: where the next event goes, and the time of the last one. The loop
 * below keeps these members of struct tp_v2_order in registers. In memory they would have to be
 * loaded again after every event written, because the compiler must assume that an event may
 * overlap them. */
struct out_cursor {
	struct tp_event *at;
	const struct tp_event *full; /* beyond it there may be too little room for the next event */
	int64_t last_ts;
};

static inline struct out_cursor load_out(const struct tp_v2_order *o)
{
	return (struct out_cursor){o->out + o->n, o->out + TP_V2_BATCH, o->last_ts};
}

static inline void store_out(struct tp_v2_order *o, struct out_cursor out)
{
	o->n = (size_t)(out.at - o->out);
	o->last_ts = out.last_ts;
}

static inline int64_t next_time(struct out_cursor *out, int64_t ts)
{
	return out->last_ts = tp_v2_time_after(out->last_ts, ts);
}

/* The position in the input: the event that an M is at. The loop keeps these members of struct
 * tp_v2_cursor in registers, for the same reason. */
struct in_cursor {
	const uint8_t *from, *at;
	int64_t ts;
	uint8_t type;
};

static inline struct in_cursor load_in(const struct tp_v2_cursor *c)
{
	return (struct in_cursor){c->from, c->at, c->ts, c->type};
}

static inline void store_in(struct tp_v2_cursor *c, struct in_cursor in)
{
	c->from = in.from;
	c->at = in.at;
	c->ts = in.ts;
	c->type = in.type;
}

/* The message of a fault needs the cursor. */
#undef FAULT
#define FAULT(...) (store_in(c, *in), tp_v2_fault(o, c, __VA_ARGS__))

/* NEED_USER, NEED_STATE and NEED_STATUS, which say what is wrong if the first test fails. */
#define NEED_USER_WITH(want)                                                                       \
	do {                                                                                       \
		if (unlikely(!tp_v2_g_is(g, want) || !has_p(m))) {                                 \
			NEED_USER;                                                                 \
			NEED_STATE;                                                                \
			NEED_STATUS(g, want);                                                      \
		}                                                                                  \
	} while (0)

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

#define LATER 99 /* beside TP_V2_RUN_…: the root's next event is after `until` */

/* Like EVENT and TRANSITION, but writes to the out cursor; also counts the event of the wire. */
#define PUT(t, of, stack_, ...)                                                                    \
	do {                                                                                       \
		*out->at++ = (struct tp_event){.ts = next_time(out, in->ts),                       \
					       .g = m->g->index,                                   \
					       .m = m->index,                                      \
					       .p = m->p->index,                                   \
					       .type = TP_EV_##t,                                  \
					       .subject = of,                                      \
					       .stack = stack_,                                    \
					       __VA_ARGS__};                                       \
		o->tally[TP_EV_##t] += tp_v2_tally((size_t)(at - in->from), (stack_) != 0);        \
		in->at = at;                                                                       \
	} while (0)
#define MOVE(t, of, stack_, a, b, ...) PUT(t, of, stack_, .from = a, .to = b, __VA_ARGS__)

/* Leaves *out and *in as they are unless the event takes effect. */
static inline __attribute__((always_inline)) enum tp_v2_advance
take(struct tp_v2_order *o, struct tp_v2_cursor *c, struct tp_v2_m *m, struct out_cursor *out,
     struct in_cursor *in)
{
	const uint8_t *at = in->at, *behind;
	struct tp_v2_g *g = m->g;
	struct tp_v2_p *p = m->p;
	enum tp_v2_advance how;
	uint64_t id, seq;
	uint32_t str, stack;

	switch (in->type) {
	case TP_V2_GoStart:
		/* Another M made the goroutine runnable, so the start waits for that. */
		id = tp_v2_varint(&at);
		seq = tp_v2_varint(&at);
		g = tp_v2_g_near(&o->s, id, TP_V2_G_RUNNABLE);
		if (!g || !follows(o, seq, g->seq, g->seq_gen))
			return TP_V2_WAITS;
		NEED_P;
		NEED(!has_g(m),
		     "goroutine %lld is to start, but goroutine %lld runs on this thread",
		     (long long)g->id, (long long)m->g->id);
		g->status = TP_V2_G_RUNNING;
		g->seq = seq;
		MOVE(GO_START, g->index, 0, TP_ST_RUNNABLE, TP_ST_RUNNING);
		m->g = g;
		return TP_V2_ADVANCED;
	case TP_V2_GoUnblock:
		/* Another M saw the goroutine block. The waker needs no P: sysmon has none. */
		id = tp_v2_varint(&at);
		seq = tp_v2_varint(&at);
		g = tp_v2_g_near(&o->s, id, TP_V2_G_WAITING);
		if (!g || !follows(o, seq, g->seq, g->seq_gen))
			return TP_V2_WAITS;
		STACK(tp_v2_varint(&at), &stack);
		g->status = TP_V2_G_RUNNABLE;
		g->seq = seq;
		MOVE(GO_UNBLOCK, g->index, stack, TP_ST_WAITING, TP_ST_RUNNABLE);
		return TP_V2_ADVANCED;
	case TP_V2_GoBlock:
		STRING(tp_v2_varint(&at), &str);
		STACK(tp_v2_varint(&at), &stack);
		NEED_USER_WITH(TP_V2_G_RUNNING);
		g->status = TP_V2_G_WAITING;
		MOVE(GO_BLOCK, g->index, stack, TP_ST_RUNNING, TP_ST_WAITING, .str = str);
		m->g = &o->s.nobody;
		return TP_V2_ADVANCED;
	case TP_V2_GoStop:
		STRING(tp_v2_varint(&at), &str);
		STACK(tp_v2_varint(&at), &stack);
		NEED_USER_WITH(TP_V2_G_RUNNING);
		g->status = TP_V2_G_RUNNABLE;
		MOVE(GO_STOP, g->index, stack, TP_ST_RUNNING, TP_ST_RUNNABLE, .str = str);
		m->g = &o->s.nobody;
		return TP_V2_ADVANCED;
	case TP_V2_GoSyscallBegin:
		/* From now on another M may steal the P. The number is the P's, so the steal, which
		 * has the next number, comes later. */
		seq = tp_v2_varint(&at);
		STACK(tp_v2_varint(&at), &stack);
		NEED_USER_WITH(TP_V2_G_RUNNING);
		NEED(follows(o, seq, p->seq, p->seq_gen),
		     "the sequence number %llu is not the next one of P %lld, whose last is %llu",
		     (unsigned long long)seq, (long long)p->id, (unsigned long long)p->seq);
		g->status = TP_V2_G_SYSCALL;
		p->status = TP_V2_P_SYSCALL;
		p->seq = seq;
		MOVE(GO_SYSCALL_BEGIN, g->index, stack, TP_ST_RUNNING, TP_ST_SYSCALL);
		return TP_V2_ADVANCED;
	case TP_V2_GoSyscallEnd:
		/* The goroutine still had its P: had it been stolen, the runtime would have written
		 * GoSyscallEndBlocked. */
		NEED_USER_WITH(TP_V2_G_SYSCALL);
		NEED_P_STATUS(p, TP_V2_P_SYSCALL);
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
		NEED(p->sweeping != o->s.ranges, "P %lld is sweeping already", (long long)p->id);
		p->sweeping = o->s.ranges;
		PUT(GC_SWEEP_BEGIN, p->index, stack);
		return TP_V2_ADVANCED;
	case TP_V2_GCSweepEnd:
		id = tp_v2_varint(&at); /* bytes swept and reclaimed */
		seq = tp_v2_varint(&at);
		NEED_P;
		NEED(p->sweeping == o->s.ranges, "P %lld is not sweeping", (long long)p->id);
		p->sweeping = 0;
		PUT(GC_SWEEP_END, p->index, 0, .arg = {id, seq});
		return TP_V2_ADVANCED;
	default:
		store_out(o, *out);
		store_in(c, *in);
		behind = at;
		how = take_other(o, c, &behind);
		if (how == TP_V2_ADVANCED) {
			in->at = behind;
			*out = load_out(o);
		}
		return how;
	}
}

enum tp_v2_advance tp_v2_advance(struct tp_v2_order *o, struct tp_v2_cursor *c)
{
	struct out_cursor out = load_out(o);
	struct in_cursor in = load_in(c);
	enum tp_v2_advance how;

	c->m->alive = true;
	how = take(o, c, c->m, &out, &in);
	store_out(o, out);
	store_in(c, in);
	return how;
}

/* Does the same as tp_v2_cursor_next. */
static inline __attribute__((always_inline)) int next(struct tp_v2_order *o, struct tp_v2_cursor *c,
						      struct in_cursor *in)
{
	const uint8_t *p = in->at;
	int more;

	if (unlikely(p >= c->slow || !tp_v2_arity[*p])) {
		store_in(c, *in);
		more = tp_v2_cursor_next_slow(&o->f, c, o->err);
		*in = load_in(c);
		return more;
	}
	in->from = p;
	in->type = *p++;
	in->ts = tp_v2_cursor_time(&o->f, in->ts, &p);
	in->at = p;
	return 1;
}

/* Returns the time up to which the root of the heap stays the root and no sample comes first. */
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

/* Returns the position before an event of the batch, or before the first one that is not in it yet. */
static struct out_cursor take_back(const struct tp_v2_order *o, struct tp_event *first)
{
	int64_t last_ts = first > o->out ? first[-1].ts : o->trace->last_ts;

	return (struct out_cursor){first, o->out + TP_V2_BATCH, last_ts};
}

/* Takes the events of the root's cursor up to `until`. Returns LATER, or what tp_v2_advance_all
 * returns. */
static inline __attribute__((always_inline)) int
advance_root(struct tp_v2_order *o, struct tp_v2_cursor *c, struct out_cursor *out, int64_t until)
{
	struct in_cursor in = load_in(c);
	struct tp_v2_m *m = c->m;
	int code = LATER;

	m->alive = true;
	do {
		struct tp_event *first;
		enum tp_v2_advance how;
		int more;

		if (unlikely(out->at > out->full)) {
			store_out(o, *out);
			code = tp_v2_order_flush(o);
			*out = load_out(o);
			if (code)
				break;
			code = LATER;
		}
		first = out->at;
		how = take(o, c, m, out, &in);
		if (unlikely(how != TP_V2_ADVANCED)) {
			code = how == TP_V2_WAITS ? TP_V2_RUN_WAITS : o->err->code;
			break;
		}
		more = next(o, c, &in);
		if (unlikely(more <= 0)) {
			if (more && o->opt->strict)
				*out = take_back(o, first);
			code = more ? more : TP_V2_RUN_ENDS;
			break;
		}
	} while (in.ts <= until);
	store_in(c, in);
	return code;
}

int tp_v2_advance_all(struct tp_v2_order *o)
{
	struct tp_v2_entry *root = o->f.heap;
	struct out_cursor out = load_out(o);
	int code;

	for (;;) {
		struct tp_v2_cursor *c = root->of;

		code = advance_root(o, c, &out, root_until(o));
		if (code >= 0)
			root->ts = c->ts;
		if (unlikely(code != LATER))
			break;
		tp_v2_frontier_sift_down(root, o->f.n, 0);
		code = TP_V2_RUN_SAMPLE;
		if (o->next_sample < o->g.nsamples && o->g.samples[o->next_sample].ts < root->ts)
			break;
	}
	store_out(o, out);
	return code;
}
