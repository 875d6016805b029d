/* Where goroutines were: the innermost task and region at any time.
 *
 * A goroutine is in a region from its begin to its end, and in a task in regions of it and from
 * where it began the task until the task ends. Of several, the one that began last is the innermost.
 * The region of no task (the background task) leaves the task as it is. A region without a name, which
 * a goroutine inherits from its creator, only tells the task. This differs from task/workers.h where a
 * goroutine works for several tasks at a time: here it is in one. */
#ifndef REP_TASK_PLACE_H
#define REP_TASK_PLACE_H

#include "stack.h"
#include "task/tasks.h"

struct rep_place {
	int64_t from, to;   /* ns since the run began */
	uint32_t goroutine; /* index */
	uint32_t task;	    /* row of the table task; TP_NONE: none is known */
	uint32_t region;    /* row of the table region; TP_NONE: none with a name */
};

struct rep_places {
	struct rep_place *place; /* disjoint, by goroutine and time */
	size_t n;

	/* private */
	size_t room;
};

/* Finds the places of a run. Errors: TP_ENOMEM, TP_ELIMIT, TP_ESTORE. *p must be released in every
 * case. */
int rep_places_init(struct rep_places *p, struct rep_view *v, struct tp_err *err);
void rep_places_release(struct rep_places *p);
/* Calls fn with the places of each goroutine that has some; of the whole run they may be too many to
 * keep. A nonzero result of fn ends this and becomes its result. Other errors are those above. */
typedef int (*rep_places_fn)(void *ctx, const struct rep_places *of_goroutine, struct tp_err *err);
int rep_places_each(struct rep_view *v, rep_places_fn fn, void *ctx, struct tp_err *err);
/* Returns where a goroutine was at a time; NULL if in no task or region. */
const struct rep_place *rep_places_at(const struct rep_places *p, uint32_t goroutine, int64_t ns);

/* Return the strings of a place, of the run: the types of task and region; 0 for none. */
uint32_t rep_place_task(const struct rep_view *v, const struct rep_place *place);
uint32_t rep_place_region(const struct rep_view *v, const struct rep_place *place);
/* Returns "order: query", "order" or "region query"; NULL for no place. */
struct rep_value rep_place_text(struct rep_texts *t, const struct rep_view *v,
				const struct rep_place *place);

#endif
