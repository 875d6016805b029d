/* What a run of a trace measures: numbers with names that mean the same in every run, so that runs
 * can be compared, judged, plotted and put on a page.
 *
 * A measure is a family of events of one kind, all of them or those with one name; a metric is one
 * statistic of a measure. As gates, options and tables spell it: FAMILY[NAME].STAT
 *
 *   FAMILY   an event is                           NAME is (all of them without it)
 *   sched    a wait of a goroutine for a P         entry function of the goroutine
 *   run      a time on a P                         entry function
 *   block    a blocked time                        reason, or entry function
 *   syscall  a system call                         function that made it, or entry function
 *   group    a goroutine created in the run        entry function
 *   task     a complete user task                  type
 *   region   a complete user region                type
 *   stw      a stop of the world                   what for: "GC mark termination"
 *   gc       a mark phase                          assist, sweep: a mark assist, a sweep
 *   cpu      a sample of the CPU profiler          function it was taken in (flat)
 *
 *   STAT     count   events                        p50 … p99  percentiles, nearest rank
 *            total   time, of cut events too       max        the longest
 *            mean    of the events                 share      of the family: of total, cpu: count
 *            rate    count per second of the run
 *
 * An event has both ends in the run (and in the range looked at): what the beginning or the end of
 * the run cuts off is as long as the run makes it, so only its time counts, in `total`. (Where a
 * run is read from its tables, what is cut within its first or last segment is taken for whole.)
 *
 * Values are raw, of the whole run: ns, or numbers; runs of different length are compared by rate,
 * and by total divided by rep_metrics_per (struct rep_metrics_base). A goroutine's `total` is its
 * time in the run, whenever it was created: per second of the run, the number that is alive.
 *
 * Percentiles are exact where `exact` says so (every duration was read: traces of fewer than
 * REP_METRICS_SEGMENTS segments, and all tasks, regions and ranges), else from histograms, at most
 * 1 % away. All else is exact.
 *
 * Names are canonical (name.h) unless exact_names is set, so that a closure is found again in
 * another build; a name that stands for one function of the run is shown as that. Names are bytes
 * of the dump: escape them.
 *
 *	struct rep_metrics_options opt = REP_METRICS_OPTIONS_INIT;
 *	struct rep_metric_spec spec;
 *	struct rep_metrics *m;
 *
 *	code = rep_metric_parse(&spec, "task[checkout].p95", err);
 *	code = rep_metrics_new(&m, store, run, &opt, err);
 *	x = rep_metrics_measure(m, &spec);
 *	if (x) … rep_metric_value(m, x, spec.stat) …
 *	rep_metrics_free(m); */
#ifndef REP_DIFF_TRACE_METRICS_H
#define REP_DIFF_TRACE_METRICS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run.h"
#include "spans/filter.h"
#include "store/store.h"

enum rep_family {
	REP_FAMILY_SCHED,
	REP_FAMILY_RUN,
	REP_FAMILY_BLOCK,
	REP_FAMILY_SYSCALL,
	REP_FAMILY_GROUP,
	REP_FAMILY_TASK,
	REP_FAMILY_REGION,
	REP_FAMILY_STW,
	REP_FAMILY_GC,
	REP_FAMILY_CPU,
	REP_NFAMILIES
};

/* What the name of a measure is. */
enum rep_measure_by {
	REP_MEASURE_ALL, /* none: all events of the family (of gc: mark phases) */
	REP_MEASURE_ENTRY,
	REP_MEASURE_REASON,
	REP_MEASURE_FUNCTION,
	REP_MEASURE_TYPE,
	REP_NMEASURE_BY
};
extern const char *const rep_measure_bys[REP_NMEASURE_BY]; /* "all", "group", "reason" … */

enum rep_stat {
	REP_STAT_COUNT,
	REP_STAT_TOTAL,
	REP_STAT_MEAN,
	REP_STAT_P50,
	REP_STAT_P90,
	REP_STAT_P95,
	REP_STAT_P99,
	REP_STAT_MAX,
	REP_STAT_RATE,
	REP_STAT_SHARE,
	REP_NSTATS
};

extern const struct rep_family_desc {
	const char *name;
	const char *doc;	  /* what its events are, in the plural */
	uint32_t stats;		  /* bit per enum rep_stat that it has */
	uint32_t headline;	  /* those that are compared unless others are asked for */
	enum rep_stat by_default; /* where a spec names none */
} rep_families[REP_NFAMILIES];

extern const struct rep_stat_desc {
	const char *name, *doc;
	const char *unit; /* "nanoseconds", "count", "1/s", "share" */
	bool percentile;
} rep_stats_of[REP_NSTATS];

/* ---- a run ---- */

#define REP_METRICS_SEGMENTS 8	/* a run of fewer is read event by event */
#define REP_METRICS_WINDOWS  32 /* at most; a run is looked at in so many parts */

struct rep_metrics_options {
	/* Only from and to, goroutine (a regular expression or an id), task and region; NULL:
	 * everything. With a task or a region events count that are inside of it (task/inside.h),
	 * for as long as they are: of a task that is picked, and of regions in it, the latency; of
	 * a group goroutines that are inside, and their time there. A run without any has none. */
	const struct rep_filter_text *filter;
	bool exact_names;
	bool exact;  /* read every event, however many */
	bool tables; /* read none but those that the range cuts, however few */
};
#define REP_METRICS_OPTIONS_INIT                                                                   \
	{                                                                                          \
		.filter = NULL                                                                     \
	}

#define REP_NMEASURE_P 4 /* p50, p90, p95, p99 */

/* How a name that the trace does not have is shown, and may be typed: block[(unknown)].total. */
#define REP_MEASURE_UNKNOWN "(unknown)"

struct rep_measure {
	enum rep_family family;
	enum rep_measure_by by;
	const char *key;  /* its name in all runs; "" for all events, and for those without name */
	const char *name; /* as it is shown; for `by` ALL "" */
	int64_t count, total_ns, max_ns;
	int64_t whole_ns;	   /* of the events counted */
	int64_t p[REP_NMEASURE_P]; /* TP_NULL where there is no duration */
	bool exact;
	size_t first, ncells; /* private: where its cells are */
};

struct rep_metrics;

/* A run of kind "trace". TP_EFORMAT for a filter that makes no sense; TP_ESTORE, TP_ENOMEM, … */
int rep_metrics_new(struct rep_metrics **m, struct tp_store *store, const struct rep_run *run,
		    const struct rep_metrics_options *opt, struct tp_err *err);
void rep_metrics_free(struct rep_metrics *m);

/* Its measures, ordered by family, by, then the greatest total (cpu: count) first. */
const struct rep_measure *rep_metrics_measures(const struct rep_metrics *m, size_t *n);

/* What totals and counts may be divided by. */
struct rep_metrics_base {
	int64_t length_ns; /* of the run, or of the range looked at */
	bool ticks;    /* the run has no clock: every "ns" is a tick, rates are per 10^9 of them */
	int64_t tasks; /* complete ones */
	size_t windows;
};
void rep_metrics_base(const struct rep_metrics *m, struct rep_metrics_base *base);

/* ---- a metric ---- */

/* The statistic of a measure, in its unit (rep_stats_of); NaN: nothing to tell. */
double rep_metric_value(const struct rep_metrics *m, const struct rep_measure *measure,
			enum rep_stat stat);

/* "sched.p99", "task[checkout].p95", "block[chan receive]" (its family's default), as typed. */
struct rep_metric_spec {
	enum rep_family family;
	enum rep_stat stat;
	bool named; /* there were brackets */
	char name[400];
};
/* TP_EFORMAT with a sentence that lists what there is. */
int rep_metric_parse(struct rep_metric_spec *spec, const char *text, struct tp_err *err);
/* The measure, NULL where the run has none (its events may merely be absent). Of a name that is a
 * reason and an entry function the first of these is taken. */
const struct rep_measure *rep_metrics_measure(const struct rep_metrics *m,
					      const struct rep_metric_spec *spec);

#endif
