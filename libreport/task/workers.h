/* Who works for a task, and when.
 *
 * Go's summary counts as a task's the goroutines that begin or end it, begin a region of it or log
 * to it, and lets a goroutine inherit the task of the region in which it was created. In time:
 *
 *   - a goroutine works for a task while it is in a region of it, also in the nameless one that it
 *     inherits;
 *   - the goroutine that began the task works for it up to its end; where somebody is in a region
 *     of it, that one counts first;
 *   - a goroutine that inherits the task and outlives it (a connection that is kept, a background
 *     loop) comes last;
 *   - what works for a subtask works for the task. */
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
	uint32_t *below;
	size_t below_room;
};

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
