/* What `perf script` prints: recognises it, and takes its lines apart. Used by recognition and by the
 * decoder (decode/profile/perf.c). */
#ifndef TP_OPEN_PERF_H
#define TP_OPEN_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "open/lines.h"

/* The first line of a sample: "comm 17/19 [003] 12.345678: 250000 cpu-clock:u: rest". */
struct tp_perf_sample {
	struct tp_scan comm;			/* empty if the line does not say */
	int64_t pid, tid, cpu, time_ns, period; /* -1 if it does not say */
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

/* Where a frame is, in a line of its own: "dl-init.c:70", or "dl-init.c:70 (inlined)". */
struct tp_perf_place {
	struct tp_scan file;
	int64_t line;
	bool inlined;
};

/* Take a line apart. Return false if it is something else. A line can be both a sample and a frame, as some
 * commands are called like numbers (dd, cc1): ask for a sample first. A frame has a DSO or is indented; with
 * `indented` it counts as such. */
bool tp_perf_sample(struct tp_scan line, struct tp_perf_sample *out);
bool tp_perf_frame(struct tp_scan line, bool indented, struct tp_perf_frame *out);
bool tp_perf_place(struct tp_scan line, struct tp_perf_place *out);

/* What a line is, and its parts. */
enum tp_perf_kind {
	TP_PERF_BLANK,
	TP_PERF_COMMENT,
	TP_PERF_SAMPLE,
	TP_PERF_RECORD, /* `sample`, whose event is PERF_RECORD_… */
	TP_PERF_FRAME,
	TP_PERF_PLACE,
	TP_PERF_OTHER,
};
struct tp_perf_line {
	enum tp_perf_kind kind;
	struct tp_perf_sample sample;
	struct tp_perf_frame frame;
	struct tp_perf_place place;
};
void tp_perf_line(struct tp_scan line, struct tp_perf_line *out);

/* Returns how many samples a record says are lost, at most 2^40, so that many can be added up; 0 for other
 * records. */
uint64_t tp_perf_lost(const struct tp_perf_sample *record);

/* Takes the modifiers off "cycles:uppp" and "cpu-clock:uhH"; those of one event are one event. The name of
 * a tracepoint, "sched:sched_switch", has a word behind its colon. */
struct tp_scan tp_perf_event(struct tp_scan event);
bool tp_perf_is_tracepoint(const struct tp_perf_sample *s);
/* Returns whether the periods of an event, without modifiers, are nanoseconds. */
bool tp_perf_is_clock(struct tp_scan event);

/* Returns whether a text begins as perf script prints: of the first lines that are neither blank nor
 * comments, at least four of five are samples or their frames, and there is a sample with a frame, or a
 * tracepoint with its fields. */
bool tp_perf_is(struct tp_scan text);

/* Returns whether such a text is a trace: its first MiB has a sched:sched_switch event. */
#define TP_PERF_HEAD ((size_t)1 << 20)
bool tp_perf_is_trace(const void *data, size_t size);

#endif
