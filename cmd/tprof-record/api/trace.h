/* Private to the library: the state that a trace begins with, and its conversion at the end. */
#ifndef RECORD_API_TRACE_H
#define RECORD_API_TRACE_H

#include "base/buf.h"
#include "tprof-record/api/lib.h"
#include "tprof-record/api/spool.h"
#include "tprof-record/parent/spool.h"

/* Writes the state of all goroutines when the trace begins, as records of that time (state.c). */
void api_write_state(const struct rec_host *h, uint64_t now);

struct api_layout {
	enum tprof_format format;
	uint64_t begin_ns;
	/* Filled in; the caller ends and releases them, after an error too. */
	struct api_spool trace;
	struct tp_buf symbols; /* of go 1.5 */
};

/* Converts the records of a trace that is over (layout.c). Returns 0 or an errno value. */
int api_lay_out(const struct rec_host *h, struct rec_spool *records, struct api_layout *to);

#endif
