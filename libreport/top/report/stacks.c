/* block, sched, syscalls: durations of spans by where they came from.
 *
 * The three differ in the states they look at and in what, beside the stack, makes a row:
 *
 *   block     Waiting                  stack where it blocked, reason
 *   sched     Runnable                 stack that made it runnable, why it had stopped
 *   syscalls  Syscall, SyscallBlocked  stack that entered the call, state */
#include "base/many.h"
#include "top/report.h"

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

#define COLUMNS(kind_name, kind_title, kind_cell, kind_doc, count_doc, total_doc, share_doc,       \
		stack_doc)                                                                         \
	{                                                                                          \
		[COLUMN_WHERE] = {.column = {.name = "where",                                      \
					     .title = "WHERE",                                     \
					     .kind = REP_TEXT,                                     \
					     .shorten = REP_SHORTEN_WHERE,                         \
					     .least = 32,                                          \
					     .table_only = true},                                  \
				  .cell = REP_CELL_WHERE,                                          \
				  .doc = "function and callers, no runtime but the collector"},    \
		[COLUMN_FUNCTION] = REP_COLUMN_RAW_TEXT("function", REP_CELL_FUNCTION,             \
							"innermost function outside the runtime"), \
		[COLUMN_LOCATION] =                                                                \
		    REP_COLUMN_RAW_TEXT("location", REP_CELL_LOCATION, "its file and line"),       \
		[COLUMN_STACK] = REP_COLUMN_STACK(stack_doc),                                      \
		[COLUMN_KIND] = {.column = {.name = (kind_name),                                   \
					    .title = (kind_title),                                 \
					    .kind = REP_TEXT},                                     \
				 .cell = (kind_cell),                                              \
				 .key = (kind_name),                                               \
				 .doc = (kind_doc)},                                               \
		[COLUMN_COUNT] = REP_COLUMN_COUNT(count_doc),                                      \
		[COLUMN_TOTAL] = REP_COLUMN_NS("total_ns", "TOTAL", "total", 0, total_doc),        \
		[COLUMN_SHARE] = REP_COLUMN_SHARE(1, share_doc), REP_COLUMNS_DISTRIBUTION,         \
		REP_COLUMN_EXACT,                                                                  \
	}

static const struct rep_report_column block_columns[] = COLUMNS(
    "reason", "REASON", REP_CELL_ENTRY, "what it waited for, as Go names it", "times blocked",
    "time blocked", "of all blocked time here", "where it blocked, leaf first");
static const struct rep_report_column sched_columns[] = COLUMNS(
    "reason", "STOPPED BY", REP_CELL_STRING, "why it had stopped; empty when created or woken",
    "times it became runnable", "time it waited for a P", "of all scheduling latency here",
    "what made it runnable, leaf first");
static const struct rep_report_column syscall_columns[] = COLUMNS(
    "state", "STATE", REP_CELL_STATE, "syscall: with a P; syscall-blocked: after the P was taken",
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

/* The latency of the scheduler is one number, whoever woke the goroutines. */
static bool says_total(const struct rep_job *job)
{
	return job->report == &rep_report_sched;
}

struct adding {
	struct rep_job *job;
	struct rep_view *v;
	uint32_t states;
};

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct adding *a = ctx;
	bool calls = a->job->report == &rep_report_syscalls;
	uint32_t stack, reason = 0, index;
	int64_t *row;
	int code;

	if (!(a->states >> part->state & 1))
		return 0;
	code = rep_view_stack(a->v, part->stack, &stack);
	if (!code && !calls)
		code = rep_view_string(a->v, part->reason, &reason);
	if (!code)
		code = rep_job_key(a->job, a->v, stack, reason, calls ? part->state : 0, &index);
	if (!code)
		code = rep_durations_put(a->job, index, part);
	if (code)
		return rep_job_fail(err, code);
	row = rep_job_row_at(a->job, index);
	row[COLUMN_WHERE] = row[COLUMN_FUNCTION] = row[COLUMN_LOCATION] = row[COLUMN_STACK] = stack;
	row[COLUMN_KIND] = calls ? part->state : reason;
	return 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct adding a = {.job = job, .v = v, .states = states_of(job->report)};
	int code = rep_durations_begin(job, v, err);

	job->every |= says_total(job);
	if (!code)
		code = rep_parts_each(v, REP_PARTS_DURATIONS, on_part, &a, err);
	return code ? code : rep_durations_end(job, v, err);
}

static int prepare(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		   struct tp_err *err)
{
	int code = rep_durations_prepare(job, v, rows, n, err);

	return code || !says_total(job) ? code : rep_durations_say(job, err);
}

/* Returns whether no goroutine made those of a row of sched runnable: they have no stack although
 * the trace has lost nothing, and did not stop by themselves. */
static bool has_no_waker(const struct rep_job *job, const int64_t *row)
{
	for (size_t i = 0; i < job->nruns; i++)
		if (job->runs[i].losses)
			return false;
	return says_total(job) && !row[COLUMN_STACK] &&
	       !tp_dict_text(job->texts.dict, (uint32_t)row[COLUMN_KIND]).size;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	if (column == COLUMN_WHERE && has_no_waker(job, rep_job_row_at(job, row)))
		return rep_str("network, timer or runtime");
	if (column < COLUMN_COUNT)
		return rep_job_cell(job, row, column);
	return rep_durations_value(job, row, job->durations.total_ns,
				   (enum rep_sum_column)(column - COLUMN_COUNT));
}

static uint32_t stack_of(struct rep_job *job, size_t row)
{
	return (uint32_t)rep_job_row_at(job, row)[COLUMN_STACK];
}

static uint64_t tie(struct rep_job *job, size_t row)
{
	uint32_t stack = stack_of(job, row);
	uint64_t hash = tp_dict_stack_hash(job->texts.dict, stack);

	job->lack |= !hash && stack;
	return hash;
}

static const struct rep_report_ops ops = {
    .add = add,
    .prepare = prepare,
    .value = value,
    .tie = tie,
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
