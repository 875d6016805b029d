/* Ordering the events of a generation by the rules of Go's reader (internal/trace/order.go and
 * reader.go): the earliest event that the state of the scheduler allows comes next. */
#ifndef TP_ORDER_V2_ORDER_H
#define TP_ORDER_V2_ORDER_H

#include "decode/v2/generation.h"
#include "order/v2/frontier.h"
#include "order/v2/state.h"

#define TP_V2_MOST_EVENTS 16 /* that one event of the wire can become, with what salvage infers */
/* Events that the sink gets at once; fewer only at the end of the trace. */
#define TP_V2_BATCH (TP_BATCH_EVENTS - TP_V2_MOST_EVENTS)

/* How often events may be looked at in vain in a generation, and threads for one that holds a P: so
 * often in a trace, and in each generation as often more for each of its bytes. Real traces need
 * less than ten per byte. */
#define TP_V2_FREE_TRIES     ((uint64_t)1 << 26)
#define TP_V2_TRIES_PER_BYTE 256

struct tp_v2_wire_stat {
	uint64_t events, with_stack, bytes;
};

/* The same three of a few events in one number: 24 bits of bytes, 20 of events, 20 with a stack. */
#define TP_V2_TALLY_EVENT   ((uint64_t)1 << 24)
#define TP_V2_TALLY_STACK   ((uint64_t)1 << 44)
#define TP_V2_TALLY_FLUSHES 128 /* that are taken apart at once */

static inline uint64_t tp_v2_tally(size_t bytes, bool with_stack)
{
	return bytes + TP_V2_TALLY_EVENT + (with_stack ? TP_V2_TALLY_STACK : 0);
}

_Static_assert(TP_V2_TALLY_FLUSHES *TP_BATCH_EVENTS *TP_V2_MAX_EVENT < 1 << 24,
	       "a tally holds what there may be between two of tp_v2_order_count");

struct tp_v2_order {
	struct tp_trace *trace;
	const struct tp_trace_options *opt;
	const struct tp_sink *sink;
	struct tp_input *in;
	struct tp_err *err; /* never NULL */
	bool lenient;	  /* ids that are in no table stand for nothing instead of being a fault */
	bool salvage;	  /* this generation is damaged, or follows one that is */
	bool ran;	  /* the fault came up while ordering, not while loading */
	bool sink_failed; /* the error is the sink's own */
	uint64_t unknown_ids; /* how often events used what is in no table, so far */
	uint64_t dropped;     /* salvage: events of this generation that fit nothing */
	uint64_t work;	      /* what searching may still cost in this generation */
	uint64_t repair_work;
	uint64_t tries, most_tries; /* of events that waited, in this generation */
	/* What generations so far cost of each beyond what their bytes are worth. */
	uint64_t more_work, more_repair_work, more_tries;
	uint64_t own_tries;	 /* what this one's are worth */
	uint64_t sought;	 /* bytes that were looked through for a frequency */
	uint64_t most_g, most_p; /* the largest ids of the first nmost_g, nmost_p */
	uint32_t nmost_g, nmost_p;
	const uint8_t *waiting;	    /* the event that was looked into last for waiting too long, */
	int64_t patience;	    /* and until when it may go on */

	struct tp_v2_state s;
	struct tp_v2_frontier f;
	struct tp_v2_generation g;
	size_t next_sample;
	uint64_t consumed;  /* bytes of the input that are done with, before this generation */
	uint64_t report_at; /* bytes at which to call opt->progress next */

	int64_t last_ts;      /* of the last event */
	size_t n;	      /* events in out */
	struct tp_event *out; /* TP_BATCH_EVENTS: the sink's room, or own */
	_Alignas(64) struct tp_event own[TP_BATCH_EVENTS]; /* each of them a cache line */
	struct tp_v2_wire_stat wire[256];		   /* but for what is in tally */
	uint64_t tally[256];
	unsigned flushes; /* since tally was empty */
};

enum tp_v2_advance {
	TP_V2_ADVANCED, /* the event took effect; its tp_events are the last of o->out */
	TP_V2_WAITS,	/* it cannot come next; nothing changed */
	TP_V2_FAULTY,	/* it contradicts the state: o->err says how */
};

/* Lets the event of c take effect, if it can. There must be room for TP_V2_MOST_EVENTS. On success
 * c->at stands behind the event. */
enum tp_v2_advance tp_v2_advance(struct tp_v2_order *o, struct tp_v2_cursor *c);

/* The same for one event after the other, the earliest of the frontier first; in between o->out is
 * handed on when it is full. Stops where a CPU sample is earlier than what comes next, where that
 * waits, or where its cursor has ended, which is then still the root of the frontier; or with an
 * error code that is about the root, and then what was ordered before is in o->out. */
enum { TP_V2_RUN_ENDS, TP_V2_RUN_SAMPLE, TP_V2_RUN_WAITS };
int tp_v2_advance_all(struct tp_v2_order *o);
/* The event behind the one just taken cannot be read: strictly, the latter is not delivered either,
 * as Go's reader looks for the next one first. There were n events before it, the last at last_ts.
 * Returns code. */
int tp_v2_order_unread(struct tp_v2_order *o, size_t n, int64_t last_ts, int code);
/* Brings o->wire up to date. */
void tp_v2_order_count(struct tp_v2_order *o);

/* Orders all that is left in the frontier, CPU samples in between: 0 or the error of the first
 * event that Go's reader would not deliver. Then the cursor it is about is *at (NULL: none can
 * advance), and the events before it are in o->out. */
int tp_v2_order_run(struct tp_v2_order *o, struct tp_v2_cursor **at);

/* Sets up frontier and samples of the loaded generation o->g. */
int tp_v2_order_begin(struct tp_v2_order *o);
/* The first n entries of the sorted frontier wait, and an event at ts would be taken before them:
 * the first that waits for something that cannot come, or n. */
size_t tp_v2_in_vain(struct tp_v2_order *o, size_t n, int64_t ts);
/* Appends a Sync event; ts as Go's reader gives it, moved behind the last event if need be. */
int tp_v2_order_sync(struct tp_v2_order *o, int64_t ts, uint64_t generation);
/* Takes room for the next batch from the sink: before the first event. */
void tp_v2_order_room(struct tp_v2_order *o);

/* Hands a batch of what is in o->out to the sink and reports progress. */
int tp_v2_order_flush(struct tp_v2_order *o);
/* All of it, at the end. */
int tp_v2_order_end(struct tp_v2_order *o);
/* Hands the next CPU sample out; there must be one. */
int tp_v2_order_sample(struct tp_v2_order *o);
/* Is there one, and is it before all events that are left? */
static inline bool tp_v2_sample_is_next(const struct tp_v2_order *o)
{
	return o->next_sample < o->g.nsamples &&
	       (!o->f.n || o->g.samples[o->next_sample].ts < o->f.heap[0].ts);
}

/* The time of an event at ts that follows one at `last`. */
static inline int64_t tp_v2_time_after(int64_t last, int64_t ts)
{
	return ts > last ? ts : (int64_t)((uint64_t)last + 1);
}
static inline int64_t tp_v2_order_time(struct tp_v2_order *o, int64_t ts)
{
	return o->last_ts = tp_v2_time_after(o->last_ts, ts);
}

#endif
