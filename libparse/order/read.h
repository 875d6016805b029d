/* From a dump in memory to ordered events: the way to read a trace.
 *
 * tp_trace_read() decodes and orders a whole trace of any version (go 1.5 to go 1.26, or of the kernel's scheduler), fills the run's
 * dictionary, and hands ordered events in batches to a sink. Batches arrive in order, on the calling thread;
 * the sink may use the events of a batch only during the call. Dictionary and trace tables (goroutine ids …)
 * only grow while the read goes on: a batch may refer to anything that is in them by then. A sink in another
 * thread must not read them before the read has ended. */
#ifndef TP_ORDER_READ_H
#define TP_ORDER_READ_H

#include <stddef.h>

#include "base/err.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "open/input.h"

#define TP_BATCH_EVENTS 1024 /* the most events that a sink gets at once */

struct tp_sink {
	/* Takes n ordered events. Returns 0, or an error code that ends the read with that code. */
	int (*events)(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err);
	/* Returns room for the next batch (TP_BATCH_EVENTS), so that it need not be copied; called again
	 * after each call of events. NULL: the producer uses its own memory. */
	struct tp_event *(*room)(void *ctx);
	void *ctx;
};

/* Reads the trace. Returns 0 if anything could be read (losses describe the rest); an error code if nothing
 * could, if opt->strict is set and there is a fault, or if the sink failed. Initialises *trace, which the
 * caller releases in every case. */
int tp_trace_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
		  const struct tp_sink *sink, struct tp_err *err);

/* The decoders behind tp_trace_read; same contract. */
int tp_v1_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
	       const struct tp_sink *sink, struct tp_err *err);
int tp_v2_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
	       const struct tp_sink *sink, struct tp_err *err);
int tp_sched_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
		  const struct tp_sink *sink, struct tp_err *err);

#endif
