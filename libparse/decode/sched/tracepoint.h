/* What the kernel's tracepoints of the scheduler say of threads, as perf script prints their fields: with the
 * kernel's own format ("prev_comm=sh prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=…"), or with that of
 * libtraceevent's plugins ("sh:7 [120] S ==> ls:8 [120]"). Nothing is copied: texts point into the line. */
#ifndef TP_DECODE_SCHED_TRACEPOINT_H
#define TP_DECODE_SCHED_TRACEPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "open/lines.h"

enum tp_tracepoint_type {
	TP_TRACEPOINT_OTHER,
	TP_TRACEPOINT_SWITCH,	  /* from, to, state */
	TP_TRACEPOINT_WAKING,	  /* to: is woken, by a thread on this processor */
	TP_TRACEPOINT_WAKEUP,	  /* to: is runnable, maybe said on its own processor */
	TP_TRACEPOINT_WAKEUP_NEW, /* to: runs for the first time */
	TP_TRACEPOINT_FORK,	  /* from, to */
	TP_TRACEPOINT_CALL,	  /* call, number: a system call begins */
	TP_TRACEPOINT_RETURN,	  /* a system call ends */
};

struct tp_tracepoint_thread {
	struct tp_scan comm;
	int64_t tid;
};

struct tp_tracepoint {
	enum tp_tracepoint_type type;
	struct tp_tracepoint_thread from, to;
	struct tp_scan state; /* "S", "R+" */
	struct tp_scan call;  /* its name, empty if there is only a number */
	int64_t number;	      /* -1 if there is only a name */
};

/* Returns the type of an event, "sched:sched_switch". */
enum tp_tracepoint_type tp_tracepoint_type(struct tp_scan event);
/* Reads the fields of an event into *out. Returns false if they are not those of its type. */
bool tp_tracepoint_read(struct tp_scan event, struct tp_scan fields, struct tp_tracepoint *out);

#endif
