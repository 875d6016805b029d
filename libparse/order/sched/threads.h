/* From tracepoints of the kernel's scheduler to ordered events: threads are goroutines, processors Ps; there
 * are no Ms. Private to order/sched.
 *
 * A thread has a state from its first event on. What it was before follows from that event: who is switched
 * out was running, and who is woken was waiting. Of who is switched in it is lost, or the thread begins there if
 * the text does not say when threads begin. An event that contradicts those before (some are lost) is believed;
 * the transitions that it takes to get there are marked as inferred. */
#ifndef TP_ORDER_SCHED_THREADS_H
#define TP_ORDER_SCHED_THREADS_H

#include "base/buf.h"
#include "base/idmap.h"
#include "decode/sched/tracepoint.h"
#include "open/perf.h"
#include "order/read.h"

struct tp_sched_thread {
	uint64_t tid;
	int64_t pid;	     /* of its process; -1 if the text does not say */
	struct tp_scan comm; /* the latest; its string and its stack are made when needed */
	uint32_t name, root;
	uint32_t p; /* where it is running */
	uint8_t
	    state; /* enum tp_state; TP_ST_NONE before its first event, NOT_EXIST after its last */
	bool in_call, woken;
	bool lost;	     /* what it does is not known: its switch-out is missing */
	bool again;	     /* an earlier thread had its number */
	struct tp_scan call; /* its system call, by name or number */
	int64_t number;
	uint32_t waker, waker_stack; /* of a wake-up that came while it was running, if `woken` */
};

struct tp_sched_cpu {
	uint32_t g; /* what is running there; TP_NONE if it is idle */
	bool known;
};

struct tp_sched {
	const struct tp_trace_options *opt;
	struct tp_trace *trace;
	const struct tp_sink *sink;
	struct tp_err *err;
	int code;	      /* the first error */
	bool wakeups, births; /* the text has wake-ups; beginnings of threads */
	bool
	    other_ids; /* the numbers of lines are those of a container, unlike those of switches */
	int machine;   /* column of the table of system calls, -1 if unknown */
	struct tp_event *own, *out; /* the batch */
	size_t nout;
	int64_t last_ts;
	int64_t next_ts; /* of the line after the event, INT64_MAX if it has none */
	uint64_t late, contradictions, unwoken, unborn;

	struct tp_sched_thread *threads; /* by goroutine */
	size_t room;
	struct tp_ids thread_of;   /* tid → the latest thread that has it */
	struct tp_sched_cpu *cpus; /* by P */
	size_t cpu_room;
	struct tp_ids cpu_of;
	uint32_t preempted;
};

/* What the line of an event says, and its stack. */
struct tp_sched_context {
	struct tp_perf_sample line;
	const uint32_t *frames; /* ids in the dictionary, leaf first */
	size_t nframes;
};

int tp_sched_init(struct tp_sched *s);
void tp_sched_release(struct tp_sched *s);
/* Deliver what the event means. Return 0 or an error code, which stays in s->code. */
int tp_sched_tracepoint(struct tp_sched *s, const struct tp_sched_context *c,
			const struct tp_tracepoint *tp);
int tp_sched_sample(struct tp_sched *s, const struct tp_sched_context *c);
/* Delivers the rest, and names the goroutines. */
int tp_sched_finish(struct tp_sched *s);

#endif
