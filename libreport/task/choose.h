/* Selects tasks, regions and logs by --task, --region, --min, --max and --log. */
#ifndef REP_TASK_CHOOSE_H
#define REP_TASK_CHOOSE_H

#include "keys.h"
#include "spans/pattern.h"
#include "task/request.h"
#include "task/tasks.h"

/* Arguments as typed; NULL if not given. Regular expressions are those of base/regex.h. */
struct rep_pick_text {
	const char *task;      /* matches types of tasks; digits: an id; '?': a request */
	const char *region;    /* matches types of regions; for a task, those of its regions */
	const char *min, *max; /* limits of the latency, both inclusive; for tasks, only complete
				  ones pass */
	const char *log;       /* matches categories and messages; for a task, those of its logs */
};

enum { REP_PICK_TASK, REP_PICK_REGION, REP_PICK_LOG, REP_NPICKS };

struct rep_pick {
	struct rep_pick_text text;
	struct rep_pattern pattern[REP_NPICKS];
	int64_t min_ns, max_ns; /* INT64_MIN, INT64_MAX: open */

	/* set by rep_pick_run */
	const struct rep_tasks *tasks;
	struct rep_request request; /* if the task is one */
};

/* Compiles the arguments. Returns 0, TP_EFORMAT with a sentence, or TP_ENOMEM. *c must be released
 * in every case; the texts must outlive it. */
int rep_pick_init(struct rep_pick *c, const struct rep_pick_text *text, struct tp_err *err);
void rep_pick_release(struct rep_pick *c);
/* Sets the run whose rows are selected from now on. Errors: TP_ENOMEM, those of rep_request_find. */
int rep_pick_run(struct rep_pick *c, const struct rep_tasks *tasks, struct tp_err *err);

/* Return whether a row of the table task, region or log is selected. */
bool rep_choose_task(struct rep_pick *c, uint32_t row);
bool rep_choose_region(struct rep_pick *c, uint32_t row);
bool rep_choose_log(struct rep_pick *c, uint32_t row);

/* Appends the names of a list of strings: "order, refund and 3 more". Returns 0 or TP_ENOMEM. */
int rep_pick_names(struct tp_buf *b, const struct tp_dict *dict, const struct rep_keys *names);

/* Returns whether the run has user tasks. */
bool rep_has_tasks(const struct rep_view *v);
/* Writes which types of tasks (or regions) the run has, "there are tasks of the types order, refund
 * and 3 more", for a message that says that nothing matches. Returns text. */
const char *rep_pick_hint(const struct rep_view *v, bool regions, char *text, size_t size);

#endif
