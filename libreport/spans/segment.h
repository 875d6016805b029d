/* Spans of a run one by one, from the events of its segments; private to libreport. */
#ifndef REP_SPANS_SEGMENT_H
#define REP_SPANS_SEGMENT_H

#include "spans/view.h"
#include "timeline/span.h"

/* A span that ended in a segment that is read. Times are in ns since the run began, not clipped.
 * `crosses`: it began in an earlier segment, so the table span_crossing has it, too. `end_stack`:
 * stack of the event that ended it, 0 where the run did. Nonzero ends the walk with that code. */
typedef int (*rep_span_fn)(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
			   struct tp_err *err);

/* The same for those who need some events, too: `event` gets those whose type has its bit in
 * `types` (64 and above have none), times in ns since the run began, before the spans they end. */
struct rep_segment_reader {
	rep_span_fn span;
	int (*event)(void *ctx, const struct tp_event *ev, struct tp_err *err); /* or NULL */
	uint64_t types;
	void *ctx;
};
int rep_segments_read(struct rep_view *v, const bool *wanted,
		      const struct rep_segment_reader *reader, struct tp_err *err);
/* Reads one segment, below v->nsegments. */
int rep_segment_read(struct rep_view *v, size_t segment, const struct rep_segment_reader *reader,
		     struct tp_err *err);

/* Reads the segments for which wanted[] (v->nsegments of them) is set. */
int rep_segments_each(struct rep_view *v, const bool *wanted, rep_span_fn fn, void *ctx,
		      struct tp_err *err);

/* A goroutine that is looked at up to a moment, from one on at which the trace itself tells what it
 * does: that of an event of its own (it runs), of its creation, or the start of the run (0). */
struct rep_stay {
	uint32_t goroutine; /* index */
	int64_t from, to;   /* ns since the run began */
};

/* Spans of goroutines (those of `stay`, and any others) such that all that overlap a stay are
 * among them, those of a goroutine in order. Only events near stays are read, so that a short stay
 * in a long run costs little. A span that begins before the stay may be shorter than it was, and
 * may be in another state before the stay; whether a system call had a P is not certain either.
 * `stay` is sorted. */
int rep_stays_each(struct rep_view *v, struct rep_stay *stay, size_t n, rep_span_fn fn, void *ctx,
		   struct tp_err *err);

#endif
