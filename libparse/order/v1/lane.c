#include "order/v1/state.h"

#include <string.h>

#include "base/cursor.h"

/* Events of other goroutines to skip in search of whether a system call blocks; in intact traces
 * the very next event tells. */
#define FAR 1000

static void enter_batch(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	const struct tp_v1_batch *b;

	if (l->batch != TP_V1_NO_BATCH) {
		b = &o->ix->batches[l->batch];
		/* Also releases the page shared with the next batch: reading it again costs little,
		 * but one page kept per batch would add up. */
		tp_input_done_with(o->in, (size_t)b->offset, (size_t)b->end + 4095);
		o->bytes_done += b->end - b->offset;
	}
	l->batch = l->next;
	b = &o->ix->batches[l->batch];
	l->next = b->next;
	l->at = o->ix->data + b->offset;
	l->end = o->ix->data + b->end;
	l->ticks = b->ticks;
	l->seq = b->seq;
	if (unlikely(b->gap))
		l->gap = true;
}

static void damaged_event(struct tp_v1_order *o, const struct tp_v1_lane *l, const uint8_t *at)
{
	struct tp_loss loss = {.offset = (uint64_t)(at - o->ix->data),
			       .bytes = (uint64_t)(l->end - at),
			       .from_ns = INT64_MIN,
			       .to_ns = INT64_MIN,
			       .reason = "an event has a wrong number of arguments"};

	if (o->opt->strict)
		o->code = tp_err_set(o->err, TP_EFORMAT, loss.offset,
				     "at 0x%llx: %s has a wrong number of arguments",
				     (unsigned long long)loss.offset, tp_v1_names[*at & 63]);
	else if (!o->quiet && tp_trace_add_loss(o->trace, &loss))
		o->code = tp_nomem(o->err);
}

/* Decodes one event near the end of a batch, or one that the fast path does not handle. Returns 1
 * if *e is an event to order, 0 if not, -1 if it is damaged. */
static int decode(struct tp_v1_order *o, struct tp_v1_lane *l, struct tp_v1_ev *e)
{
	const struct tp_v1_wire *wire = &o->ix->wire;
	unsigned type = *l->at & 63, form = wire->form[*l->at];
	const struct tp_v1_shape *shape = &wire->shape[type];
	struct tp_cursor c = tp_cursor(l->at + 1, (size_t)(l->end - l->at - 1));
	unsigned n = 0;

	e->at = l->at;
	e->type = (uint8_t)type;
	if (form == TP_V1_TEXT) {
		tp_cursor_uvarint(&c);
		tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	} else if (form == TP_V1_INLINE || form == TP_V1_INLINE_NOTED) {
		while (n < shape->values)
			e->v[n++] = tp_cursor_uvarint(&c);
	} else {
		struct tp_slice s = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
		struct tp_cursor args = tp_cursor(s.data, s.size);

		if (!c.failed && shape->timed) {
			while (args.at < args.end && !args.failed && n < shape->values)
				e->v[n++] = tp_cursor_uvarint(&args);
			if (args.failed || args.at < args.end || n < shape->values)
				return -1;
		}
	}
	e->tail = c.at;
	if (form == TP_V1_LOGGED)
		tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	if (c.failed)
		return -1;
	l->at = c.at;
	return shape->timed && type != TP_V1_CPU_SAMPLE;
}

bool tp_v1_lane_next_slow(struct tp_v1_order *o, struct tp_v1_lane *l, struct tp_v1_ev *e)
{
	for (;;) {
		const struct tp_v1_shape *shape;
		int timed;

		if (l->at == l->end) {
			if (l->next == TP_V1_NO_BATCH)
				return false;
			enter_batch(o, l);
			continue;
		}
		timed = decode(o, l, e);
		if (unlikely(timed < 0)) {
			damaged_event(o, l, l->at);
			if (o->code)
				return false;
			/* Where the next event of the batch begins cannot be known. */
			l->at = l->end;
			l->gap = true;
			continue;
		}
		if (!timed)
			continue;
		shape = &o->ix->wire.shape[e->type];
		/* NOLINTBEGIN(clang-analyzer-core.*): decode() has filled `values` of them, which
		 * is at least `lead` */
		e->stack = shape->stack ? e->v[shape->values - 1] : 0;
		if (o->lead == 2)
			l->seq += e->v[0];
		l->ticks = (int64_t)((uint64_t)l->ticks + e->v[o->lead - 1]);
		/* NOLINTEND(clang-analyzer-core.*) */
		e->key = o->lead == 2 ? (int64_t)l->seq : l->ticks;
		e->ticks = l->ticks;
		return true;
	}
}

/* Returns whether the event is the goroutine's own (Go: Event.G). */
static bool is_of(const struct tp_v1_order *o, const struct tp_v1_ev *e, const struct tp_v1_g *g)
{
	switch (e->type) {
	case TP_V1_GO_SYSEXIT:
	case TP_V1_GO_SYSEXIT_LOCAL:
	case TP_V1_GO_WAITING:
	case TP_V1_GO_IN_SYSCALL:
	case TP_V1_GO_START:
	case TP_V1_GO_START_LOCAL:
	case TP_V1_GO_START_LABEL:
		return e->v[o->lead] == g->id;
	case TP_V1_GC_START:
	case TP_V1_GC_DONE:
	case TP_V1_STW_START:
	case TP_V1_STW_DONE:
		return o->version >= 11;
	default:
		return true;
	}
}

bool tp_v1_lane_blocks(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	struct tp_v1_lane ahead;
	struct tp_v1_ev e;

	if (!l->has_peek) {
		if (!tp_v1_lane_next(o, l, &l->peek))
			return false;
		l->has_peek = true;
	}
	if (!is_of(o, &l->peek, l->g)) {
		/* Look ahead in a copy; the lane itself does not move. */
		ahead = *l;
		for (unsigned i = 0; i < FAR; i++) {
			if (ahead.at == ahead.end)
				return false;
			if (!tp_v1_lane_next(o, &ahead, &e))
				return false;
			if (is_of(o, &e, l->g))
				return e.type == TP_V1_GO_SYSBLOCK;
		}
		return false;
	}
	if (l->peek.type != TP_V1_GO_SYSBLOCK)
		return false;
	/* Go looks for the goroutine's next event of any kind, so a CPU sample hides the block. */
	return !tp_v1_sample_between(o, l->g, l->ev.key, l->peek.key);
}
