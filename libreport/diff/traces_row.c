/* One row of a diff of traces: a measure of all runs, statistic by statistic. */
#include <math.h>
#include <stdlib.h>

#include "base/many.h"
#include "diff/traces.h"

#define BIT(stat) (1u << (stat))
/* What is 0 where there are no events; anything else is then unknown. */
#define ZEROS (BIT(REP_STAT_COUNT) | BIT(REP_STAT_TOTAL) | BIT(REP_STAT_RATE) | BIT(REP_STAT_SHARE))

static int estimate(const struct rep_metrics *m, const struct rep_measure *x, uint32_t stats,
		    const struct rep_per_options *per, bool intervals,
		    struct rep_estimate e[REP_NSTATS])
{
	if (x)
		return rep_estimate(m, x, stats, per, intervals, e);
	/* A family may have no events in a run; what it is divided by is there. */
	for (int i = 0; i < REP_NSTATS; i++)
		e[i] = (struct rep_estimate){.value = BIT(i) & ZEROS ? 0 : (double)NAN};
	return 0;
}

int rep_traces_value(const struct rep_metrics *m, const struct rep_measure *x, enum rep_stat stat,
		     const struct rep_per_options *per, double *value)
{
	struct rep_estimate e[REP_NSTATS];
	int code = estimate(m, x, BIT(stat), per, false, e);

	*value = code ? (double)NAN : e[stat].value;
	return code;
}

/* Nothing on one side, something in `filled` of `windows` on the other: how likely is that, did it
 * come as often on both? */
static double p_of_nothing(const struct rep_estimate *some, size_t windows)
{
	double share = (double)(some->windows - some->filled + 1) / ((double)some->windows + 1);

	return some->windows ? fmin(1, 2 * pow(share, (double)windows)) : (double)NAN;
}

static void compare_two(const struct rep_estimate *old, const struct rep_estimate *new,
			size_t old_windows, size_t new_windows, struct rep_diff_row *row)
{
	struct rep_change change;

	row->old = old->value;
	row->new = new->value;
	row->of_old = (struct rep_diff_range){old->interval, old->low, old->high};
	row->of_new = (struct rep_diff_range){new->interval, new->low, new->high};
	if (rep_estimate_change(old, new, 0.95, &change)) {
		row->p = change.p;
		row->of_delta = (struct rep_diff_range){true, old->value * (change.low - 1),
							old->value * (change.high - 1)};
	} else if (old->value == 0 && new->value > 0) {
		row->p = p_of_nothing(new, old_windows);
	} else if (new->value == 0 && old->value > 0) {
		row->p = p_of_nothing(old, new_windows);
	}
}

/* As whole numbers of the same order, ties included. */
static double scale_of(const double *v, size_t n)
{
	double most = 0;
	bool whole = true;

	for (size_t i = 0; i < n; i++) {
		most = fmax(most, fabs(v[i]));
		whole = whole && v[i] == floor(v[i]);
	}
	if ((whole && most < 4e15) || most == 0)
		return 1;
	return 1125899906842624.0 / most; /* 2^50 */
}

/* n old values, and m new ones behind them. */
static int compare_sets(const double *value, size_t n, size_t m, struct rep_diff_row *row)
{
	int64_t *v = tp_many(n + m, sizeof(*v));
	struct rep_stats *stats = NULL;
	double scale = scale_of(value, n + m), u;
	int code = v ? rep_stats_new(&stats, n, m, 0.95) : TP_ENOMEM;

	for (size_t i = 0; !code && i < n + m; i++) {
		double x = value[i] * scale;

		v[i] = fabs(x) < 4.6e18 ? (int64_t)llround(x)
		       : x < 0		? -(INT64_MAX / 2)
					: INT64_MAX / 2;
	}
	if (!code)
		code = rep_diff_test(stats, v, n, m, scale, row, &u);
	rep_stats_free(stats);
	free(v);
	return code;
}

static int by_count(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t median_count(const struct rep_measure *const *x, size_t n)
{
	int64_t *count = tp_many(n + 1, sizeof(*count)), median;

	if (!count)
		return 0;
	for (size_t i = 0; i < n; i++)
		count[i] = x[i] ? x[i]->count : 0;
	qsort(count, n, sizeof(*count), by_count);
	median = n ? count[n / 2] : 0;
	free(count);
	return median;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* As rep_stats_compare has it. NaN of none. */
static double median_value(double *v, size_t n)
{
	double low, high;

	if (!n)
		return (double)NAN;
	qsort(v, n, sizeof(*v), by_value);
	low = v[(n - 1) / 2];
	high = v[n / 2];
	return low + (high - low) / 2;
}

/* The values of all runs by statistic, and what is 0 without events; nothing of sets but that. */
struct values {
	struct rep_estimate (*of)[REP_NSTATS]; /* by run, old ones first */
	bool there[2], exact;
};

static int compare_stat(const struct rep_diff_side *old, const struct rep_diff_side *new,
			const struct values *v, enum rep_stat stat, double *value,
			struct rep_diff_row *row)
{
	size_t n[2] = {0, 0};
	struct rep_metrics_base a, b;
	int code = 0;

	if (old->n == 1 && new->n == 1) {
		rep_metrics_base(old->run[0].metrics, &a);
		rep_metrics_base(new->run[0].metrics, &b);
		compare_two(&v->of[0][stat], &v->of[1][stat], a.windows, b.windows, row);
		return 0;
	}
	for (size_t i = 0; i < old->n + new->n; i++) {
		bool is_new = i >= old->n;

		if (!isnan(v->of[i][stat].value))
			value[(is_new ? n[0] : 0) + n[is_new]++] = v->of[i][stat].value;
	}
	if (n[0] && n[1]) {
		code = compare_sets(value, n[0], n[1], row);
	} else {
		row->old = median_value(value, n[0]);
		row->new = median_value(value + n[0], n[1]);
	}
	/* Runs that have no such percentile are not the same as those that have. */
	if (n[0] < old->n || n[1] < new->n)
		row->p = (double)NAN;
	return code;
}

static const char *unit_of(enum rep_stat stat)
{
	return stat == REP_STAT_COUNT	? "count"
	       : stat == REP_STAT_RATE	? "1/s"
	       : stat == REP_STAT_SHARE ? "share"
					: "nanoseconds";
}

int rep_traces_compare(const struct rep_diff *d, const struct rep_traces_meeting *t, size_t i,
		       const struct rep_diff_side *old, const struct rep_diff_side *new,
		       uint32_t stats, struct rep_diff_row row[REP_NSTATS])
{
	const struct rep_measure *const *of = t->of + i * t->nruns;
	size_t n = old->n + new->n;
	struct values v = {.of = tp_many(n, sizeof(*v.of)), .exact = true};
	double *value = tp_many(n, sizeof(*value));
	int64_t old_count = median_count(of, old->n);
	int64_t new_count = median_count(of + old->n, new->n);
	const char *name = rep_traces_meeting_name(t, d->names, i);
	int code = v.of && value ? 0 : TP_ENOMEM;

	for (size_t r = 0; !code && r < n; r++) {
		const struct rep_measure *x = of[r];

		code =
		    estimate(rep_traces_run(old, new, r), x, stats, &d->opt.per, !d->sets, v.of[r]);
		v.there[r >= old->n] |= x && (x->count > 0 || x->total_ns > 0);
		v.exact = v.exact && (!x || x->exact);
	}
	for (int stat = 0; !code && stat < REP_NSTATS; stat++) {
		struct rep_diff_row *one = &row[stat];

		if (!(stats >> stat & 1))
			continue;
		*one = (struct rep_diff_row){
		    .family = (enum rep_family)t->keys.key[i].part[0],
		    .by = (enum rep_measure_by)t->keys.key[i].part[1],
		    .stat = (enum rep_stat)stat,
		    .name = name,
		    .unit = unit_of((enum rep_stat)stat),
		    .exact = v.exact || !rep_stats_of[stat].percentile,
		    .old = (double)NAN,
		    .new = (double)NAN,
		    .old_count = old_count,
		    .new_count = new_count,
		    .p = (double)NAN,
		    .q = (double)NAN,
		};
		code = compare_stat(old, new, &v, (enum rep_stat)stat, value, one);
		one->change = one->old > 0 ? one->new / one->old - 1 : (double)NAN;
		one->status = !v.there[0]	     ? REP_STATUS_ADDED
			      : !v.there[1]	     ? REP_STATUS_GONE
			      : one->old == one->new ? REP_STATUS_SAME
						     : REP_STATUS_CHANGED;
	}
	free(v.of);
	free(value);
	return code;
}
