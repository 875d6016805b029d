/* block, sched, syscalls: durations of spans by where they came from.
 *
 * The three differ in the states they look at and in what, beside the stack, makes a row:
 *
 *   block     Waiting                  stack where it blocked, reason
 *   sched     Runnable                 stack that made it runnable, why it had stopped
 *   syscalls  Syscall, SyscallBlocked  stack that entered the call, state */
#include <stdlib.h>

#include "base/many.h"
#include "base/sum.h"
#include "top/durations.h"

struct stacks {
	struct rep_keys keys; /* stack, reason, state */
	struct rep_sum *sum;
	size_t room;
	int64_t total_ns;
	struct rep_durations durations;
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
		code = tp_grow(&s->sum, &s->room, row, sizeof(*s->sum));
	if (code)
		return rep_job_fail(err, code);
	rep_sum_add(&s->sum[row], part->count, part->total_ns, part->min_ns, part->max_ns);
	tp_sum(&s->total_ns, part->total_ns);
	code = rep_durations_put(&s->durations, row, part);
	return code ? rep_job_fail(err, code) : 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct stacks *s = job->state;
	struct adding a = {.job = job, .v = v, .states = states_of(job->report)};
	int code = rep_durations_begin_run(&s->durations, v, err);

	if (!code)
		code = rep_parts_each(v, REP_PARTS_DURATIONS, on_part, &a, err);
	if (!code)
		code = rep_durations_end_run(&s->durations, job, v, err);
	job->nrows = s->keys.n;
	return code;
}

static const struct rep_sum *sum_of(struct rep_job *job, size_t row)
{
	const struct stacks *s = job->state;

	return &s->sum[row];
}

static int prepare(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		   struct tp_err *err)
{
	struct stacks *s = job->state;

	return rep_durations_prepare(&s->durations, job, v, rows, n, sum_of, err);
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	static const struct rep_percentiles none;
	struct stacks *s = job->state;
	const struct rep_key *key = &s->keys.key[row];
	const struct rep_sum *sum = &s->sum[row];
	const struct rep_percentiles *known = s->durations.percentiles;
	const struct rep_percentiles *p = known ? &known[row] : &none;

	switch (column) {
	case COLUMN_WHERE:
		return rep_stack_where(&job->texts, key->part[0]);
	case COLUMN_FUNCTION:
		return rep_stack_function(&job->texts, key->part[0]);
	case COLUMN_LOCATION:
		return rep_stack_location(&job->texts, key->part[0]);
	case COLUMN_STACK:
		return rep_stack_names(&job->texts, key->part[0]);
	case COLUMN_KIND:
		if (job->report == &rep_report_syscalls)
			return rep_str(key->part[2] == TP_ST_SYSCALL ? "syscall"
								     : "syscall-blocked");
		/* Of a block the reason always matters; what became runnable may never have run. */
		return rep_texts_string(&job->texts, key->part[1],
					job->report == &rep_report_block ? "(unknown)" : "");
	default:
		return rep_sum_value(sum, p, s->total_ns,
				     (enum rep_sum_column)(column - COLUMN_COUNT));
	}
}

static uint64_t tie(struct rep_job *job, size_t row)
{
	struct stacks *s = job->state;
	uint32_t stack = s->keys.key[row].part[0];
	uint64_t hash = tp_dict_stack_hash(job->texts.dict, stack);

	job->lack |= !hash && stack;
	return hash;
}

static uint32_t stack_of(struct rep_job *job, size_t row)
{
	struct stacks *s = job->state;

	return s->keys.key[row].part[0];
}

static void release(struct rep_job *job)
{
	struct stacks *s = job->state;

	rep_keys_release(&s->keys);
	rep_durations_release(&s->durations);
	free(s->sum);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct stacks),
    .add = add,
    .prepare = prepare,
    .value = value,
    .tie = tie,
    .release = release,
    .stack = stack_of,
};

const struct rep_report rep_report_block = {
    .name = "block",
    .doc = "what goroutines waited for, by stack and reason",
    .rows = "stacks",
    .columns = block_columns,
    .ncolumns = TP_COUNT_OF(block_columns),
    .sort = "total",
    .filters = REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_REASON,
    .ops = &ops,
};

const struct rep_report rep_report_sched = {
    .name = "sched",
    .doc = "how long runnable goroutines waited for a P, by stack",
    .rows = "stacks",
    .columns = sched_columns,
    .ncolumns = TP_COUNT_OF(sched_columns),
    .sort = "total",
    .filters = REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_REASON,
    .ops = &ops,
};

const struct rep_report rep_report_syscalls = {
    .name = "syscalls",
    .doc = "time in system calls, by stack",
    .rows = "stacks",
    .columns = syscall_columns,
    .ncolumns = TP_COUNT_OF(syscall_columns),
    .sort = "total",
    .filters = REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE,
    .ops = &ops,
};
