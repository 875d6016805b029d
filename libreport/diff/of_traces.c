/* Diffs of traces: every metric that a run has, under the name that it has in all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/dict.h"
#include "diff/amount.h"
#include "diff/traces.h"

#define BY(by)	  (1u << REP_MEASURE_##by)
#define BIT(stat) (1u << (stat))
/* A trace has a hundred metrics and more, and what they have in common makes the correction for
 * their number no more than about right: with this, real runs of one build are taken for changed in
 * well under 5 of 100 comparisons (testdata/check/trace-diff.sh). Of two runs their own windows
 * agree with each other. */
#define ALPHA_OF_SETS  0.03
#define ALPHA_OF_PAIRS 0.05

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

/* ---- measures of all runs ---- */

int rep_traces_meet(struct rep_traces_meeting *t, struct tp_dict *names, size_t r,
		    const struct rep_measure *x)
{
	uint32_t name, i;
	int code = tp_dict_string(names, x->key, strlen(x->key), &name);

	if (!code)
		code = rep_keys_add(&t->keys, (uint32_t)x->family, (uint32_t)x->by, name, 0, &i);
	if (!code)
		code = tp_grow(&t->of, &t->room, (i + (size_t)1) * t->nruns - 1, sizeof(*t->of));
	if (!code)
		t->of[i * t->nruns + r] = x;
	return code;
}

void rep_traces_meeting_release(struct rep_traces_meeting *t)
{
	rep_keys_release(&t->keys);
	free(t->of);
}

const char *rep_traces_meeting_name(const struct rep_traces_meeting *t, const struct tp_dict *names,
				    size_t i)
{
	const char *name = NULL;

	for (size_t r = t->nruns; r-- > 0;) {
		const struct rep_measure *x = t->of[i * t->nruns + r];

		if (x && name && strcmp(name, x->name) != 0)
			return tp_dict_text(names, t->keys.key[i].part[2]).text;
		name = x && !name ? x->name : name;
	}
	return name ? name : "";
}

static int meet(struct rep_traces_meeting *t, struct tp_dict *names,
		const struct rep_diff_side *old, const struct rep_diff_side *new)
{
	int code = 0;

	for (size_t r = 0; r < t->nruns && !code; r++) {
		size_t n;
		const struct rep_measure *x = rep_metrics_measures(rep_traces_run(old, new, r), &n);

		for (size_t i = 0; i < n && !code; i++)
			code = rep_traces_meet(t, names, r, &x[i]);
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
static double share_in(const struct rep_traces_meeting *t, size_t i, size_t r,
		       const struct rep_diff_side *old, const struct rep_diff_side *new)
{
	const struct rep_measure *x = t->of[i * t->nruns + r];
	const struct rep_metrics *m = rep_traces_run(old, new, r);
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

static double mean_share(const struct rep_traces_meeting *t, size_t i,
			 const struct rep_diff_side *old, const struct rep_diff_side *new)
{
	double sum[2] = {0, 0};

	for (size_t r = 0; r < t->nruns; r++)
		sum[r >= old->n] += share_in(t, i, r, old, new);
	sum[0] /= (double)old->n;
	sum[1] /= (double)new->n;
	return sum[0] > sum[1] ? sum[0] : sum[1];
}

/* Is a name all there is of its family? Then all of them need no row of their own. */
static bool is_alone(const struct rep_traces_meeting *t, size_t all)
{
	uint32_t family = t->keys.key[all].part[0];
	size_t names = 0;

	for (size_t i = 0; i < t->keys.n; i++)
		names +=
		    t->keys.key[i].part[0] == family && t->keys.key[i].part[1] == REP_MEASURE_TYPE;
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

static int compare_all(struct rep_diff *d, const struct rep_traces_meeting *t,
		       const struct rep_diff_side *old, const struct rep_diff_side *new)
{
	size_t room = 0;
	int code = 0;

	for (size_t i = 0; !code && i < t->keys.n; i++) {
		const uint32_t *key = t->keys.key[i].part;
		int section = section_of(d->opt.sections, key[0], key[1]);
		uint32_t stats = stats_of(&d->opt, key[0]);
		double weight = mean_share(t, i, old, new);
		struct rep_diff_row row[REP_NSTATS];

		if (section < 0 || (key[1] == REP_MEASURE_ALL ? (key[0] == REP_FAMILY_TASK ||
								 key[0] == REP_FAMILY_REGION) &&
								    is_alone(t, i)
							      : weight < d->opt.min_share))
			continue;
		if (key[1] == REP_MEASURE_ALL)
			stats &= ~BIT(REP_STAT_SHARE);
		code = rep_traces_compare(d, t, i, old, new, stats, row);
		for (int stat = 0; !code && stat < REP_NSTATS; stat++) {
			struct rep_diff_row *to;

			if (!(stats >> stat & 1) || (isnan(row[stat].old) && isnan(row[stat].new)))
				continue;
			row[stat].section = (unsigned)section;
			row[stat].weight = weight;
			to = rep_diff_add(d, &room);
			if (!to)
				return TP_ENOMEM;
			*to = row[stat];
		}
	}
	return code;
}

/* ---- order ---- */

static double rank(const struct rep_diff *d, struct rep_diff_row *row)
{
	double low = row->of_delta.low, high = row->of_delta.high;
	bool changed = row->verdict == REP_VERDICT_CHANGED;

	(void)d;
	if (row->of_delta.known && row->old > 0)
		row->rank = low > 0    ? log1p(low / row->old)
			    : high < 0 ? -log1p(fmax(high / row->old, -0.999999))
				       : 0;
	else if (changed)
		row->rank = row->weight; /* there is no factor: what it is of its family */
	return row->rank + (changed ? 1e12 : 0);
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

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int medians(const struct rep_diff_side *side, double *length, double *tasks)
{
	double *v = tp_many(2 * side->n + 1, sizeof(*v));
	bool any = false;

	if (!v)
		return TP_ENOMEM;
	for (size_t i = 0; i < side->n; i++) {
		struct rep_metrics_base b;

		rep_metrics_base(side->run[i].metrics, &b);
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

static int check_side(const struct rep_diff_side *side, bool ticks,
		      const struct rep_diff_options *opt, struct tp_err *err)
{
	for (size_t i = 0; i < side->n; i++) {
		struct rep_metrics_base b;

		rep_metrics_base(side->run[i].metrics, &b);
		if (b.ticks != ticks)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "one of the runs has no clock: its ticks cannot be "
					  "compared with the times of the others");
		if (rep_per_divisor(side->run[i].metrics, &opt->per) > 0)
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

int rep_traces_begin(struct rep_diff *d, const struct rep_diff_side *old,
		     const struct rep_diff_side *new, struct tp_err *err)
{
	struct rep_metrics_base base;
	int code;

	rep_metrics_base(old->run[0].metrics, &base);
	d->ticks = base.ticks;
	code = check_side(old, d->ticks, &d->opt, err);
	if (!code)
		code = check_side(new, d->ticks, &d->opt, err);
	if (code)
		return code;
	d->names = tp_dict_new();
	return d->names ? 0 : tp_nomem(err);
}

static int fill(struct rep_diff *d, const struct rep_diff_side *old,
		const struct rep_diff_side *new, struct tp_err *err)
{
	struct rep_traces_meeting t = {.nruns = old->n + new->n};
	int code = rep_traces_begin(d, old, new, err);

	if (code)
		return code;
	code = meet(&t, d->names, old, new);
	if (!code)
		code = compare_all(d, &t, old, new);
	if (!code)
		code = medians(old, &d->old_length, &d->old_tasks);
	if (!code)
		code = medians(new, &d->new_length, &d->new_tasks);
	rep_traces_meeting_release(&t);
	return code ? tp_err_full(err, code, "too many names to compare") : 0;
}

/* ---- texts ---- */

static int name(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *text,
		size_t *names)
{
	const char *family = rep_families[row->family].name, *stat = rep_stats_of[row->stat].name;
	bool named = row->by != REP_MEASURE_ALL;
	int code = tp_buf_put(text, family, strlen(family));

	(void)d;
	*names = 1;
	if (!code && named)
		code = tp_buf_put(text, "[", 1);
	if (!code && named)
		code = tp_buf_put(text, *row->name ? row->name : REP_MEASURE_UNKNOWN,
				  strlen(*row->name ? row->name : REP_MEASURE_UNKNOWN));
	if (!code)
		code = tp_buf_put(text, named ? "]." : ".", named ? 2 : 1);
	return code ? code : tp_buf_put(text, stat, strlen(stat));
}

/* Three digits that tell. */
char *rep_traces_number(char text[REP_DIFF_VALUE], double v)
{
	char grouped[REP_AMOUNT_SIZE];
	double most = fabs(v);

	if (most >= 99.95 && most < 9e18)
		snprintf(text, REP_DIFF_VALUE, "%s",
			 rep_amount(grouped, (int64_t)llround(v), "count", NULL));
	else
		snprintf(text, REP_DIFF_VALUE, "%.3g", v);
	return text;
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
	char amount[REP_AMOUNT_SIZE], number[REP_DIFF_VALUE];

	if (isnan(v)) {
		text[0] = '\0';
	} else if (row->stat == REP_STAT_SHARE) {
		snprintf(text, REP_DIFF_VALUE, "%.1f%%", v * 100);
	} else if (row->stat == REP_STAT_RATE || row->stat == REP_STAT_COUNT) {
		snprintf(text, REP_DIFF_VALUE, "%s%s", rep_traces_number(number, v), behind);
	} else if (d->ticks) {
		snprintf(text, REP_DIFF_VALUE, "%s ticks%s", rep_traces_number(number, v), behind);
	} else if (v != 0 && fabs(v) < 10) {
		snprintf(text, REP_DIFF_VALUE, "%.3gns%s", v, behind);
	} else {
		int64_t ns = fabs(v) < 9.2e18 ? (int64_t)llround(v) : INT64_MAX;

		snprintf(text, REP_DIFF_VALUE, "%s%s", rep_amount(amount, ns, "nanoseconds", NULL),
			 behind);
	}
	return text;
}

static void numbers(const struct rep_diff *d, const struct rep_diff_row *row, struct rep_value *old,
		    struct rep_value *new)
{
	(void)d;
	*old = isnan(row->old) ? rep_null() : rep_float(row->old);
	*new = isnan(row->new) ? rep_null() : rep_float(row->new);
}

const struct rep_diff_kind rep_diff_of_traces = {
    .alpha_of_sets = ALPHA_OF_SETS,
    .alpha_of_pairs = ALPHA_OF_PAIRS,
    .min_share = 0.01,
    .tests_pairs = true,
    .fill = fill,
    .rank = rank,
    .order = by_order,
    .name = name,
    .value = value,
    .numbers = numbers,
    .advice_rows = "metrics",
    .advice = "--by or a gate, which look at fewer",
    .heading = rep_traces_heading,
    .texts = rep_traces_texts,
    .cells = rep_traces_cells,
    .table = rep_traces_rows,
    .example = "sched.p99>+10%",
    .rows = "metrics",
    .limits = true,
    .parse_metric = rep_traces_parse_metric,
    .gate_rows = rep_traces_gate_rows,
    .gate_unit = rep_traces_gate_unit,
    .gate_none = rep_traces_gate_none,
};
