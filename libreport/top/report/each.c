/* task, region: single tasks and regions, how long each took, and where its latency went.
 *
 * Times by state are of the latency (task/explain.h): they add up to it. Those of regions are what
 * Go's summary says of the goroutine while it was in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "base/units.h"
#include "task/spent.h"
#include "top/report.h"

struct eaches {
	char hint[160];
	int64_t *ns; /* of the complete ones */
	size_t n, room;
	int64_t longest;
	bool incomplete, logs, parents; /* there are such */
};

/* The numbers of a row; the two reports have columns of some of them. */
enum number {
	RUN,
	ID,
	TASK,
	PARENT,
	NAME,
	GOROUTINE,
	FUNCTION,
	START,
	LATENCY,
	COMPLETE,
	MOST,
	MOST_SHARE,
	MOST_STATE,
	MOST_REASON,
	MOST_REGION,
	MOST_SUBTASK,
	MOST_STACK,
	MOST_NS,
	RUNNING,
	RUNNABLE,
	BLOCKED,
	SYSCALLS,
	SYSCALL,
	SYSCALL_BLOCKED,
	LOST,
	UNKNOWN,
	CHILDREN,
	REGIONS,
	LOGS,
	GOROUTINES,
	LOG, /* its category */
	STACK,
	MESSAGE,
	ROW,	   /* in its table */
	START_NS,  /* of the run, if it began before */
	EXPLAINED, /* where the latency went has been worked out */
	NNUMBERS
};

#define COLUMN_ID(name_text, title_text, doc_text)                                                 \
	{                                                                                          \
		.column = {.name = (name_text), .title = (title_text), .kind = REP_ID},            \
		.key = (name_text), .doc = (doc_text)                                              \
	}
#define COLUMN_RAW_ID(name_text, cell_kind, doc_text)                                              \
	{                                                                                          \
		.column = {.name = (name_text), .kind = REP_ID, .raw_only = true},                 \
		.cell = (cell_kind), .doc = (doc_text)                                             \
	}
#define COLUMN_TEXT(name_text, title_text, least_cells, drop_rank, doc_text)                       \
	{                                                                                          \
		.column = {.name = (name_text),                                                    \
			   .title = (title_text),                                                  \
			   .kind = REP_TEXT,                                                       \
			   .least = (least_cells),                                                 \
			   .drop = (drop_rank)},                                                   \
		.doc = (doc_text)                                                                  \
	}
#define COLUMN_NUMBER(name_text, title_text, drop_rank, doc_text)                                  \
	{                                                                                          \
		.column = {.name = (name_text),                                                    \
			   .title = (title_text),                                                  \
			   .kind = REP_COUNT,                                                      \
			   .drop = (drop_rank)},                                                   \
		.key = (name_text), .doc = (doc_text)                                              \
	}
/* Worked out for the rows that are shown, unless they are sorted by it. */
#define COLUMN_STATE(name_text, title_text, key_text, drop_rank, doc_text)                         \
	REP_COLUMN_PERCENTILE(name_text, title_text, key_text, drop_rank, doc_text)

#define COLUMNS_MOST(X)                                                                            \
	X(MOST, {.column = {.name = "most",                                                        \
			    .title = "MOST OF IT",                                                 \
			    .kind = REP_TEXT,                                                      \
			    .least = 28,                                                           \
			    .table_only = true},                                                   \
		 .doc = "what took most of the latency"})                                          \
	X(MOST_SHARE, {.column = {.name = "most_share", .kind = REP_SHARE, .raw_only = true},      \
		       .doc = "its share of the latency"})                                         \
	X(MOST_STATE, REP_COLUMN_RAW_TEXT("most_state", REP_CELL_STATE, "in what state"))          \
	X(MOST_REASON,                                                                             \
	  REP_COLUMN_RAW_TEXT("most_reason", REP_CELL_STRING, "why blocked or stopped"))           \
	X(MOST_REGION,                                                                             \
	  REP_COLUMN_RAW_TEXT("most_region", REP_CELL_STRING, "in which region; empty outside"))   \
	X(MOST_SUBTASK,                                                                            \
	  REP_COLUMN_RAW_TEXT("most_subtask", REP_CELL_STRING, "in which type of subtask"))        \
	X(MOST_STACK, REP_COLUMN_RAW_TEXT("most_stack", REP_CELL_STACK, "where, leaf first"))      \
	X(MOST_NS, REP_COLUMN_RAW_NS("most_ns", "how long"))

/* clang-format off */
#define TASK_COLUMNS(X) \
	X(RUN, REP_COLUMN_RUN) \
	X(ID, COLUMN_ID("id", "TASK", "task id, for --task")) \
	X(NAME, {.column = {.name = "name", .title = "TYPE", .kind = REP_TEXT, .least = 10}, .key = "name", .doc = "its type"}) \
	X(START, REP_COLUMN_NS("start_ns", "START", "start", 3, "began, since the run did; nothing if before")) \
	X(LATENCY, REP_COLUMN_NS("latency_ns", "LATENCY", "latency", 0, "from its beginning, or the run's, to its end, or the run's")) \
	X(COMPLETE, {.column = {.name = "complete", .title = "COMPLETE", .kind = REP_BOOL}, .doc = "beginning and end are in the trace"}) \
	COLUMNS_MOST(X) \
	X(RUNNING, COLUMN_STATE("running_ns", "RUNNING", "running", 4, "of the latency: somebody ran for it")) \
	X(SYSCALL, COLUMN_STATE("syscall_ns", "SYSCALL", "syscall", 5, "was in a system call, with a P or without")) \
	X(RUNNABLE, COLUMN_STATE("runnable_ns", "RUNNABLE", "runnable", 5, "waited for a P")) \
	X(BLOCKED, COLUMN_STATE("blocked_ns", "BLOCKED", "blocked", 4, "was blocked")) \
	X(LOST, REP_COLUMN_RAW_NS("lost_ns", "a damaged trace does not say")) \
	X(UNKNOWN, REP_COLUMN_RAW_NS("nobody_ns", "no goroutine is known to work for it")) \
	X(CHILDREN, COLUMN_NUMBER("children", "CHILDREN", 7, "its subtasks, without theirs")) \
	X(REGIONS, COLUMN_NUMBER("regions", "REGIONS", 8, "regions in it")) \
	X(LOGS, COLUMN_NUMBER("logs", "LOGS", 9, "log messages in it")) \
	X(GOROUTINES, COLUMN_NUMBER("goroutines", "GOROUTINES", 9, "goroutines that began a region of it, or it, ended it or logged to it")) \
	X(LOG, COLUMN_TEXT("log", "LAST LOG", 12, 6, "the last message it logged; with --log the first that matches")) \
	X(GOROUTINE, COLUMN_RAW_ID("goroutine", REP_CELL_GOROUTINE, "goroutine that began it")) \
	X(FUNCTION, REP_COLUMN_RAW_TEXT("function", REP_CELL_STRING, "entry function of that goroutine")) \
	X(PARENT, COLUMN_RAW_ID("parent", REP_CELL_NUMBER, "task it is a subtask of, 0 for none")) \
	X(STACK, REP_COLUMN_STACK("where it began, leaf first"))

#define REGION_COLUMNS(X) \
	X(RUN, REP_COLUMN_RUN) \
	X(NAME, {.column = {.name = "name", .title = "REGION", .kind = REP_TEXT, .least = 10}, .key = "name", .doc = "its type"}) \
	X(TASK, COLUMN_ID("task", "TASK", "its task, 0 for none")) \
	X(GOROUTINE, {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID, .drop = 6}, .cell = REP_CELL_GOROUTINE, .key = "goroutine", .doc = "whose it is"}) \
	X(START, REP_COLUMN_NS("start_ns", "START", "start", 3, "began, since the run did; nothing if before")) \
	X(LATENCY, REP_COLUMN_NS("latency_ns", "LATENCY", "latency", 0, "from its beginning, or the run's, to its end, or the run's")) \
	X(COMPLETE, {.column = {.name = "complete", .title = "COMPLETE", .kind = REP_BOOL}, .doc = "beginning and end are in the trace"}) \
	COLUMNS_MOST(X) \
	X(RUNNING, REP_COLUMN_NS("running_ns", "RUNNING", "running", 4, "executing while in it")) \
	X(RUNNABLE, REP_COLUMN_NS("runnable_ns", "RUNNABLE", "runnable", 5, "waiting for a P while in it")) \
	X(BLOCKED, REP_COLUMN_NS("blocked_ns", "BLOCKED", "blocked", 4, "blocked while in it")) \
	X(SYSCALLS, REP_COLUMN_SYSCALLS(5, "in system calls while in it")) \
	X(SYSCALL, REP_COLUMN_RAW_NS("syscall_ns", "in system calls with a P")) \
	X(SYSCALL_BLOCKED, REP_COLUMN_RAW_NS("syscall_blocked_ns", "in system calls without a P")) \
	X(FUNCTION, REP_COLUMN_RAW_TEXT("function", REP_CELL_STRING, "entry function of the goroutine")) \
	X(STACK, REP_COLUMN_STACK("where it began, leaf first"))
/* clang-format on */

#define X(id, ...) __VA_ARGS__,
static const struct rep_report_column task_columns[] = {TASK_COLUMNS(X)};
static const struct rep_report_column region_columns[] = {REGION_COLUMNS(X)};
#undef X
#define X(id, ...) id,
static const uint8_t task_numbers[] = {TASK_COLUMNS(X)};
static const uint8_t region_numbers[] = {REGION_COLUMNS(X)};
#undef X

static bool of_tasks(const struct rep_job *job)
{
	return job->report == &rep_report_task;
}

/* ---- which ---- */

static bool wanted(struct rep_job *job, struct rep_view *v, bool task, uint32_t i)
{
	int64_t start = task ? rep_task_start(&job->tasks, i) : rep_region_start(v, i);
	int64_t end = task ? rep_task_end(&job->tasks, i) : rep_region_end(v, i);
	int64_t goroutine = task ? REP_AT(v, TASK, goroutine, i) : REP_AT(v, REGION, goroutine, i);
	int64_t stack = task ? REP_AT(v, TASK, stack, i) : REP_AT(v, REGION, stack, i);

	return rep_view_overlaps(v, start, end) &&
	       (task ? rep_choose_task(&job->choice, i) : rep_choose_region(&job->choice, i)) &&
	       rep_view_matches(v, goroutine, stack);
}

/* Sets the log that is shown of a task. */
static int take_log(struct rep_job *job, struct rep_view *v, int64_t *row)
{
	const struct rep_tasks *t = &job->tasks;
	uint32_t from = t->first_log[row[ROW]], to = t->first_log[row[ROW] + 1], log;
	int code;

	row[LOG] = TP_NULL;
	if (from == to)
		return 0;
	log = t->log[to - 1];
	for (uint32_t i = from; job->choice.pattern[REP_PICK_LOG].given && i < to; i++) {
		if (rep_choose_log(&job->choice, t->log[i])) {
			log = t->log[i];
			break;
		}
	}
	code = rep_row_string(&row[LOG], v, REP_AT(v, LOG, category, log));
	return code ? code : rep_row_string(&row[MESSAGE], v, REP_AT(v, LOG, message, log));
}

/* Where the latency went is not known yet. */
static int describe_task(struct rep_job *job, struct rep_view *v, int64_t *row)
{
	static const uint8_t explained[] = {RUNNING, RUNNABLE, BLOCKED, SYSCALL, LOST, UNKNOWN};
	const struct rep_tasks *t = &job->tasks;
	uint32_t i = (uint32_t)row[ROW];

	row[ID] = REP_AT(v, TASK, id, i);
	row[PARENT] = REP_AT(v, TASK, parent, i);
	row[START] = REP_AT(v, TASK, start_ns, i);
	row[START_NS] = rep_task_start(t, i);
	row[LATENCY] = tp_minus(rep_task_end(t, i), row[START_NS]);
	row[COMPLETE] = rep_task_complete(t, i);
	row[CHILDREN] = t->children[i];
	row[REGIONS] = REP_AT(v, TASK, regions, i);
	row[LOGS] = REP_AT(v, TASK, logs, i);
	row[GOROUTINES] = REP_AT(v, TASK, goroutines, i);
	for (size_t k = 0; k < TP_COUNT_OF(explained); k++)
		row[explained[k]] = TP_NULL;
	return take_log(job, v, row);
}

static void describe_region(struct rep_view *v, int64_t *row)
{
	uint32_t i = (uint32_t)row[ROW];

	row[TASK] = REP_AT(v, REGION, task, i);
	row[START] = REP_AT(v, REGION, start_ns, i);
	row[START_NS] = rep_region_start(v, i);
	row[LATENCY] = tp_minus(rep_region_end(v, i), row[START_NS]);
	row[COMPLETE] = row[START] != TP_NULL && REP_AT(v, REGION, end_ns, i) != TP_NULL;
	row[RUNNING] = REP_AT(v, REGION, running_ns, i);
	row[RUNNABLE] = REP_AT(v, REGION, runnable_ns, i);
	row[BLOCKED] = REP_AT(v, REGION, blocked_ns, i);
	row[SYSCALL] = row[SYSCALLS] = REP_AT(v, REGION, syscall_ns, i);
	row[SYSCALL_BLOCKED] = REP_AT(v, REGION, syscall_blocked_ns, i);
	tp_sum(&row[SYSCALLS], row[SYSCALL_BLOCKED]);
}

/* Takes what is said of all rows. */
static int count(struct eaches *all, const int64_t *row)
{
	all->incomplete |= !row[COMPLETE];
	all->logs |= row[LOG] != TP_NULL;
	all->parents |= row[CHILDREN] != 0;
	if (!row[COMPLETE])
		return 0;
	if (tp_grow_raw(&all->ns, &all->room, all->n, sizeof(*all->ns)))
		return TP_ENOMEM;
	all->ns[all->n++] = row[LATENCY];
	all->longest = row[LATENCY] > all->longest ? row[LATENCY] : all->longest;
	return 0;
}

static int describe(struct rep_job *job, struct rep_view *v, bool task, uint32_t i)
{
	int64_t goroutine = task ? REP_AT(v, TASK, goroutine, i) : REP_AT(v, REGION, goroutine, i);
	int64_t stack = task ? REP_AT(v, TASK, stack, i) : REP_AT(v, REGION, stack, i);
	int64_t name = task ? REP_AT(v, TASK, name, i) : REP_AT(v, REGION, name, i);
	int64_t *row = rep_job_row(job, v);
	int code = row ? 0 : TP_ENOMEM;

	if (code)
		return code;
	row[ROW] = i;
	row[GOROUTINE] = rep_view_goid(v, goroutine);
	for (int k = MOST_STATE; k <= MOST_NS; k++)
		row[k] = TP_NULL;
	if (task)
		code = describe_task(job, v, row);
	else
		describe_region(v, row);
	if (!code)
		code = rep_row_string(&row[FUNCTION], v, rep_view_entry(v, goroutine));
	if (!code)
		code = rep_row_string(&row[NAME], v, name);
	if (!code)
		code = rep_row_stack(&row[STACK], v, stack);
	return code ? code : count(job->state, row);
}

/* ---- where it went ---- */

/* The number of a state, of tasks. */
static const uint8_t number_of[TP_NSTATES] = {
    [TP_ST_RUNNING] = RUNNING, [TP_ST_RUNNABLE] = RUNNABLE, [TP_ST_WAITING] = BLOCKED,
    [TP_ST_SYSCALL] = SYSCALL, [TP_ST_LOST] = LOST,
};

/* Sets what was spent on the rows, one item each. */
static int take_spent(struct rep_job *job, struct rep_view *v, const struct rep_spent *spent,
		      const uint32_t *rows, uint32_t n)
{
	struct rep_most *most = calloc(n + 1, sizeof(*most));
	int code = most ? rep_most_of(spent, v, most) : TP_ENOMEM;

	for (size_t i = 0; !code && i < n; i++) {
		int64_t *row = rep_job_row_at(job, rows[i]);

		for (int s = 0; s < TP_NSTATES && of_tasks(job); s++)
			if (number_of[s])
				row[number_of[s]] = 0;
		row[UNKNOWN] = 0;
		if (most[i].ns <= 0)
			continue;
		row[MOST_STATE] = most[i].state;
		row[MOST_REASON] = most[i].reason;
		row[MOST_REGION] = most[i].region;
		row[MOST_SUBTASK] = most[i].type;
		row[MOST_STACK] = most[i].stack;
		row[MOST_NS] = most[i].ns;
	}
	for (size_t i = 0; !code && of_tasks(job) && i < spent->at.n; i++) {
		const struct rep_spent_cell *cell = &spent->cell[i];
		const uint32_t *what = spent->what.key[cell->what].part;
		int64_t *row = rep_job_row_at(job, rows[cell->item]);

		if (what[0] == TP_NONE)
			tp_sum(&row[UNKNOWN], cell->ns);
		else if (what[1] < TP_NSTATES && number_of[what[1]])
			tp_sum(&row[number_of[what[1]]], cell->ns);
	}
	free(most);
	return code;
}

/* Works out where the latency of these rows of one run went. */
static int explain(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		   struct tp_err *err)
{
	struct rep_item *item = calloc(n + 1, sizeof(*item));
	uint32_t *mine = calloc(n + 1, sizeof(*mine)), nitems = 0;
	struct rep_workers workers = {0};
	struct rep_spent spent = {.workers = &workers};
	int code = item && mine ? 0 : TP_ENOMEM;

	for (size_t i = 0; !code && i < n; i++) {
		int64_t *row = rep_job_row_at(job, rows[i]);

		if (row[NNUMBERS] != (int64_t)v->index || row[EXPLAINED])
			continue;
		row[EXPLAINED] = true;
		item[nitems] =
		    (struct rep_item){row[START_NS], tp_plus(row[START_NS], row[LATENCY])};
		mine[nitems] = rows[i];
		code = of_tasks(job)
			   ? rep_workers_of_task(&workers, &job->tasks, (uint32_t)row[ROW], nitems,
						 &item[nitems])
			   : rep_workers_of_region(&workers, &job->tasks, (uint32_t)row[ROW],
						   nitems, &item[nitems]);
		nitems++;
	}
	if (code)
		rep_job_fail(err, code);
	else
		code = rep_explain(v, item, nitems, workers.worker, workers.n, rep_spent_put,
				   &spent, err);
	if (!code && (code = take_spent(job, v, &spent, mine, nitems)))
		rep_job_fail(err, code);
	rep_spent_release(&spent);
	rep_workers_release(&workers);
	free(item);
	free(mine);
	return code;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct eaches *all = job->state;
	bool task = of_tasks(job);
	size_t before = job->nrows, n;
	uint32_t *rows;
	int code = rep_job_tasks(job, v, err);

	if (!code && !task)
		code = rep_view_load(v, TP_TABLE_REGION,
				     REP_BIT(REGION, running_ns) | REP_BIT(REGION, runnable_ns) |
					 REP_BIT(REGION, blocked_ns) | REP_BIT(REGION, syscall_ns) |
					 REP_BIT(REGION, syscall_blocked_ns),
				     err);
	if (code)
		return code;
	n = task ? job->tasks.n : v->nrows[TP_TABLE_REGION];
	for (uint32_t i = 0; !code && i < n; i++) {
		if (!wanted(job, v, task, i))
			continue;
		code = describe(job, v, task, i);
		code = code ? rep_job_fail(err, code) : rep_job_trim(job, v, err);
	}
	if (code)
		return code;
	n = job->nrows - before;
	if (!n && !all->hint[0])
		rep_pick_hint(v, !task, all->hint, sizeof(all->hint));
	if (!job->every || !n)
		return 0;
	rows = calloc(n, sizeof(*rows));
	if (!rows)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < n; i++)
		rows[i] = (uint32_t)(before + i);
	code = explain(job, v, rows, n, err);
	free(rows);
	return code;
}

static int prepare(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		   struct tp_err *err)
{
	return job->every ? 0 : explain(job, v, rows, n, err);
}

/* "600 complete: p50 2.79ms, p90 7.55ms, p99 27.6ms, max 32.3ms" */
static void put_note(struct rep_job *job)
{
	const struct eaches *all = job->state;
	char p50[TP_UNITS_SIZE], p90[TP_UNITS_SIZE], p99[TP_UNITS_SIZE], max[TP_UNITS_SIZE];
	size_t n = all->n, rows = job->nrows + job->dropped;
	struct rep_percentiles p;

	if (rows == 1)
		return;
	if (!job->nrows) {
		snprintf(job->note, sizeof(job->note), "%s", all->hint);
		return;
	}
	if (!n)
		return;
	rep_percentiles_of(all->ns, n, &p);
	snprintf(job->note, sizeof(job->note),
		 "%zu complete, %zu not: p50 %s, p90 %s, p99 %s, max %s; exact", n, rows - n,
		 tp_fmt_ns(p50, p.ns[REP_P50]), tp_fmt_ns(p90, p.ns[REP_P90]),
		 tp_fmt_ns(p99, p.ns[REP_P99]), tp_fmt_ns(max, all->longest));
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	const struct eaches *all = job->state;

	(void)err;
	for (size_t c = 0; c < job->report->ncolumns; c++) {
		uint8_t number = job->report->number[c];

		if ((number == COMPLETE && !all->incomplete) || (number == LOG && !all->logs) ||
		    (number == CHILDREN && !all->parents))
			job->hidden |= UINT64_C(1) << c;
	}
	put_note(job);
	return 0;
}

/* ---- what is shown ---- */

/* "51% sync in decode" */
static struct rep_value most_text(struct rep_job *job, const int64_t *row)
{
	double share = row[LATENCY] > 0 ? (double)row[MOST_NS] / (double)row[LATENCY] : 0;
	struct rep_value place =
	    rep_job_place(job, (unsigned)row[MOST_STATE], (uint32_t)row[MOST_REASON],
			  (uint32_t)row[MOST_SUBTASK], (uint32_t)row[MOST_REGION]);
	char percent[16];
	const struct tp_text parts[] = {
	    {percent, (uint32_t)snprintf(percent, sizeof(percent), "%.0f%% ", share * 100)},
	    {place.text.data, (uint32_t)place.text.size},
	};

	return rep_is_lack(place) ? place : rep_texts_join(&job->texts, parts, 2);
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const int64_t *numbers = rep_job_row_at(job, row);
	enum number number = job->report->number[column];

	switch (number) {
	case NAME:
		return rep_texts_string(&job->texts, (uint32_t)numbers[NAME],
					!of_tasks(job) ? "(inherited)"
					: numbers[ID]  ? "(no name)"
						       : "(background)");
	case MOST:
		return numbers[MOST_NS] == TP_NULL ? rep_null() : most_text(job, numbers);
	case MOST_SHARE:
		return numbers[MOST_NS] == TP_NULL ? rep_null()
						   : rep_share(numbers[MOST_NS], numbers[LATENCY]);
	case LOG:
		return numbers[LOG] == TP_NULL ? rep_null()
					       : rep_texts_log(&job->texts, (uint32_t)numbers[LOG],
							       (uint32_t)numbers[MESSAGE]);
	default:
		return rep_job_cell(job, row, column);
	}
}

static void release(struct rep_job *job)
{
	struct eaches *all = job->state;

	free(all->ns);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct eaches),
    .add = add,
    .finish = finish,
    .prepare = prepare,
    .value = value,
    .release = release,
};

const struct rep_report rep_report_task = {
    .name = "task",
    .doc = "single user tasks: latency, and where it went",
    .rows = "tasks",
    .columns = task_columns,
    .ncolumns = TP_COUNT_OF(task_columns),
    .number = task_numbers,
    .numbers = NNUMBERS,
    .sort = "latency",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_TASK | REP_BY_LATENCY |
	       REP_BY_LOG | REP_BY_EACH,
    .ops = &ops,
};

const struct rep_report rep_report_region = {
    .name = "region",
    .doc = "single user regions: latency, and where it went",
    .rows = "regions",
    .columns = region_columns,
    .ncolumns = TP_COUNT_OF(region_columns),
    .number = region_numbers,
    .numbers = NNUMBERS,
    .sort = "latency",
    .filters =
	REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_TASK | REP_BY_LATENCY | REP_BY_EACH,
    .ops = &ops,
};
