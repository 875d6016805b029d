/* Spans: the life of every goroutine as intervals in one state, derived from ordered events.
 *
 * The same machine runs at import (for aggregates) and when a stored trace is read (for the `span`
 * virtual table and time ranges), so both always agree.
 *
 * A span has, by state:
 *   Running         m, p where it ran; stack 0; reason ""
 *   Runnable        reason why it stopped ("" when created or woken); waker: the goroutine that made it
 *                   runnable (TP_NONE when none did); stack = waker_stack = stack of that event, which
 *                   is how Go's scheduler latency profile attributes it
 *   Waiting         reason; stack where it blocked. waker, waker_stack: who ended the wait, from where
 *   Syscall         stack where it was entered; m, p
 *   SyscallBlocked  the same after the P was taken; stack as the syscall's
 *   Lost            a damaged trace says nothing
 * Spans of one goroutine neither overlap nor leave gaps between its creation and its end. */
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
	uint8_t state;    /* enum tp_state */
	uint8_t inferred; /* one of its ends was put in by salvage */
	uint8_t open;     /* still going on when the run ended */
};

struct tp_spans; /* the machine: state of every goroutine and P */

struct tp_spans *tp_spans_new(void);
void tp_spans_free(struct tp_spans *s);

/* Called for each span that is completed. */
typedef int (*tp_span_fn)(void *ctx, const struct tp_span *span, struct tp_err *err);

/* Feeds ordered events; spans that end are handed to fn in the order in which they end. */
int tp_spans_feed(struct tp_spans *s, const struct tp_event *ev, size_t n, tp_span_fn fn, void *ctx,
		  struct tp_err *err);
/* Closes every open span at `end` (open = 1). */
int tp_spans_finish(struct tp_spans *s, int64_t end, tp_span_fn fn, void *ctx, struct tp_err *err);

/* The open span of a goroutine (end = start), or false. For checkpoints. */
bool tp_spans_open(const struct tp_spans *s, uint32_t goroutine, struct tp_span *span);
/* Puts a goroutine into an open span, as read from span_crossing: starting in the middle. */
int tp_spans_restore(struct tp_spans *s, const struct tp_span *span);

#endif
