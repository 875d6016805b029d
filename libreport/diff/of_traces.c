/* Diffs of traces: every metric that a run has, under the name that it has in all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/dict.h"
#include "diff/amount.h"
#include "diff/kind.h"
#include "diff/trace/pool.h"
#include "diff/trace/set.h"

#define BY(by)	  (1u << REP_MEASURE_##by)
#define BIT(stat) (1u << (stat))
const struct rep_trace_section rep_trace_sections[REP_NTRACE_SECTIONS] = {
    {"tasks", "user tasks by type", {{REP_FAMILY_TASK, BY(ALL) | BY(TYPE)}}, 1},
    {"regions", "user regions by type", {{REP_FAMILY_REGION, BY(ALL) | BY(TYPE)}}, 1},
    {"sched",
     "scheduling latency, by goroutine group",
     {{REP_FAMILY_SCHED, BY(ALL) | BY(ENTRY)}},
     1},
    {"reasons",
     "blocked time, by what was waited for",
     {{REP_FAMILY_BLOCK, BY(ALL) | BY(REASON)}},
     1},
    {"groups",
     "goroutine groups: on a P, blocked, created",
     {{REP_FAMILY_RUN, BY(ALL) | BY(ENTRY)},
      {REP_FAMILY_BLOCK, BY(ENTRY)},
      {REP_FAMILY_GROUP, BY(ALL) | BY(ENTRY)}},
     3},
    {"syscalls",
     "system calls, by the function that made them",
     {{REP_FAMILY_SYSCALL, BY(ALL) | BY(FUNCTION)}},
     1},
    {"gc",
     "stops of the world and the garbage collector",
     {{REP_FAMILY_STW, BY(ALL) | BY(TYPE)}, {REP_FAMILY_GC, BY(ALL) | BY(TYPE)}},
     2},
    {"cpu",
     "functions by samples of the CPU profiler",
     {{REP_FAMILY_CPU, BY(ALL) | BY(FUNCTION)}},
     1},
};

int rep_trace_section_find(const char *name)
{
	for (int i = 0; i < REP_NTRACE_SECTIONS; i++)
		if (!strcmp(rep_trace_sections[i].name, name))
			return i;
	return -1;
}

/* ---- a measure in all runs ---- */

struct work {
	struct rep_diff *d;
	const struct rep_diff_side *old, *new;
	size_t n, rows_room;	       /* runs */
	struct rep_keys keys;	       /* family, by, name in d->names */
	const struct rep_measure **of; /* keys.n times n, old runs first; NULL: it has none */
	size_t of_room;
	/* scratch, by run: estimates of a measure; values of a row, old ones in front */
	struct rep_estimate (*estimate)[REP_NSTATS];
	double *value;
	struct rep_stats *stats; /* for sets of this size */
	size_t nstats[2];
	const struct rep_estimate **side; /* scratch: of the runs of a side */
	struct rep_pool (*pool)[2];	  /* by row, of rows that are tested together */
	size_t pool_room;
};

static const struct rep_metrics *run_at(const struct work *w, size_t r)
{
	return r < w->old->n ? w->old->run[r].metrics : w->new->run[r - w->old->n].metrics;
}

/* Adds a measure of the r-th run. */
static int meet(struct work *w, size_t r, const struct rep_measure *x)
{
	uint32_t name, i;
	int code = tp_dict_string(w->d->names, x->key, strlen(x->key), &name);

	if (!code)
		code = rep_keys_add(&w->keys, (uint32_t)x->family, (uint32_t)x->by, name, 0, &i);
	if (!code)
		code = tp_grow(&w->of, &w->of_room, (i + (size_t)1) * w->n - 1, sizeof(*w->of));
	if (!code)
		w->of[i * w->n + r] = x;
	return code;
}

/* All measures of a run, or those that a gate is about. */
static int meet_run(struct work *w, size_t r)
{
	const struct rep_gate *g = w->d->opt.gate;
	const struct rep_metrics *m = run_at(w, r);
	const struct rep_measure *x;
	size_t n;
	int code = 0;

	if (g && !g->several) {
		x = rep_metrics_measure(m, &g->metric);
		return x ? meet(w, r, x) : 0;
	}
	x = rep_metrics_measures(m, &n);
	for (size_t i = 0; !code && i < n; i++) {
		int found = 1;

		if (g)
			found = x[i].family == g->metric.family && x[i].by != REP_MEASURE_ALL
				    ? tp_regex_find(&g->regex, x[i].name, strlen(x[i].name))
				    : 0;
		code = found == 1 ? meet(w, r, &x[i]) : found;
	}
	return code;
}

/* The name of the i-th as it is shown. */
static const char *name_of(const struct work *w, size_t i)
{
	const char *name = NULL;

	for (size_t r = w->n; r-- > 0;) {
		const struct rep_measure *x = w->of[i * w->n + r];

		if (x && name && strcmp(name, x->name) != 0)
			return tp_dict_text(w->d->names, w->keys.key[i].part[2]).text;
		name = x && !name ? x->name : name;
	}
	return name ? name : "";
}

/* ---- rows ---- */

/* Nothing on one side, something in `filled` of `windows` on the other: how likely is that, did it
 * come as often on both? */
static double p_of_nothing(const struct rep_estimate *some, size_t windows)
{
	double share = (double)(some->windows - some->filled + 1) / ((double)some->windows + 1);

	return some->windows ? fmin(1, 2 * pow(share, (double)windows)) : (double)NAN;
}

static size_t windows_of(const struct rep_diff_side *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n; i++)
		n += side->run[i].metrics->base.windows;
	return n;
}

/* Tests by windows. Returns p. */
static double compare_windows(const struct work *w, const struct rep_estimate *old,
			      const struct rep_estimate *new, struct rep_diff_row *row)
{
	struct rep_change change;

	if (rep_estimate_change(old, new, 0.95, &change)) {
		if (!row->of_delta.known)
			row->of_delta = (struct rep_range){true, old->value * (change.low - 1),
							   old->value * (change.high - 1)};
		return change.p;
	}
	if (old->value == 0 && new->value > 0)
		return p_of_nothing(new, windows_of(w->old));
	if (new->value == 0 && old->value > 0)
		return p_of_nothing(old, windows_of(w->new));
	return (double)NAN;
}

static void compare_two(const struct work *w, enum rep_stat stat, struct rep_diff_row *row)
{
	const struct rep_estimate *old = &w->estimate[0][stat], *new = &w->estimate[1][stat];

	row->old = old->value;
	row->new = new->value;
	row->of_old = (struct rep_range){old->interval, old->low, old->high};
	row->of_new = (struct rep_range){new->interval, new->low, new->high};
	row->p = compare_windows(w, old, new, row);
}

/* Keeps what the windows of all runs say of the row until all rows are there. */
static int pool_row(struct work *w, enum rep_stat stat, const struct rep_diff_row *row)
{
	if (tp_grow(&w->pool, &w->pool_room, w->d->n - 1, sizeof(*w->pool)))
		return TP_ENOMEM;
	for (size_t r = 0; r < w->n; r++)
		w->side[r] = &w->estimate[r][stat];
	rep_pool(w->side, w->old->n, row->old, &w->pool[w->d->n - 1][0]);
	rep_pool(w->side + w->old->n, w->new->n, row->new, &w->pool[w->d->n - 1][1]);
	return 0;
}

/* Tests the rows of sets by the windows of all runs, too. */
static int compare_pools(struct work *w)
{
	int code = rep_pools_widen(w->pool, w->d->n, w->old->n, w->new->n);

	for (size_t i = 0; !code && i < w->d->n; i++)
		w->d->row[i].p_windows =
		    compare_windows(w, &w->pool[i][0].mean, &w->pool[i][1].mean, &w->d->row[i]);
	return code;
}

/* Rounds quotients to the same number of digits, so that what is equal but for its last bit ties. */
static void round_values(double *v, size_t n)
{
	double most = 0;
	int exponent;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(v[i]));
	frexp(most, &exponent);
	for (size_t i = 0; i < n; i++)
		v[i] = ldexp(round(ldexp(v[i], 50 - exponent)), exponent - 50);
}

static int keep_values(struct work *w, enum rep_stat stat)
{
	for (size_t i = 0; i < w->n; i++)
		w->value[i] = w->estimate[i][stat].value;
	round_values(w->value, w->n);
	return rep_diff_keep(w->d, w->value);
}

/* Those runs count that have such a number. */
static int compare_sets(struct work *w, enum rep_stat stat, struct rep_diff_row *row)
{
	size_t n[2] = {0, 0};
	int code = 0;

	for (size_t i = 0; i < w->n; i++) {
		bool is_new = i >= w->old->n;

		if (!isnan(w->estimate[i][stat].value))
			w->value[(is_new ? n[0] : 0) + n[is_new]++] = w->estimate[i][stat].value;
	}
	if (!n[0] || !n[1]) {
		row->old = rep_stats_median(w->value, n[0]);
		row->new = rep_stats_median(w->value + n[0], n[1]);
		return 0;
	}
	if (memcmp(n, w->nstats, sizeof(n)) != 0) {
		rep_stats_free(w->stats);
		code = rep_stats_new(&w->stats, n[0], n[1], 0.95);
		memcpy(w->nstats, n, sizeof(n));
	}
	if (code)
		return code;
	round_values(w->value, n[0] + n[1]);
	rep_diff_test(w->stats, w->value, n[0], n[1], row);
	/* Runs that have no such percentile are not the same as those that have. */
	if (n[0] < w->old->n || n[1] < w->new->n)
		row->p = (double)NAN;
	return 0;
}

static int64_t median_count(struct work *w, size_t i, bool is_new)
{
	const struct rep_measure *const *x = &w->of[i * w->n + (is_new ? w->old->n : 0)];
	size_t n = is_new ? w->new->n : w->old->n;

	for (size_t r = 0; r < n; r++)
		w->value[r] = x[r] ? (double)x[r]->count : 0;
	return (int64_t)rep_stats_median(w->value, n);
}

/* What is 0 where there are no events; anything else is then unknown. */
#define ZEROS (BIT(REP_STAT_COUNT) | BIT(REP_STAT_TOTAL) | BIT(REP_STAT_RATE) | BIT(REP_STAT_SHARE))

static void multiply(const struct rep_diff_options *opt, const struct rep_measure *x,
		     struct rep_estimate e[REP_NSTATS])
{
	if (!(opt->factor > 0) || (opt->factor_row && strcmp(x->name, opt->factor_row) != 0))
		return;
	for (int stat = 0; stat < REP_NSTATS; stat++) {
		e[stat].value *= opt->factor;
		e[stat].low *= opt->factor;
		e[stat].high *= opt->factor;
	}
}

/* Statistics of the i-th measure in each run, and on which sides it is at all. */
static int estimate(struct work *w, size_t i, uint32_t stats, bool there[2], bool *exact)
{
	const struct rep_per_options *per = &w->d->opt.per;
	int code = 0;

	for (size_t r = 0; !code && r < w->n; r++) {
		const struct rep_measure *x = w->of[i * w->n + r];
		struct rep_estimate *e = w->estimate[r];

		there[r >= w->old->n] |= x && (x->count > 0 || x->total_ns > 0);
		*exact = *exact && (!x || x->exact);
		if (x)
			code = rep_estimate(run_at(w, r), x, stats, per, w->d->joint || !w->d->sets,
					    e);
		if (x && !code && r >= w->old->n)
			multiply(&w->d->opt, x, e);
		for (int stat = 0; !x && stat < REP_NSTATS; stat++)
			e[stat] =
			    (struct rep_estimate){.value = BIT(stat) & ZEROS ? 0 : (double)NAN};
	}
	return code;
}

/* Rows of the i-th measure, one for each of `stats`. */
static int put_rows(struct work *w, size_t i, uint32_t stats, unsigned section, double weight)
{
	struct rep_diff *d = w->d;
	bool there[2] = {false, false}, exact = true;
	int code = estimate(w, i, stats, there, &exact);

	for (int stat = 0; !code && stat < REP_NSTATS; stat++) {
		struct rep_diff_row *row;

		if (!(stats >> stat & 1))
			continue;
		row = rep_diff_add(d, &w->rows_room);
		if (!row)
			return TP_ENOMEM;
		row->measure = (uint32_t)i;
		row->section = section;
		row->weight = weight;
		row->family = (enum rep_family)w->keys.key[i].part[0];
		row->by = (enum rep_measure_by)w->keys.key[i].part[1];
		row->stat = (enum rep_stat)stat;
		row->name = name_of(w, i);
		row->exact = exact || !rep_stats_of[stat].percentile;
		if (w->n > 2)
			code = keep_values(w, row->stat);
		if (!code && w->n > 2)
			code = compare_sets(w, row->stat, row);
		else if (!code)
			compare_two(w, row->stat, row);
		if (!code && d->joint)
			code = pool_row(w, row->stat, row);
		row->change = row->old > 0 ? row->new / row->old - 1 : (double)NAN;
		row->status = !there[0]		     ? REP_STATUS_ADDED
			      : !there[1]	     ? REP_STATUS_GONE
			      : row->old == row->new ? REP_STATUS_SAME
						     : REP_STATUS_CHANGED;
		row->old_count = median_count(w, i, false);
		row->new_count = median_count(w, i, true);
		for (size_t r = 0; d->value && r < d->nnew; r++)
			d->value[i * d->nnew + r] = w->estimate[d->nold + r][stat].value;
		/* A gate says of what it found nowhere. */
		if (isnan(row->old) && isnan(row->new) && !d->opt.gate)
			d->n--;
	}
	return code;
}

/* ---- which of them are compared ---- */

/* Which section has this measure; -1 none. */
static int section_of(uint32_t sections, uint32_t family, uint32_t by)
{
	for (int s = 0; s < REP_NTRACE_SECTIONS; s++) {
		if (sections && !(sections >> s & 1))
			continue;
		for (size_t i = 0; i < rep_trace_sections[s].nparts; i++)
			if ((uint32_t)rep_trace_sections[s].part[i].family == family &&
			    rep_trace_sections[s].part[i].by >> by & 1)
				return s;
	}
	return -1;
}

/* The greatest share of its family on a side; by median it would take a sort. */
static double share_in(const struct work *w, size_t i, size_t r)
{
	const struct rep_measure *x = w->of[i * w->n + r], *all;
	double of_count, of_total;

	if (!x)
		return 0;
	/* Assists and sweeps are no part of mark phases: what is there counts. */
	if (x->family == REP_FAMILY_GC || x->family == REP_FAMILY_STW)
		return 1;
	all = run_at(w, r)->all[x->family];
	if (!all)
		return 0;
	of_count = all->count > 0 ? (double)x->count / (double)all->count : 0;
	of_total = all->total_ns > 0 ? (double)x->total_ns / (double)all->total_ns : 0;
	return of_count > of_total ? of_count : of_total;
}

static double mean_share(const struct work *w, size_t i)
{
	double sum[2] = {0, 0};

	for (size_t r = 0; r < w->n; r++)
		sum[r >= w->old->n] += share_in(w, i, r);
	return fmax(sum[0] / (double)w->old->n, sum[1] / (double)w->new->n);
}

/* Is a name all there is of its family? Then all of them need no row of their own. */
static bool is_alone(const struct work *w, uint32_t family)
{
	size_t names = 0;

	for (size_t i = 0; i < w->keys.n; i++)
		names +=
		    w->keys.key[i].part[0] == family && w->keys.key[i].part[1] == REP_MEASURE_TYPE;
	return names == 1;
}

static uint32_t stats_of(const struct rep_diff_options *opt, uint32_t family)
{
	uint32_t stats =
	    opt->every_stat ? rep_families[family].stats : rep_families[family].headline;

	/* Per second, a count is a rate; per anything else it is the count that tells. */
	if (opt->per.per == REP_PER_SECOND)
		return stats & ~BIT(REP_STAT_COUNT);
	if (stats & BIT(REP_STAT_RATE) && !opt->every_stat)
		stats = (stats & ~BIT(REP_STAT_RATE)) | BIT(REP_STAT_COUNT);
	return stats;
}

static int put_measure(struct work *w, size_t i)
{
	const struct rep_diff_options *opt = &w->d->opt;
	uint32_t family = w->keys.key[i].part[0], by = w->keys.key[i].part[1];
	bool all = by == REP_MEASURE_ALL;
	int section = section_of(opt->sections, family, by);
	double weight;

	if (opt->gate)
		return put_rows(w, i, BIT(opt->gate->metric.stat), 0, 0);
	weight = mean_share(w, i);
	if (section < 0 || (!all && weight < opt->min_share) ||
	    (all && (family == REP_FAMILY_TASK || family == REP_FAMILY_REGION) &&
	     is_alone(w, family)))
		return 0;
	return put_rows(w, i, stats_of(opt, family) & ~(all ? BIT(REP_STAT_SHARE) : 0),
			(unsigned)section, weight);
}

/* ---- order ---- */

/* A percentile over several types of tasks, regions or groups also moves with their shares. */
static bool is_mixed(const struct rep_diff_row *row)
{
	return row->by == REP_MEASURE_ALL && rep_stats_of[row->stat].percentile &&
	       (row->family == REP_FAMILY_TASK || row->family == REP_FAMILY_REGION ||
		row->family == REP_FAMILY_GROUP);
}

/* What changed comes first, then what is beyond in all runs; of each, what mixes several types comes
 * last. Within these by the least change that its interval leaves possible, or its change if it has
 * no interval. What differs by about 0.01 % is ordered by its weight. */
static double rank(const struct rep_diff *d, const struct rep_diff_row *row)
{
	double low = row->of_delta.low, high = row->of_delta.high, rank = 0;
	bool changed = rep_diff_stands_out(d, row);

	if (row->of_delta.known && row->old > 0)
		rank = low > 0	  ? log1p(low / row->old)
		       : high < 0 ? -log1p(fmax(high / row->old, -0.999999))
				  : 0;
	else if (changed && row->old > 0 && row->new > 0)
		rank = fabs(log(row->new / row->old));
	else if (changed)
		rank = row->weight; /* there is no factor: what it is of its family */
	return round(rank * 8192) / 8192 + (changed && !is_mixed(row) ? 100 : 0) +
	       (row->verdict == REP_VERDICT_CHANGED ? 1000 : 0) +
	       (row->verdict == REP_VERDICT_DIFFERS ? 500 : 0) + (changed ? 1000 : 0);
}

static int by_order(const struct rep_diff *d, const struct rep_diff_row *x,
		    const struct rep_diff_row *y)
{
	(void)d;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	if (strcmp(x->name, y->name) != 0)
		return strcmp(x->name, y->name);
	return x->stat < y->stat ? -1 : x->stat > y->stat;
}

/* ---- the runs ---- */

/* Medians of a side. */
static void put_load(struct work *w, const struct rep_diff_side *side, double *length,
		     double *tasks)
{
	const size_t n = side->n;
	bool any = false;

	for (size_t i = 0; i < n; i++)
		w->value[i] = (double)side->run[i].metrics->base.length_ns;
	*length = rep_stats_median(w->value, n);
	for (size_t i = 0; i < n; i++) {
		const struct rep_metrics_base *b = &side->run[i].metrics->base;

		w->value[i] =
		    b->length_ns > 0 ? (double)b->tasks / ((double)b->length_ns / 1e9) : 0;
		any = any || b->tasks;
	}
	*tasks = any ? rep_stats_median(w->value, n) : (double)NAN;
}

static int check_run(const struct rep_diff *d, const struct rep_metrics *m, struct tp_err *err)
{
	const struct rep_per_options *per = &d->opt.per;

	if (m->base.ticks != d->ticks)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "one of the runs has no clock, so its ticks cannot be compared "
				  "with the times of the others");
	if (rep_per_divisor(m, per) > 0)
		return 0;
	if (per->per == REP_PER_TASK)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "a run has no complete task%s%.80s to divide its numbers by; "
				  "--per=second divides by its length",
				  per->task ? " of type " : "", per->task ? per->task : "");
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "a run has no length to divide its numbers by; --per=run does not divide "
			  "them");
}

static int fill_in(struct work *w)
{
	struct rep_diff *d = w->d;
	bool limit = d->opt.gate && d->opt.gate->threshold && d->nnew > 1;
	int code = 0;

	w->estimate = tp_many(w->n, sizeof(*w->estimate));
	w->value = tp_many(w->n + 1, sizeof(*w->value));
	w->side = tp_many(w->n, sizeof(*w->side));
	d->names = tp_dict_new();
	if (!w->estimate || !w->value || !w->side || !d->names)
		return TP_ENOMEM;
	for (size_t r = 0; !code && r < w->n; r++)
		code = meet_run(w, r);
	d->measures = w->keys.n;
	if (!code && limit) {
		d->value = tp_many(d->measures * d->nnew + 1, sizeof(*d->value));
		code = d->value ? 0 : TP_ENOMEM;
	}
	for (size_t i = 0; !code && i < w->keys.n; i++)
		code = put_measure(w, i);
	if (!code && d->joint)
		code = compare_pools(w);
	put_load(w, w->old, &d->old_length, &d->old_tasks);
	put_load(w, w->new, &d->new_length, &d->new_tasks);
	return code;
}

static int fill(struct rep_diff *d, const struct rep_diff_side *old,
		const struct rep_diff_side *new, struct tp_err *err)
{
	struct work w = {.d = d, .old = old, .new = new, .n = old->n + new->n};
	int code = 0;

	d->ticks = run_at(&w, 0)->base.ticks;
	for (size_t r = 0; !code && r < w.n; r++)
		code = check_run(d, run_at(&w, r), err);
	if (code)
		return code;
	code = fill_in(&w);
	rep_keys_release(&w.keys);
	rep_stats_free(w.stats);
	free(w.of);
	free(w.estimate);
	free(w.value);
	free(w.side);
	free(w.pool);
	if (d->opt.gate)
		return tp_regex_unknown(code, err);
	return code ? tp_err_full(err, code, "the runs have too many names") : 0;
}

/* ---- texts ---- */

static int name(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *text,
		size_t *names)
{
	const char *of = *row->name ? row->name : REP_MEASURE_UNKNOWN;
	bool named = row->by != REP_MEASURE_ALL;

	(void)d;
	*names = 1;
	return tp_buf_printf(text, "%s%s%s%s.%s", rep_families[row->family].name, named ? "[" : "",
			     named ? of : "", named ? "]" : "", rep_stats_of[row->stat].name);
}

static char *value(const struct rep_diff *d, const struct rep_diff_row *row, double v,
		   char text[REP_DIFF_VALUE])
{
	const struct rep_per_options *per = &d->opt.per;
	bool divided = row->stat == REP_STAT_TOTAL || row->stat == REP_STAT_COUNT;
	const char *behind = row->stat == REP_STAT_RATE		   ? "/s"
			     : !divided || per->per == REP_PER_RUN ? ""
			     : per->per == REP_PER_SECOND	   ? "/s"
								   : "/task";
	char amount[REP_AMOUNT_SIZE];

	if (isnan(v)) {
		text[0] = '\0';
	} else if (row->stat == REP_STAT_SHARE) {
		snprintf(text, REP_DIFF_VALUE, "%.1f%%", v * 100);
	} else if (row->stat == REP_STAT_RATE || row->stat == REP_STAT_COUNT) {
		snprintf(text, REP_DIFF_VALUE, "%s%s", rep_amount_digits(amount, v), behind);
	} else if (d->ticks) {
		snprintf(text, REP_DIFF_VALUE, "%s ticks%s", rep_amount_digits(amount, v), behind);
	} else if (v != 0 && fabs(v) < 10) {
		snprintf(text, REP_DIFF_VALUE, "%.3gns%s", v, behind);
	} else {
		int64_t ns = fabs(v) < 9.2e18 ? (int64_t)llround(v) : INT64_MAX;

		snprintf(text, REP_DIFF_VALUE, "%s%s", rep_amount(amount, ns, "nanoseconds", NULL),
			 behind);
	}
	return text;
}

const struct rep_diff_kind rep_diff_of_traces = {
    .min_share = 0.01,
    .tests_pairs = true,
    .fill = fill,
    .rank = rank,
    .order = by_order,
    .name = name,
    .value = value,
    .rows = "metrics",
    .show = &rep_traces_show,
    .gates = &rep_traces_gates,
};
