/* The stretches of items (task/explain.h), added up by item, place in the task, state, reason and
 * stack. */
#ifndef REP_TASK_SPENT_H
#define REP_TASK_SPENT_H

#include "task/workers.h"

struct rep_spent_cell {
	uint32_t item, what; /* what: index of the key in spent.what */
	int64_t ns;
};

struct rep_spent {
	/* label (workers.labels; TP_NONE: no worker), state, reason and stack of the run. Running
	 * has neither reason nor stack. */
	struct rep_keys what;
	struct rep_keys at;	     /* item, what */
	struct rep_spent_cell *cell; /* at.n of them, by item */
	size_t room;
	const struct rep_workers *workers;
};

/* Adds a stretch; a rep_stretch_fn whose ctx is a struct rep_spent. Its `workers` must be those
 * given to rep_explain. */
int rep_spent_put(void *ctx, const struct rep_stretch *s, struct tp_err *err);
void rep_spent_release(struct rep_spent *t);

/* The largest part of a latency: a region, state and reason, and the stack with most of that part.
 */
struct rep_most {
	unsigned state;
	/* Strings and stack of the view's common dictionary. type: that of the subtask. 0: none. */
	uint32_t reason, stack, type, region;
	int64_t ns; /* 0: unknown */

	/* private */
	uint32_t group;
	int64_t stack_ns;
};

/* Fills in most[], which has a zeroed entry for each item of `spent`. Returns 0, TP_ENOMEM or
 * TP_ELIMIT. */
int rep_most_of(const struct rep_spent *spent, struct rep_view *v, struct rep_most *most);

#endif
