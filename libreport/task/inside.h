/* The time that goroutines spend inside tasks and regions: defines --task and --region for every
 * report and view of time.
 *
 * --task selects the time of all goroutines that work for matching tasks (task/workers.h), --region
 * the time in matching regions; both together select the time in such regions of such tasks or of
 * their subtasks. A task or region that began before the run counts from the run's start; one
 * without an end counts to the run's end. Where several of them overlap in one goroutine, the time
 * counts once; time of several goroutines counts for each. So reports add up to the sum of the
 * intervals here, which may be more or less than the tasks took. */
#ifndef REP_TASK_INSIDE_H
#define REP_TASK_INSIDE_H

#include "spans/view.h"

struct rep_interval {
	uint32_t goroutine; /* index */
	int64_t from, to;   /* [from, to) in ns since the run began, within the view's range */
};

struct rep_inside {
	struct rep_interval *interval; /* n of them, disjoint, sorted by goroutine and time */
	size_t n, room;
	size_t *first; /* index of each goroutine's first interval; ngoroutines + 1 entries */
	size_t ngoroutines;
};

/* Collects the intervals and sets v->members. `task` and `region` are regular expressions on types,
 * or NULL; a task of digits only is an id, and one that begins with '?' a request
 * (task/request.h). Errors: TP_EFORMAT for an invalid expression; TP_ENOENT
 * if the run has no such task or region, with a message that says what it has. `in` must be
 * released in every case. */
int rep_inside_init(struct rep_inside *in, struct rep_view *v, const char *task, const char *region,
		    struct tp_err *err);
/* Does the same by the rule of `go tool trace` (pprofMatchingRegions), which is based on regions: a
 * task selects the time in its own regions, not in those of subtasks; a task without regions
 * selects the time of the goroutine that began it, from its beginning to its end. If intervals of a
 * goroutine overlap, one that begins before the end of the last one taken is dropped. So of several
 * that were open when the run began, only the first to end counts. */
int rep_inside_init_go(struct rep_inside *in, struct rep_view *v, const char *task,
		       const char *region, struct tp_err *err);
/* Checks the expressions without a run. Returns 0 or the same errors for them. */
int rep_inside_check(const char *task, const char *region, struct tp_err *err);
void rep_inside_release(struct rep_inside *in);
/* Returns the index of the goroutine's first interval that ends after ns, or the index after its
 * last one. `goroutine` must be below ngoroutines. */
size_t rep_inside_first(const struct rep_inside *in, int64_t goroutine, int64_t ns);
/* Sets *ns to the length of the parts of [start, end) that lie inside. Returns whether there are
 * any (a moment has no length). */
bool rep_inside_clip(const struct rep_inside *in, int64_t goroutine, int64_t start, int64_t end,
		     int64_t *ns);
void rep_members_add(struct rep_members *sum, const struct rep_members *m);
/* Room for what the next function writes. */
#define REP_MEMBERS_SIZE 360
/* Writes "counts every goroutine working for the 600 tasks: 3s; they took 1.83s", or "" if no task
 * is selected. Of a request it has the ids of its tasks, and what logged it outside of tasks. Returns text. */
const char *rep_members_say(const struct rep_members *m, char *text, size_t size);
/* Sets wanted[] (v->nsegments entries) for segments that contain part of an interval. Returns 0 or
 * TP_ENOMEM. */
int rep_inside_segments(const struct rep_inside *in, const struct rep_view *v, bool *wanted);

#endif
