/* Which tasks, regions and logs are meant: what --task, --region, --min, --max and --log say. */
#ifndef REP_TASK_CHOOSE_H
#define REP_TASK_CHOOSE_H

#include "spans/pattern.h"
#include "task/tasks.h"

/* As typed; NULL where not given. Regular expressions are those of base/regex.h. */
struct rep_pick_text {
	const char *task;      /* on types of tasks; digits: an id */
	const char *region;    /* on types of regions; of a task: it has such a region */
	const char *min, *max; /* latencies, both included; of tasks: only complete ones */
	const char *log;       /* on categories and messages; of a task: it has such a log */
};

enum { REP_PICK_TASK, REP_PICK_REGION, REP_PICK_LOG, REP_NPICKS };

struct rep_pick {
	struct rep_pick_text text;
	struct rep_pattern pattern[REP_NPICKS];
	int64_t min_ns, max_ns; /* INT64_MIN, INT64_MAX: open */

	/* of the run looked at */
	const struct rep_tasks *tasks;
};

/* TP_EFORMAT with a sentence about what was typed. *c is to be released in every case; the texts
 * must outlive it. */
int rep_pick_init(struct rep_pick *c, const struct rep_pick_text *text, struct tp_err *err);
void rep_pick_release(struct rep_pick *c);
/* From here on it is about this run; TP_ENOMEM. */
int rep_pick_run(struct rep_pick *c, const struct rep_tasks *tasks, struct tp_err *err);

/* Each is a row of its table. */
bool rep_choose_task(struct rep_pick *c, uint32_t row);
bool rep_choose_region(struct rep_pick *c, uint32_t row);
bool rep_choose_log(struct rep_pick *c, uint32_t row);

/* "there are tasks of the types order, refund and 3 more": types that the run has, for whoever asked for another one.
 * `regions`: types of regions. Returns text. */
const char *rep_pick_hint(const struct rep_view *v, bool regions, char *text, size_t size);

#endif
