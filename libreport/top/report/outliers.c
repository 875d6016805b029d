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

struct outliers {
	struct rep_outliers o;
	struct rep_tasks tasks;
	struct rep_pick choice;
	uint32_t *rank; /* by fact: its place in the table */
};

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
			 "time (these add up), region, subtask, during (a GC phase, a stop), log"},
    [COLUMN_WHAT] = {.column = {.name = "what", .title = "WHAT", .kind = REP_TEXT, .least = 18},
		     .key = "what",
		     .doc = "state or reason and region, type, range or message (# for digits)"},
    [COLUMN_SLOW] = REP_COLUMN_NS("slow_ns", "SLOW", "slow", 0, "mean over the slowest"),
    [COLUMN_MIDDLE] = REP_COLUMN_NS("middle_ns", "MIDDLE", "middle", 0, "mean over the middle"),
    [COLUMN_DIFFERENCE] = REP_COLUMN_NS("difference_ns", "DIFF", "difference", 0, "slow - middle"),
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
				 .kind = REP_TEXT,
				 .least = 16,
				 .drop = 2,
				 .table_only = true},
		      .doc = "function and callers"},
    [COLUMN_SLOW_COUNT] = {.column = {.name = "slow_count", .kind = REP_COUNT, .raw_only = true},
			   .doc = "how many in all of the slowest; nothing for times"},
    [COLUMN_MIDDLE_COUNT] = {.column = {.name = "middle_count",
					.kind = REP_COUNT,
					.raw_only = true},
			     .doc = "how many in all of the middle"},
    [COLUMN_STATE] = REP_COLUMN_RAW_TEXT("state", "of a time"),
    [COLUMN_REASON] = REP_COLUMN_RAW_TEXT("reason", "of a time, why blocked or stopped"),
    [COLUMN_SUBTASK] = REP_COLUMN_RAW_TEXT("subtask", "type of the subtask it is in"),
    [COLUMN_REGION] = REP_COLUMN_RAW_TEXT("region", "type of the region it is in"),
    [COLUMN_STACK] = REP_COLUMN_RAW_TEXT("stack", "where, leaf first"),
};

static int begin(struct rep_job *job, struct tp_err *err)
{
	struct outliers *s = job->state;

	return rep_top_pick(&s->choice, job->opt, err);
}

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
static int rank(struct outliers *s)
{
	const struct rep_outliers *o = &s->o;
	uint32_t *order = calloc(o->nfacts + 1, sizeof(*order)), next = 0;

	s->rank = calloc(o->nfacts + 1, sizeof(*s->rank));
	if (!order || !s->rank) {
		free(order);
		return TP_ENOMEM;
	}
	for (uint32_t i = 0; i < o->nfacts; i++)
		order[i] = i;
	qsort_r(order, o->nfacts, sizeof(*order), by_weight, (void *)(uintptr_t)o);
	for (int late = 0; late < 2; late++) {
		size_t of_kind[REP_NFACT_KINDS] = {0};

		for (size_t i = 0; i < o->nfacts; i++) {
			enum rep_fact_kind kind = o->fact[order[i]].kind;

			if ((of_kind[kind]++ >= kinds[kind].first) == late)
				s->rank[order[i]] = ++next;
		}
	}
	free(order);
	return 0;
}

/* ---- texts ---- */

static struct rep_value time_text(struct rep_job *job, const struct rep_fact *f)
{
	const struct outliers *s = job->state;
	const struct rep_key *label = rep_fact_label(&s->o, f);
	bool place = f->kind == REP_FACT_TIME;

	return rep_job_place(job, f->what.part[1], f->what.part[2],
			     place && label->part[0] ? label->part[0] - 1 : 0,
			     place && label->part[1] ? label->part[1] - 1 : 0);
}

static struct rep_value log_text(struct rep_job *job, const struct rep_fact *f)
{
	struct tp_text category = tp_dict_text(job->texts.dict, f->what.part[0]);
	struct tp_text message = tp_dict_text(job->texts.dict, f->what.part[1]);
	char *text = tp_arena_alloc(&job->texts.arena, (size_t)category.size + message.size + 3);
	size_t n = category.size;

	if (!text)
		return rep_lack();
	memcpy(text, category.text, n);
	if (n) {
		memcpy(text + n, ": ", 2);
		n += 2;
	}
	memcpy(text + n, message.text, message.size);
	return rep_text(text, n + message.size);
}

static struct rep_value what_text(struct rep_job *job, const struct rep_fact *f)
{
	switch (f->kind) {
	case REP_FACT_STATE:
	case REP_FACT_TIME:
		return time_text(job, f);
	case REP_FACT_REGION: {
		struct rep_value region = rep_texts_string(&job->texts, f->what.part[1] - 1, "");
		struct rep_value type;
		char *text;

		if (!f->what.part[0])
			return region;
		type = rep_texts_string(&job->texts, f->what.part[0] - 1, "");
		text = tp_arena_alloc(&job->texts.arena, type.text.size + region.text.size + 2);
		if (!text)
			return rep_lack();
		memcpy(text, type.text.data, type.text.size);
		text[type.text.size] = '/';
		memcpy(text + type.text.size + 1, region.text.data, region.text.size);
		return rep_text(text, type.text.size + 1 + region.text.size);
	}
	case REP_FACT_LOG:
		return log_text(job, f);
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
	const struct outliers *s = job->state;
	const struct rep_fact *place = strongest(&s->o, REP_FACT_TIME);
	const struct rep_key *label = place ? rep_fact_label(&s->o, place) : NULL;
	double all = latency_difference(&s->o);
	const char *between = "\nOf the difference, ";

	for (size_t i = 0; all > 0 && i < TP_COUNT_OF(causes); i++) {
		const struct rep_fact *f = strongest(&s->o, causes[i].kind);
		double share = f ? difference(&s->o, f) / all : 0;
		struct rep_value what;

		if (!f || share < causes[i].least ||
		    (causes[i].kind == REP_FACT_STATE && place &&
		     difference(&s->o, place) / all > share * 0.9) ||
		    (causes[i].kind == REP_FACT_REGION && label &&
		     label->part[1] == f->what.part[1] &&
		     difference(&s->o, place) / all > share * 0.9))
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
	const struct outliers *s = job->state;
	const struct rep_fact *f = strongest(&s->o, REP_FACT_LOG);
	struct rep_value what;

	if (!f || weight(&s->o, f) < 0.5)
		return;
	what = log_text(job, f);
	say(job, "\n'%.*s' was logged by %.0f%% of them, by %.0f%% of the middle.",
	    shown(job, what), what.text.data, share_with(&s->o, f, REP_SLOW) * 100,
	    share_with(&s->o, f, REP_MIDDLE) * 100);
}

static void put_lead(struct rep_job *job)
{
	const struct outliers *s = job->state;
	const struct rep_outliers *o = &s->o;
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

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct outliers *s = job->state;
	struct rep_slowest slowest;
	int code;

	if (job->nruns > 1)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the report 'outliers' is about one run; pick it with --run");
	code = rep_slowest_parse(job->opt->slowest ? job->opt->slowest : "1%", &slowest, err);
	if (!code)
		code = rep_tasks_init(&s->tasks, v, err);
	if (!code)
		code = rep_pick_run(&s->choice, &s->tasks, err);
	if (!code)
		code = rep_outliers_init(&s->o, &s->tasks, &s->choice, job->opt->regions, &slowest,
					 err);
	if (code)
		return code;
	if (!s->o.total)
		rep_pick_hint(v, job->opt->regions, job->note, sizeof(job->note));
	else if (!s->o.n[REP_SLOW])
		snprintf(job->note, sizeof(job->note),
			 "there is nothing to compare: the trace has the beginning and end of "
			 "fewer than three %s of a type",
			 job->opt->regions ? "regions" : "tasks");
	else if (s->o.types > 1)
		snprintf(job->note, sizeof(job->note),
			 "there are %u types: this is the one that took most time; pick another "
			 "with --%s",
			 s->o.types, job->opt->regions ? "region" : "task");
	job->nrows = s->o.nfacts;
	return rank(s) ? rep_job_fail(err, TP_ENOMEM) : 0;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	const struct outliers *s = job->state;

	(void)err;
	if (s->o.n[REP_SLOW])
		put_lead(job);
	return 0;
}

/* ---- what is shown ---- */

/* What a time says, one by one. */
static struct rep_value part_of(struct rep_job *job, const struct rep_fact *f, size_t column)
{
	const struct outliers *s = job->state;
	const struct rep_key *label = rep_fact_label(&s->o, f);
	bool time = f->kind == REP_FACT_TIME || f->kind == REP_FACT_STATE;

	if (f->kind == REP_FACT_STATE && column != COLUMN_STATE && column != COLUMN_REASON)
		return rep_null();
	if (f->kind == REP_FACT_REGION && column == COLUMN_SUBTASK && f->what.part[0])
		return rep_texts_string(&job->texts, f->what.part[0] - 1, "");
	if (f->kind == REP_FACT_REGION && column == COLUMN_REGION)
		return rep_texts_string(&job->texts, f->what.part[1] - 1, "");
	if (!time)
		return rep_null();
	switch (column) {
	case COLUMN_STATE:
		return rep_str(f->what.part[1] ? rep_state_name(f->what.part[1]) : "nobody");
	case COLUMN_REASON:
		return rep_texts_string(&job->texts, f->what.part[2], "");
	case COLUMN_SUBTASK:
		return label->part[0] ? rep_texts_string(&job->texts, label->part[0] - 1, "")
				      : rep_str("");
	case COLUMN_REGION:
		return label->part[1] ? rep_texts_string(&job->texts, label->part[1] - 1, "")
				      : rep_str("");
	case COLUMN_WHERE:
		return f->what.part[3] ? rep_stack_where(&job->texts, f->what.part[3]) : rep_null();
	default:
		return rep_stack_names(&job->texts, f->what.part[3]);
	}
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct outliers *s = job->state;
	const struct rep_outliers *o = &s->o;
	const struct rep_fact *f = &o->fact[row];
	bool log = f->kind == REP_FACT_LOG, time = f->kind <= REP_FACT_TIME;
	double all = latency_difference(o);

	switch (column) {
	case COLUMN_RANK:
		return rep_int(s->rank[row]);
	case COLUMN_KIND:
		return rep_str(kinds[f->kind].name);
	case COLUMN_WHAT:
		return what_text(job, f);
	case COLUMN_SLOW:
		return log ? rep_null() : rep_int((int64_t)llround(mean(o, f, REP_SLOW)));
	case COLUMN_MIDDLE:
		return log ? rep_null() : rep_int((int64_t)llround(mean(o, f, REP_MIDDLE)));
	case COLUMN_DIFFERENCE:
		return log ? rep_null() : rep_int((int64_t)llround(difference(o, f)));
	case COLUMN_EXPLAINS:
		return log || all <= 0 ? rep_null() : rep_float(difference(o, f) / all);
	case COLUMN_SLOW_WITH:
		return rep_float(share_with(o, f, REP_SLOW));
	case COLUMN_MIDDLE_WITH:
		return rep_float(share_with(o, f, REP_MIDDLE));
	case COLUMN_SLOW_COUNT:
		return time ? rep_null() : rep_int(f->count[REP_SLOW]);
	case COLUMN_MIDDLE_COUNT:
		return time ? rep_null() : rep_int(f->count[REP_MIDDLE]);
	default:
		return part_of(job, f, column);
	}
}

static void release(struct rep_job *job)
{
	struct outliers *s = job->state;

	rep_outliers_release(&s->o);
	rep_tasks_release(&s->tasks);
	rep_pick_release(&s->choice);
	free(s->rank);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct outliers),
    .begin = begin,
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
