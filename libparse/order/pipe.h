/* Event batches to consumers in threads of their own.
 *
 * Ordering is sequential; what follows it (timeline, event blocks) only reads events. A pipe is a
 * ring of batches that every consumer reads in order, each at its own pace: the producer fills a
 * batch in place (no copy) and waits only when the slowest consumer is a whole ring behind. The
 * first consumer that fails ends the read with its error.
 *
 * Life: tp_pipe_new, tp_pipe_sink for the producer, tp_pipe_finish once (joins the threads), free. */
#ifndef TP_ORDER_PIPE_H
#define TP_ORDER_PIPE_H

#include "order/trace.h"

#define TP_PIPE_CONSUMERS 4 /* at most */

struct tp_pipe;

/* Starts one thread per consumer. 0, TP_ENOMEM, or TP_EIO when a thread cannot be started. */
int tp_pipe_new(struct tp_pipe **pipe, const struct tp_sink *consumers, size_t n,
		struct tp_err *err);
/* The sink to hand to tp_trace_read; valid until tp_pipe_finish. */
struct tp_sink tp_pipe_sink(struct tp_pipe *pipe);
/* Waits until the consumers have taken everything (or one has failed): 0 or the first error. */
int tp_pipe_finish(struct tp_pipe *pipe, struct tp_err *err);
/* Finishes first if that has not been done. NULL is allowed. */
void tp_pipe_free(struct tp_pipe *pipe);

#endif
