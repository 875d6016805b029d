/* The trace of a recorded process in Go's formats: its records become what Go's tracer would have
 * written of goroutines that did the same.
 *
 * A goroutine is a thread (or one of the program's own), an M a kernel thread, a P the lowest place
 * that is free while something runs. Each wait is given its waker: the last post on the same object
 * by another in the time of the wait; where there is none, somebody outside (a P-less event in
 * go 1.5, an M of its own in go 1.26). Times are made strictly increasing over all, as Go's reader
 * needs it. Goroutines still waiting at the end are left waiting.
 *
 * Memory does not grow with the number of records, but for 24 bytes of each, and some 50 of each
 * task. */
#ifndef RECORD_CONVERT_TRACE_H
#define RECORD_CONVERT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/out.h"
#include "tprof-record/convert/names/names.h"
#include "tprof-record/convert/process.h"

enum rec_trace_format { REC_GO_1_26, REC_GO_1_5 };

struct rec_trace_result {
	size_t events; /* written; of go 1.26: that readers find in it */
	size_t goroutines;
	size_t contradictions; /* records that could not be true together, and were left out */
};

/* go 1.26 has names inside; go 1.5 has PCs only, and rec_trace_symbols writes what is to lie beside
 * it. TP_ENOMEM, and what `out` returns. *result may be NULL. */
int rec_trace_write(const struct rec_process *p, struct rec_names *names,
		    enum rec_trace_format format, const struct tp_out *out,
		    struct rec_trace_result *result, struct tp_err *err);

/* Puts the sidecar of a go 1.5 trace into an empty buffer: a profile (profile.proto, gzip) that has
 * every PC of the trace as a location with its mapping and lines, and whose samples are all 0.
 * tprof-import looks for it beside FILE as FILE.symbols. */
int rec_trace_symbols(const struct rec_process *p, struct rec_names *names, struct tp_buf *out,
		      struct tp_err *err);

#endif
