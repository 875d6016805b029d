/* The state behind span.h, and the common case of a transition as inline functions: the loop of
 * timeline.c cannot afford a call and a copy per span. Private to timeline/. */
#ifndef TP_TIMELINE_MACHINE_H
#define TP_TIMELINE_MACHINE_H

#include <stddef.h>
#include <string.h>

#include "decode/dict.h"
#include "timeline/span.h"

#define TP_CHUNK_BITS 8
#define TP_CHUNK      (1u << TP_CHUNK_BITS) /* goroutines that live in one allocation */
#define TP_STEP_SPANS 4			    /* the most one event completes */

enum {
	TP_G_PRESUMED = 1, /* began with the first status, or was restored: a status continues it */
	TP_G_INFERRED = 2, /* salvage inferred its beginning */
	TP_G_RESTORED = 4, /* waker and waker_stack hold the known end of a system call */
	TP_G_ENDED = 8,	   /* its last span is closed: start and mark are where that ended */
	TP_G_DROPPED =
	    16, /* of a freed chunk, maybe never alive: start, mark are dropped_ts, dropped_mark */
};

/* Why and with which stack a goroutine entered its state; laid out as in an event. */
struct tp_cause {
	uint32_t stack, reason;
};

struct tp_gsum;

/* Where a goroutine is; laid out as in an event. */
struct tp_place {
	uint32_t m, p;
};

_Static_assert(offsetof(struct tp_event, str) == offsetof(struct tp_event, stack) + 4 &&
		   offsetof(struct tp_event, p) == offsetof(struct tp_event, m) + 4,
	       "cause and place are copied from events as they are");

/* The open span of a goroutine; all zero without one. Place and waker are those of the event that
 * began it, even in states without them: tp_gstate_span() selects. */
struct tp_gstate {
	int64_t start;
	/* Set by timeline.c, and reset to NULL by span.c when it changes anything here. */
	struct tp_gsum *sum;
	struct tp_cause cause;
	struct tp_place at; /* of a system call: as it was entered */
	uint32_t waker, waker_stack;
	uint32_t mark;
	uint8_t state; /* enum tp_state; TP_ST_NONE: no open span */
	uint8_t flags;
	/* Also set by timeline.c: the cell that the span will count for, 0 if not looked up yet. */
	uint32_t cell;
	uint8_t gc; /* a copy of sum->gc */
	uint8_t pad[19 - sizeof(void *)];
};

_Static_assert(sizeof(struct tp_gstate) == 64, "a goroutine's state is a cache line");

/* Goroutines are numbered as they appear, so those of a chunk mostly end together. A chunk without
 * a live goroutine is freed, so memory depends on the number of live ones. */
struct tp_gchunk {
	struct tp_gstate g[TP_CHUNK];
	uint32_t live;
	uint8_t pad[60];
};

struct tp_spans {
	struct tp_gchunk **chunk;
	size_t nchunks;	      /* room; entries may be NULL */
	uint32_t newest;      /* chunk with the highest number seen */
	uint32_t *syscalling; /* P → goroutine whose system call it serves, or TP_NONE */
	size_t np;
	int64_t *m_last; /* M → time of its latest event */
	size_t nm;
	int64_t sync_ts; /* Go's syncTs; 0: unset */
	uint32_t sync_mark, mark;
	int64_t dropped_ts; /* the latest end of a goroutine whose chunk was freed */
	uint32_t dropped_mark;
};

int tp_spans_grow_g(struct tp_spans *s, uint32_t g);
int tp_spans_grow_p(struct tp_spans *s, uint32_t p);
int tp_spans_grow_m(struct tp_spans *s, uint32_t m);
void tp_spans_drop(struct tp_spans *s, uint32_t chunk);

/* Returns the state of g, or NULL. */
static inline struct tp_gstate *tp_gstate_find(const struct tp_spans *s, uint32_t g)
{
	uint32_t c = g >> TP_CHUNK_BITS;

	return c < s->nchunks && s->chunk[c] ? &s->chunk[c]->g[g & (TP_CHUNK - 1)] : NULL;
}

/* Returns a cause as one number, for comparison. */
static inline uint64_t tp_cause_bits(const struct tp_cause *c)
{
	uint64_t bits;

	memcpy(&bits, c, sizeof(bits));
	return bits;
}

static inline struct tp_cause tp_cause_of_bits(uint64_t bits)
{
	struct tp_cause c;

	memcpy(&c, &bits, sizeof(c));
	return c;
}

/* Returns the open span as it is if it ends at `end`. */
static inline struct tp_span tp_gstate_span(const struct tp_gstate *st, uint32_t g, int64_t end)
{
	bool placed = st->state == TP_ST_RUNNING || st->state == TP_ST_SYSCALL ||
		      st->state == TP_ST_SYSCALL_BLOCKED;
	bool runnable = st->state == TP_ST_RUNNABLE;

	return (struct tp_span){
	    .start = st->start,
	    .end = end,
	    .goroutine = g,
	    .reason = st->cause.reason,
	    .stack = st->cause.stack,
	    .m = placed ? st->at.m : TP_NONE,
	    .p = placed ? st->at.p : TP_NONE,
	    .waker = runnable && st->waker != g ? st->waker : TP_NONE,
	    .waker_stack = runnable ? st->cause.stack : 0,
	    .mark = st->mark,
	    .state = st->state,
	    .inferred = (st->flags & TP_G_INFERRED) != 0,
	};
}

/* Returns whether ev ends its goroutine; as in Go, blocking "forever" does. */
static inline bool tp_event_ends(const struct tp_event *ev)
{
	return ev->to == TP_ST_NOT_EXIST || (ev->to == TP_ST_WAITING && ev->str == TP_STR_FOREVER);
}

/* Masks by state: all ones if stack and reason of the event belong to the state it leads to. */
#define TP_ALL UINT32_MAX
static const struct tp_cause tp_cause_of_state[TP_NSTATES] = {
    [TP_ST_UNDETERMINED] = {TP_ALL, TP_ALL}, [TP_ST_NOT_EXIST] = {TP_ALL, TP_ALL},
    [TP_ST_RUNNABLE] = {TP_ALL, TP_ALL},     [TP_ST_RUNNING] = {0, 0},
    [TP_ST_WAITING] = {TP_ALL, TP_ALL},	     [TP_ST_SYSCALL] = {TP_ALL, 0},
    [TP_ST_IDLE] = {TP_ALL, TP_ALL},	     [TP_ST_SYSCALL_BLOCKED] = {TP_ALL, TP_ALL},
    [TP_ST_LOST] = {TP_ALL, TP_ALL},
};

/* Fills in the state `to` that a goroutine enters at ev, without branches, which could not be
 * predicted. `to` is ev->to; a caller that knows it as a constant says so. */
static inline void tp_gstate_enter(struct tp_gstate *st, const struct tp_event *ev, uint8_t to)
{
	const char *from = (const char *)ev;
	uint64_t cause, place; /* two fields each */

	memcpy(&cause, from + offsetof(struct tp_event, stack), sizeof(cause));
	memcpy(&place, from + offsetof(struct tp_event, m), sizeof(place));
	cause &= tp_cause_bits(&tp_cause_of_state[to]);
	memcpy(&st->cause, &cause, sizeof(cause));
	memcpy(&st->at, &place, sizeof(place));
	st->waker = ev->g;
	st->state = to;
}

/* As in Go, the P with which the call was entered serves no call from now on, even if it serves
 * another goroutine's by now (see the rules in span.h). */
static inline void tp_spans_leave_syscall(struct tp_spans *s, const struct tp_gstate *st)
{
	if ((st->state == TP_ST_SYSCALL || st->state == TP_ST_SYSCALL_BLOCKED) && st->at.p < s->np)
		s->syscalling[st->at.p] = TP_NONE;
}

/* Enters the state `to` that ev leads to. Returns 0 or an error code. */
static inline int tp_spans_enter(struct tp_spans *s, struct tp_gstate *st,
				 const struct tp_event *ev, uint8_t to)
{
	int code;

	tp_gstate_enter(st, ev, to);
	if (to == TP_ST_SYSCALL && ev->p != TP_NONE) {
		if (ev->p >= s->np && (code = tp_spans_grow_p(s, ev->p)))
			return code;
		s->syscalling[ev->p] = ev->subject;
	}
	return 0;
}

/* Must be called first for each event: states from before the trace count from the last Sync on. */
static inline void tp_spans_sync(struct tp_spans *s, const struct tp_event *ev)
{
	if (!s->sync_ts || ev->type == TP_EV_SYNC) {
		s->sync_ts = ev->ts;
		s->sync_mark = s->mark;
	}
}

/* Must be called last for each event, or for the last of several that follow each other on an M if
 * none of the others has TP_EVF_LOST. Returns 0 or an error code. */
static inline int tp_spans_seen(struct tp_spans *s, const struct tp_event *ev)
{
	int code;

	if (ev->m == TP_NONE)
		return 0;
	if (ev->m >= s->nm && (code = tp_spans_grow_m(s, ev->m)))
		return code;
	s->m_last[ev->m] = ev->ts;
	return 0;
}

/* Advances by one event, between the two calls above. Returns the number of spans it completed, in
 * out[], or an error code. */
int tp_spans_step(struct tp_spans *s, const struct tp_event *ev, struct tp_span out[TP_STEP_SPANS]);

#endif
