/* What took most of a latency: told by region, state and reason, and of that the stack that took
 * most. */
#ifndef REP_TASK_MOST_H
#define REP_TASK_MOST_H

#include "task/spent.h"

struct rep_most {
	unsigned state;
	/* Of the view's common dictionary; type: of the subtask, region: that it was in, 0: none.
	 */
	uint32_t reason, stack, type, region;
	int64_t ns; /* 0: nothing is known */

	/* private */
	uint32_t group;
	int64_t stack_ns;
};

/* Of each item of `spent` (which is of a run of the view), into most[item], zeroed before.
 * TP_ENOMEM, TP_ELIMIT. */
int rep_most_of(const struct rep_spent *spent, struct rep_view *v, struct rep_most *most);

#endif
