/* From a dump in memory to ordered events: the way to read a trace.
 *
 * tp_trace_read() decodes and orders a whole trace of any version (go 1.5 to go 1.26), fills the
 * run's dictionary, and hands ordered events in batches to a sink. Batches arrive in order, on the
 * calling thread; the events of a batch are the sink's only during the call. Dictionary and
 * trace tables (goroutine ids …) only grow while the read goes on: a batch may refer to anything
 * that is in them by then. A sink in another thread must not read them before the read has ended. */
#ifndef TP_ORDER_READ_H
#define TP_ORDER_READ_H

#include <stddef.h>

#include "base/err.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "open/input.h"

#define TP_BATCH_EVENTS 1024 /* the most a sink is handed at once */

struct tp_sink {
	/* Takes n ordered events; 0, or an error code that ends the read with that code. */
	int (*events)(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err);
	/* Where to put the next batch (TP_BATCH_EVENTS of room), so that it need not be copied; asked
	 * again after each call of events. NULL: the producer uses memory of its own. */
	struct tp_event *(*room)(void *ctx);
	void *ctx;
};

/* Reads the trace. 0 when something could be kept (losses say what was not); an error code when
 * nothing could, when opt->strict and there is a fault, or when the sink failed. *trace is
 * initialised by the call and to be released by the caller in every case. */
int tp_trace_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
		  const struct tp_sink *sink, struct tp_err *err);

/* The two decoders behind tp_trace_read; same contract. */
int tp_v1_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
	       const struct tp_sink *sink, struct tp_err *err);
int tp_v2_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
	       const struct tp_sink *sink, struct tp_err *err);

#endif
