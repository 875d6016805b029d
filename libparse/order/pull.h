/* Pulls ordered events of a dump: tp_trace_read calls a sink with them, a pull returns them.
 *
 * The pull reads the trace on its own thread, which runs only while tp_pull_next waits for it. So between two
 * calls dictionary and tables of the trace may be read without a lock, and they contain everything that the
 * events of the batch refer to.
 *
 * Life: tp_pull_new, tp_pull_next until it returns no batch, or fewer times, tp_pull_free. One thread at a
 * time. */
#ifndef TP_ORDER_PULL_H
#define TP_ORDER_PULL_H

#include "order/read.h"

struct tp_pull;

/* `in` and everything `opt` points to are borrowed until tp_pull_free; opt->progress is called by the pull's
 * thread. *trace is filled as by tp_trace_read and stays the caller's to release, after tp_pull_free. Returns
 * 0 or TP_ENOMEM. */
int tp_pull_new(struct tp_pull **pull, struct tp_input *in, const struct tp_trace_options *opt,
		struct tp_trace *trace, struct tp_err *err);
/* Returns 1 with the next *n events, which are valid until the next call. Returns 0 at the end of the trace,
 * or the error code of tp_trace_read, and the same on every further call; events before a fault come first.
 * TP_EIO: no thread could be created. */
int tp_pull_next(struct tp_pull *pull, const struct tp_event **ev, size_t *n, struct tp_err *err);
/* Ends the read wherever it is. NULL is allowed. */
void tp_pull_free(struct tp_pull *pull);

#endif
