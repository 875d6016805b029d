/* story: tasks with their subtasks, regions and logs, in order. These are the events that Go's tool
 * lists of a task; beginning and end are one row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "task/choose.h"
#include "task/workers.h"
#include "top/report.h"

enum kind { KIND_TASK, KIND_REGION, KIND_INHERITED, KIND_LOG };

static const char *const kind_names[] = {"task", "region", "inherited", "log"};

struct line {
	int64_t ts_ns, took_ns; /* took_ns: TP_NULL for a moment */
	int64_t into_ns;	/* since the task that was asked for began */
	int64_t task, goroutine;
	uint32_t index; /* of the goroutine */
	uint32_t name, message, entry, stack;
	uint32_t depth;
	uint32_t up; /* row + 1 of the region around it */
	uint8_t kind;
	bool starts, ends;
};

struct story {
	struct line *line;
	size_t n, room;
	struct rep_pick choice;
};

enum {
	COLUMN_TIME,
	COLUMN_INTO,
	COLUMN_TOOK,
	COLUMN_GOROUTINE,
	COLUMN_WHAT,
	COLUMN_KIND,
	COLUMN_TASK,
	COLUMN_NAME,
	COLUMN_MESSAGE,
	COLUMN_DEPTH,
	COLUMN_STARTS,
	COLUMN_ENDS,
	COLUMN_FUNCTION,
	COLUMN_STACK,
	NCOLUMNS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_TIME] = REP_COLUMN_NS("ts_ns", "TIME", "time", 0, "when, since the run began"),
    [COLUMN_INTO] = REP_COLUMN_NS("into_ns", "INTO TASK", "into", 0,
				  "when, since the task that was asked for began"),
    [COLUMN_TOOK] = REP_COLUMN_NS("took_ns", "TOOK", "took", 0,
				  "to its end, or that of the run; nothing for a log"),
    [COLUMN_GOROUTINE] = {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID},
			  .key = "goroutine",
			  .doc = "whose it is"},
    [COLUMN_WHAT] =
	{.column = {.name = "what", .title = "WHAT", .kind = REP_TEXT, .table_only = true},
	 .doc = "task, region or log, indented by what it is in"},
    [COLUMN_KIND] = REP_COLUMN_RAW_TEXT("kind", "task, region, inherited or log"),
    [COLUMN_TASK] = {.column = {.name = "task", .kind = REP_ID, .raw_only = true},
		     .key = "task",
		     .doc = "id of the task it belongs to"},
    [COLUMN_NAME] = REP_COLUMN_RAW_TEXT("name", "type of the task or region, category of the log"),
    [COLUMN_MESSAGE] = REP_COLUMN_RAW_TEXT("message", "text of the log"),
    [COLUMN_DEPTH] = {.column = {.name = "depth", .kind = REP_COUNT, .raw_only = true},
		      .doc = "how many are around it"},
    [COLUMN_STARTS] = {.column = {.name = "begins", .kind = REP_BOOL, .raw_only = true},
		       .doc = "its beginning is in the trace"},
    [COLUMN_ENDS] = {.column = {.name = "ends", .kind = REP_BOOL, .raw_only = true},
		     .doc = "its end is in the trace"},
    [COLUMN_FUNCTION] = REP_COLUMN_RAW_TEXT("function", "entry function of the goroutine"),
    [COLUMN_STACK] = REP_COLUMN_RAW_TEXT("stack", "where it began, leaf first"),
};

static int begin(struct rep_job *job, struct tp_err *err)
{
	struct story *s = job->state;

	return rep_top_pick(&s->choice, job->opt, err);
}

/* Adds a line about a goroutine. */
static int put(struct story *s, struct rep_view *v, struct line line, int64_t goroutine,
	       int64_t stack)
{
	int code = tp_grow(&s->line, &s->room, s->n, sizeof(line));

	line.goroutine = TP_NULL;
	line.index = TP_NONE;
	if (goroutine >= 0 && (uint64_t)goroutine < v->nrows[TP_TABLE_GOROUTINE]) {
		line.index = (uint32_t)goroutine;
		line.goroutine = REP_COL(v, GOROUTINE, id)[goroutine];
	}
	if (!code)
		code = rep_view_string(v, rep_view_entry(v, goroutine), &line.entry);
	if (!code)
		code = rep_view_stack(v, (uint32_t)stack, &line.stack);
	if (!code)
		s->line[s->n++] = line;
	return code;
}

static int put_regions(struct story *s, const struct rep_tasks *t, uint32_t row, int64_t begin_ns,
		       uint32_t depth)
{
	struct rep_view *v = t->v;
	int code = 0;

	for (uint32_t k = t->first_region[row]; !code && k < t->first_region[row + 1]; k++) {
		uint32_t i = t->region[k], name = (uint32_t)REP_COL(v, REGION, name)[i];
		struct line line = {
		    .ts_ns = rep_region_start(v, i),
		    .task = REP_COL(v, REGION, task)[i],
		    .starts = REP_COL(v, REGION, start_ns)[i] != TP_NULL,
		    .ends = REP_COL(v, REGION, end_ns)[i] != TP_NULL,
		    .kind = tp_dict_text(v->dict, name).size ? KIND_REGION : KIND_INHERITED,
		    .depth = depth,
		};

		line.took_ns = tp_minus(rep_region_end(v, i), line.ts_ns);
		line.into_ns = tp_minus(line.ts_ns, begin_ns);
		code = rep_view_string(v, name, &line.name);
		if (!code)
			code = put(s, v, line, REP_COL(v, REGION, goroutine)[i],
				   REP_COL(v, REGION, stack)[i]);
	}
	return code;
}

static int put_logs(struct story *s, const struct rep_tasks *t, uint32_t row, int64_t begin_ns,
		    uint32_t depth)
{
	struct rep_view *v = t->v;
	int code = 0;

	for (uint32_t k = t->first_log[row]; !code && k < t->first_log[row + 1]; k++) {
		uint32_t i = t->log[k];
		struct line line = {
		    .ts_ns = REP_COL(v, LOG, ts_ns)[i],
		    .took_ns = TP_NULL,
		    .task = REP_COL(v, LOG, task)[i],
		    .starts = true,
		    .ends = true,
		    .kind = KIND_LOG,
		    .depth = depth,
		};

		line.into_ns = tp_minus(line.ts_ns, begin_ns);
		code = rep_view_string(v, (uint32_t)REP_COL(v, LOG, category)[i], &line.name);
		if (!code)
			code = rep_view_string(v, (uint32_t)REP_COL(v, LOG, message)[i],
					       &line.message);
		if (!code)
			code = put(s, v, line, REP_COL(v, LOG, goroutine)[i],
				   REP_COL(v, LOG, stack)[i]);
	}
	return code;
}

static int put_task(struct story *s, const struct rep_tasks *t, uint32_t row, int64_t begin_ns,
		    uint32_t depth)
{
	struct rep_view *v = t->v;
	struct line line = {
	    .ts_ns = rep_task_start(t, row),
	    .task = REP_COL(v, TASK, id)[row],
	    .starts = REP_COL(v, TASK, start_ns)[row] != TP_NULL,
	    .ends = REP_COL(v, TASK, end_ns)[row] != TP_NULL,
	    .kind = KIND_TASK,
	    .depth = depth,
	};
	int code;

	line.took_ns = tp_minus(rep_task_end(t, row), line.ts_ns);
	line.into_ns = tp_minus(line.ts_ns, begin_ns);
	code = rep_view_string(v, (uint32_t)REP_COL(v, TASK, name)[row], &line.name);
	if (!code)
		code =
		    put(s, v, line, REP_COL(v, TASK, goroutine)[row], REP_COL(v, TASK, stack)[row]);
	if (!code)
		code = put_regions(s, t, row, begin_ns, depth + 1);
	return code ? code : put_logs(s, t, row, begin_ns, depth + 1);
}

/* How deep a task lies below the root; parents that go round in circles end the count. */
static uint32_t depth_of(const struct rep_tasks *t, uint32_t row, uint32_t root)
{
	uint32_t depth = 0;

	while (row != root && row != TP_NONE && depth < 64) {
		row = t->parent[row];
		depth++;
	}
	return depth;
}

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int64_t p = x->took_ns, q = y->took_ns;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (p != q) /* what lasts longer is around the other */
		return p > q ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Regions and logs lie deeper by the regions of their goroutine that are around them. */
static int indent(struct story *s)
{
	struct rep_keys goroutines = {0};
	uint32_t *last = NULL; /* by goroutine: its last region's row + 1 */
	size_t room = 0;
	int code = 0;

	for (size_t i = 0; !code && i < s->n; i++) {
		struct line *l = &s->line[i];
		uint32_t at, up;

		code = rep_keys_add(&goroutines, l->index, 0, 0, 0, &at);
		if (!code)
			code = tp_grow(&last, &room, at, sizeof(*last));
		if (code || l->kind == KIND_TASK)
			continue;
		for (up = last[at]; up; up = s->line[up - 1].up) {
			const struct line *around = &s->line[up - 1];

			if (tp_plus(around->ts_ns, around->took_ns) > l->ts_ns)
				break;
		}
		l->up = up;
		if (up && s->line[up - 1].task == l->task)
			l->depth = s->line[up - 1].depth + 1;
		last[at] = l->kind == KIND_LOG ? up : (uint32_t)i + 1;
	}
	free(last);
	rep_keys_release(&goroutines);
	return code;
}

static int put_all(struct story *s, struct rep_tasks *t)
{
	uint32_t *below = calloc(t->n + (size_t)1, sizeof(*below));
	bool *told = calloc(t->n + (size_t)1, sizeof(*told));
	int code = below && told ? 0 : TP_ENOMEM;

	for (uint32_t row = 0; !code && row < t->n; row++) {
		int64_t begin_ns = rep_task_start(t, row);
		uint32_t n;

		if (told[row] || !rep_view_overlaps(t->v, begin_ns, rep_task_end(t, row)) ||
		    !rep_choose_task(&s->choice, row))
			continue;
		n = rep_tasks_below(t, row, below);
		code = rep_tasks_walked(t);
		for (uint32_t i = 0; !code && i < n; i++) {
			if (!told[below[i]])
				code =
				    put_task(s, t, below[i], begin_ns, depth_of(t, below[i], row));
			told[below[i]] = true;
		}
	}
	free(below);
	free(told);
	return code;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct story *s = job->state;
	struct rep_tasks tasks;
	int code;

	if (job->nruns > 1)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the report 'story' is about one run; pick it with --run");
	code = rep_tasks_init(&tasks, v, err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_LOG, REP_BIT(LOG, stack), err);
	if (!code)
		code = rep_pick_run(&s->choice, &tasks, err);
	if (!code) {
		code = put_all(s, &tasks);
		if (s->n)
			qsort(s->line, s->n, sizeof(*s->line), by_time);
		if (!code)
			code = indent(s);
		if (code)
			rep_job_fail(err, code);
	}
	job->nrows = s->n;
	if (!code && !s->n)
		rep_pick_hint(v, false, job->note, sizeof(job->note));
	rep_tasks_release(&tasks);
	return code;
}

#define MOST_DEPTH 12

/* "  log payment: retry" */
static struct rep_value what(struct rep_job *job, const struct line *l)
{
	struct tp_text name = tp_dict_text(job->texts.dict, l->name);
	struct tp_text message = tp_dict_text(job->texts.dict, l->message);
	size_t depth = l->depth < MOST_DEPTH ? l->depth : MOST_DEPTH, n = 2 * depth;
	char *text = tp_arena_alloc(&job->texts.arena, n + name.size + message.size + 64);

	if (!text)
		return rep_lack();
	memset(text, ' ', n);
	if (l->kind == KIND_TASK)
		n += (size_t)snprintf(text + n, 32, "task %lld ", (long long)l->task);
	if (l->kind == KIND_INHERITED)
		n += (size_t)snprintf(text + n, 32, "(inherits the task)");
	if (l->kind == KIND_LOG)
		n += (size_t)snprintf(text + n, 32, "log ");
	memcpy(text + n, name.text, name.size);
	n += name.size;
	if (l->kind == KIND_LOG && name.size) {
		memcpy(text + n, ": ", 2);
		n += 2;
	}
	memcpy(text + n, message.text, message.size);
	n += message.size;
	if (l->kind != KIND_LOG && !l->ends)
		n += (size_t)snprintf(text + n, 32, " (no end)");
	else if (l->kind != KIND_LOG && !l->starts)
		n += (size_t)snprintf(text + n, 32, " (no beginning)");
	return rep_text(text, n);
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct story *s = job->state;
	const struct line *l = &s->line[row];

	switch (column) {
	case COLUMN_TIME:
		return rep_int(l->ts_ns);
	case COLUMN_INTO:
		return rep_int(l->into_ns);
	case COLUMN_TOOK:
		return rep_opt(l->took_ns);
	case COLUMN_GOROUTINE:
		return rep_job_goroutine(job, 0, l->goroutine);
	case COLUMN_WHAT:
		return what(job, l);
	case COLUMN_KIND:
		return rep_str(kind_names[l->kind]);
	case COLUMN_TASK:
		return rep_int(l->task);
	case COLUMN_NAME:
		return rep_texts_string(&job->texts, l->name, "");
	case COLUMN_MESSAGE:
		return rep_texts_string(&job->texts, l->message, "");
	case COLUMN_DEPTH:
		return rep_int(l->depth);
	case COLUMN_STARTS:
		return rep_int(l->starts);
	case COLUMN_ENDS:
		return rep_int(l->ends);
	case COLUMN_FUNCTION:
		return rep_texts_string(&job->texts, l->entry, "");
	default:
		return rep_stack_names(&job->texts, l->stack);
	}
}

/* Rows at one moment stay in the order of the story. */
static uint64_t tie(struct rep_job *job, size_t row)
{
	(void)job;
	return row;
}

static void release(struct rep_job *job)
{
	struct story *s = job->state;

	rep_pick_release(&s->choice);
	free(s->line);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct story),
    .begin = begin,
    .add = add,
    .value = value,
    .tie = tie,
    .release = release,
};

const struct rep_report rep_report_story = {
    .name = "story",
    .doc = "tasks with their subtasks, regions and logs, in order",
    .rows = "lines",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "time",
    .ascending = true,
    .filters = REP_BY_TIME | REP_BY_TASK | REP_BY_LATENCY | REP_BY_LOG | REP_BY_EACH,
    .ops = &ops,
};
