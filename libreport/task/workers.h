/* Who works for a task, and when. This is the one place that says so: reports on time (--task,
 * task/inside.h), flame graphs, diffs, timelines and the reports on single tasks all ask here.
 *
 *   - A goroutine works for a task while it is in a region of it, also in the nameless one that a
 *     goroutine inherits from the region in which it was created (Go's summary).
 *   - The goroutine that began the task works for it from its beginning to its end, except inside
 *     regions of other tasks that it enters meanwhile. A region that it was in already takes
 *     nothing away, nor does one of no task (the background task).
 *   - What works for a subtask works for the task.
 *
 * Several goroutines may work for a task at a time. There are two sums:
 *
 *   - reports on time count every member: they add up to the sum of the members' intervals, where
 *     what one goroutine does for several of the tasks, or in several regions, at a time counts
 *     once. Regions that outlive their task count to their end;
 *   - where a latency is explained (task/explain.h), each moment of it goes to one member: a
 *     goroutine in a region comes first, then the one that began the task, and last one that
 *     inherited the task and outlives it (a connection that is kept, a background loop). They add
 *     up to the latency. */
#ifndef REP_TASK_WORKERS_H
#define REP_TASK_WORKERS_H

#include "task/explain.h"
#include "task/tasks.h"

struct rep_workers {
	struct rep_worker *worker;
	uint32_t n;
	/* What a worker's label says: parts of labels.key[label] are the type of the subtask
	 * (string of the run + 1; 0: the task itself), the type of the region (string + 1; 0: in
	 * none), and whether the region is inherited. */
	struct rep_keys labels;

	/* private */
	size_t room;
};

/* A stretch of a goroutine's time in which it works for a task. */
struct rep_member {
	uint32_t goroutine; /* index */
	uint32_t task;	    /* row: the task, or the subtask */
	uint32_t region;    /* row; TP_NONE: it began the task */
	int64_t from, to;   /* ns since the run began; as Go has them, those of the run where a task
			       or region has no beginning or end */
};
/* Nonzero ends the walk with that code. */
typedef int (*rep_member_fn)(void *ctx, const struct rep_member *m);
/* Calls fn for those who work for any of n tasks, which are named by their rows. Stretches of a
 * goroutine may overlap. TP_ENOMEM, TP_ELIMIT (more tasks and regions than are possible). */
int rep_members_each(struct rep_tasks *t, const uint32_t *rows, uint32_t n, rep_member_fn fn,
		     void *ctx);

void rep_workers_release(struct rep_workers *w);
/* Adds who works for a task within an item. TP_ENOMEM, TP_ELIMIT. */
int rep_workers_of_task(struct rep_workers *w, struct rep_tasks *t, uint32_t row, uint32_t item,
			const struct rep_item *span);
/* The goroutine of a region, while it is in it. */
int rep_workers_of_region(struct rep_workers *w, const struct rep_tasks *t, uint32_t region,
			  uint32_t item, const struct rep_item *span);

/* Of a region: beginning and end as Go has them, those of the run where it has none. */
int64_t rep_region_start(const struct rep_view *v, size_t region);
int64_t rep_region_end(const struct rep_view *v, size_t region);

#endif
