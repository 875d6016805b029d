/* The metrics of a run while they are put together; private to libreport/diff/trace.
 *
 * A cell is what events are counted by: family, entry function, name (reason, type) and function. A
 * measure is several cells added up. What is put into a cell lies in a window, a part of the run's
 * time: how the windows of one run differ says how far its numbers can be trusted (interval.h).
 *
 * Sums come by cell and window; so do durations, as items of a distribution, in which equal ones are
 * one item. Both are kept, sorted by cell, so that anything may be worked out for some windows only.
 *
 *	code = rep_set_new(&m, edges, nwindows, err);
 *	name = rep_set_name(m, text, size, canonical);
 *	cell = rep_set_cell(m, REP_FAMILY_TASK, 0, name, 0);
 *	rep_set_put(m, cell, window, ns);
 *	code = rep_set_solve(m, err);		then it is a struct rep_metrics to look at */
#ifndef REP_DIFF_TRACE_SET_H
#define REP_DIFF_TRACE_SET_H

#include "base/buf.h"
#include "base/hist.h"
#include "diff/trace/metrics.h"
#include "dist.h"
#include "keys.h"

struct rep_set_sum {
	int64_t count, total_ns, whole_ns, max_ns;
};

/* What a measure is in each window. */
struct rep_set_windows {
	double count[REP_METRICS_WINDOWS], total[REP_METRICS_WINDOWS], whole[REP_METRICS_WINDOWS];
};

struct rep_metrics {
	struct rep_metrics_base base;
	int64_t edge[REP_METRICS_WINDOWS + 1]; /* of the windows; ns since the run began */

	int code;    /* of what failed first: nothing is put in after that */
	size_t near; /* the window found last */

	struct tp_dict *names;
	uint32_t *shown; /* by name: the one it had + 1, UINT32_MAX: several had it */
	size_t shown_room;
	struct tp_buf scratch;

	struct rep_keys cells;	 /* family, entry, name, function */
	struct rep_keys pairs;	 /* cell, window */
	struct rep_set_sum *sum; /* by pair */
	size_t sum_room;
	uint32_t last_cell, last_window, last_pair; /* alike ones often follow */

	struct rep_dist durations; /* by pair; once solved, sorted by cell */

	/* once solved */
	size_t *first_item; /* by cell, one more than there are */
	uint32_t *pair;	    /* pairs by cell, from first_pair[cell] on */
	size_t *first_pair;
	struct rep_measure *measure;
	size_t n;
	uint32_t *cell; /* cells by measure, from its `first` on */
	/* By family, as they are asked for with each of its measures: all its events; NULL and
	 * nothing where there are none. */
	const struct rep_measure *all[REP_NFAMILIES];
	struct rep_set_windows family[REP_NFAMILIES];
};

/* edge[0 … windows] in rising order; 1 to REP_METRICS_WINDOWS of them. */
int rep_set_new(struct rep_metrics **m, const int64_t *edge, size_t windows, struct tp_err *err);
/* The window of a moment; what is outside counts as the first or last. */
size_t rep_set_window_find(const struct rep_metrics *m, int64_t ns);
static inline size_t rep_set_window(struct rep_metrics *m, int64_t ns)
{
	/* What follows each other lies in the same one, mostly. */
	if (ns < m->edge[m->near] || ns >= m->edge[m->near + 1])
		m->near = rep_set_window_find(m, ns);
	return m->near;
}

/* These return 0 once something has failed, which rep_set_solve tells. Name 0 is "". */
uint32_t rep_set_name(struct rep_metrics *m, const char *text, size_t size, bool canonical);
uint32_t rep_set_cell(struct rep_metrics *m, enum rep_family family, uint32_t entry, uint32_t name,
		      uint32_t function);
/* Time alone, of events that are whole or not; sums of whole events alone; a duration alone;
 * durations of a bucket alone; a whole event with all that. */
void rep_set_time(struct rep_metrics *m, uint32_t cell, size_t window, int64_t ns);
void rep_set_events(struct rep_metrics *m, uint32_t cell, size_t window, int64_t count,
		    int64_t whole_ns, int64_t max_ns);
void rep_set_duration(struct rep_metrics *m, uint32_t cell, size_t window, int64_t ns);
void rep_set_bucket(struct rep_metrics *m, uint32_t cell, size_t window, int64_t bucket,
		    int64_t count);
void rep_set_put(struct rep_metrics *m, uint32_t cell, size_t window, int64_t ns);

/* Makes the measures. Nothing may be put in afterwards. TP_ENOMEM, TP_ELIMIT. */
int rep_set_solve(struct rep_metrics *m, struct tp_err *err);

/* Of a measure of these metrics, once they are solved. */
void rep_set_windows(const struct rep_metrics *m, const struct rep_measure *x,
		     struct rep_set_windows *w);

/* The same metrics from the windows of which use[] says so, as a run of its own; shares nothing. */
int rep_set_part(const struct rep_metrics *m, const bool *use, struct rep_metrics **part,
		 struct tp_err *err);

/* Goes through the durations of a measure: m->durations.item[k], cell by cell. */
#define REP_SET_ITEMS(m, x, c, k)                                                                  \
	for (size_t c = (x)->first; c < (x)->first + (x)->ncells; c++)                             \
		for (size_t k = (m)->first_item[(m)->cell[c]];                                     \
		     k < (m)->first_item[(m)->cell[c] + 1]; k++)
/* Counts one of them in a histogram. */
void rep_set_count(struct tp_hist *hist, const struct rep_dist_item *item);

extern const double rep_measure_quantile[REP_NMEASURE_P];

#endif
