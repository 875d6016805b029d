/* One cursor per M over its event batches, and the heap of cursors by the time of their next event.
 *
 * The heap is Go's (internal/trace/batchcursor.go), because ties decide the order of events: an
 * entry moves up only past a later one, and down only to an earlier child, the left one first.
 *
 * A cursor reads a type and dt when it moves to an event; arguments stay in the input until the
 * event takes effect. That is safe without further checks: an event is only stood on after it is
 * known that its type is timed and that its varints are sound and within the batch. Most of the
 * time that takes no look at them, because TP_V2_MAX_EVENT bytes are left and the batch has no run
 * of nine continuation bytes anywhere, which every varint that does not fit 64 bits needs. */
#ifndef TP_ORDER_V2_FRONTIER_H
#define TP_ORDER_V2_FRONTIER_H

#include "decode/v2/generation.h"
#include "decode/v2/sort.h"
#include "decode/v2/wire.h"
#include "order/v2/state.h"

struct tp_v2_cursor {
	const uint8_t *from; /* first byte of the event */
	const uint8_t *at;   /* behind its dt */
	const uint8_t *end;  /* of the batch */
	const uint8_t *slow; /* from here on, every event is checked */
	int64_t ts;	     /* of the event, ns */
	struct tp_v2_m *m;
	uint32_t piece; /* index + 1 of the batch, 0 when all are read */
	uint8_t type;
};

struct tp_v2_frontier {
	const struct tp_v2_generation *g;
	struct tp_v2_entry *heap; /* of cursors */
	struct tp_v2_entry *spare; /* room for as many, to sort in */
	size_t n;
	struct tp_v2_cursor *cursors;
	size_t room;
	int64_t dt_ns[128]; /* of deltas that fit one byte */
	uint64_t consumed;  /* bytes of batches entered */
};

/* A varint that is known to be sound. */
static inline uint64_t tp_v2_varint(const uint8_t **p)
{
	const uint8_t *at = *p;
	uint64_t b = *at++, v = b;

	/* Every byte takes away the highest bit of the one before it. Most have three at most. */
	if (b >= 0x80) {
		b = *at++;
		v += (b - 1) << 7;
		if (b >= 0x80) {
			b = *at++;
			v += (b - 1) << 14;
			for (unsigned shift = 21; b >= 0x80; shift += 7) {
				b = *at++;
				v += (b - 1) << shift;
			}
		}
	}
	*p = at;
	return v;
}

/* 1: c stands on the next event; 0: there is none; TP_EFORMAT. */
int tp_v2_cursor_next_slow(struct tp_v2_frontier *f, struct tp_v2_cursor *c, struct tp_err *err);

/* The time of the event whose dt is at *p, which is known to be sound; last: of the one before. */
static inline int64_t tp_v2_cursor_time(const struct tp_v2_frontier *f, int64_t last,
					const uint8_t **p)
{
	if (**p < 0x80)
		return (int64_t)((uint64_t)last + (uint64_t)f->dt_ns[*(*p)++]);
	return (int64_t)((uint64_t)last + (uint64_t)tp_v2_ns(f->g->ns_per_tick, tp_v2_varint(p)));
}

static inline int tp_v2_cursor_next(struct tp_v2_frontier *f, struct tp_v2_cursor *c,
				    struct tp_err *err)
{
	const uint8_t *p = c->at;

	if (p >= c->slow || !tp_v2_arity[*p])
		return tp_v2_cursor_next_slow(f, c, err);
	c->from = p;
	c->type = *p++;
	c->ts = tp_v2_cursor_time(f, c->ts, &p);
	c->at = p;
	return 1;
}

/* Sets up the cursors of a generation: 0, TP_EFORMAT when a first event cannot be read, or
 * TP_ENOMEM or TP_ELIMIT. */
int tp_v2_frontier_begin(struct tp_v2_frontier *f, struct tp_v2_state *s,
			 const struct tp_v2_generation *g, struct tp_err *err);
void tp_v2_frontier_release(struct tp_v2_frontier *f);

/* Moves entry i down past earlier children. */
static inline void tp_v2_frontier_sift_down(struct tp_v2_entry *h, size_t n, size_t i)
{
	const struct tp_v2_entry t = h[i];

	for (size_t first; (first = 2 * i + 1) < n; i = first) {
		int64_t ts = h[first].ts;

		if (first + 1 < n && h[first + 1].ts < ts)
			ts = h[++first].ts;
		if (ts >= t.ts)
			break;
		/* Field by field, as they were written: a load of both would wait for that. */
		h[i].ts = ts;
		h[i].of = h[first].of;
	}
	h[i].ts = t.ts;
	h[i].of = t.of;
}

/* After the time of entry i changed; after its cursor has ended. */
void tp_v2_frontier_update(struct tp_v2_frontier *f, size_t i);
void tp_v2_frontier_remove(struct tp_v2_frontier *f, size_t i);
/* Puts all entries in order of time; a sorted heap is a heap. */
void tp_v2_frontier_sort(struct tp_v2_frontier *f);

#endif
