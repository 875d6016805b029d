/* What to record: the options of tprof-record(1). */
#ifndef RECORD_PARENT_REQUEST_H
#define RECORD_PARENT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof-record/convert/profile/profile.h"
#include "tprof-record/convert/trace/trace.h"

struct rec_request {
	const char *folder; /* NULL: named after program and pid */
	bool trace;
	bool profile[REC_NPROFILES];
	struct rec_options
	    options; /* the options sent to programs; final after rec_request_complete */
	enum rec_trace_format trace_format;
	bool text;		     /* profiles as text */
	int64_t interval_ns, for_ns; /* 0: no snapshots; as long as it runs */
	bool children, force, quiet;
};

enum {
	REC_DEFAULT_HEAP_RATE = 512 << 10,
	REC_DEFAULT_DEPTH = 128,
	REC_DEFAULT_CPU_HZ = 97, /* a prime, so as not to keep step with what the program repeats */
};

#define REC_REQUEST_INIT                                                                           \
	{                                                                                          \
		.options = {                                                                       \
			.heap_rate = REC_DEFAULT_HEAP_RATE,                                        \
			.block_rate = 1,                                                           \
			.mutex_fraction = 1,                                                       \
			.profiler = 126,                                                           \
			.depth = REC_DEFAULT_DEPTH,                                                \
			.syscall_ns = REC_SYSCALL_NS,                                              \
			.cpu_hz = REC_DEFAULT_CPU_HZ,                                              \
			.mmap = 1                                                                  \
		}                                                                                  \
	}

/* Chooses trace, cpu, heap, block and mutex if nothing was chosen, drops profiles that the chosen profiler does
 * not support, and sets the options of unwanted ones to 0. */
void rec_request_complete(struct rec_request *r);

/* Writes the value of TPROF_RECORD (core/hello.h) for a complete request; returns its length, as snprintf. */
size_t rec_request_settings(const struct rec_request *r, const char *socket, char *text,
			    size_t room);

/* Sets TPROF_RECORD, and puts `first` (unless it is "") and the library in front of LD_PRELOAD, without
 * the entries of an outer recorder. Returns 0 or TP_ENOMEM. */
int rec_request_environment(const char *settings, const char *first, const char *library);

#endif
