/* outliers: what is different about the slowest tasks (or regions) of a type (task/outliers.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"
#include "task/outliers.h"
#include "top/report.h"

static const struct kind {
	const char *name;
	size_t first; /* so many of them come before all others */
} kinds[REP_NFACT_KINDS] = {
    [REP_FACT_STATE] = {"state", 4},   [REP_FACT_TIME] = {"place", 5},
    [REP_FACT_REGION] = {"region", 3}, [REP_FACT_SUBTASK] = {"subtask", 2},
    [REP_FACT_RANGE] = {"during", 2},  [REP_FACT_LOG] = {"log", 4},
};

enum {
	COLUMN_RANK,
	COLUMN_KIND,
	COLUMN_WHAT,
	COLUMN_SLOW,
	COLUMN_MIDDLE,
	COLUMN_DIFFERENCE,
	COLUMN_EXPLAINS,
	COLUMN_SLOW_WITH,
	COLUMN_MIDDLE_WITH,
	COLUMN_WHERE,
	COLUMN_SLOW_COUNT,
	COLUMN_MIDDLE_COUNT,
	COLUMN_STATE,
	COLUMN_REASON,
	COLUMN_SUBTASK,
	COLUMN_REGION,
	COLUMN_STACK,
	NCOLUMNS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RANK] = {.column = {.name = "rank", .kind = REP_COUNT, .raw_only = true},
		     .key = "rank",
		     .doc = "place: by kind, what explains most first"},
    [COLUMN_KIND] = {.column = {.name = "kind", .title = "KIND", .kind = REP_TEXT},
		     .key = "kind",
		     .doc =
			 "state, place (each adds up), region, subtask, during (a GC phase, a "
			 "stop), log"},
    [COLUMN_WHAT] = {.column = {.name = "what", .title = "WHAT", .kind = REP_TEXT, .least = 18},
		     .key = "what",
		     .doc = "state or reason and region, type, range or message (# for digits)"},
    [COLUMN_SLOW] = REP_COLUMN_NS("slow_ns", "SLOW", "slow", 0, "mean over the slowest; nothing for logs"),
    [COLUMN_MIDDLE] = REP_COLUMN_NS("middle_ns", "MIDDLE", "middle", 0, "mean over the middle; nothing for logs"),
    [COLUMN_DIFFERENCE] = REP_COLUMN_NS("difference_ns", "DIFF", "difference", 0, "slow - middle; nothing for logs"),
    [COLUMN_EXPLAINS] = {.column = {.name = "explains", .title = "EXPLAINS", .kind = REP_SHARE},
			 .key = "explains",
			 .doc = "the difference, of that of the mean latencies"},
    [COLUMN_SLOW_WITH] =
	{.column = {.name = "slow_with", .title = "OF SLOW", .kind = REP_SHARE, .drop = 1},
	 .key = "slow-with",
	 .doc = "share of the slowest that have it"},
    [COLUMN_MIDDLE_WITH] =
	{.column = {.name = "middle_with", .title = "OF MIDDLE", .kind = REP_SHARE, .drop = 1},
	 .key = "middle-with",
	 .doc = "share of the middle that have it"},
    [COLUMN_WHERE] = {.column = {.name = "where",
				 .title = "WHERE",
				 .shorten = REP_SHORTEN_WHERE,
				 .kind = REP_TEXT,
				 .least = 16,
				 .drop = 2,
				 .table_only = true},
		      .cell = REP_CELL_WHERE,
		      .doc = "function and callers"},
    [COLUMN_SLOW_COUNT] = {.column = {.name = "slow_count", .kind = REP_COUNT, .raw_only = true},
			   .doc = "how many in all of the slowest; nothing for states and places"},
    [COLUMN_MIDDLE_COUNT] = {.column = {.name = "middle_count",
					.kind = REP_COUNT,
					.raw_only = true},
			     .doc = "how many in all of the middle; likewise"},
    [COLUMN_STATE] = REP_COLUMN_RAW_TEXT("state", REP_CELL_STATE, "of a state or place"),
    [COLUMN_REASON] =
	REP_COLUMN_RAW_TEXT("reason", REP_CELL_STRING, "of a state or place, why blocked or stopped"),
    [COLUMN_SUBTASK] =
	REP_COLUMN_RAW_TEXT("subtask", REP_CELL_STRING, "type of the subtask it is in"),
    [COLUMN_REGION] = REP_COLUMN_RAW_TEXT("region", REP_CELL_STRING, "type of the region it is in"),
    [COLUMN_STACK] = REP_COLUMN_STACK("where, leaf first"),
};

/* ---- numbers ---- */

static double mean(const struct rep_outliers *o, const struct rep_fact *f, int group)
{
	return o->n[group] ? (double)f->ns[group] / (double)o->n[group] : 0;
}

static double difference(const struct rep_outliers *o, const struct rep_fact *f)
{
	return mean(o, f, REP_SLOW) - mean(o, f, REP_MIDDLE);
}

static double share_with(const struct rep_outliers *o, const struct rep_fact *f, int group)
{
	return o->n[group] ? (double)f->with[group] / (double)o->n[group] : 0;
}

/* Of the mean latencies. */
static double latency_difference(const struct rep_outliers *o)
{
	if (!o->n[REP_SLOW] || !o->n[REP_MIDDLE])
		return 0;
	return (double)o->ns[REP_SLOW] / (double)o->n[REP_SLOW] -
	       (double)o->ns[REP_MIDDLE] / (double)o->n[REP_MIDDLE];
}

/* How much of a difference a fact is: of logs, by how many have it. */
static double weight(const struct rep_outliers *o, const struct rep_fact *f)
{
	if (f->kind == REP_FACT_LOG)
		return fabs(share_with(o, f, REP_SLOW) - share_with(o, f, REP_MIDDLE));
	return fabs(difference(o, f));
}

/* ---- order ---- */

static int by_weight(const void *a, const void *b, void *ctx)
{
	const struct rep_outliers *o = ctx;
	const struct rep_fact *x = &o->fact[*(const uint32_t *)a];
	const struct rep_fact *y = &o->fact[*(const uint32_t *)b];
	double p = weight(o, x), q = weight(o, y);

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The first few of each kind, by kind; then the others. */
static int rank(struct rep_job *job)
{
	const struct rep_outliers *o = job->state;
	uint32_t *order = calloc(o->nfacts + 1, sizeof(*order)), next = 0;

	if (!order)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < o->nfacts; i++)
		order[i] = i;
	qsort_r(order, o->nfacts, sizeof(*order), by_weight, (void *)(uintptr_t)o);
	for (int late = 0; late < 2; late++) {
		size_t of_kind[REP_NFACT_KINDS] = {0};

		for (size_t i = 0; i < o->nfacts; i++) {
			enum rep_fact_kind kind = o->fact[order[i]].kind;

			if ((of_kind[kind]++ >= kinds[kind].first) == late)
				rep_job_row_at(job, order[i])[COLUMN_RANK] = ++next;
		}
	}
	free(order);
	return 0;
}

/* ---- texts ---- */

/* A string that is kept as its id + 1, 0 for none. */
static int64_t string_of(uint32_t id)
{
	return id ? (int64_t)id - 1 : 0;
}

static struct rep_value what_text(struct rep_job *job, const struct rep_fact *f)
{
	const struct rep_key *label = rep_fact_label(job->state, f);
	struct tp_dict *dict = job->texts.dict;
	bool place = f->kind == REP_FACT_TIME;

	switch (f->kind) {
	case REP_FACT_STATE:
	case REP_FACT_TIME:
		return rep_job_place(job, f->what.part[1], f->what.part[2],
				     place ? (uint32_t)string_of(label->part[0]) : 0,
				     place ? (uint32_t)string_of(label->part[1]) : 0);
	case REP_FACT_REGION: {
		const struct tp_text parts[] = {
		    tp_dict_text(dict, (uint32_t)string_of(f->what.part[0])),
		    rep_text_of(f->what.part[0] ? "/" : ""),
		    tp_dict_text(dict, (uint32_t)string_of(f->what.part[1])),
		};

		return rep_texts_join(&job->texts, parts, 3);
	}
	case REP_FACT_LOG:
		return rep_texts_log(&job->texts, f->what.part[0], f->what.part[1]);
	default:
		return rep_texts_string(&job->texts, f->what.part[0], "");
	}
}

static const struct rep_fact *strongest(const struct rep_outliers *o, enum rep_fact_kind kind)
{
	const struct rep_fact *best = NULL;

	for (size_t i = 0; i < o->nfacts; i++) {
		const struct rep_fact *f = &o->fact[i];

		if (f->kind == kind && (kind == REP_FACT_LOG || difference(o, f) > 0) &&
		    (!best || weight(o, f) > weight(o, best)))
			best = f;
	}
	return best;
}

/* ---- the sentence ---- */

static void say(struct rep_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct rep_job *job, const char *format, ...)
{
	size_t n = strlen(job->lead);
	va_list args;

	va_start(args, format);
	vsnprintf(job->lead + n, sizeof(job->lead) - n, format, args);
	va_end(args);
}

static int shown(struct rep_job *job, struct rep_value v)
{
	job->lack |= rep_is_lack(v);
	return v.text.size < 48 ? (int)v.text.size : 48;
}

/* "Of the difference, 72% is sync, 51% is in region decode, 54% is during GC concurrent mark
 * phase." A state that is in one place only is told by the place. */
static void say_causes(struct rep_job *job)
{
	static const struct {
		enum rep_fact_kind kind;
		const char *text;
		double least;
	} causes[] = {
	    {REP_FACT_STATE, "", 0},
	    {REP_FACT_TIME, "", 0.3},
	    {REP_FACT_REGION, "in region ", 0.3},
	    {REP_FACT_SUBTASK, "in subtask ", 0.3},
	    {REP_FACT_RANGE, "during ", 0.25},
	};
	const struct rep_outliers *o = job->state;
	const struct rep_fact *place = strongest(o, REP_FACT_TIME);
	const struct rep_key *label = place ? rep_fact_label(o, place) : NULL;
	double all = latency_difference(o);
	const char *between = "\nOf the difference, ";

	for (size_t i = 0; all > 0 && i < TP_COUNT_OF(causes); i++) {
		const struct rep_fact *f = strongest(o, causes[i].kind);
		double share = f ? difference(o, f) / all : 0;
		struct rep_value what;

		if (!f || share < causes[i].least ||
		    (causes[i].kind == REP_FACT_STATE && place &&
		     difference(o, place) / all > share * 0.9) ||
		    (causes[i].kind == REP_FACT_REGION && label &&
		     label->part[1] == f->what.part[1] && difference(o, place) / all > share * 0.9))
			continue;
		what = what_text(job, f);
		say(job, "%s%.0f%% is %s%.*s", between, share * 100, causes[i].text,
		    shown(job, what), what.text.data);
		between = ", ";
	}
	if (*between == ',')
		say(job, ".");
}

/* "'payment: retry' was logged by 83% of them, by 2% of the middle." */
static void say_log(struct rep_job *job)
{
	const struct rep_outliers *o = job->state;
	const struct rep_fact *f = strongest(o, REP_FACT_LOG);
	struct rep_value what;

	if (!f || weight(o, f) < 0.5)
		return;
	what = what_text(job, f);
	say(job, "\n'%.*s' was logged by %.0f%% of them, by %.0f%% of the middle.",
	    shown(job, what), what.text.data, share_with(o, f, REP_SLOW) * 100,
	    share_with(o, f, REP_MIDDLE) * 100);
}

static void put_lead(struct rep_job *job)
{
	const struct rep_outliers *o = job->state;
	char t[4][TP_UNITS_SIZE];
	struct rep_value type = rep_texts_string(&job->texts, o->type, "");

	say(job,
	    "The slowest %lld of %lld %.*s %s took %s to %s,\nthe %lld around the median %s to %s.",
	    (long long)o->n[REP_SLOW], (long long)o->total, shown(job, type), type.text.data,
	    job->opt->regions ? "regions" : "tasks", tp_fmt_ns(t[0], o->min_ns[REP_SLOW]),
	    tp_fmt_ns(t[1], o->max_ns[REP_SLOW]), (long long)o->n[REP_MIDDLE],
	    tp_fmt_ns(t[2], o->min_ns[REP_MIDDLE]), tp_fmt_ns(t[3], o->max_ns[REP_MIDDLE]));
	say_causes(job);
	say_log(job);
}

/* Fills in the row of a fact; what a time says one by one, and what a region says. */
static int put(struct rep_job *job, const struct rep_view *v, const struct rep_fact *f)
{
	const struct rep_outliers *o = job->state;
	const struct rep_key *label = rep_fact_label(o, f);
	bool state = f->kind == REP_FACT_STATE, place = f->kind == REP_FACT_TIME;
	bool log = f->kind == REP_FACT_LOG, region = f->kind == REP_FACT_REGION;
	int64_t *row = rep_job_row(job, v);

	if (!row)
		return TP_ENOMEM;
	row[COLUMN_SLOW] = log ? TP_NULL : llround(mean(o, f, REP_SLOW));
	row[COLUMN_MIDDLE] = log ? TP_NULL : llround(mean(o, f, REP_MIDDLE));
	row[COLUMN_DIFFERENCE] = log ? TP_NULL : llround(difference(o, f));
	row[COLUMN_SLOW_COUNT] = state || place ? TP_NULL : f->count[REP_SLOW];
	row[COLUMN_MIDDLE_COUNT] = state || place ? TP_NULL : f->count[REP_MIDDLE];
	row[COLUMN_STATE] = state || place ? f->what.part[1] : TP_NULL;
	row[COLUMN_REASON] = state || place ? f->what.part[2] : TP_NULL;
	row[COLUMN_SUBTASK] = place			  ? string_of(label->part[0])
			      : region && f->what.part[0] ? string_of(f->what.part[0])
							  : TP_NULL;
	row[COLUMN_REGION] = place    ? string_of(label->part[1])
			     : region ? string_of(f->what.part[1])
				      : TP_NULL;
	row[COLUMN_WHERE] = place && f->what.part[3] ? f->what.part[3] : TP_NULL;
	row[COLUMN_STACK] = place ? f->what.part[3] : TP_NULL;
	return 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const char *kind = job->opt->regions ? "regions" : "tasks";
	struct rep_outliers *o = job->state;
	struct rep_slowest slowest;
	int code;

	if (job->nruns > 1)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the report 'outliers' is about one run; pick it with --run");
	code = rep_slowest_parse(job->opt->slowest ? job->opt->slowest : "1%", &slowest, err);
	if (!code)
		code = rep_job_tasks(job, v, err);
	if (!code)
		code = rep_outliers_init(o, &job->tasks, &job->choice, job->opt->regions, &slowest,
					 err);
	if (code)
		return code;
	if (!o->total)
		rep_pick_hint(v, job->opt->regions, job->note, sizeof(job->note));
	else if (!o->n[REP_SLOW])
		snprintf(job->note, sizeof(job->note),
			 "there is nothing to compare: the trace has the beginning and end of "
			 "fewer than three %s of a type",
			 kind);
	else if (o->types > 1)
		snprintf(job->note, sizeof(job->note),
			 "there are %u types: this is the one that took most time; pick another "
			 "with --%s",
			 o->types, job->opt->regions ? "region" : "task");
	for (size_t i = 0; i < o->nfacts && !code; i++)
		code = put(job, v, &o->fact[i]);
	if (!code)
		code = rank(job);
	return code ? rep_job_fail(err, code) : 0;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	const struct rep_outliers *o = job->state;

	(void)err;
	if (o->n[REP_SLOW])
		put_lead(job);
	return 0;
}

/* ---- what is shown ---- */

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct rep_outliers *o = job->state;
	const struct rep_fact *f = &o->fact[row];
	double all = latency_difference(o);

	switch (column) {
	case COLUMN_KIND:
		return rep_str(kinds[f->kind].name);
	case COLUMN_WHAT:
		return what_text(job, f);
	case COLUMN_EXPLAINS:
		return f->kind == REP_FACT_LOG || all <= 0 ? rep_null()
							   : rep_float(difference(o, f) / all);
	case COLUMN_SLOW_WITH:
		return rep_float(share_with(o, f, REP_SLOW));
	case COLUMN_MIDDLE_WITH:
		return rep_float(share_with(o, f, REP_MIDDLE));
	default:
		return rep_job_cell(job, row, column);
	}
}

static void release(struct rep_job *job)
{
	rep_outliers_release(job->state);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct rep_outliers),
    .add = add,
    .finish = finish,
    .value = value,
    .release = release,
};

const struct rep_report rep_report_outliers = {
    .name = "outliers",
    .doc = "what is different about the slowest tasks (or regions)",
    .rows = "differences",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "rank",
    .ascending = true,
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_TASK | REP_BY_LATENCY |
	       REP_BY_LOG | REP_BY_SLOWEST,
    .ops = &ops,
};
