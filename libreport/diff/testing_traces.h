/* For tests of diffs of traces: runs made up event by event. */
#ifndef REP_DIFF_TESTING_TRACES_H
#define REP_DIFF_TESTING_TRACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "diff/power.h"
#include "diff/diff.h"
#include "diff/trace/set.h"

#define WINDOWS	  16
#define WINDOW_NS INT64_C(100000000)

/* A run of this many windows of 0.1 s. */
static inline struct rep_metrics *testing_run(size_t windows)
{
	int64_t edge[REP_METRICS_WINDOWS + 1];
	struct rep_metrics *m;
	struct tp_err err;

	for (size_t i = 0; i <= windows; i++)
		edge[i] = (int64_t)i * WINDOW_NS;
	assert_int_equal(rep_set_new(&m, edge, windows, &err), 0);
	return m;
}

static inline void testing_put(struct rep_metrics *m, enum rep_family family, const char *name,
			       size_t window, int64_t ns)
{
	bool by_entry = family == REP_FAMILY_SCHED || family == REP_FAMILY_RUN;
	uint32_t id, cell;

	id = rep_set_name(m, name, strlen(name), false);
	cell = rep_set_cell(m, family, by_entry ? id : 0, by_entry ? 0 : id, 0);
	rep_set_put(m, cell, window, ns);
}

static inline struct rep_metrics *testing_solve(struct rep_metrics *m)
{
	struct tp_err err;

	assert_int_equal(rep_set_solve(m, &err), 0);
	return m;
}

/* A run whose events are lognormal with this spread, `each` of a kind in a window; kinds are tasks
 * "a" and "b", waits for a P, and stops of the world (one in a window). Times of all are multiplied
 * by `factor` of the run, those of task "a" by `slower` as well. */
struct testing_world {
	size_t windows, each;
	double spread, factor, slower;
};

static inline struct rep_metrics *testing_world(const struct testing_world *w, uint64_t *seed)
{
	struct rep_metrics *m = testing_run(w->windows);

	for (size_t i = 0; i < w->windows; i++) {
		for (size_t k = 0; k < w->each; k++) {
			double f = w->factor * exp(w->spread * rep_power_normal(seed));
			double g = w->factor * exp(w->spread * rep_power_normal(seed));
			double h = w->factor * exp(w->spread * rep_power_normal(seed));

			testing_put(m, REP_FAMILY_TASK, "a", i, (int64_t)(1e6 * f * w->slower));
			testing_put(m, REP_FAMILY_TASK, "b", i, (int64_t)(2e6 * g));
			testing_put(m, REP_FAMILY_SCHED, "main.f", i, (int64_t)(1e4 * h));
		}
		testing_put(m, REP_FAMILY_STW, "GC mark termination", i,
			    (int64_t)(3e4 * w->factor));
	}
	return testing_solve(m);
}

/* The runs of a side, into `to`, which is returned. */
static inline struct rep_diff_run *testing_runs(struct rep_diff_run *to,
						struct rep_metrics *const *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (struct rep_diff_run){.metrics = m[i]};
	return to;
}

static inline const struct rep_diff_row *testing_row(const struct rep_diff *d, const char *want)
{
	const struct rep_diff_row *found = NULL;

	for (size_t i = 0; i < d->n && !found; i++) {
		char text[200];

		snprintf(text, sizeof(text), "%s[%s].%s", rep_families[d->row[i].family].name,
			 d->row[i].name, rep_stats_of[d->row[i].stat].name);
		if (!strcmp(text, want))
			found = &d->row[i];
	}
	return found;
}

#endif
