#include "diff/trace/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/dict.h"
#include "diff/stats.h"
#include "diff/trace/set.h"

#define BY(by)	   (1u << REP_MEASURE_##by)
#define BIT(stat)  (1u << (stat))
#define HIST_ERROR 0.016 /* of two percentiles from histograms, each within 0.8 % */

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

double rep_trace_change(const struct rep_trace_row *row)
{
	return row->old > 0 ? row->new / row->old - 1 : (double)NAN;
}

/* ---- all of them ---- */

/* Measures of all runs under the same name; run by run, old ones first. */
struct meeting {
	struct rep_keys keys;	       /* family, by, name */
	const struct rep_measure **of; /* keys.n times nruns */
	size_t nruns;
};

static int meet(struct meeting *t, struct tp_dict *names, const struct rep_trace_side *old,
		const struct rep_trace_side *new)
{
	t->nruns = old->n + new->n;
	/* Once to name, once to place. */
	for (int place = 0; place < 2; place++) {
		for (size_t r = 0; r < t->nruns; r++) {
			size_t n;
			const struct rep_measure *x = rep_metrics_measures(
			    r < old->n ? old->run[r] : new->run[r - old->n], &n);

			for (size_t i = 0; i < n; i++) {
				uint32_t name, index;
				int code = tp_dict_string(names, x[i].key, strlen(x[i].key), &name);

				if (!code)
					code = rep_keys_add(&t->keys, (uint32_t)x[i].family,
							    (uint32_t)x[i].by, name, 0, &index);
				if (code)
					return code;
				if (place)
					t->of[index * t->nruns + r] = &x[i];
			}
		}
		if (!place) {
			t->of = calloc(t->keys.n * t->nruns + 1, sizeof(*t->of));
			if (!t->of)
				return TP_ENOMEM;
		}
	}
	return 0;
}

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
static double share_in(const struct meeting *t, size_t i, size_t r,
		       const struct rep_trace_side *old, const struct rep_trace_side *new)
{
	const struct rep_measure *x = t->of[i * t->nruns + r];
	const struct rep_metrics *m = r < old->n ? old->run[r] : new->run[r - old->n];
	struct rep_metric_spec spec = {.family = (enum rep_family)t->keys.key[i].part[0]};
	const struct rep_measure *all;
	double of_count, of_total;

	if (!x)
		return 0;
	/* Assists and sweeps are no part of mark phases: what is there counts. */
	if (spec.family == REP_FAMILY_GC || spec.family == REP_FAMILY_STW)
		return 1;
	all = rep_metrics_measure(m, &spec);
	if (!all)
		return 0;
	of_count = all->count > 0 ? (double)x->count / (double)all->count : 0;
	of_total = all->total_ns > 0 ? (double)x->total_ns / (double)all->total_ns : 0;
	return of_count > of_total ? of_count : of_total;
}

static double mean_share(const struct meeting *t, size_t i, const struct rep_trace_side *old,
			 const struct rep_trace_side *new)
{
	double sum[2] = {0, 0};

	for (size_t r = 0; r < t->nruns; r++)
		sum[r >= old->n] += share_in(t, i, r, old, new);
	sum[0] /= (double)old->n;
	sum[1] /= (double)new->n;
	return sum[0] > sum[1] ? sum[0] : sum[1];
}

/* Is a name all there is of its family? Then all of them need no row of their own. */
static bool is_alone(const struct meeting *t, size_t all)
{
	uint32_t family = t->keys.key[all].part[0];
	size_t names = 0;

	for (size_t i = 0; i < t->keys.n; i++)
		names +=
		    t->keys.key[i].part[0] == family && t->keys.key[i].part[1] == REP_MEASURE_TYPE;
	return names == 1;
}

static const char *shown_name(struct rep_trace_diff *d, const struct meeting *t, size_t i)
{
	const char *name = NULL;

	for (size_t r = t->nruns; r-- > 0;) {
		const struct rep_measure *x = t->of[i * t->nruns + r];

		if (x && name && strcmp(name, x->name) != 0)
			return tp_dict_text(d->names, t->keys.key[i].part[2]).text;
		name = x && !name ? x->name : name;
	}
	return name ? name : "";
}

static uint32_t stats_of(const struct rep_trace_options *opt, uint32_t family)
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

static int put_row(struct rep_trace_diff *d, size_t *room, const struct rep_trace_row *row)
{
	if (tp_grow(&d->row, room, d->n, sizeof(*d->row)))
		return TP_ENOMEM;
	d->row[d->n++] = *row;
	return 0;
}

static int compare_all(struct rep_trace_diff *d, const struct meeting *t,
		       const struct rep_trace_side *old, const struct rep_trace_side *new)
{
	size_t room = 0;
	int code = 0;

	for (size_t i = 0; !code && i < t->keys.n; i++) {
		const uint32_t *key = t->keys.key[i].part;
		int section = section_of(d->opt.sections, key[0], key[1]);
		uint32_t stats = stats_of(&d->opt, key[0]);
		double weight = mean_share(t, i, old, new);
		struct rep_trace_row row[REP_NSTATS];
		struct rep_trace_pick pick;
		const char *name;

		if (section < 0 || (key[1] == REP_MEASURE_ALL ? (key[0] == REP_FAMILY_TASK ||
								 key[0] == REP_FAMILY_REGION) &&
								    is_alone(t, i)
							      : weight < d->opt.min_share))
			continue;
		if (key[1] == REP_MEASURE_ALL)
			stats &= ~BIT(REP_STAT_SHARE);
		pick = (struct rep_trace_pick){
		    .old = t->of + i * t->nruns,
		    .new = t->of + i * t->nruns + old->n,
		    .family = (enum rep_family)key[0],
		    .stats = stats,
		};
		code = rep_trace_compare(old, new, &pick, &d->opt.per, row);
		name = shown_name(d, t, i);
		for (int stat = 0; !code && stat < REP_NSTATS; stat++) {
			if (!(stats >> stat & 1) || (isnan(row[stat].old) && isnan(row[stat].new)))
				continue;
			row[stat].section = (unsigned)section;
			row[stat].by = (enum rep_measure_by)key[1];
			row[stat].name = name;
			row[stat].weight = weight;
			code = put_row(d, &room, &row[stat]);
		}
	}
	return code;
}

static int judge(struct rep_trace_diff *d)
{
	double *p = tp_many(d->n + 1, sizeof(*p));
	int code = p ? 0 : TP_ENOMEM;

	for (size_t i = 0; !code && i < d->n; i++) {
		p[i] = d->row[i].p;
		d->tests += isnan(p[i]) ? 0 : 1;
	}
	if (!code)
		code = rep_stats_adjust(p, d->n, p);
	for (size_t i = 0; !code && i < d->n; i++) {
		struct rep_trace_row *row = &d->row[i];
		double change = rep_trace_change(row);
		double low = row->of_delta.low, high = row->of_delta.high;

		row->q = p[i];
		if (row->old == row->new)
			row->verdict = REP_VERDICT_SAME;
		else if (isnan(row->p))
			row->verdict = REP_VERDICT_FEW;
		else if (d->few)
			row->verdict = REP_VERDICT_FEW;
		else
			row->verdict =
			    row->q <= d->opt.alpha && (row->exact || !(fabs(change) < HIST_ERROR))
				? REP_VERDICT_CHANGED
				: REP_VERDICT_SAME;
		if (row->of_delta.known && row->old > 0)
			row->rank = low > 0    ? log1p(low / row->old)
				    : high < 0 ? -log1p(fmax(high / row->old, -0.999999))
					       : 0;
		else if (row->verdict == REP_VERDICT_CHANGED)
			row->rank = row->weight; /* there is no factor: what it is of its family */
	}
	free(p);
	return code;
}

/* ---- order ---- */

static double greatest(double v)
{
	return isnan(v) ? -1 : fabs(v);
}

static double order_of(const struct rep_trace_row *row, enum rep_diff_sort sort)
{
	switch (sort) {
	case REP_SORT_PERCENT:
		return greatest(rep_trace_change(row));
	case REP_SORT_OLD:
		return greatest(row->old);
	case REP_SORT_NEW:
		return greatest(row->new);
	case REP_SORT_P:
		return isnan(row->p) ? -2 : -row->p;
	case REP_SORT_NAME:
		return 0;
	default:
		return row->rank + (row->verdict == REP_VERDICT_CHANGED ? 1e12 : 0);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct rep_trace_row *x = a, *y = b;

	if (x->order != y->order)
		return x->order > y->order ? -1 : 1;
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

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int medians(const struct rep_trace_side *side, double *length, double *tasks)
{
	double *v = tp_many(2 * side->n + 1, sizeof(*v));
	bool any = false;

	if (!v)
		return TP_ENOMEM;
	for (size_t i = 0; i < side->n; i++) {
		struct rep_metrics_base b;

		rep_metrics_base(side->run[i], &b);
		v[i] = (double)b.length_ns;
		v[side->n + i] =
		    b.length_ns > 0 ? (double)b.tasks / ((double)b.length_ns / 1e9) : 0;
		any = any || b.tasks;
	}
	qsort(v, side->n, sizeof(*v), by_number);
	qsort(v + side->n, side->n, sizeof(*v), by_number);
	*length = v[side->n / 2];
	*tasks = any ? v[side->n + side->n / 2] : (double)NAN;
	free(v);
	return 0;
}

static int check_side(const struct rep_trace_side *side, bool ticks,
		      const struct rep_trace_options *opt, struct tp_err *err)
{
	for (size_t i = 0; i < side->n; i++) {
		struct rep_metrics_base b;

		rep_metrics_base(side->run[i], &b);
		if (b.ticks != ticks)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "one of the runs has no clock: its ticks cannot be "
					  "compared with the times of the others");
		if (rep_per_divisor(side->run[i], &opt->per) > 0)
			continue;
		if (opt->per.per == REP_PER_TASK)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "a run has no complete task%s%.80s, by which its numbers "
					  "could be divided; --per=second takes its length",
					  opt->per.task ? " of type " : "",
					  opt->per.task ? opt->per.task : "");
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "a run has no length, by which its numbers could be divided; "
				  "--per=run takes them as they are");
	}
	return 0;
}

int rep_trace_diff_new(struct rep_trace_diff **out, const struct rep_trace_side *old,
		       const struct rep_trace_side *new, const struct rep_trace_options *opt,
		       struct tp_err *err)
{
	struct rep_trace_diff *d = calloc(1, sizeof(*d));
	struct meeting t = {0};
	struct rep_metrics_base base;
	int code;

	*out = NULL;
	if (!d || !old->n || !new->n) {
		free(d);
		return tp_err_set(err, d ? TP_EFORMAT : TP_ENOMEM, TP_OFFSET_NONE,
				  d ? "there is no run on one side" : "out of memory");
	}
	d->opt = *opt;
	d->nold = old->n;
	d->nnew = new->n;
	d->sets = old->n > 1 || new->n > 1;
	if (!(d->opt.alpha > 0))
		d->opt.alpha = d->sets ? REP_TRACE_ALPHA_SETS : REP_TRACE_ALPHA_TWO;
	d->few = d->sets && rep_stats_least_p(old->n, new->n) > d->opt.alpha;
	rep_metrics_base(old->run[0], &base);
	d->ticks = base.ticks;
	code = check_side(old, d->ticks, opt, err);
	if (!code)
		code = check_side(new, d->ticks, opt, err);
	if (code) {
		free(d);
		return code;
	}
	d->names = tp_dict_new();
	code = d->names ? meet(&t, d->names, old, new) : TP_ENOMEM;
	if (!code)
		code = compare_all(d, &t, old, new);
	if (!code)
		code = judge(d);
	if (!code)
		code = medians(old, &d->old_length, &d->old_tasks);
	if (!code)
		code = medians(new, &d->new_length, &d->new_tasks);
	for (size_t i = 0; !code && i < d->n; i++)
		d->row[i].order = order_of(&d->row[i], opt->sort);
	if (!code && d->n)
		qsort(d->row, d->n, sizeof(*d->row), compare_rows);
	rep_keys_release(&t.keys);
	free(t.of);
	if (!code) {
		if (opt->changed) {
			size_t n = 0;

			for (size_t i = 0; i < d->n; i++)
				if (d->row[i].verdict == REP_VERDICT_CHANGED)
					d->row[n++] = d->row[i];
			d->n = n;
		}
		*out = d;
		return 0;
	}
	rep_trace_diff_free(d);
	return tp_err_full(err, code, "too many names to compare");
}

void rep_trace_diff_free(struct rep_trace_diff *d)
{
	if (!d)
		return;
	tp_dict_free(d->names);
	free(d->row);
	free(d);
}
