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
#include "task/choose.h"
#include "task/spent.h"
#include "top/report.h"

struct each {
	int64_t id, parent; /* ids of tasks; of a region: its task */
	int64_t start_ns, ns, goroutine, children, regions, logs, goroutines;
	uint32_t row;					/* in its table */
	uint32_t run;					/* index in job->runs */
	uint32_t name, entry, stack, category, message; /* of the common dictionary */
	bool complete, starts, told, explained;
	int64_t state_ns[TP_NSTATES], unknown_ns;
	struct rep_most most; /* what took most of it */
};

struct eaches {
	struct each *each;
	size_t room, n;
	struct rep_pick choice;
	struct rep_tasks tasks; /* of the last run */
	char hint[160];
	int64_t *ns; /* of the complete ones */
};

enum what {
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
	LOG,
	STACK,
};

#define COLUMN_ID(name_text, title_text, doc_text)                                                 \
	{                                                                                          \
		.column = {.name = (name_text), .title = (title_text), .kind = REP_ID},            \
		.key = (name_text), .doc = (doc_text)                                              \
	}
#define COLUMN_RAW_ID(name_text, doc_text)                                                         \
	{                                                                                          \
		.column = {.name = (name_text), .kind = REP_ID, .raw_only = true},                 \
		.doc = (doc_text)                                                                  \
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
	X(MOST_STATE, REP_COLUMN_RAW_TEXT("most_state", "in what state"))                          \
	X(MOST_REASON, REP_COLUMN_RAW_TEXT("most_reason", "why blocked or stopped"))               \
	X(MOST_REGION, REP_COLUMN_RAW_TEXT("most_region", "in which region; empty outside"))       \
	X(MOST_SUBTASK, REP_COLUMN_RAW_TEXT("most_subtask", "in which type of subtask"))           \
	X(MOST_STACK, REP_COLUMN_RAW_TEXT("most_stack", "where, leaf first"))                      \
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
	X(GOROUTINE, COLUMN_RAW_ID("goroutine", "goroutine that began it")) \
	X(FUNCTION, REP_COLUMN_RAW_TEXT("function", "entry function of that goroutine")) \
	X(PARENT, COLUMN_RAW_ID("parent", "task it is a subtask of, 0 for none")) \
	X(STACK, REP_COLUMN_STACK("where it began, leaf first"))

#define REGION_COLUMNS(X) \
	X(RUN, REP_COLUMN_RUN) \
	X(NAME, {.column = {.name = "name", .title = "REGION", .kind = REP_TEXT, .least = 10}, .key = "name", .doc = "its type"}) \
	X(TASK, COLUMN_ID("task", "TASK", "its task, 0 for none")) \
	X(GOROUTINE, {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID, .drop = 6}, .key = "goroutine", .doc = "whose it is"}) \
	X(START, REP_COLUMN_NS("start_ns", "START", "start", 3, "began, since the run did; nothing if before")) \
	X(LATENCY, REP_COLUMN_NS("latency_ns", "LATENCY", "latency", 0, "from its beginning, or the run's, to its end, or the run's")) \
	X(COMPLETE, {.column = {.name = "complete", .title = "COMPLETE", .kind = REP_BOOL}, .doc = "beginning and end are in the trace"}) \
	COLUMNS_MOST(X) \
	X(RUNNING, REP_COLUMN_NS("running_ns", "RUNNING", "running", 4, "executing while in it")) \
	X(RUNNABLE, REP_COLUMN_NS("runnable_ns", "RUNNABLE", "runnable", 5, "waiting for a P while in it")) \
	X(BLOCKED, REP_COLUMN_NS("blocked_ns", "BLOCKED", "blocked", 4, "blocked while in it")) \
	X(SYSCALLS, {.column = {.name = "syscalls_ns", .title = "SYSCALL", .kind = REP_NS, .table_only = true, .drop = 5}, .key = "syscall", .doc = "in system calls while in it"}) \
	X(SYSCALL, REP_COLUMN_RAW_NS("syscall_ns", "in system calls with a P")) \
	X(SYSCALL_BLOCKED, REP_COLUMN_RAW_NS("syscall_blocked_ns", "in system calls without a P")) \
	X(FUNCTION, REP_COLUMN_RAW_TEXT("function", "entry function of the goroutine")) \
	X(STACK, REP_COLUMN_STACK("where it began, leaf first"))
/* clang-format on */

#define X(id, ...) __VA_ARGS__,
static const struct rep_report_column task_columns[] = {TASK_COLUMNS(X)};
static const struct rep_report_column region_columns[] = {REGION_COLUMNS(X)};
#undef X
#define X(id, ...) id,
static const uint8_t task_what[] = {TASK_COLUMNS(X)};
static const uint8_t region_what[] = {REGION_COLUMNS(X)};
#undef X

static bool of_tasks(const struct rep_job *job)
{
	return job->report == &rep_report_task;
}

static int begin(struct rep_job *job, struct tp_err *err)
{
	struct eaches *all = job->state;

	return rep_top_pick(&all->choice, job->opt, err);
}

/* ---- which ---- */

static bool wanted(struct eaches *all, struct rep_view *v, bool task, uint32_t i)
{
	int64_t start = task ? rep_task_start(&all->tasks, i) : rep_region_start(v, i);
	int64_t end = task ? rep_task_end(&all->tasks, i) : rep_region_end(v, i);
	int64_t goroutine = (task ? REP_COL(v, TASK, goroutine) : REP_COL(v, REGION, goroutine))[i];
	int64_t stack = (task ? REP_COL(v, TASK, stack) : REP_COL(v, REGION, stack))[i];

	return rep_view_overlaps(v, start, end) &&
	       (task ? rep_choose_task(&all->choice, i) : rep_choose_region(&all->choice, i)) &&
	       rep_view_match_goroutine(v, goroutine) &&
	       rep_match_frames(&v->match, rep_view_entry(v, goroutine), (uint32_t)stack);
}

/* The log that is shown of a task. */
static int take_log(struct eaches *all, struct rep_view *v, struct each *e)
{
	const struct rep_tasks *t = &all->tasks;
	uint32_t from = t->first_log[e->row], to = t->first_log[e->row + 1], log;
	int code;

	if (from == to)
		return 0;
	log = t->log[to - 1];
	for (uint32_t i = from; all->choice.pattern[REP_PICK_LOG].given && i < to; i++) {
		if (rep_choose_log(&all->choice, t->log[i])) {
			log = t->log[i];
			break;
		}
	}
	e->told = true;
	code = rep_view_string(v, (uint32_t)REP_COL(v, LOG, category)[log], &e->category);
	return code ? code
		    : rep_view_string(v, (uint32_t)REP_COL(v, LOG, message)[log], &e->message);
}

static int describe_task(struct eaches *all, struct rep_view *v, struct each *e)
{
	const struct rep_tasks *t = &all->tasks;
	uint32_t i = e->row;

	e->id = REP_COL(v, TASK, id)[i];
	e->parent = REP_COL(v, TASK, parent)[i];
	e->starts = REP_COL(v, TASK, start_ns)[i] != TP_NULL;
	e->start_ns = rep_task_start(t, i);
	e->ns = tp_minus(rep_task_end(t, i), e->start_ns);
	e->complete = rep_task_complete(t, i);
	e->children = t->children[i];
	e->regions = REP_COL(v, TASK, regions)[i];
	e->logs = REP_COL(v, TASK, logs)[i];
	e->goroutines = REP_COL(v, TASK, goroutines)[i];
	return take_log(all, v, e);
}

static void describe_region(struct rep_view *v, struct each *e)
{
	uint32_t i = e->row;

	e->id = REP_COL(v, REGION, task)[i];
	e->starts = REP_COL(v, REGION, start_ns)[i] != TP_NULL;
	e->start_ns = rep_region_start(v, i);
	e->ns = tp_minus(rep_region_end(v, i), e->start_ns);
	e->complete = e->starts && REP_COL(v, REGION, end_ns)[i] != TP_NULL;
	e->state_ns[TP_ST_RUNNING] = REP_COL(v, REGION, running_ns)[i];
	e->state_ns[TP_ST_RUNNABLE] = REP_COL(v, REGION, runnable_ns)[i];
	e->state_ns[TP_ST_WAITING] = REP_COL(v, REGION, blocked_ns)[i];
	e->state_ns[TP_ST_SYSCALL] = REP_COL(v, REGION, syscall_ns)[i];
	e->state_ns[TP_ST_SYSCALL_BLOCKED] = REP_COL(v, REGION, syscall_blocked_ns)[i];
}

static int describe(struct eaches *all, struct rep_view *v, bool task, struct each *e)
{
	uint32_t i = e->row;
	int64_t goroutine = (task ? REP_COL(v, TASK, goroutine) : REP_COL(v, REGION, goroutine))[i];
	int64_t stack = (task ? REP_COL(v, TASK, stack) : REP_COL(v, REGION, stack))[i];
	int64_t name = (task ? REP_COL(v, TASK, name) : REP_COL(v, REGION, name))[i];
	int code = 0;

	e->run = (uint32_t)v->index;
	e->goroutine = TP_NULL;
	if (goroutine >= 0 && (uint64_t)goroutine < v->nrows[TP_TABLE_GOROUTINE])
		e->goroutine = REP_COL(v, GOROUTINE, id)[goroutine];
	if (task)
		code = describe_task(all, v, e);
	else
		describe_region(v, e);
	if (!code)
		code = rep_view_string(v, rep_view_entry(v, goroutine), &e->entry);
	if (!code)
		code = rep_view_string(v, (uint32_t)name, &e->name);
	return code ? code : rep_view_stack(v, (uint32_t)stack, &e->stack);
}

/* ---- where it went ---- */

/* What was spent on the rows, one item each. */
static int take_spent(struct eaches *all, struct rep_view *v, const struct rep_spent *spent,
		      const uint32_t *rows, uint32_t n, bool task)
{
	struct rep_most *most = calloc(n + 1, sizeof(*most));
	int code = most ? rep_most_of(spent, v, most) : TP_ENOMEM;

	for (size_t i = 0; !code && i < n; i++)
		all->each[rows[i]].most = most[i];
	for (size_t i = 0; !code && task && i < spent->at.n; i++) {
		const struct rep_spent_cell *cell = &spent->cell[i];
		const uint32_t *what = spent->what.key[cell->what].part;
		struct each *e = &all->each[rows[cell->item]];

		if (what[0] == TP_NONE)
			tp_sum(&e->unknown_ns, cell->ns);
		else if (what[1] < TP_NSTATES)
			tp_sum(&e->state_ns[what[1]], cell->ns);
	}
	free(most);
	return code;
}

/* Works out where the latency of these rows of one run went. */
static int explain(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		   struct tp_err *err)
{
	struct eaches *all = job->state;
	struct rep_item *item = calloc(n + 1, sizeof(*item));
	uint32_t *mine = calloc(n + 1, sizeof(*mine)), nitems = 0;
	struct rep_workers workers = {0};
	struct rep_spent spent = {.workers = &workers};
	bool task = of_tasks(job);
	int code = item && mine ? 0 : TP_ENOMEM;

	for (size_t i = 0; !code && i < n; i++) {
		struct each *e = &all->each[rows[i]];

		if (e->run != v->index || e->explained)
			continue;
		e->explained = true;
		item[nitems] = (struct rep_item){e->start_ns, tp_plus(e->start_ns, e->ns)};
		mine[nitems] = rows[i];
		if (task)
			code = rep_workers_of_task(&workers, &all->tasks, e->row, nitems,
						   &item[nitems]);
		else
			code = rep_workers_of_region(&workers, &all->tasks, e->row, nitems,
						     &item[nitems]);
		nitems++;
	}
	if (code)
		rep_job_fail(err, code);
	else
		code = rep_explain(v, item, nitems, workers.worker, workers.n, rep_spent_put,
				   &spent, err);
	if (!code && (code = take_spent(all, v, &spent, mine, nitems, task)))
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
	size_t before = all->n, n;
	int code;

	rep_tasks_release(&all->tasks);
	code = rep_tasks_init(&all->tasks, v, err);
	if (!code)
		code = rep_pick_run(&all->choice, &all->tasks, err);
	if (code)
		return code;
	n = task ? all->tasks.n : v->nrows[TP_TABLE_REGION];
	for (uint32_t i = 0; !code && i < n; i++) {
		struct each *e;

		if (!wanted(all, v, task, i))
			continue;
		code = tp_grow(&all->each, &all->room, all->n, sizeof(*all->each));
		if (code)
			break;
		e = &all->each[all->n++];
		e->row = i;
		code = describe(all, v, task, e);
	}
	if (code)
		return rep_job_fail(err, code);
	job->nrows = all->n;
	if (all->n == before && !all->hint[0])
		rep_pick_hint(v, !task, all->hint, sizeof(all->hint));
	if (job->every && all->n > before) {
		uint32_t *rows = calloc(all->n - before, sizeof(*rows));

		for (size_t i = before; rows && i < all->n; i++)
			rows[i - before] = (uint32_t)i;
		code = rows ? explain(job, v, rows, all->n - before, err)
			    : rep_job_fail(err, TP_ENOMEM);
		free(rows);
	}
	return code;
}

static int prepare(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		   struct tp_err *err)
{
	return job->every ? 0 : explain(job, v, rows, n, err);
}

/* "600 complete: p50 2.79ms, p90 7.55ms, p99 27.6ms, max 32.3ms" */
static int put_note(struct rep_job *job, struct tp_err *err)
{
	struct eaches *all = job->state;
	char p50[TP_UNITS_SIZE], p90[TP_UNITS_SIZE], p99[TP_UNITS_SIZE], max[TP_UNITS_SIZE];
	struct rep_percentiles p;
	int64_t longest = 0;
	size_t n = 0;

	if (all->n == 1)
		return 0;
	if (!all->n) {
		snprintf(job->note, sizeof(job->note), "%s", all->hint);
		return 0;
	}
	all->ns = tp_many(all->n, sizeof(*all->ns));
	if (!all->ns)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < all->n; i++) {
		if (!all->each[i].complete)
			continue;
		all->ns[n++] = all->each[i].ns;
		longest = all->each[i].ns > longest ? all->each[i].ns : longest;
	}
	if (!n)
		return 0;
	rep_percentiles_of(all->ns, n, &p);
	snprintf(job->note, sizeof(job->note),
		 "%zu complete, %zu not: p50 %s, p90 %s, p99 %s, max %s; exact", n, all->n - n,
		 tp_fmt_ns(p50, p.ns[REP_P50]), tp_fmt_ns(p90, p.ns[REP_P90]),
		 tp_fmt_ns(p99, p.ns[REP_P99]), tp_fmt_ns(max, longest));
	return 0;
}

static void hide(struct rep_job *job, enum what what)
{
	const uint8_t *all = of_tasks(job) ? task_what : region_what;

	for (size_t i = 0; i < job->report->ncolumns; i++)
		job->hidden |= all[i] == what ? UINT64_C(1) << i : 0;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	const struct eaches *all = job->state;
	bool complete = true, parents = false, logs = false;

	for (size_t i = 0; i < all->n; i++) {
		complete = complete && all->each[i].complete;
		parents = parents || all->each[i].children;
		logs = logs || all->each[i].told;
	}
	if (complete)
		hide(job, COMPLETE);
	if (!parents)
		hide(job, CHILDREN);
	if (!logs)
		hide(job, LOG);
	return put_note(job, err);
}

/* ---- what is shown ---- */

static struct rep_value log_text(struct rep_job *job, const struct each *e)
{
	struct tp_text category = tp_dict_text(job->texts.dict, e->category);
	struct tp_text message = tp_dict_text(job->texts.dict, e->message);
	char *text;

	if (!e->told)
		return rep_null();
	if (!category.size)
		return rep_text(message.text, message.size);
	text = tp_arena_alloc(&job->texts.arena, (size_t)category.size + message.size + 3);
	if (!text)
		return rep_lack();
	memcpy(text, category.text, category.size);
	memcpy(text + category.size, ": ", 2);
	memcpy(text + category.size + 2, message.text, message.size);
	return rep_text(text, (size_t)category.size + 2 + message.size);
}

static struct rep_value most_text(struct rep_job *job, const struct each *e)
{
	double share = e->ns > 0 ? (double)e->most.ns / (double)e->ns : 0;
	struct rep_value place =
	    rep_job_place(job, e->most.state, e->most.reason, e->most.type, e->most.region);
	char *text;
	int n;

	if (!e->explained || e->most.ns <= 0)
		return rep_null();
	text = tp_arena_alloc(&job->texts.arena, place.text.size + 16);
	if (!text)
		return rep_lack();
	n = snprintf(text, 16, "%.0f%% ", share * 100);
	memcpy(text + n, place.text.data, place.text.size);
	return rep_text(text, (size_t)n + place.text.size);
}

static struct rep_value most(struct rep_job *job, const struct each *e, enum what what)
{
	if (!e->explained || e->most.ns <= 0)
		return rep_null();
	switch (what) {
	case MOST:
		return most_text(job, e);
	case MOST_SHARE:
		return rep_share(e->most.ns, e->ns);
	case MOST_STATE:
		return rep_str(e->most.state ? rep_state_name(e->most.state) : "nobody");
	case MOST_REASON:
		return rep_texts_string(&job->texts, e->most.reason, "");
	case MOST_REGION:
		return rep_texts_string(&job->texts, e->most.region, "");
	case MOST_SUBTASK:
		return rep_texts_string(&job->texts, e->most.type, "");
	case MOST_STACK:
		return rep_stack_names(&job->texts, e->most.stack);
	default:
		return rep_int(e->most.ns);
	}
}

static struct rep_value of_state(struct rep_job *job, const struct each *e, unsigned state)
{
	return of_tasks(job) && !e->explained ? rep_null() : rep_int(e->state_ns[state]);
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	struct eaches *all = job->state;
	const struct each *e = &all->each[row];
	bool task = of_tasks(job);
	enum what what = (task ? task_what : region_what)[column];

	switch (what) {
	case RUN:
		return rep_str(job->runs[e->run].row.name);
	case ID:
	case TASK:
		return rep_int(e->id);
	case PARENT:
		return rep_int(e->parent);
	case NAME:
		return rep_texts_string(&job->texts, e->name,
					!task	? "(inherited)"
					: e->id ? "(no name)"
						: "(background)");
	case GOROUTINE:
		return rep_job_goroutine(job, e->run, e->goroutine);
	case FUNCTION:
		return rep_texts_string(&job->texts, e->entry, "");
	case START:
		return e->starts ? rep_int(e->start_ns) : rep_null();
	case LATENCY:
		return rep_int(e->ns);
	case COMPLETE:
		return rep_int(e->complete);
	case RUNNING:
		return of_state(job, e, TP_ST_RUNNING);
	case RUNNABLE:
		return of_state(job, e, TP_ST_RUNNABLE);
	case BLOCKED:
		return of_state(job, e, TP_ST_WAITING);
	case SYSCALLS:
		return rep_int(rep_states_syscall(e->state_ns));
	case SYSCALL:
		return of_state(job, e, TP_ST_SYSCALL);
	case SYSCALL_BLOCKED:
		return of_state(job, e, TP_ST_SYSCALL_BLOCKED);
	case LOST:
		return of_state(job, e, TP_ST_LOST);
	case UNKNOWN:
		return e->explained ? rep_int(e->unknown_ns) : rep_null();
	case CHILDREN:
		return rep_int(e->children);
	case REGIONS:
		return rep_int(e->regions);
	case LOGS:
		return rep_int(e->logs);
	case GOROUTINES:
		return rep_int(e->goroutines);
	case LOG:
		return log_text(job, e);
	case STACK:
		return rep_stack_names(&job->texts, e->stack);
	default:
		return most(job, e, what);
	}
}

static void release(struct rep_job *job)
{
	struct eaches *all = job->state;

	rep_tasks_release(&all->tasks);
	rep_pick_release(&all->choice);
	free(all->each);
	free(all->ns);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct eaches),
    .begin = begin,
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
    .sort = "latency",
    .filters =
	REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_TASK | REP_BY_LATENCY | REP_BY_EACH,
    .ops = &ops,
};
