/* Where a latency went: every moment of an item (a task, a region) is given to one goroutine that
 * worked for it, in one state, so that the parts add up to the latency to the nanosecond.
 *
 * Where several work at a time, the moment goes to the one of the highest `rank`; among equals to
 * one that runs before one in a system call, one that waits for a P, one that is blocked; then to
 * the one that began last (the innermost). Where nobody does, to nobody.
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
	int64_t known;	    /* as rep_stay.from: not after `from` */
	int64_t from, to;
	uint32_t label; /* the caller's */
	uint8_t rank;
};

struct rep_stretch {
	uint32_t item, worker; /* worker: index, TP_NONE for nobody */
	unsigned state;	       /* enum tp_state; TP_ST_NONE for nobody */
	uint32_t reason, stack;
	int64_t from, to;
};

/* Nonzero ends the walk with that code. */
typedef int (*rep_stretch_fn)(void *ctx, const struct rep_stretch *s, struct tp_err *err);

/* Calls fn for every stretch, by item and time. TP_ELIMIT where it would take too much memory. */
int rep_explain(struct rep_view *v, const struct rep_item *item, uint32_t nitems,
		const struct rep_worker *worker, uint32_t nworkers, rep_stretch_fn fn, void *ctx,
		struct tp_err *err);

#endif
