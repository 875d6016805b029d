/* The time of goroutines inside tasks and regions: what --task and --region mean to
 * every report and view of time.
 *
 * --task is the time of all who work for the tasks that match (task/workers.h), --region that in
 * such regions; with both it is the time in such regions of such tasks or of their subtasks. What
 * had begun before the run begins with it, what has no end lasts to the end. What a goroutine does
 * in several of them at once counts once; what several goroutines do at a time counts for each. So
 * reports add up to the sum of the intervals here, which may be more, or less, than what the tasks
 * took. */
#ifndef REP_TASK_INSIDE_H
#define REP_TASK_INSIDE_H

#include "top/view.h"

struct rep_interval {
	uint32_t goroutine; /* index */
	int64_t from, to;   /* [from, to) in ns since the run began, within the view's range */
};

struct rep_inside {
	struct rep_interval *interval; /* n of them by goroutine and time, disjoint */
	size_t n, room;
	size_t *first; /* by goroutine: its first interval; ngoroutines + 1 of them */
	size_t ngoroutines;
};

/* `task`, `region`: regular expressions on types, or NULL; a task of digits only is an id.
 * TP_EFORMAT for what is no expression, TP_ENOENT where the run has no such task or region, with a
 * sentence about what it has. Sets v->members. To be released in every case. */
int rep_inside_init(struct rep_inside *in, struct rep_view *v, const char *task, const char *region,
		    struct tp_err *err);
/* The same by the rule of `go tool trace` (pprofMatchingRegions), which knows regions only: of a
 * task its regions, not those of subtasks, and only where it has none the goroutine that began it.
 * Of overlapping ones of a goroutine, one that begins before the last that was taken has ended is
 * dropped, so that of several that were open when the run began only the first to end counts. */
int rep_inside_init_go(struct rep_inside *in, struct rep_view *v, const char *task,
		       const char *region, struct tp_err *err);
/* The same error without a run. */
int rep_inside_check(const char *task, const char *region, struct tp_err *err);
void rep_inside_release(struct rep_inside *in);
/* The first interval of a goroutine (below ngoroutines) that ends after ns; behind its last where
 * there is none. */
size_t rep_inside_first(const struct rep_inside *in, int64_t goroutine, int64_t ns);
/* Length of what of [start, end) lies inside, and whether any of it does (a moment has no length).
 */
bool rep_inside_clip(const struct rep_inside *in, int64_t goroutine, int64_t start, int64_t end,
		     int64_t *ns);
void rep_members_add(struct rep_members *sum, const struct rep_members *m);
/* "counts every goroutine working for the 600 tasks: 3s; they took 1.83s", or "" where nothing is
 * asked for by task. Returns text. */
const char *rep_members_say(const struct rep_members *m, char *text, size_t size);
/* Sets wanted[] (v->nsegments of them) for segments in which there is any interval. */
int rep_inside_segments(const struct rep_inside *in, const struct rep_view *v, bool *wanted);

#endif
