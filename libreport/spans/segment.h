/* Reads the spans of a run one by one from the events of its segments. */
#ifndef REP_SPANS_SEGMENT_H
#define REP_SPANS_SEGMENT_H

#include "spans/view.h"
#include "timeline/span.h"

/* Called for each span that ends in a segment being read. Times are in ns since the run began, not
 * clipped. `crosses`: the span began in an earlier segment, so the table span_crossing has it, too.
 * `end_stack`: the stack of the event that ended it; 0 if the end of the run did. A nonzero result
 * ends the walk and becomes its result. */
typedef int (*rep_span_fn)(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
			   struct tp_err *err);

/* Receives spans and events. `event` gets the events of the types that have their bit in `types`
 * (types from 64 on have none), with times in ns since the run began, before the spans that they
 * end. */
struct rep_segment_reader {
	rep_span_fn span;
	int (*event)(void *ctx, const struct tp_event *ev, struct tp_err *err); /* or NULL */
	uint64_t types;
	bool args; /* the events have str2 and arg, which are zero otherwise */
	void *ctx;
};
/* Reads one segment, below v->nsegments. */
int rep_segment_read(struct rep_view *v, size_t segment, const struct rep_segment_reader *reader,
		     struct tp_err *err);

/* Reads the spans of the segments for which wanted[] (v->nsegments of them) is set. */
int rep_segments_each(struct rep_view *v, const bool *wanted, rep_span_fn fn, void *ctx,
		      struct tp_err *err);

/* A part of a goroutine's life. It has to begin where the trace shows the goroutine's state: at an
 * event of its own (it runs), at its creation, or at the start of the run (0). */
struct rep_stay {
	uint32_t goroutine; /* index */
	int64_t from, to;   /* ns since the run began */
};

/* Calls fn for all spans that overlap one of n stays, and possibly for others; the spans of a
 * goroutine come in order. Only events near the stays are read, so a short stay in a long run costs
 * little. A span that begins before its stay may appear shorter, or in another state before it, and
 * whether a system call had a P is not certain. Sorts `stay`. */
int rep_stays_each(struct rep_view *v, struct rep_stay *stay, size_t n, rep_span_fn fn, void *ctx,
		   struct tp_err *err);

#endif
