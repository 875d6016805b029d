/* The user tasks of a run (runtime/trace.NewTask), with their subtasks, regions and logs at hand.
 *
 *	struct rep_tasks tasks;
 *
 *	code = rep_tasks_init(&tasks, view, err);
 *	for (uint32_t c = tasks.first_child[row]; c != TP_NONE; c = tasks.next_child[c])
 *		…
 *	rep_tasks_release(&tasks);
 *
 * Tasks are named by their row in the table `task`; the columns of the tables task, region and log
 * (without the times of regions in each state) are loaded into the view. Whatever the tables contain, indices given here are rows that exist,
 * and every list ends. But a task may be its own ancestor (see rep_tasks_below). */
#ifndef REP_TASK_TASKS_H
#define REP_TASK_TASKS_H

#include "spans/view.h"

struct rep_tasks {
	struct rep_view *v;
	uint32_t n;
	uint32_t *parent;      /* row; TP_NONE if none is known */
	uint32_t *first_child; /* row, TP_NONE if none; children are in the order of rows */
	uint32_t *next_child;
	uint32_t *children; /* number of children */
	uint32_t
	    *first_region;   /* regions of row i: region[first_region[i]] … [first_region[i+1]] */
	uint32_t *region;    /* rows of the table region */
	uint32_t *first_log; /* likewise of the table log */
	uint32_t *log;

	/* private */
	uint32_t *by_id; /* n rows in the order of ids, equal ones in that of rows */
	uint32_t *below; /* scratch of rep_members_each: rows */
	/* Regions of tasks by goroutine, then start; made when rep_members_each first needs them.
	 */
	struct rep_entered {
		uint32_t region, task; /* rows; task: TP_NONE if the table does not have it */
	} * entered;
	size_t nentered;
	bool has_entered;
	uint64_t cuts;	/* steps among them */
	uint32_t *seen; /* by row: the last walk that met it */
	uint32_t walk;
	uint64_t steps;
};

/* Loads the tasks of a run. Errors: TP_ENOMEM, TP_ELIMIT, TP_ESTORE … *t must be released in every
 * case. */
int rep_tasks_init(struct rep_tasks *t, struct rep_view *v, struct tp_err *err);
/* Loads only what rep_members_each needs: neither logs nor stacks nor counts. */
int rep_tasks_init_members(struct rep_tasks *t, struct rep_view *v, struct tp_err *err);
/* Loads the same columns, but only for rep_tasks_find() and rep_task_start() and _end(). */
int rep_tasks_init_ids(struct rep_tasks *t, struct rep_view *v, struct tp_err *err);
void rep_tasks_release(struct rep_tasks *t);

/* Returns the row of the task with this id, or TP_NONE. */
uint32_t rep_tasks_find(const struct rep_tasks *t, int64_t id);

/* Writes the rows of a task and of all tasks below it (Go's Descendents) to rows[], which has room
 * for t->n, each once, and returns their number. After many millions of steps in all, the result is
 * the task alone; callers check rep_tasks_walked() in the end. */
uint32_t rep_tasks_below(struct rep_tasks *t, uint32_t row, uint32_t *rows);
/* Does the same for n tasks, whose rows are the first of rows[]. */
uint32_t rep_tasks_below_all(struct rep_tasks *t, uint32_t *rows, uint32_t n);
/* Returns whether the last walk met this row. */
bool rep_tasks_met(const struct rep_tasks *t, uint32_t row);
/* Returns 0, or TP_ELIMIT if the walks were cut short. */
int rep_tasks_walked(const struct rep_tasks *t);
/* Allows as many steps again, for callers that keep the struct. */
void rep_tasks_anew(struct rep_tasks *t);

/* Return the beginning and end of a task; those of the run if it has none, as Go's taskInterval. */
int64_t rep_task_start(const struct rep_tasks *t, uint32_t row);
int64_t rep_task_end(const struct rep_tasks *t, uint32_t row);
/* Returns whether both its beginning and its end are in the trace. */
bool rep_task_complete(const struct rep_tasks *t, uint32_t row);

#endif
