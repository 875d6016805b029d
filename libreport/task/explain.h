/* Where a latency went: every moment of an item (a task, a region) is given to one goroutine that
 * worked for it, in one state, so that the parts add up to the latency to the nanosecond.
 *
 * If several work at a time, the moment goes to the one with the highest `rank`. Among equals, one
 * that runs comes before one in a system call, then one that waits for a P, then one that is
 * blocked; then the one that began last (the innermost) wins. If no goroutine works, the moment has
 * no worker.
 *
 * System calls with and without a P are one state here, TP_ST_SYSCALL. */
#ifndef REP_TASK_EXPLAIN_H
#define REP_TASK_EXPLAIN_H

#include "spans/view.h"

struct rep_item {
	int64_t from, to; /* ns since the run began */
};

struct rep_worker {
	uint32_t item;	    /* index */
	uint32_t goroutine; /* index */
	int64_t known;	    /* a time at which its state is known, as rep_stay.from; not after
			       `from` */
	int64_t from, to;
	uint32_t label; /* the caller's */
	uint8_t rank;
};

struct rep_stretch {
	uint32_t item, worker; /* worker: index; TP_NONE: none */
	unsigned state;	       /* enum tp_state; TP_ST_NONE without a worker */
	uint32_t reason, stack;
	int64_t from, to;
};

/* A nonzero result ends the walk and becomes its result. */
typedef int (*rep_stretch_fn)(void *ctx, const struct rep_stretch *s, struct tp_err *err);

/* Calls fn for every stretch, in the order of items and times. Returns TP_ELIMIT if that would take
 * too much memory. */
int rep_explain(struct rep_view *v, const struct rep_item *item, uint32_t nitems,
		const struct rep_worker *worker, uint32_t nworkers, rep_stretch_fn fn, void *ctx,
		struct tp_err *err);

#endif
