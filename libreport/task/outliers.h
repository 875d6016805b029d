/* How the slowest tasks differ: compares the slowest tasks (or regions) of one type with as many
 * around the median, or with 50 if these are more and exist.
 *
 * Every moment of a latency counts for one fact of kind REP_FACT_STATE and one of kind
 * REP_FACT_TIME (task/explain.h). So for either kind, the differences between the groups add up to
 * the difference of the mean latencies, and each fact explains its share. Facts of the other kinds
 * overlap these. */
#ifndef REP_TASK_OUTLIERS_H
#define REP_TASK_OUTLIERS_H

#include "task/choose.h"
#include "task/spent.h"

enum rep_fact_kind {
	REP_FACT_STATE,	  /* time in a state (and reason) anywhere; these add up to the latency */
	REP_FACT_TIME,	  /* time in a state (and reason, stack) at one place in the task;
			     likewise */
	REP_FACT_REGION,  /* time in regions of a type; each of several at once counts */
	REP_FACT_SUBTASK, /* time in subtasks of a type, likewise */
	REP_FACT_RANGE,	  /* time during a GC mark phase or a stop of the world */
	REP_FACT_LOG,	  /* a message, digits aside */
	REP_NFACT_KINDS
};

enum { REP_SLOW, REP_MIDDLE, REP_NGROUPS };

struct rep_fact {
	enum rep_fact_kind kind;
	struct rep_key what;	 /* by kind: 0, state, reason; label, state, reason, stack; subtask,
				    region (strings + 1); type; name; category, message — strings of
				    the run */
	int64_t ns[REP_NGROUPS]; /* sum over the group */
	int64_t count[REP_NGROUPS]; /* number of occurrences in the group (not for times) */
	int64_t with[REP_NGROUPS];  /* number of tasks in the group that have it */
	uint32_t last;		    /* private */
};

struct rep_outliers {
	uint32_t type;	/* string of the run */
	uint32_t types; /* number of types among those selected */
	int64_t total;	/* complete tasks of `type` */
	int64_t n[REP_NGROUPS];
	int64_t ns[REP_NGROUPS]; /* sum of latencies */
	int64_t min_ns[REP_NGROUPS], max_ns[REP_NGROUPS];
	struct rep_fact *fact;
	size_t nfacts;

	/* private */
	size_t room;
	struct rep_keys keys[REP_NFACT_KINDS];
	uint32_t *of_key[REP_NFACT_KINDS];
	size_t key_room[REP_NFACT_KINDS];
	struct rep_workers workers;
};

struct rep_slowest {
	bool percent;
	double share; /* of one */
	int64_t count;
};
/* Parses "1%" or "10". Returns 0 or TP_EFORMAT. */
int rep_slowest_parse(const char *text, struct rep_slowest *s, struct tp_err *err);

#define REP_OUTLIERS_LEAST 3 /* complete tasks of a type that can be compared */

/* Compares the complete tasks (or regions) in the view's range that are selected; if they are of
 * several types, those of the type that took most time. `n` of both groups is 0 if there are fewer
 * than that. *o must be released in every case. */
int rep_outliers_init(struct rep_outliers *o, struct rep_tasks *t, struct rep_pick *choice,
		      bool regions, const struct rep_slowest *slowest, struct tp_err *err);
void rep_outliers_release(struct rep_outliers *o);

/* Returns the label of a fact of kind REP_FACT_TIME: subtask and region (strings + 1, 0 for none).
 */
const struct rep_key *rep_fact_label(const struct rep_outliers *o, const struct rep_fact *f);

#endif
