/* When the kernel put threads on processors and took them off (parent/switches.h), as records of the same
 * size as those of programs. They come in the order of time, those of one thread exactly so. */
#ifndef RECORD_CONVERT_SWITCH_H
#define RECORD_CONVERT_SWITCH_H

#include "tprof-record/core/event.h"

enum rec_switch_kind {
	REC_SWITCH_IN = 1,
	REC_SWITCH_OUT, /* flags: enum rec_switch_flag */
	REC_SWITCH_LOST, /* switches on that processor between `start` and `end` */
	REC_SWITCH_WAKE, /* thread `object` (0: an interrupt) made this one runnable */
};

enum rec_switch_flag {
	REC_SWITCH_RUNNABLE = 1, /* it was preempted, or yielded */
	REC_SWITCH_EXIT = 2,	 /* the thread is over */
};

/* The fields of a struct rec_event that a switch has: `kind`, `flags`, `end` (CLOCK_MONOTONIC), and these. A wake
 * has no pid. */
#define rec_switch_tid(e) ((e)->g)
#define rec_switch_pid(e) ((e)->m)
#define rec_switch_cpu(e) ((e)->arg)

#endif
