/* Private to the library: what of a trace is laid down when it begins, and laid out at its end. */
#ifndef RECORD_API_TRACE_H
#define RECORD_API_TRACE_H

#include "base/buf.h"
#include "tprof-record/api/lib.h"
#include "tprof-record/api/spool.h"
#include "tprof-record/parent/spool.h"

/* Goroutines as they are when the trace begins, as records of that time (state.c). */
void api_write_state(const struct rec_host *h, uint64_t now);

struct api_layout {
	enum tprof_format format;
	uint64_t begin_ns;
	/* Filled in; the caller ends and releases them, after an error too. */
	struct api_spool trace;
	struct tp_buf symbols; /* of go 1.5 */
};

/* The records of a trace that is over, as the trace in its format (layout.c). 0 or an errno value.
 */
int api_lay_out(const struct rec_host *h, struct rec_spool *records, struct api_layout *to);

#endif
