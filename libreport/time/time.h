/* The states of goroutines and Ps over time, in bins, for charts over time. Covers the time range
 * of the view.
 *
 * Goroutines are counted span by span if the range has few enough events to read them all;
 * otherwise by the sums that the store keeps for each segment, so bins are as long as segments
 * (about a fifth of a second). Ps are always counted by their spans. */
#ifndef REP_TIME_TIME_H
#define REP_TIME_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spans/view.h"
#include "time/bins.h"

#define REP_TIME_GROUPS 12 /* shown one by one */
#define REP_TIME_BINS	320
#define REP_TIME_EVENTS 1500000 /* read at most */

enum rep_time_class {
	REP_TIME_RUNNING,
	REP_TIME_SYSCALL,
	REP_TIME_RUNNABLE,
	REP_TIME_BLOCKED,
	REP_TIME_NCLASSES
};
extern const char *const rep_time_class_names[REP_TIME_NCLASSES];
/* Returns the class of a state; REP_TIME_NCLASSES if it has none. */
enum rep_time_class rep_time_class_of(unsigned state);

struct rep_time_group {
	uint32_t entry;	   /* string of the run */
	int64_t active_ns; /* in all states but waiting and SYSCALL_BLOCKED */
	struct rep_binned series[REP_TIME_NCLASSES];
};

struct rep_time {
	bool exact; /* span by span */
	struct rep_bins bins;
	struct rep_binned all[REP_TIME_NCLASSES];
	struct rep_time_group group[REP_TIME_GROUPS]; /* the most active first */
	size_t ngroups, nentries;

	/* Ps and the collector have their own bins. */
	struct rep_bins fine;
	size_t nprocs;		 /* Ps that ran or idled; old traces also list pseudo-Ps, which do
				    neither */
	int64_t *proc_id;	 /* ascending */
	struct rep_binned *proc; /* running */

	struct rep_binned mark, stw; /* GC mark phases, stops of the world */
	struct rep_binned alive;     /* goroutines */
};

/* rep_time_load loads everything. To load only some of it, call rep_time_begin, which makes at most
 * `bins` bins for `fine`, and then the functions below. Errors: TP_ENOMEM, TP_ESTORE. *t must be
 * released in every case. */
int rep_time_load(struct rep_time *t, struct rep_view *v, struct tp_err *err);
int rep_time_begin(struct rep_time *t, struct rep_view *v, size_t bins, struct tp_err *err);
int rep_time_goroutines(struct rep_time *t, struct rep_view *v, struct tp_err *err);
int rep_time_alive(struct rep_time *t, struct rep_view *v, struct tp_err *err);
int rep_time_procs(struct rep_time *t, struct rep_view *v, struct tp_err *err);
int rep_time_collector(struct rep_time *t, struct rep_view *v, struct tp_err *err);
void rep_time_release(struct rep_time *t);

/* A metric: its value is y from each point on. The first point is at the beginning of the range, if
 * the value there is known, and the last one at its end. */
struct rep_time_curve {
	double *x, *y;
	size_t n;
};
#define REP_METRIC_HEAP_NAME "/memory/classes/heap/objects:bytes"
#define REP_METRIC_GOAL_NAME "/gc/heap/goal:bytes"
/* Loads a metric by its name; errors as above. */
int rep_time_metric(struct rep_time *t, struct rep_view *v, const char *name,
		    struct rep_time_curve *c, struct tp_err *err);
/* Computes the means of n series together, as at most `most` steps and a last point where they end.
 * If there are more bins than that, a step is the mean of several in a row. Returns 0 or TP_ENOMEM.
 * *c must be released in every case. */
int rep_time_steps(struct rep_time_curve *c, const struct rep_bins *b, const struct rep_binned *s,
		   size_t n, size_t most);
void rep_time_curve_release(struct rep_time_curve *c);

#endif
