/* Stretches added up: by item, and by what they say (where in the task, state, reason, stack). */
#ifndef REP_TASK_SPENT_H
#define REP_TASK_SPENT_H

#include "task/workers.h"

struct rep_cell {
	uint32_t item, what; /* what: index of spent.what */
	int64_t ns;
};

struct rep_spent {
	/* label (workers.labels; TP_NONE: nobody's), state, reason and stack of the run. Running
	 * has neither. */
	struct rep_keys what;
	struct rep_keys at;    /* item, what */
	struct rep_cell *cell; /* at.n of them, by item */
	size_t room;
	const struct rep_workers *workers;
};

/* A rep_stretch_fn; ctx is the struct, whose `workers` are those explained. */
int rep_spent_put(void *ctx, const struct rep_stretch *s, struct tp_err *err);
void rep_spent_release(struct rep_spent *t);

#endif
