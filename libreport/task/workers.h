/* Defines which goroutines work for a task, and when. Reports on time (--task, task/inside.h),
 * flame graphs, diffs, timelines and the reports on single tasks all use this definition.
 *
 *   - A goroutine works for a task while it is in one of the task's regions, including the nameless
 *     one that a goroutine inherits from the region in which it was created (Go's summary).
 *   - The goroutine that began the task works for it from its beginning to its end, except inside
 *     regions of other tasks that it enters meanwhile. A region that it was already in is not an
 *     exception, nor is a region without a task (the background task).
 *   - A goroutine that works for a subtask works for the task.
 *
 * Several goroutines may work for a task at the same time. There are two kinds of sums:
 *
 *   - reports on time count every member. They add up to the sum of the members' intervals; time in
 *     which one goroutine works for several of the tasks, or is in several regions, counts once.
 *     Regions that outlive their task count to their end;
 *   - where a latency is explained (task/explain.h), each moment of it goes to one member: first to
 *     a goroutine in a region, then to the one that began the task, last to one that inherited the
 *     task and outlives it (a cached connection, a background loop). They add up to the latency. */
#ifndef REP_TASK_WORKERS_H
#define REP_TASK_WORKERS_H

#include "keys.h"
#include "task/explain.h"
#include "task/tasks.h"

struct rep_workers {
	struct rep_worker *worker;
	uint32_t n;
	/* Labels of workers. The parts of labels.key[label] are the type of the subtask (string of
	 * the run + 1; 0: the task itself), the type of the region (string + 1; 0: no named
	 * region), and whether the region is inherited. */
	struct rep_keys labels;

	/* private */
	size_t room;
};

/* A stretch of a goroutine's time in which it works for a task. */
struct rep_member {
	uint32_t goroutine; /* index */
	uint32_t task;	    /* row: the task, or the subtask */
	uint32_t region;    /* row; TP_NONE: it began the task */
	int64_t from, to;   /* ns since the run began; those of the run if the task or region
		       has no beginning or end, as in Go */
};
/* Called for each member. A nonzero result ends the walk and becomes its result. */
typedef int (*rep_member_fn)(void *ctx, const struct rep_member *m);
/* Calls fn for each stretch of time in which a goroutine works for any of n tasks, given by their
 * rows. Stretches of a goroutine may overlap. Errors: TP_ENOMEM, TP_ELIMIT (more tasks and regions
 * than are possible). */
int rep_members_each(struct rep_tasks *t, const uint32_t *rows, uint32_t n, rep_member_fn fn,
		     void *ctx);

void rep_workers_release(struct rep_workers *w);
/* Adds the goroutines that work for a task within an item. Errors: TP_ENOMEM, TP_ELIMIT. */
int rep_workers_of_task(struct rep_workers *w, struct rep_tasks *t, uint32_t row, uint32_t item,
			const struct rep_item *span);
/* Adds the goroutine of a region while it is in the region. Errors: TP_ENOMEM, TP_ELIMIT. */
int rep_workers_of_region(struct rep_workers *w, const struct rep_tasks *t, uint32_t region,
			  uint32_t item, const struct rep_item *span);

/* Return the beginning and end of a region; those of the run if it has none, as in Go. */
int64_t rep_region_start(const struct rep_view *v, size_t region);
int64_t rep_region_end(const struct rep_view *v, size_t region);

#endif
