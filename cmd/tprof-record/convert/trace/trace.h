/* The trace of a recorded process in Go's formats: its records become what Go's tracer would have
 * written about goroutines that did the same.
 *
 * A goroutine is a thread (or one of the program's own), an M is a kernel thread, and a P is the
 * lowest number that is free while something runs. Each wait gets a waker: the last post on the same
 * object by another goroutine during the wait; without one, an outside source (an event without a P
 * in go 1.5, an M of its own in go 1.26). All times are made strictly increasing, as Go's reader needs
 * it. Goroutines still waiting at the end are left waiting.
 *
 * If the kernel's switches are known (switch.h), goroutines run only while they are on a processor.
 *
 * It takes 24 bytes of memory for each record, 8 for each switch (12 with wakes), and some 50 for each task. */
#ifndef RECORD_CONVERT_TRACE_H
#define RECORD_CONVERT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/out.h"
#include "tprof-record/convert/process.h"

enum rec_trace_format { REC_GO_1_26, REC_GO_1_5 };

struct rec_trace_result {
	size_t events; /* written; for go 1.26, as many as readers find */
	size_t goroutines;
	uint64_t running_ns; /* the sum of the times that goroutines ran */
	uint64_t
	    delay_ns; /* the sum of the times that threads waited for a processor, as the kernel says */
	bool exact;	       /* the kernel's switches of some thread are known */
	bool more_delay;       /* that of some threads is not known */
	size_t contradictions; /* records that could not be true together, and were left out */
	size_t left_out;       /* tasks, regions and logs, which go 1.5 has not */
	char remark[200];      /* rec_names_remark; "" after an error */
};

/* Writes the trace. go 1.26 has names in it. go 1.5 has only PCs: `symbols`, an empty buffer, gets the
 * file that lies beside it, a profile (profile.proto, gzip) that has every PC of the trace as a
 * location with its mapping and lines, and whose samples are all 0. tprof-import looks for it beside
 * FILE as FILE.symbols. `symbols` and `result` may be NULL. TP_ENOMEM, TP_ELIMIT, and what `out`
 * returns. */
int rec_trace_write(const struct rec_process *p, enum rec_trace_format format,
		    const struct tp_out *out, struct tp_buf *symbols,
		    struct rec_trace_result *result, struct tp_err *err);

/* A trace that is written in parts, while the process goes on: each part can be read when it is complete. */
struct rec_tracer;

/* Writes the header. `err` has to last until rec_trace_free. Returns NULL after an error. */
struct rec_tracer *rec_trace_new(enum rec_trace_format format, const struct tp_out *out,
				 struct tp_err *err);
void rec_trace_free(struct rec_tracer *t);
/* Writes what happened before `until`; with UINT64_MAX, the rest. `p` has the records since the part before,
 * and all that were over when the copy was made. The first *done of them are not needed any more; the others
 * have to come again, first, in the next part. `symbols` as for rec_trace_write, of the whole trace. */
int rec_trace_add(struct rec_tracer *t, const struct rec_process *p, uint64_t until, size_t *done,
		  struct tp_buf *symbols, struct tp_err *err);

#endif
