/* Event batches to several consumers, on several threads.
 *
 * Ordering is sequential; what follows it (timeline, event blocks) only reads events. A pipe is a
 * ring of batches that every consumer reads in order, each at its own pace, and each by one thread
 * at a time: the producer fills a batch in place (no copy), and whichever thread is free works for
 * the consumer that is furthest behind. That includes the producer when the ring is full, so no
 * processor waits while there is something to do. The first consumer that fails ends the read with
 * its error.
 *
 * Life: tp_pipe_new, tp_pipe_sink for the producer, tp_pipe_finish once (joins the threads), free. */
#ifndef TP_ORDER_PIPE_H
#define TP_ORDER_PIPE_H

#include "order/read.h"

#define TP_PIPE_CONSUMERS 4 /* at most */

struct tp_pipe;

/* Starts up to `threads` threads beside the producer's own, but not more than there are consumers. If the
 * system gives fewer, those and the producer do all the work. Returns 0 or TP_ENOMEM. */
int tp_pipe_new(struct tp_pipe **pipe, const struct tp_sink *consumers, size_t n, size_t threads,
		struct tp_err *err);
/* The sink to hand to tp_trace_read; valid until tp_pipe_finish. */
struct tp_sink tp_pipe_sink(struct tp_pipe *pipe);
/* Waits until the consumers have taken everything, or one has failed. Returns 0 or the first error. */
int tp_pipe_finish(struct tp_pipe *pipe, struct tp_err *err);
/* Finishes first if that has not been done. NULL is allowed. */
void tp_pipe_free(struct tp_pipe *pipe);

#endif
