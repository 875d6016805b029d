/* Spans: the life of every goroutine as intervals in one state, derived from ordered events.
 *
 * The same code runs at import (for aggregates) and when a stored trace is read (for the `span`
 * virtual table and time ranges), so both always agree.
 *
 * A span has, by state:
 *   Running         m, p where it ran; stack 0; reason ""
 *   Runnable        reason why it stopped ("" if it was created or woken); waker: the goroutine
 *                   that made it runnable, or TP_NONE; stack = waker_stack = the stack of that
 *                   event, as in Go's scheduler latency profile
 *   Waiting         reason; stack where it blocked; waker: the goroutine that ended the wait, and
 *                   waker_stack, its stack
 *   Syscall         stack where it was entered; m, p
 *   SyscallBlocked  the same after its P was stolen; stack as of the syscall
 *   Lost            unknown, in a damaged trace: from the last known event of the goroutine to one
 *                   flagged TP_EVF_LOST
 * Spans of a goroutine neither overlap nor leave gaps between its creation and its end.
 *
 * The rules are those of Go's summary (internal/trace/summary.go, Summarizer.Event), so that spans
 * add up to it:
 *   - A goroutine that exists when the trace begins has been in its first state since the last Sync
 *     event. If that state is a system call without a P, the time up to its first event is
 *     SyscallBlocked and the time after it Syscall.
 *   - SyscallBlocked begins when the P with which the call was entered goes idle. When a goroutine
 *     returns from a system call, Go forgets whose call its former P serves by then. Another
 *     goroutine's loss of that P may thus go unnoticed, and its whole call is Syscall.
 *   - Blocking "forever" ends a goroutine.
 * Spans differ from the summary in two cases. If a goroutine is in a system call without a P when
 * the trace ends, Go counts its SyscallBlocked time as Syscall and once more as Runnable. And Go
 * takes the time 0, which occurs in old traces, for "not set": the time of a goroutine from 0 to
 * its next transition is not counted unless it is running. */
#ifndef TP_TIMELINE_SPAN_H
#define TP_TIMELINE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/event.h"

struct tp_span {
	int64_t start, end; /* same clock as the events fed */
	uint32_t goroutine; /* index */
	uint32_t reason;    /* string */
	uint32_t stack;
	uint32_t m, p;
	uint32_t waker, waker_stack;
	uint32_t mark;	  /* tp_spans_mark() when it began */
	uint8_t state;	  /* enum tp_state */
	uint8_t inferred; /* salvage inferred its start or end */
	uint8_t open;	  /* still going on when the run ended */
};

/* Limits on the number of goroutines, and of Ms or Ps. Indices are dense, so no real trace has more. */
#define TP_SPANS_LIMIT	  (1u << 28)
#define TP_SPANS_LIMIT_MP (1u << 20)

struct tp_spans; /* the state of every goroutine and P */

struct tp_spans *tp_spans_new(void);
void tp_spans_free(struct tp_spans *s);

/* Called for each completed span. Returns 0, or an error code that ends the call. */
typedef int (*tp_span_fn)(void *ctx, const struct tp_span *span, struct tp_err *err);

/* Takes ordered events. Calls fn for each span that ends, in the order in which they end. */
int tp_spans_feed(struct tp_spans *s, const struct tp_event *ev, size_t n, tp_span_fn fn, void *ctx,
		  struct tp_err *err);
/* Closes every open span at `end` (open = 1). */
int tp_spans_finish(struct tp_spans *s, int64_t end, tp_span_fn fn, void *ctx, struct tp_err *err);

/* Sets `mark` of the spans that begin from now on; it is 0 at first. */
void tp_spans_mark(struct tp_spans *s, uint32_t mark);

/* Puts a goroutine into an open span, read from span_crossing, to start in the middle of a trace.
 * The `end` read from there tells whether a system call lost its P in Go's view. Must be called
 * before the first event; for spans with a P in a system call, in the order of `start`. Returns 0,
 * TP_ENOMEM or TP_ELIMIT. */
int tp_spans_restore(struct tp_spans *s, const struct tp_span *span);

#endif
