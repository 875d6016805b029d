/* Ordered events of a dump, pulled: tp_trace_read hands events on, a pull is asked for them.
 *
 * The trace is read by a thread of the pull's own, which runs only while tp_pull_next waits for it. So
 * between two calls dictionary and tables of the trace may be read without a lock, and each event of
 * the batch finds there what it refers to.
 *
 * Life: tp_pull_new, tp_pull_next until it returns no batch or for as long as one likes, tp_pull_free.
 * One thread at a time. */
#ifndef TP_ORDER_PULL_H
#define TP_ORDER_PULL_H

#include "order/read.h"

struct tp_pull;

/* `in` and what `opt` points to are borrowed until tp_pull_free; opt->progress is called by the pull's
 * thread. *trace is filled as by tp_trace_read and stays the caller's to release, after tp_pull_free.
 * Returns 0 or TP_ENOMEM. */
int tp_pull_new(struct tp_pull **pull, struct tp_input *in, const struct tp_trace_options *opt,
		struct tp_trace *trace, struct tp_err *err);
/* Returns 1 with the next *n events, which are valid until the next call. Returns 0 at the end of the
 * trace and an error code where tp_trace_read failed, in both cases again and again; events before a
 * fault come first. TP_EIO: there is no thread to be had. */
int tp_pull_next(struct tp_pull *pull, const struct tp_event **ev, size_t *n, struct tp_err *err);
/* Ends the read wherever it is. NULL is allowed. */
void tp_pull_free(struct tp_pull *pull);

#endif
