/* story: tasks with their subtasks, regions and logs, in order. These are the events that Go's tool
 * lists of a task; beginning and end are one row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "task/workers.h"
#include "top/report.h"

enum kind { KIND_TASK, KIND_REGION, KIND_INHERITED, KIND_LOG };

static const char *const kind_names[] = {"task", "region", "inherited", "log"};

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
	NCOLUMNS,
	NUMBER_INDEX = NCOLUMNS, /* of the goroutine */
	NUMBER_UP,		 /* row + 1 of the region around it */
	NNUMBERS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_TIME] = REP_COLUMN_NS("ts_ns", "TIME", "time", 0, "when, since the run began"),
    [COLUMN_INTO] = REP_COLUMN_NS("into_ns", "INTO TASK", "into", 0,
				  "when, since the task that was asked for began"),
    [COLUMN_TOOK] = REP_COLUMN_NS("took_ns", "TOOK", "took", 0,
				  "to its end, or that of the run; nothing for a log"),
    [COLUMN_GOROUTINE] = {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID},
			  .cell = REP_CELL_GOROUTINE,
			  .key = "goroutine",
			  .doc = "whose it is"},
    [COLUMN_WHAT] =
	{.column = {.name = "what", .title = "WHAT", .kind = REP_TEXT, .table_only = true},
	 .doc = "task, region or log, indented by what it is in"},
    [COLUMN_KIND] = REP_COLUMN_RAW_TEXT("kind", REP_CELL_NUMBER, "task, region, inherited or log"),
    [COLUMN_TASK] = {.column = {.name = "task", .kind = REP_ID, .raw_only = true},
		     .key = "task",
		     .doc = "id of the task it belongs to"},
    [COLUMN_NAME] = REP_COLUMN_RAW_TEXT("name", REP_CELL_STRING,
					"type of the task or region, category of the log"),
    [COLUMN_MESSAGE] = REP_COLUMN_RAW_TEXT("message", REP_CELL_STRING, "text of the log"),
    [COLUMN_DEPTH] = {.column = {.name = "depth", .kind = REP_COUNT, .raw_only = true},
		      .doc = "how many are around it"},
    [COLUMN_STARTS] = {.column = {.name = "begins", .kind = REP_BOOL, .raw_only = true},
		       .doc = "its beginning is in the trace"},
    [COLUMN_ENDS] = {.column = {.name = "ends", .kind = REP_BOOL, .raw_only = true},
		     .doc = "its end is in the trace"},
    [COLUMN_FUNCTION] =
	REP_COLUMN_RAW_TEXT("function", REP_CELL_STRING, "entry function of the goroutine"),
    [COLUMN_STACK] = REP_COLUMN_STACK("where it began, leaf first"),
};

/* What is put below which task, and when that began. */
struct below {
	struct rep_job *job;
	struct rep_view *v;
	int64_t begin_ns;
	int64_t depth;
};

/* Appends a row about a goroutine, *out. Returns 0, TP_ENOMEM or TP_ELIMIT. */
static int put(const struct below *b, enum kind kind, int64_t ts_ns, int64_t took_ns,
	       int64_t goroutine, int64_t stack, int64_t **out)
{
	int64_t *row = *out = rep_job_row(b->job, b->v);
	int code;

	if (!row)
		return TP_ENOMEM;
	row[COLUMN_TIME] = ts_ns;
	row[COLUMN_INTO] = tp_minus(ts_ns, b->begin_ns);
	row[COLUMN_TOOK] = took_ns;
	row[COLUMN_KIND] = kind;
	row[COLUMN_DEPTH] = b->depth;
	row[COLUMN_STARTS] = row[COLUMN_ENDS] = true;
	row[COLUMN_GOROUTINE] = rep_view_goid(b->v, goroutine);
	row[NUMBER_INDEX] = row[COLUMN_GOROUTINE] == TP_NULL ? TP_NONE : goroutine;
	code = rep_row_string(&row[COLUMN_FUNCTION], b->v, rep_view_entry(b->v, goroutine));
	return code ? code : rep_row_stack(&row[COLUMN_STACK], b->v, stack);
}

static int put_region(const struct below *b, uint32_t i)
{
	struct rep_view *v = b->v;
	int64_t name = REP_AT(v, REGION, name, i), start = rep_region_start(v, i), *row;
	enum kind kind = tp_dict_text(v->dict, (uint32_t)name).size ? KIND_REGION : KIND_INHERITED;
	int code = put(b, kind, start, tp_minus(rep_region_end(v, i), start),
		       REP_AT(v, REGION, goroutine, i), REP_AT(v, REGION, stack, i), &row);

	if (code)
		return code;
	row[COLUMN_TASK] = REP_AT(v, REGION, task, i);
	row[COLUMN_STARTS] = REP_AT(v, REGION, start_ns, i) != TP_NULL;
	row[COLUMN_ENDS] = REP_AT(v, REGION, end_ns, i) != TP_NULL;
	return rep_row_string(&row[COLUMN_NAME], v, name);
}

static int put_log(const struct below *b, uint32_t i)
{
	struct rep_view *v = b->v;
	int64_t *row;
	int code = put(b, KIND_LOG, REP_AT(v, LOG, ts_ns, i), TP_NULL, REP_AT(v, LOG, goroutine, i),
		       REP_AT(v, LOG, stack, i), &row);

	if (code)
		return code;
	row[COLUMN_TASK] = REP_AT(v, LOG, task, i);
	code = rep_row_string(&row[COLUMN_NAME], v, REP_AT(v, LOG, category, i));
	return code ? code : rep_row_string(&row[COLUMN_MESSAGE], v, REP_AT(v, LOG, message, i));
}

static int put_task(struct below *b, uint32_t i)
{
	const struct rep_tasks *t = &b->job->tasks;
	struct rep_view *v = b->v;
	int64_t start = rep_task_start(t, i), *row;
	int code = put(b, KIND_TASK, start, tp_minus(rep_task_end(t, i), start),
		       REP_AT(v, TASK, goroutine, i), REP_AT(v, TASK, stack, i), &row);

	if (code)
		return code;
	row[COLUMN_TASK] = REP_AT(v, TASK, id, i);
	row[COLUMN_STARTS] = REP_AT(v, TASK, start_ns, i) != TP_NULL;
	row[COLUMN_ENDS] = REP_AT(v, TASK, end_ns, i) != TP_NULL;
	code = rep_row_string(&row[COLUMN_NAME], v, REP_AT(v, TASK, name, i));
	b->depth++;
	for (uint32_t k = t->first_region[i]; !code && k < t->first_region[i + 1]; k++)
		code = put_region(b, t->region[k]);
	for (uint32_t k = t->first_log[i]; !code && k < t->first_log[i + 1]; k++)
		code = put_log(b, t->log[k]);
	return code;
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
	const int64_t *x = a, *y = b;

	if (x[COLUMN_TIME] != y[COLUMN_TIME])
		return x[COLUMN_TIME] < y[COLUMN_TIME] ? -1 : 1;
	if (x[COLUMN_KIND] != y[COLUMN_KIND])
		return x[COLUMN_KIND] < y[COLUMN_KIND] ? -1 : 1;
	if (x[COLUMN_TOOK] != y[COLUMN_TOOK]) /* what lasts longer is around the other */
		return x[COLUMN_TOOK] > y[COLUMN_TOOK] ? -1 : 1;
	if (x[COLUMN_TASK] != y[COLUMN_TASK])
		return x[COLUMN_TASK] < y[COLUMN_TASK] ? -1 : 1;
	return x[NUMBER_INDEX] < y[NUMBER_INDEX] ? -1 : x[NUMBER_INDEX] > y[NUMBER_INDEX];
}

/* Regions and logs lie deeper by the regions of their goroutine that are around them. */
static int indent(struct rep_job *job)
{
	struct rep_keys goroutines = {0};
	int64_t *last = NULL; /* by goroutine: its last region's row + 1 */
	size_t room = 0;
	int code = 0;

	for (size_t i = 0; !code && i < job->nrows; i++) {
		int64_t *row = rep_job_row_at(job, i), up = 0;
		uint32_t at;

		code = rep_keys_add(&goroutines, (uint32_t)row[NUMBER_INDEX], 0, 0, 0, &at);
		if (!code)
			code = tp_grow(&last, &room, at, sizeof(*last));
		if (code || row[COLUMN_KIND] == KIND_TASK)
			continue;
		for (up = last[at]; up;) {
			const int64_t *around = rep_job_row_at(job, (size_t)up - 1);

			if (tp_plus(around[COLUMN_TIME], around[COLUMN_TOOK]) > row[COLUMN_TIME]) {
				if (around[COLUMN_TASK] == row[COLUMN_TASK])
					row[COLUMN_DEPTH] = around[COLUMN_DEPTH] + 1;
				break;
			}
			up = around[NUMBER_UP];
		}
		row[NUMBER_UP] = up;
		last[at] = row[COLUMN_KIND] == KIND_LOG ? up : (int64_t)i + 1;
	}
	free(last);
	rep_keys_release(&goroutines);
	return code;
}

static int put_all(struct rep_job *job, struct rep_view *v)
{
	struct rep_tasks *t = &job->tasks;
	uint32_t *below = calloc(t->n + (size_t)1, sizeof(*below));
	bool *told = calloc(t->n + (size_t)1, sizeof(*told));
	int code = below && told ? 0 : TP_ENOMEM;

	for (uint32_t row = 0; !code && row < t->n; row++) {
		struct below b = {.job = job, .v = v, .begin_ns = rep_task_start(t, row)};
		uint32_t n;

		if (told[row] || !rep_view_overlaps(v, b.begin_ns, rep_task_end(t, row)) ||
		    !rep_choose_task(&job->choice, row))
			continue;
		n = rep_tasks_below(t, row, below);
		code = rep_tasks_walked(t);
		for (uint32_t i = 0; !code && i < n; i++) {
			if (told[below[i]])
				continue;
			told[below[i]] = true;
			b.depth = depth_of(t, below[i], row);
			code = put_task(&b, below[i]);
		}
	}
	free(below);
	free(told);
	return code;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	int code;

	if (job->nruns > 1)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the report 'story' is about one run; pick it with --run");
	code = rep_job_tasks(job, v, err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_LOG, REP_BIT(LOG, stack), err);
	if (code)
		return code;
	code = put_all(job, v);
	if (job->nrows)
		qsort(job->row, job->nrows, job->width * sizeof(int64_t), by_time);
	if (!code)
		code = indent(job);
	if (!code && !job->nrows)
		rep_pick_hint(v, false, job->note, sizeof(job->note));
	return code ? rep_job_fail(err, code) : 0;
}

#define MOST_DEPTH 12

/* "  log payment: retry" */
static struct rep_value what(struct rep_job *job, const int64_t *row)
{
	static const char *const begins[] = {
	    [KIND_REGION] = "", [KIND_INHERITED] = "(inherits the task)", [KIND_LOG] = "log "};
	enum kind kind = (enum kind)row[COLUMN_KIND];
	struct tp_text name = tp_dict_text(job->texts.dict, (uint32_t)row[COLUMN_NAME]);
	int depth = row[COLUMN_DEPTH] < MOST_DEPTH ? (int)row[COLUMN_DEPTH] : MOST_DEPTH;
	char begin[2 * MOST_DEPTH + 40];
	struct tp_text parts[] = {
	    {begin, 0},
	    name,
	    rep_text_of(kind == KIND_LOG && name.size ? ": " : ""),
	    tp_dict_text(job->texts.dict, (uint32_t)row[COLUMN_MESSAGE]),
	    rep_text_of(!row[COLUMN_ENDS]     ? " (no end)"
			: !row[COLUMN_STARTS] ? " (no beginning)"
					      : ""),
	};
	int n;

	if (kind == KIND_TASK)
		n = snprintf(begin, sizeof(begin), "%*stask %lld ", 2 * depth, "",
			     (long long)row[COLUMN_TASK]);
	else
		n = snprintf(begin, sizeof(begin), "%*s%s", 2 * depth, "", begins[kind]);
	parts[0].size = (uint32_t)n;
	return rep_texts_join(&job->texts, parts, TP_COUNT_OF(parts));
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const int64_t *numbers = rep_job_row_at(job, row);

	if (column == COLUMN_WHAT)
		return what(job, numbers);
	return column == COLUMN_KIND ? rep_str(kind_names[numbers[COLUMN_KIND]])
				     : rep_job_cell(job, row, column);
}

/* Rows at one moment stay in the order of the story. */
static uint64_t tie(struct rep_job *job, size_t row)
{
	(void)job;
	return row;
}

static const struct rep_report_ops ops = {.add = add, .value = value, .tie = tie};

const struct rep_report rep_report_story = {
    .name = "story",
    .doc = "tasks with their subtasks, regions and logs, in order",
    .rows = "lines",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .numbers = NNUMBERS,
    .sort = "time",
    .ascending = true,
    .filters = REP_BY_TIME | REP_BY_TASK | REP_BY_LATENCY | REP_BY_LOG | REP_BY_EACH,
    .ops = &ops,
};
