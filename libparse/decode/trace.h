/* A trace without its events: version, clock, goroutines, Ms and Ps by index, losses and notices.
 * tp_trace_read() (order/read.h) fills it. */
#ifndef TP_DECODE_TRACE_H
#define TP_DECODE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/dict.h"
#include "decode/event.h"
#include "decode/ledger.h"

struct tp_clock {
	int64_t ts;           /* trace clock, ns */
	int64_t mono_ns;      /* CLOCK_MONOTONIC of the program */
	int64_t wall_sec;     /* Unix time */
	int32_t wall_nsec;
};

/* Counts of a wire event, for `kinds` of old formats and for the sizes of parts of a trace. */
struct tp_wire_count {
	char name[32];
	uint64_t events;     /* as counted by Go's reader of that format */
	uint64_t with_stack; /* events with a stack */
	uint64_t bytes;      /* on the wire, 0 when not measured */
};

struct tp_trace {
	struct tp_dict *dict; /* owned */
	int version;          /* minor version of the header: 5, 7 … 26; 0 if it is not one of Go */
	double ns_per_tick;   /* 0: unknown, time stamps are ticks */
	bool started;         /* first_ts and last_ts are set */
	int64_t first_ts, last_ts; /* of the ordered events */
	uint64_t events;      /* ordered events handed to the sink */
	uint64_t inferred;    /* those of them that salvage inferred */
	uint64_t generations;
	uint64_t stacks;      /* entries of the stack table, go 1.5 – 1.21 */

	uint64_t *g_id, *m_id; /* by index */
	int64_t *p_id;         /* by index; v1 pseudo-Ps keep their numbers */
	uint32_t *g_name; /* by index: names, if they are not those of stacks (TP_EVF_NAMED); NULL */
	uint32_t ng, nm, np;
	size_t g_room, m_room, p_room;

	struct tp_clock *clocks;
	size_t nclocks;
	struct tp_loss *losses;
	size_t nlosses;
	struct tp_notice *notices;
	size_t nnotices;
	struct tp_wire_count *wires;
	size_t nwires;

	/* private to tp_trace_mark_unnamed */
	uint8_t *unnamed; /* by stack: 1 if the root has no name */
	uint32_t nunnamed; /* stacks checked so far */
	size_t unnamed_room;
	bool any_unnamed;
};

#define TP_NAMED_FRAMES 256 /* most frames of one address */

struct tp_trace_options {
	bool strict; /* stop with an error where Go's reader would, after the same events */
	/* Called from time to time with the bytes done and their total; nonzero cancels
	 * (TP_ECANCEL). */
	int (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* Names the code at an address, for traces that have only addresses (go 1.5); may be NULL.
	 * `address` is a return address, right after the call. Sets frame[0 … *n) to the calls
	 * there, innermost first: the last one is the function, the others are inlined into it. *n
	 * is at most TP_NAMED_FRAMES, and 0 if the address is unknown. Of a frame, function, line
	 * and column are used. Returns 0 or an error code. */
	int (*name_frames)(void *ctx, struct tp_dict *dict, uint64_t address,
			   struct tp_frame *frame, size_t *n);
	void *name_ctx;
};

void tp_trace_release(struct tp_trace *trace);

/* For decoders of go 1.5: pushes the frames at an address, as opt->name_frames gives them, onto the
 * stack *node. Returns 0 or an error code. */
int tp_trace_push_address(const struct tp_trace_options *opt, struct tp_dict *dict,
			  uint64_t address, uint32_t *node);

/* For decoders: each appends an entry and returns 0 or TP_ENOMEM. At most 10,000 losses and notices
 * each are kept: further losses are added to the last one, further notices dropped. */
int tp_trace_add_loss(struct tp_trace *trace, const struct tp_loss *loss);
int tp_trace_add_notice(struct tp_trace *trace, enum tp_severity severity, uint64_t offset,
			const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int tp_trace_add_clock(struct tp_trace *trace, const struct tp_clock *clock);
/* Adds to the counts of the wire event `name`. Returns 0 or TP_ENOMEM. */
int tp_trace_count_wire(struct tp_trace *trace, const char *name, uint64_t events,
			uint64_t with_stack, uint64_t bytes);
/* For decoders: sets TP_EVF_UNNAMED in n events before they are delivered. Returns 0 or TP_ENOMEM.
 */
int tp_trace_mark_unnamed(struct tp_trace *trace, struct tp_event *ev, size_t n);
/* For decoders: each adds an id and returns its new index, TP_NONE when memory is out. The decoder
 * keeps the map from id to index. */
uint32_t tp_trace_new_g(struct tp_trace *trace, uint64_t id);
uint32_t tp_trace_new_m(struct tp_trace *trace, uint64_t id);
uint32_t tp_trace_new_p(struct tp_trace *trace, int64_t id);

#endif
