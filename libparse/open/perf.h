/* What `perf script` prints: recognises it, and takes its lines apart. Used by recognition and by the
 * decoder (decode/profile/perf.c). */
#ifndef TP_OPEN_PERF_H
#define TP_OPEN_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "open/lines.h"

/* The first line of a sample: "comm 17/19 [003] 12.345678: 250000 cpu-clock:u: rest". */
struct tp_perf_sample {
	struct tp_scan comm;
	int64_t pid, tid, cpu, time_ns, period; /* -1 if the line does not say */
	struct tp_scan event;			/* "cpu-clock:u" */
	struct tp_scan rest; /* of the line: a frame, or what a tracepoint prints */
};

/* A frame: "7f1c950b45be _int_free+0x49e (/usr/lib/libc.so.6)". */
struct tp_perf_frame {
	uint64_t address;
	struct tp_scan name; /* without the offset; empty for [unknown] */
	struct tp_scan dso;  /* empty for [unknown], and if the line does not say */
	bool inlined;
};

/* Take a line apart. Return false if it is something else. */
bool tp_perf_sample(struct tp_scan line, struct tp_perf_sample *out);
bool tp_perf_frame(struct tp_scan line, struct tp_perf_frame *out);

/* Returns whether a text begins as perf script prints: of the first lines that are neither blank nor
 * comments, at least four of five are samples or their frames, and there is a sample with a frame or
 * with the fields of a tracepoint. */
bool tp_perf_is(struct tp_scan text);

#endif
