/* The spans of one segment, by goroutine and in order of events; what a path is walked on. Private
 * to libreport/path.
 *
 * Moments are counted, not timed: span n of the segment (in the order in which they end) ends at
 * the moment 2n+2, and what happens between two ends has an odd moment; 0 is before the segment. So
 * equal times are no ties. */
#ifndef REP_PATH_SLICE_H
#define REP_PATH_SLICE_H

#include "spans/view.h"

#define REP_SLICE_NONE UINT32_MAX

struct rep_slice_span {
	int64_t start, end; /* ns since the run began, not clipped */
	uint32_t goroutine, reason;
	uint32_t stack;		     /* see span.h; of running, the stack at its end */
	uint32_t waker, waker_stack; /* who ended a wait; TP_NONE */
	uint32_t waker_place;	     /* of the waker's spans, which one it was in: an ordinal */
	uint32_t p;
	uint8_t state;
	bool crosses; /* it began in an earlier segment */
	bool open;    /* it had not ended when the run did */
	bool ends;    /* it ended in this segment (else in a later one) */
};

struct rep_slice_birth {
	uint32_t creator;	/* TP_NONE: not created in this segment */
	uint32_t creator_place; /* as waker_place */
	uint32_t moment;
	uint32_t stack; /* of the go statement */
};

struct rep_slice_end { /* of a task */
	uint64_t task;
	int64_t ts;
	uint32_t goroutine, place, moment, stack;
};

struct rep_slice {
	size_t segment;
	struct rep_slice_span *span; /* n of them, in the order in which they end */
	uint32_t n, room;
	uint32_t *order; /* spans by goroutine, then time */
	uint32_t *first; /* by goroutine: of its spans in `order`; ngoroutines + 1 of them */
	struct rep_slice_birth *birth; /* by goroutine */
	int64_t *from_segment;	       /* by goroutine: where its span began that crosses the start
					  of this segment, -1 for none */
	uint32_t ngoroutines;
	struct rep_slice_end *end; /* of tasks */
	size_t nends, ends_room, order_room;
};

/* Reads a segment; what it held before is forgotten. Zero-initialised is valid. TP_ENOMEM,
 * TP_ESTORE.
 */
int rep_slice_read(struct rep_slice *s, struct rep_view *v, size_t segment, struct tp_err *err);
void rep_slice_release(struct rep_slice *s);

/* The place in `order` of the span in which a goroutine is at its n-th span; NONE where there is
 * none. */
static inline uint32_t rep_slice_place(const struct rep_slice *s, uint32_t goroutine, uint32_t nth)
{
	if (goroutine >= s->ngoroutines || nth >= s->first[goroutine + 1] - s->first[goroutine])
		return REP_SLICE_NONE;
	return s->first[goroutine] + nth;
}

static inline const struct rep_slice_span *rep_slice_at(const struct rep_slice *s, uint32_t place)
{
	return &s->span[s->order[place]];
}

static inline bool rep_slice_active(unsigned state)
{
	return state == TP_ST_RUNNING || state == TP_ST_SYSCALL || state == TP_ST_SYSCALL_BLOCKED;
}

/* The moment at which a span began: 0 where that is before the segment. */
uint32_t rep_slice_start(const struct rep_slice *s, uint32_t place);
/* The last span of a goroutine that begins before `t`, or NONE. */
uint32_t rep_slice_before(const struct rep_slice *s, uint32_t goroutine, int64_t t);
/* The place from which a goroutine did something at a moment, in its n-th span, or NONE where the
 * trace contradicts itself. */
uint32_t rep_slice_actor(const struct rep_slice *s, uint32_t goroutine, uint32_t nth,
			 uint32_t moment);

#endif
