/* A trace of go 1.22 under construction: events go into a batch, batches into the file
 * (decode/v2/wire.h has the format). */
#ifndef HOSTILE_V2_TRACE_H
#define HOSTILE_V2_TRACE_H

#include "hostile/pen.h"

enum {
	BATCH = 1,
	STACKS,
	STACK,
	STRINGS,
	STRING,
	SAMPLES,
	SAMPLE,
	FREQUENCY,
	PROCS_CHANGE,
	PROC_START,
	PROC_STOP,
	PROC_STEAL,
	PROC_STATUS,
	GO_CREATE,
	GO_CREATE_SYSCALL,
	GO_START,
	GO_DESTROY,
	GO_DESTROY_SYSCALL,
	GO_STOP,
	GO_BLOCK,
	GO_UNBLOCK,
	SYSCALL_BEGIN,
	SYSCALL_END,
	SYSCALL_END_BLOCKED,
	GO_STATUS,
	STW_BEGIN,
	STW_END,
	GC_ACTIVE,
	GC_BEGIN,
	GC_END,
	SWEEP_ACTIVE,
	SWEEP_BEGIN,
	SWEEP_END,
	ASSIST_ACTIVE,
	ASSIST_BEGIN,
	ASSIST_END,
	HEAP_ALLOC,
	HEAP_GOAL,
	GO_LABEL,
	TASK_BEGIN,
	TASK_END,
	REGION_BEGIN,
	REGION_END,
	LOG,
	GO_SWITCH,
	NO_EVENT = 60,
};

enum { RUNNABLE = 1, RUNNING, SYSCALL, WAITING }; /* of a goroutine */
#define P_RUNNING   1
#define P_IDLE	    2
#define P_SYSCALL   3
#define P_ABANDONED 4

struct v2 {
	struct pen *p; /* the file */
	struct pen batch;
	uint64_t generation, m, time;
	size_t events; /* of the batch */
};

/* The head of a file. */
void v2_head(struct pen *p);
/* The same, and its first generation's frequency. */
void v2_begin(struct v2 *t, struct pen *p);
/* The same with a clock of `per_second` ticks, whose first batch begins at `time`. */
void v2_begin_clock(struct v2 *t, struct pen *p, uint64_t per_second, uint64_t time);

/* What follows is of another M, or a table (V2_TABLE). */
#define V2_TABLE UINT64_MAX
void v2_batch(struct v2 *t, uint64_t m);
void v2_end_batch(struct v2 *t);
bool v2_full(const struct v2 *t);

/* An event `ticks` later than the one before it, whose arguments are to follow. */
void v2_event(struct v2 *t, unsigned type, uint64_t ticks);
#define EVENT(t, type, ...) (v2_event(t, type, 1), PEN_NUMBERS(&(t)->batch, __VA_ARGS__))
#define BARE_EVENT(t, type) v2_event(t, type, 1)

/* A line of a table (STRINGS, STACKS, SAMPLES), whose values are to follow. */
void v2_line(struct v2 *t, unsigned table, unsigned type);
#define LINE(t, table, type, ...) (v2_line(t, table, type), PEN_NUMBERS(&(t)->batch, __VA_ARGS__))

void v2_string(struct v2 *t, uint64_t id, const void *text, size_t n);
/* Of four characters each, those before `to` as far as there is room. */
void v2_short_strings(struct v2 *t, uint64_t to);

void v2_frequency(struct v2 *t, uint64_t per_second);
/* M 0 has P 0 and runs goroutine 1. */
void v2_run_one(struct v2 *t);

#endif
