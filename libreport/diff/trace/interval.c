#include "diff/trace/interval.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "diff/trace/set.h"
#include "dist.h"

const char *const rep_pers[REP_NPER] = {
    [REP_PER_SECOND] = "second", [REP_PER_TASK] = "task", [REP_PER_RUN] = "run"};

#define LEAST_EVENTS 20 /* for the interval of a percentile */

/* ---- Student's t ---- */

/* The continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int i = 1; i < 400; i++) {
		double m = i, step;

		for (int odd = 0; odd < 2; odd++) {
			double k =
			    odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
				: m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));

			d = 1 + k * d;
			c = 1 + k / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			step = c * d;
			f *= step;
		}
		if (fabs(step - 1) < 1e-12)
			break;
	}
	return f;
}

static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double rep_student_p(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return (double)NAN;
	if (isinf(t))
		return 0;
	return incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

double rep_student_t(double p, double df)
{
	double low = 0, high = 1;

	while (rep_student_p(high, df) > p && high < 1e9)
		high *= 2;
	for (int i = 0; i < 80; i++) {
		double mid = (low + high) / 2;

		if (mid <= low || mid >= high)
			break; /* no double lies between them */
		if (rep_student_p(mid, df) > p)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* ---- what numbers are divided by ---- */

static const struct rep_measure *tasks_of(const struct rep_metrics *m,
					  const struct rep_per_options *per)
{
	struct rep_metric_spec spec = {.family = REP_FAMILY_TASK};

	if (per->task) {
		if (strlen(per->task) >= sizeof(spec.name))
			return NULL;
		spec.named = true;
		memcpy(spec.name, per->task, strlen(per->task) + 1);
	}
	return rep_metrics_measure(m, &spec);
}

double rep_per_divisor(const struct rep_metrics *m, const struct rep_per_options *per)
{
	const struct rep_measure *tasks;

	switch (per->per) {
	case REP_PER_SECOND:
		return (double)m->base.length_ns / 1e9;
	case REP_PER_TASK:
		tasks = tasks_of(m, per);
		return tasks ? (double)tasks->count : 0;
	default:
		return 1;
	}
}

/* The divisor by window. */
static void divisors(const struct rep_metrics *m, const struct rep_per_options *per, double *d)
{
	const struct rep_measure *tasks = per->per == REP_PER_TASK ? tasks_of(m, per) : NULL;
	struct rep_set_windows w;

	for (size_t i = 0; i < m->base.windows; i++)
		d[i] = ((double)m->edge[i + 1] - (double)m->edge[i]) / 1e9;
	if (per->per != REP_PER_TASK)
		return;
	memset(&w, 0, sizeof(w));
	if (tasks)
		rep_set_windows(m, tasks, &w);
	memcpy(d, w.count, sizeof(w.count));
}

/* ---- ratios ---- */

static void set_interval(struct rep_estimate *e, double low, double high, double se_low,
			 double se_high, double df)
{
	e->interval = true;
	e->low = low;
	e->high = high;
	e->se_low = se_low;
	e->se_high = se_high;
	e->df = df;
}

/* How many windows of equal weight these are worth (Kish's effective size): what is concentrated in
 * few windows has few to differ from each other. */
static double windows_worth(const double *weight, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += weight[i];
		squares += weight[i] * weight[i];
	}
	return squares > 0 ? sum * sum / squares : 0;
}

/* sum(num) / sum(den): the interval, on the logarithm. `grain` is what one event more or less at an
 * edge of the run would change in sum(num). Windows count as filled that have events: one wait that
 * lasts for all of them is one, however steady it looks. */
static void ratio_interval(struct rep_estimate *e, const double *num, const double *den,
			   const double *events, size_t n, double grain)
{
	double a = 0, b = 0, squares = 0, worth, se, t, low;
	size_t windows = 0, filled = 0;

	for (size_t i = 0; i < n; i++) {
		a += num[i];
		b += den[i];
		windows += den[i] > 0;
		filled += events[i] > 0;
	}
	e->windows = windows;
	e->filled = filled;
	worth = windows_worth(den, n);
	if (worth < REP_LEAST_WINDOWS || filled < REP_LEAST_WINDOWS || !(a > 0) || !(b > 0))
		return;
	for (size_t i = 0; i < n; i++) {
		double rest = num[i] - a / b * den[i];

		squares += rest * rest;
	}
	se = sqrt(worth / (worth - 1) * squares + grain * grain / 4) / a;
	t = rep_student_t(0.05, worth - 1);
	/* Downwards the interval is that of the number itself, which may reach to 0: where one
	 * window has most of it, it could as well not have been there. */
	low = t * se < 1 ? -log1p(-t * se) / t : (double)INFINITY;
	set_interval(e, e->value * exp(-t * low), e->value * exp(t * se), low, se, worth - 1);
}

/* ---- percentiles ---- */

#define SELECT_MOST 100000 /* more durations than that are looked up in a histogram */

struct durations {
	int64_t *value; /* NULL: hist has them */
	size_t n;
	size_t placed; /* the value at this rank is in its place: rep_select_rank */
	struct tp_hist hist;
};

static int gather(const struct rep_metrics *m, const struct rep_measure *x, struct durations *d)
{
	size_t n = 0;

	REP_SET_ITEMS(m, x, c, k)
	n += (size_t)m->durations.item[k].count;
	d->value = NULL;
	d->n = d->placed = 0;
	if (x->exact && n <= SELECT_MOST) {
		d->value = tp_many(n + 1, sizeof(*d->value));
		if (!d->value)
			return TP_ENOMEM;
		REP_SET_ITEMS(m, x, c, k)
		for (int64_t i = 0; i < m->durations.item[k].count; i++)
			d->value[d->n++] = m->durations.item[k].value;
		return 0;
	}
	memset(&d->hist, 0, sizeof(d->hist));
	REP_SET_ITEMS(m, x, c, k)
	rep_set_count(&d->hist, &m->durations.item[k]);
	d->n = (size_t)d->hist.n;
	return 0;
}

/* The value at a share of all, and one step further out: clocks have a grain, and where half of all
 * durations are one of two values, a percentile moves by a whole step or not at all. */
static double value_at(struct durations *d, double q, bool high)
{
	double at = q * (double)d->n + (high ? 1 : 0);
	size_t rank = at > 1 ? (size_t)at : 1;
	size_t i = (rank < d->n ? rank : d->n) - 1;
	int64_t value, step;
	int bucket;

	if (!d->value) {
		bucket = tp_hist_bucket(tp_hist_quantile(&d->hist, q));
		return (double)(high ? tp_hist_upper(bucket + 1) : tp_hist_lower(bucket - 1));
	}
	/* Smaller values stand before the one that is placed, larger ones behind it. */
	if (i >= d->placed)
		rep_select_rank(d->value, d->placed, d->n, i);
	else
		rep_select_rank(d->value, 0, d->placed, i);
	d->placed = i;
	value = step = d->value[i];
	for (size_t k = high ? i + 1 : 0; k < (high ? d->n : i); k++)
		if (d->value[k] != value &&
		    (step == value || (high ? d->value[k] < step : d->value[k] > step)))
			step = d->value[k];
	return (double)step;
}

/* How many events of each window are at or below a value, for all percentiles at once. */
struct below {
	double n[REP_METRICS_WINDOWS], at[REP_NMEASURE_P][REP_METRICS_WINDOWS];
};

static void count_below(const struct rep_metrics *m, const struct rep_measure *x, struct below *b)
{
	memset(b, 0, sizeof(*b));
	REP_SET_ITEMS(m, x, c, k)
	{
		const struct rep_dist_item *item = &m->durations.item[k];
		bool whole = item->bucket == TP_HIST_BUCKETS;
		double n = (double)item->count;
		int64_t value = whole ? item->value : (int64_t)tp_hist_lower((int)item->bucket);
		uint32_t window = m->pairs.key[item->owner].part[1];

		b->n[window] += n;
		for (int q = 0; q < REP_NMEASURE_P; q++)
			if (value <= x->p[q])
				b->at[q][window] += n;
	}
}

/* `t` is Student's for `worth` windows. */
static void percentile_interval(struct rep_estimate *e, const struct below *b, int which,
				size_t windows, double worth, double t, struct durations *d)
{
	double n = 0, at = 0, squares = 0, p, se, binomial, low, high, q;

	for (size_t i = 0; i < windows; i++) {
		n += b->n[i];
		at += b->at[which][i];
	}
	if (n < LEAST_EVENTS || !(e->value > 0))
		return;
	/* Many equal durations put more below a percentile than its share; what windows differ by
	 * is measured where the value is. */
	p = at / n;
	for (size_t i = 0; i < windows; i++) {
		double rest = b->at[which][i] - p * b->n[i];

		squares += rest * rest;
	}
	q = rep_measure_quantile[which];
	se = sqrt(worth / (worth - 1) * squares) / n;
	binomial = sqrt(q * (1 - q) / n);
	se = se > binomial ? se : binomial;
	if (q - t * se <= 0 || q + t * se >= 1 - 1 / n)
		return;
	low = value_at(d, q - t * se, false);
	high = value_at(d, q + t * se, true);
	low = low < e->value ? low : e->value;
	high = high > e->value ? high : e->value;
	if (!(low > 0))
		return;
	set_interval(e, low, high, (log(e->value) - log(low)) / t, (log(high) - log(e->value)) / t,
		     worth - 1);
}

#define BIT(stat)   (1u << (stat))
#define PERCENTILES (BIT(REP_STAT_P50) | BIT(REP_STAT_P90) | BIT(REP_STAT_P95) | BIT(REP_STAT_P99))

static int percentile_intervals(const struct rep_metrics *m, const struct rep_measure *x,
				uint32_t stats, struct rep_estimate *out)
{
	static const enum rep_stat stat[REP_NMEASURE_P] = {REP_STAT_P50, REP_STAT_P90, REP_STAT_P95,
							   REP_STAT_P99};
	struct durations *d = malloc(sizeof(*d));
	struct below *b = malloc(sizeof(*b));
	int code = d && b ? gather(m, x, d) : TP_ENOMEM;

	if (!code) {
		double worth, t;

		count_below(m, x, b);
		worth = windows_worth(b->n, m->base.windows);
		t = worth < REP_LEAST_WINDOWS ? 0 : rep_student_t(0.05, worth - 1);
		for (int k = 0; k < REP_NMEASURE_P && t > 0; k++)
			if (stats & BIT(stat[k]))
				percentile_interval(&out[stat[k]], b, k, m->base.windows, worth, t,
						    d);
		free(d->value);
	}
	free(d);
	free(b);
	return code;
}

static void ratio_intervals(const struct rep_metrics *m, const struct rep_measure *x,
			    uint32_t stats, const struct rep_per_options *per,
			    struct rep_estimate *out)
{
	double seconds[REP_METRICS_WINDOWS], by[REP_METRICS_WINDOWS];
	const struct rep_set_windows *family = &m->family[x->family];
	double mean = x->count > 0 ? (double)x->whole_ns / (double)x->count : 0;
	size_t n = m->base.windows;
	struct rep_set_windows w;

	divisors(m, &(struct rep_per_options){.per = REP_PER_SECOND}, seconds);
	divisors(m, per, by);
	rep_set_windows(m, x, &w);
	if (stats & BIT(REP_STAT_RATE))
		ratio_interval(&out[REP_STAT_RATE], w.count, seconds, w.count, n, 1);
	if (stats & BIT(REP_STAT_COUNT))
		ratio_interval(&out[REP_STAT_COUNT], w.count, by, w.count, n, 1);
	if (stats & BIT(REP_STAT_TOTAL))
		ratio_interval(&out[REP_STAT_TOTAL], w.total, by, w.count, n, mean);
	if (stats & BIT(REP_STAT_MEAN))
		ratio_interval(&out[REP_STAT_MEAN], w.whole, w.count, w.count, n, mean);
	if (stats & BIT(REP_STAT_SHARE) && m->all[x->family] && m->all[x->family] != x) {
		if (x->family == REP_FAMILY_CPU)
			ratio_interval(&out[REP_STAT_SHARE], w.count, family->count, w.count, n, 1);
		else
			ratio_interval(&out[REP_STAT_SHARE], w.total, family->total, w.count, n,
				       mean);
	}
}

int rep_estimate(const struct rep_metrics *m, const struct rep_measure *x, uint32_t stats,
		 const struct rep_per_options *per, bool intervals,
		 struct rep_estimate out[REP_NSTATS])
{
	double divisor = rep_per_divisor(m, per);

	for (int i = 0; i < REP_NSTATS; i++) {
		out[i] = (struct rep_estimate){.value = (double)NAN};
		if (!(stats >> i & 1))
			continue;
		out[i].value = rep_metric_value(m, x, (enum rep_stat)i);
		if (i == REP_STAT_COUNT || i == REP_STAT_TOTAL)
			out[i].value = divisor > 0 ? out[i].value / divisor : (double)NAN;
	}
	if (!intervals)
		return 0;
	ratio_intervals(m, x, stats, per, out);
	return stats & PERCENTILES && x->p[0] != TP_NULL ? percentile_intervals(m, x, stats, out)
							 : 0;
}

/* ---- two of them ---- */

/* Welch's degrees of freedom of a sum of variances. */
static double welch(double a, double df_a, double b, double df_b)
{
	double below = a * a / df_a + b * b / df_b;

	return below > 0 && isfinite(below) ? (a + b) * (a + b) / below : fmin(df_a, df_b);
}

bool rep_estimate_change(const struct rep_estimate *old, const struct rep_estimate *new,
			 double level, struct rep_change *change)
{
	double d, down, up, df_down, df_up;

	if (!old->interval || !new->interval)
		return false;
	d = log(new->value) - log(old->value);
	/* Towards less: the new one's lower side and the old one's upper side. */
	down = new->se_low *new->se_low + old->se_high * old->se_high;
	up = new->se_high *new->se_high + old->se_low * old->se_low;
	df_down = welch(new->se_low *new->se_low, new->df, old->se_high * old->se_high, old->df);
	df_up = welch(new->se_high *new->se_high, new->df, old->se_low * old->se_low, old->df);
	down = sqrt(down);
	up = sqrt(up);
	change->low = exp(d - rep_student_t(1 - level, df_down) * down);
	change->high = exp(d + rep_student_t(1 - level, df_up) * up);
	if (d == 0)
		change->p = 1;
	else if (d > 0)
		change->p = rep_student_p(d / down, df_down);
	else
		change->p = rep_student_p(-d / up, df_up);
	return true;
}
