/* block, sched, syscalls: durations of spans by where they came from.
 *
 * The three differ in the states they look at and in what, beside the stack, makes a row:
 *
 *   block     Waiting                  stack where it blocked, reason
 *   sched     Runnable                 stack that made it runnable, why it had stopped
 *   syscalls  Syscall, SyscallBlocked  stack that entered the call, state */
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/hist.h"
#include "top/report.h"

struct stacks {
	struct rep_keys keys; /* stack, reason, state */
	struct rep_sum *sum;
	size_t room;
	int64_t total_ns;
	uint32_t *site_owner; /* site of the view → row + 1 */
	size_t nsites;
	struct rep_dist dist;
	struct rep_percentiles *percentiles; /* by row */
	bool unknown;			     /* durations of a goroutine that were only summed */
};

enum {
	COLUMN_WHERE,
	COLUMN_FUNCTION,
	COLUMN_LOCATION,
	COLUMN_STACK,
	COLUMN_KIND,
	COLUMN_COUNT,
	COLUMN_TOTAL,
	COLUMN_SHARE,
	COLUMN_MEAN,
	COLUMN_P50,
	COLUMN_P90,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_EXACT
};

#define COLUMNS(kind_name, kind_title, kind_doc, count_doc, total_doc, share_doc, stack_doc)       \
	{                                                                                          \
		[COLUMN_WHERE] = {.column = {.name = "where",                                      \
					     .title = "WHERE",                                     \
					     .kind = REP_TEXT,                                     \
					     .least = 32,                                          \
					     .table_only = true},                                  \
				  .doc = "function and callers, no runtime but the collector"},    \
		[COLUMN_FUNCTION] =                                                                \
		    REP_COLUMN_RAW_TEXT("function", "innermost function outside the runtime"),     \
		[COLUMN_LOCATION] = REP_COLUMN_RAW_TEXT("location", "its file and line"),          \
		[COLUMN_STACK] = REP_COLUMN_RAW_TEXT("stack", stack_doc),                          \
		[COLUMN_KIND] = {.column = {.name = (kind_name),                                   \
					    .title = (kind_title),                                 \
					    .kind = REP_TEXT},                                     \
				 .key = (kind_name),                                               \
				 .doc = (kind_doc)},                                               \
		[COLUMN_COUNT] = REP_COLUMN_COUNT(count_doc),                                      \
		[COLUMN_TOTAL] = REP_COLUMN_NS("total_ns", "TOTAL", "total", 0, total_doc),        \
		[COLUMN_SHARE] = REP_COLUMN_SHARE(1, share_doc), REP_COLUMNS_DISTRIBUTION,         \
		REP_COLUMN_EXACT,                                                                  \
	}

static const struct rep_report_column block_columns[] =
    COLUMNS("reason", "REASON", "what it waited for, as Go names it", "times blocked",
	    "time blocked", "of all blocked time here", "where it blocked, leaf first");
static const struct rep_report_column sched_columns[] =
    COLUMNS("reason", "STOPPED BY", "why it had stopped; empty when created or woken",
	    "times it became runnable", "time it waited for a P", "of all scheduling latency here",
	    "what made it runnable, leaf first");
static const struct rep_report_column syscall_columns[] =
    COLUMNS("state", "STATE", "syscall: with a P; syscall-blocked: after the P was taken",
	    "stretches of system calls", "time in them", "of all time in system calls here",
	    "where the call was entered, leaf first");

static uint32_t states_of(const struct rep_report *r)
{
	if (r == &rep_report_block)
		return 1u << TP_ST_WAITING;
	if (r == &rep_report_sched)
		return 1u << TP_ST_RUNNABLE;
	return 1u << TP_ST_SYSCALL | 1u << TP_ST_SYSCALL_BLOCKED;
}

static int begin(struct rep_job *job, struct tp_err *err)
{
	job->state = calloc(1, sizeof(struct stacks));
	return job->state ? 0 : rep_job_fail(err, TP_ENOMEM);
}

struct adding {
	struct rep_job *job;
	struct rep_view *v;
	uint32_t states;
};

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct adding *a = ctx;
	struct stacks *s = a->job->state;
	bool calls = a->job->report == &rep_report_syscalls;
	uint32_t stack, reason = 0, row;
	int code;

	if (!(a->states >> part->state & 1))
		return 0;
	code = rep_view_stack(a->v, part->stack, &stack);
	if (!code && !calls)
		code = rep_view_string(a->v, part->reason, &reason);
	if (!code)
		code = rep_keys_add(&s->keys, stack, reason, calls ? part->state : 0, 0, &row);
	if (!code)
		code = rep_grow(&s->sum, &s->room, row, sizeof(*s->sum));
	if (code)
		return rep_job_fail(err, code);
	rep_sum_add(&s->sum[row], part->count, part->total_ns, part->min_ns, part->max_ns);
	tp_sum(&s->total_ns, part->total_ns);
	if (part->site != TP_NONE)
		s->site_owner[part->site] = row + 1;
	else if (part->count == 1)
		code = rep_dist_put(&s->dist, row, part->total_ns);
	else
		s->unknown = true;
	return code ? rep_job_fail(err, code) : 0;
}

/* Takes the histograms of this run's sites to those rows for which wanted[row] is set (NULL: to
 * all). */
static int take_histograms(struct rep_job *job, struct rep_view *v, const bool *wanted,
			   struct tp_err *err)
{
	struct stacks *s = job->state;
	const int64_t *site, *bucket, *count;
	bool any = false;
	int code;

	for (size_t i = 0; i < s->nsites && !any; i++)
		any = s->site_owner[i] && (!wanted || wanted[s->site_owner[i] - 1]);
	if (!any)
		return 0;
	code = rep_view_load(
	    v, TP_TABLE_SITE_HIST,
	    REP_BIT(SITE_HIST, site) | REP_BIT(SITE_HIST, bucket) | REP_BIT(SITE_HIST, count), err);
	if (code)
		return code;
	site = REP_COL(v, SITE_HIST, site);
	bucket = REP_COL(v, SITE_HIST, bucket);
	count = REP_COL(v, SITE_HIST, count);
	for (size_t i = 0; i < v->nrows[TP_TABLE_SITE_HIST]; i++) {
		uint32_t owner;

		if (site[i] < 0 || (uint64_t)site[i] >= s->nsites)
			continue;
		owner = s->site_owner[site[i]];
		if (!owner || (wanted && !wanted[owner - 1]) || bucket[i] < 0 ||
		    bucket[i] >= TP_HIST_BUCKETS)
			continue;
		if (rep_dist_put_bucket(&s->dist, owner - 1, (int)bucket[i], count[i]))
			return rep_job_fail(err, TP_ENOMEM);
	}
	return 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct stacks *s = job->state;
	struct adding a = {.job = job, .v = v, .states = states_of(job->report)};
	int code = rep_view_load(v, TP_TABLE_SITE, REP_BIT(SITE, segment), err);

	if (code)
		return code;
	free(s->site_owner);
	s->nsites = v->nrows[TP_TABLE_SITE];
	s->site_owner = calloc(s->nsites ? s->nsites : 1, sizeof(*s->site_owner));
	if (!s->site_owner)
		return rep_job_fail(err, TP_ENOMEM);
	code = rep_parts_each(v, REP_PARTS_DURATIONS, on_part, &a, err);
	if (!code && job->every)
		code = take_histograms(job, v, NULL, err);
	job->nrows = s->keys.n;
	return code;
}

static int prepare(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		   struct tp_err *err)
{
	struct stacks *s = job->state;
	int code = 0;

	if (s->percentiles)
		return 0;
	s->percentiles = calloc(job->nrows ? job->nrows : 1, sizeof(*s->percentiles));
	if (!s->percentiles)
		return rep_job_fail(err, TP_ENOMEM);
	if (!job->every) {
		bool *wanted = calloc(job->nrows ? job->nrows : 1, sizeof(*wanted));

		if (!wanted)
			return rep_job_fail(err, TP_ENOMEM);
		for (size_t i = 0; i < n; i++)
			wanted[rows[i]] = true;
		code = take_histograms(job, v, wanted, err);
		free(wanted);
	}
	if (!code && rep_dist_solve(&s->dist, s->percentiles, job->nrows))
		code = rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; !code && i < job->nrows; i++) {
		/* Sums without the durations: what is known of the rest would mislead. */
		if (s->unknown && s->sum[i].count > 1)
			s->percentiles[i].known = false;
	}
	for (size_t i = 0; !code && i < n; i++) {
		if (s->percentiles[rows[i]].known && !s->percentiles[rows[i]].exact)
			snprintf(job->note, sizeof(job->note), "%s", REP_NOTE_WITHIN);
	}
	if (!code && s->unknown)
		snprintf(job->note, sizeof(job->note), "%s", REP_NOTE_UNKNOWN);
	return code;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	static const struct rep_percentiles none;
	struct stacks *s = job->state;
	const struct rep_key *key = &s->keys.key[row];
	const struct rep_sum *sum = &s->sum[row];
	const struct rep_percentiles *p = s->percentiles ? &s->percentiles[row] : &none;

	switch (column) {
	case COLUMN_WHERE:
		return rep_job_where(job, key->part[0]);
	case COLUMN_FUNCTION:
		return rep_job_function(job, key->part[0]);
	case COLUMN_LOCATION:
		return rep_job_location(job, key->part[0]);
	case COLUMN_STACK:
		return rep_job_stack(job, key->part[0]);
	case COLUMN_KIND:
		if (job->report == &rep_report_syscalls)
			return rep_str(key->part[2] == TP_ST_SYSCALL ? "syscall"
								     : "syscall-blocked");
		/* Of a block the reason always matters; what became runnable may never have run. */
		return rep_job_string(
		    job, key->part[1],
		    job->opt->tables && job->report == &rep_report_block ? "(unknown)" : "");
	case COLUMN_COUNT:
		return rep_int(sum->count);
	case COLUMN_TOTAL:
		return rep_int(sum->total_ns);
	case COLUMN_SHARE:
		return rep_share(sum->total_ns, s->total_ns);
	case COLUMN_MEAN:
		return rep_sum_mean(sum);
	case COLUMN_P50:
	case COLUMN_P90:
	case COLUMN_P99:
		return rep_sum_percentile(sum, p, (int)column - COLUMN_P50 + REP_P50);
	case COLUMN_MAX:
		return rep_int(sum->max_ns);
	default:
		return rep_exact(p);
	}
}

static uint64_t tie(struct rep_job *job, size_t row)
{
	struct stacks *s = job->state;

	return tp_dict_stack_hash(job->dict, s->keys.key[row].part[0]);
}

static void release(struct rep_job *job)
{
	struct stacks *s = job->state;

	if (!s)
		return;
	rep_keys_release(&s->keys);
	rep_dist_release(&s->dist);
	free(s->sum);
	free(s->site_owner);
	free(s->percentiles);
	free(s);
}

static const struct rep_report_ops ops = {
    .begin = begin,
    .add = add,
    .prepare = prepare,
    .value = value,
    .tie = tie,
    .release = release,
};

const struct rep_report rep_report_block = {
    .name = "block",
    .doc = "what goroutines waited for, by stack and reason",
    .rows = "stacks",
    .columns = block_columns,
    .ncolumns = REP_COUNT_OF(block_columns),
    .sort = "total",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_REASON,
    .ops = &ops,
};

const struct rep_report rep_report_sched = {
    .name = "sched",
    .doc = "how long runnable goroutines waited for a P, by stack",
    .rows = "stacks",
    .columns = sched_columns,
    .ncolumns = REP_COUNT_OF(sched_columns),
    .sort = "total",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_REASON,
    .ops = &ops,
};

const struct rep_report rep_report_syscalls = {
    .name = "syscalls",
    .doc = "time in system calls, by stack",
    .rows = "stacks",
    .columns = syscall_columns,
    .ncolumns = REP_COUNT_OF(syscall_columns),
    .sort = "total",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE,
    .ops = &ops,
};
