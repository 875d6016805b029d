/* Orders the events of a generation by the rules of Go's reader (internal/trace/order.go and
 * reader.go): the earliest event that the state of the scheduler allows comes next. */
#ifndef TP_ORDER_V2_ORDER_H
#define TP_ORDER_V2_ORDER_H

#include "decode/v2/generation.h"
#include "order/v2/frontier.h"
#include "order/v2/state.h"

#define TP_V2_MOST_EVENTS                                                                          \
	16 /* the most events that one event of the wire becomes, with inferred ones */
/* Number of events that the sink gets at once; the last batch may have fewer. */
#define TP_V2_BATCH (TP_BATCH_EVENTS - TP_V2_MOST_EVENTS)

/* Limit on the tries that find an event waiting, and on the threads examined to find who holds a P: a fixed
 * allowance for the trace, plus so many per byte for each generation. Real traces need fewer than ten per
 * byte. */
#define TP_V2_FREE_TRIES     ((uint64_t)1 << 26)
#define TP_V2_TRIES_PER_BYTE 256

struct tp_v2_wire_stat {
	uint64_t events, with_stack, bytes;
};

/* A tally packs the three numbers into one: 20 bits of events, 20 of those with a stack, 24 of bytes. The
 * numbers that are constant in most places are the lower ones. */
#define TP_V2_TALLY_STACK   ((uint64_t)1 << 20)
#define TP_V2_TALLY_BYTE    ((uint64_t)1 << 40)
#define TP_V2_TALLY_FLUSHES 128 /* batches after which tallies are added to the totals */

static inline uint64_t tp_v2_tally(size_t bytes, bool with_stack)
{
	return bytes * TP_V2_TALLY_BYTE + (with_stack ? TP_V2_TALLY_STACK + 1 : 1);
}

_Static_assert(TP_V2_TALLY_FLUSHES *TP_BATCH_EVENTS *TP_V2_MAX_EVENT < 1 << 24,
	       "a tally cannot overflow between two calls of tp_v2_order_count");

struct tp_v2_order {
	struct tp_trace *trace;
	const struct tp_trace_options *opt;
	const struct tp_sink *sink;
	struct tp_input *in;
	struct tp_err *err; /* never NULL */
	bool lenient;	    /* an id that is in no table means the empty entry and is not a fault */
	bool salvage;	    /* this generation is damaged, or follows one that is */
	bool ran;	    /* the fault occurred while ordering, not while loading */
	bool sink_failed;   /* the error came from the sink */
	bool unnamed;	    /* there may be events in `out` with a stack whose root has no name */
	uint64_t unknown_ids; /* uses of ids that are in no table */
	uint64_t dropped;     /* salvage: events of this generation that could not be placed */
	/* Budgets of this generation: for searching, for repairs, and of tries (see above). */
	uint64_t work, repair_work;
	uint64_t tries, most_tries;
	/* What earlier generations spent beyond their own share, which depends on their size. */
	uint64_t more_work, more_repair_work, more_tries;
	uint64_t own_tries;	 /* this generation's share of tries */
	uint64_t sought;	 /* bytes searched for a frequency */
	uint64_t most_g, most_p; /* the largest of the first nmost_g, nmost_p ids */
	uint32_t nmost_g, nmost_p;
	const uint8_t *waiting; /* the event that was last found waiting for too long */
	int64_t patience;	/* and the time up to which it may go on waiting */

	struct tp_v2_state s;
	struct tp_v2_frontier f;
	struct tp_v2_generation g;
	size_t next_sample;
	uint64_t consumed;  /* bytes of the input before this generation */
	uint64_t report_at; /* bytes at which to call opt->progress next */

	int64_t last_ts;      /* of the last event */
	size_t n;	      /* events in out */
	struct tp_event *out; /* TP_BATCH_EVENTS of them: the sink's buffer, or `own` */
	_Alignas(64) struct tp_event own[TP_BATCH_EVENTS]; /* each is a cache line */
	struct tp_v2_wire_stat wire[256];		   /* without what is in tally */
	uint64_t tally[256];
	unsigned flushes; /* batches since the tallies were empty */
};

enum tp_v2_advance {
	TP_V2_ADVANCED, /* the event took effect; its tp_events are the last of o->out */
	TP_V2_WAITS,	/* it cannot come next; nothing has changed */
	TP_V2_FAULTY,	/* it contradicts the state; o->err says how */
};

/* Lets the event of c take effect if it can. o->out must have room for TP_V2_MOST_EVENTS. On success
 * c->at is past the event. */
enum tp_v2_advance tp_v2_advance(struct tp_v2_order *o, struct tp_v2_cursor *c);

/* Does the same for one event after the other, the earliest of the frontier first, and flushes o->out when it
 * is full. Stops before a CPU sample that is due, at an event that waits, or when a cursor has ended; that
 * cursor is still the root of the frontier. After a fault, returns an error code; the fault is about the
 * root, and the events before it are in o->out. */
enum { TP_V2_RUN_ENDS, TP_V2_RUN_SAMPLE, TP_V2_RUN_WAITS };
int tp_v2_advance_all(struct tp_v2_order *o);
/* Must be called when the event after the one just taken cannot be read. In strict mode, takes the event
 * back, because Go's reader reads the next event before it delivers one. There were n events before it, the
 * last at last_ts. Returns code. */
int tp_v2_order_unread(struct tp_v2_order *o, size_t n, int64_t last_ts, int code);
/* Adds the tallies to o->wire. */
void tp_v2_order_count(struct tp_v2_order *o);

/* Orders all events of the frontier, with the CPU samples among them. Returns 0, or the error of the
 * first event that Go's reader would not deliver. Then *at is its cursor (NULL if no event can come
 * next), and the events before it are in o->out. */
int tp_v2_order_run(struct tp_v2_order *o, struct tp_v2_cursor **at);

/* Sets up frontier and samples of the loaded generation o->g. */
int tp_v2_order_begin(struct tp_v2_order *o);
/* The first n entries of the sorted frontier wait, and an event at ts is about to be taken before them.
 * Returns the index of the first that waits for an event that does not exist, or n. */
size_t tp_v2_in_vain(struct tp_v2_order *o, size_t n, int64_t ts);
/* Appends a Sync event. ts is the time that Go's reader gives it; it is moved after the last event if
 * necessary. */
int tp_v2_order_sync(struct tp_v2_order *o, int64_t ts, uint64_t generation);
/* Gets a buffer for the next batch from the sink. Must be called before the first event. */
void tp_v2_order_room(struct tp_v2_order *o);

/* Hands one batch of o->out to the sink and reports progress. */
int tp_v2_order_flush(struct tp_v2_order *o);
/* Hands all of o->out to the sink, at the end. */
int tp_v2_order_end(struct tp_v2_order *o);
/* Appends the next CPU sample; there must be one. */
int tp_v2_order_sample(struct tp_v2_order *o);
/* Returns whether there is a CPU sample before all events that are left. */
static inline bool tp_v2_sample_is_next(const struct tp_v2_order *o)
{
	return o->next_sample < o->g.nsamples &&
	       (!o->f.n || o->g.samples[o->next_sample].ts < o->f.heap[0].ts);
}

/* Returns the time that an event at ts gets after one at `last`: times strictly increase. */
static inline int64_t tp_v2_time_after(int64_t last, int64_t ts)
{
	return ts > last ? ts : (int64_t)((uint64_t)last + 1);
}
static inline int64_t tp_v2_order_time(struct tp_v2_order *o, int64_t ts)
{
	return o->last_ts = tp_v2_time_after(o->last_ts, ts);
}

#endif
