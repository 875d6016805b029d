/* The frontier: a cursor per M over its event batches, in a heap by the time of their next event.
 *
 * The heap is Go's (internal/trace/batchcursor.go), because ties decide the order of events: an entry moves
 * up only past a later one, and down only to an earlier child, the left one first.
 *
 * A cursor reads a type and dt when it moves to an event; arguments stay in the input until the event takes
 * effect. No checks are needed then: a cursor moves to an event only after it is known that its type is timed
 * and that its varints are sound and within the batch. Usually this is known without reading the varints:
 * TP_V2_MAX_EVENT bytes are left, and there is no run of nine continuation bytes in them, without which no
 * varint exceeds 64 bits. Sound varints have such a run from 2^63 on; 2^64-1 stands for "none" in some events.
 * Only events near one are checked. */
#ifndef TP_ORDER_V2_FRONTIER_H
#define TP_ORDER_V2_FRONTIER_H

#include "decode/v2/generation.h"
#include "decode/v2/sort.h"
#include "decode/v2/wire.h"
#include "order/v2/state.h"

struct tp_v2_cursor {
	const uint8_t *from;  /* first byte of the event */
	const uint8_t *at;    /* after its dt */
	const uint8_t *end;   /* of the batch */
	const uint8_t *slow;  /* events from here on are checked */
	const uint8_t *again; /* from here on checks may be unnecessary again */
	int64_t ts;	      /* of the event, ns */
	struct tp_v2_m *m;
	uint32_t piece; /* index + 1 of the batch; 0: all have been read */
	uint8_t type;
};

struct tp_v2_frontier {
	const struct tp_v2_generation *g;
	struct tp_v2_entry *heap;  /* cursors */
	struct tp_v2_entry *spare; /* room for as many, used for sorting */
	size_t n;
	struct tp_v2_cursor *cursors;
	size_t room;
	int64_t dt_ns[128]; /* deltas that fit one byte, in ns */
	uint64_t consumed;  /* bytes of the batches entered so far */
};

/* Reads a varint that is known to be sound. */
static inline uint64_t tp_v2_varint(const uint8_t **p)
{
	const uint8_t *at = *p;
	uint64_t b = *at++, v = b;

	/* Adding (b - 1) also removes the continuation bit of the byte before. Most varints have at
	 * most three bytes. */
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

/* Moves c to the next event and checks it. Returns 1, 0 at the end, or TP_EFORMAT. */
int tp_v2_cursor_next_slow(struct tp_v2_frontier *f, struct tp_v2_cursor *c, struct tp_err *err);

/* Reads the dt at *p, which is known to be sound. Returns the time of its event; `last` is that of the
 * event before. */
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

/* Sets up the cursors of a generation. Returns 0, TP_EFORMAT if a first event cannot be read,
 * TP_ENOMEM or TP_ELIMIT. */
int tp_v2_frontier_begin(struct tp_v2_frontier *f, struct tp_v2_state *s,
			 const struct tp_v2_generation *g, struct tp_err *err);
void tp_v2_frontier_release(struct tp_v2_frontier *f);

/* Moves entry i down, past children that are earlier. */
static inline void tp_v2_frontier_sift_down(struct tp_v2_entry *h, size_t n, size_t i)
{
	const struct tp_v2_entry t = h[i];

	for (size_t first; (first = 2 * i + 1) < n; i = first) {
		int64_t ts = h[first].ts;

		if (first + 1 < n && h[first + 1].ts < ts)
			ts = h[++first].ts;
		if (ts >= t.ts)
			break;
		/* Copied field by field, as they were written: a single load of both would have to wait for
		 * the two stores. */
		h[i].ts = ts;
		h[i].of = h[first].of;
	}
	h[i].ts = t.ts;
	h[i].of = t.of;
}

/* Restores the heap after the time of entry i has changed. */
void tp_v2_frontier_update(struct tp_v2_frontier *f, size_t i);
/* Removes entry i, whose cursor has ended. */
void tp_v2_frontier_remove(struct tp_v2_frontier *f, size_t i);
/* Sorts all entries by time; the result is a heap, too. */
void tp_v2_frontier_sort(struct tp_v2_frontier *f);

#endif
