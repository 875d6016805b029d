/* logs: the messages of runtime/trace.Log, in order. */
#include "task/inside.h"
#include "top/report.h"

enum {
	COLUMN_RUN,
	COLUMN_TIME,
	COLUMN_TASK,
	COLUMN_TYPE,
	COLUMN_SINCE,
	COLUMN_GOROUTINE,
	COLUMN_CATEGORY,
	COLUMN_MESSAGE,
	COLUMN_FUNCTION,
	COLUMN_STACK,
	NCOLUMNS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RUN] = REP_COLUMN_RUN,
    [COLUMN_TIME] = REP_COLUMN_NS("ts_ns", "TIME", "time", 0, "when, since the run began"),
    [COLUMN_TASK] = {.column = {.name = "task", .title = "TASK", .kind = REP_ID},
		     .key = "task",
		     .doc = "its task, 0 for none"},
    [COLUMN_TYPE] =
	{.column = {.name = "type", .title = "TYPE", .kind = REP_TEXT, .least = 8, .drop = 2},
	 .cell = REP_CELL_STRING,
	 .doc = "type of the task"},
    [COLUMN_SINCE] =
	REP_COLUMN_NS("since_ns", "INTO TASK", "since", 3, "when, since the task began"),
    [COLUMN_GOROUTINE] =
	{.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID, .drop = 4},
	 .cell = REP_CELL_GOROUTINE,
	 .key = "goroutine",
	 .doc = "goroutine that logged it"},
    [COLUMN_CATEGORY] = {.column = {.name = "category",
				    .title = "CATEGORY",
				    .kind = REP_TEXT,
				    .least = 8,
				    .drop = 1},
			 .cell = REP_CELL_STRING,
			 .key = "category",
			 .doc = "its category"},
    [COLUMN_MESSAGE] = {.column = {.name = "message", .title = "MESSAGE", .kind = REP_TEXT},
			.cell = REP_CELL_STRING,
			.key = "message",
			.doc = "what it says"},
    [COLUMN_FUNCTION] =
	REP_COLUMN_RAW_TEXT("function", REP_CELL_STRING, "entry function of the goroutine"),
    [COLUMN_STACK] = REP_COLUMN_STACK("where, leaf first"),
};

static int put(struct rep_job *job, const struct rep_tasks *t, size_t i)
{
	struct rep_view *v = t->v;
	int64_t goroutine = REP_AT(v, LOG, goroutine, i);
	uint32_t task = rep_tasks_find(t, REP_AT(v, LOG, task, i));
	int64_t *row = rep_job_row(job, v);
	int code = 0;

	if (!row)
		return TP_ENOMEM;
	row[COLUMN_TIME] = REP_AT(v, LOG, ts_ns, i);
	row[COLUMN_TASK] = REP_AT(v, LOG, task, i);
	row[COLUMN_SINCE] = TP_NULL;
	row[COLUMN_GOROUTINE] = rep_view_goid(v, goroutine);
	if (task != TP_NONE) {
		int64_t start = REP_AT(v, TASK, start_ns, task);

		if (start != TP_NULL)
			row[COLUMN_SINCE] = row[COLUMN_TIME] - start;
		code = rep_row_string(&row[COLUMN_TYPE], v, REP_AT(v, TASK, name, task));
	}
	if (!code)
		code = rep_row_string(&row[COLUMN_CATEGORY], v, REP_AT(v, LOG, category, i));
	if (!code)
		code = rep_row_string(&row[COLUMN_MESSAGE], v, REP_AT(v, LOG, message, i));
	if (!code)
		code = rep_row_string(&row[COLUMN_FUNCTION], v, rep_view_entry(v, goroutine));
	return code ? code : rep_row_stack(&row[COLUMN_STACK], v, REP_AT(v, LOG, stack, i));
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const char *region = job->opt->filter.region;
	struct rep_inside inside = {0};
	int code = rep_job_tasks(job, v, err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_LOG, REP_BIT(LOG, stack), err);
	if (!code && region)
		code = rep_inside_init(&inside, v, NULL, region, err);
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_LOG]; i++) {
		int64_t ts = REP_AT(v, LOG, ts_ns, i);
		int64_t goroutine = REP_AT(v, LOG, goroutine, i), none;

		if (!rep_view_overlaps(v, ts, ts) || !rep_choose_log(&job->choice, (uint32_t)i) ||
		    !rep_view_matches(v, goroutine, REP_AT(v, LOG, stack, i)) ||
		    (region && !rep_inside_clip(&inside, goroutine, ts, ts, &none)))
			continue;
		code = put(job, &job->tasks, i);
		code = code ? rep_job_fail(err, code) : rep_job_trim(job, v, err);
	}
	if (!code && !job->nrows && job->opt->filter.task)
		rep_pick_hint(v, false, job->note, sizeof(job->note));
	rep_inside_release(&inside);
	return code;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	(void)err;
	rep_job_hide_zeros(job, COLUMN_CATEGORY);
	rep_job_hide_zeros(job, COLUMN_TYPE);
	if (job->hidden & 1u << COLUMN_TYPE)
		job->hidden |= 1u << COLUMN_SINCE;
	return 0;
}

static const struct rep_report_ops ops = {.add = add, .finish = finish};

const struct rep_report rep_report_logs = {
    .name = "logs",
    .doc = "log messages (runtime/trace.Log), in order",
    .rows = "messages",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "time",
    .ascending = true,
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_TASK | REP_BY_LOG,
    .ops = &ops,
};
