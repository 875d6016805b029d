/* logs: the messages of runtime/trace.Log, in order. */
#include <stdlib.h>

#include "base/many.h"
#include "task/choose.h"
#include "task/inside.h"
#include "top/report.h"

struct line {
	int64_t ts_ns, task, since_ns, goroutine;
	uint32_t type, category, message, entry, stack; /* of the common dictionary */
	uint32_t run;
};

struct lines {
	struct line *line;
	size_t n, room;
	struct rep_pick choice;
};

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
    [COLUMN_RUN] = {.column = {.name = "run", .title = "RUN", .kind = REP_TEXT},
		    .doc = "name of the run"},
    [COLUMN_TIME] = REP_COLUMN_NS("ts_ns", "TIME", "time", 0, "when, since the run began"),
    [COLUMN_TASK] = {.column = {.name = "task", .title = "TASK", .kind = REP_ID},
		     .key = "task",
		     .doc = "its task, 0 for none"},
    [COLUMN_TYPE] =
	{.column = {.name = "type", .title = "TYPE", .kind = REP_TEXT, .least = 8, .drop = 2},
	 .doc = "type of the task"},
    [COLUMN_SINCE] =
	REP_COLUMN_NS("since_ns", "INTO TASK", "since", 3, "when, since the task began"),
    [COLUMN_GOROUTINE] =
	{.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID, .drop = 4},
	 .key = "goroutine",
	 .doc = "who logged it"},
    [COLUMN_CATEGORY] = {.column = {.name = "category",
				    .title = "CATEGORY",
				    .kind = REP_TEXT,
				    .least = 8,
				    .drop = 1},
			 .key = "category",
			 .doc = "its category"},
    [COLUMN_MESSAGE] = {.column = {.name = "message", .title = "MESSAGE", .kind = REP_TEXT},
			.key = "message",
			.doc = "what it says"},
    [COLUMN_FUNCTION] = REP_COLUMN_RAW_TEXT("function", "entry function of the goroutine"),
    [COLUMN_STACK] = REP_COLUMN_RAW_TEXT("stack", "where, leaf first"),
};

static int begin(struct rep_job *job, struct tp_err *err)
{
	const struct rep_pick_text text = {.task = job->opt->filter.task, .log = job->opt->log};
	struct lines *all = calloc(1, sizeof(*all));

	job->state = all;
	return all ? rep_pick_init(&all->choice, &text, err) : rep_job_fail(err, TP_ENOMEM);
}

static int put(struct lines *all, const struct rep_tasks *t, size_t i)
{
	struct rep_view *v = t->v;
	int64_t goroutine = REP_COL(v, LOG, goroutine)[i];
	uint32_t task = rep_tasks_find(t, REP_COL(v, LOG, task)[i]);
	struct line *l;
	int code = tp_grow(&all->line, &all->room, all->n, sizeof(*all->line));

	if (code)
		return code;
	l = &all->line[all->n++];
	l->run = (uint32_t)v->index;
	l->ts_ns = REP_COL(v, LOG, ts_ns)[i];
	l->task = REP_COL(v, LOG, task)[i];
	l->since_ns = TP_NULL;
	l->goroutine = TP_NULL;
	if (goroutine >= 0 && (uint64_t)goroutine < v->nrows[TP_TABLE_GOROUTINE])
		l->goroutine = REP_COL(v, GOROUTINE, id)[goroutine];
	if (task != TP_NONE) {
		int64_t start = REP_COL(v, TASK, start_ns)[task];

		l->since_ns = start == TP_NULL ? TP_NULL : l->ts_ns - start;
		code = rep_view_string(v, (uint32_t)REP_COL(v, TASK, name)[task], &l->type);
	}
	if (!code)
		code = rep_view_string(v, (uint32_t)REP_COL(v, LOG, category)[i], &l->category);
	if (!code)
		code = rep_view_string(v, (uint32_t)REP_COL(v, LOG, message)[i], &l->message);
	if (!code)
		code = rep_view_string(v, rep_view_entry(v, goroutine), &l->entry);
	return code ? code : rep_view_stack(v, (uint32_t)REP_COL(v, LOG, stack)[i], &l->stack);
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct lines *all = job->state;
	const char *region = job->opt->filter.region;
	struct rep_inside inside = {0};
	struct rep_tasks tasks;
	int code = rep_tasks_init(&tasks, v, err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_LOG, REP_BIT(LOG, stack), err);
	if (!code)
		code = rep_pick_run(&all->choice, &tasks, err);
	if (!code && region)
		code = rep_inside_init(&inside, v, NULL, region, err);
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_LOG]; i++) {
		int64_t ts = REP_COL(v, LOG, ts_ns)[i];
		int64_t goroutine = REP_COL(v, LOG, goroutine)[i], none;

		if (!rep_view_overlaps(v, ts, ts) || !rep_choose_log(&all->choice, (uint32_t)i) ||
		    !rep_view_match_goroutine(v, goroutine) ||
		    !rep_match_frames(&v->match, rep_view_entry(v, goroutine),
				      (uint32_t)REP_COL(v, LOG, stack)[i]) ||
		    (region && !rep_inside_clip(&inside, goroutine, ts, ts, &none)))
			continue;
		code = put(all, &tasks, i);
		if (code)
			rep_job_fail(err, code);
	}
	job->nrows = all->n;
	if (!code && !all->n && job->opt->filter.task)
		rep_pick_hint(v, false, job->note, sizeof(job->note));
	rep_inside_release(&inside);
	rep_tasks_release(&tasks);
	return code;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	struct lines *all = job->state;
	bool category = false, task = false;

	(void)err;
	for (size_t i = 0; i < all->n; i++) {
		category = category || all->line[i].category;
		task = task || all->line[i].type;
	}
	if (job->nruns == 1)
		job->hidden |= 1u << COLUMN_RUN;
	if (!category)
		job->hidden |= 1u << COLUMN_CATEGORY;
	if (!task)
		job->hidden |= 1u << COLUMN_TYPE | 1u << COLUMN_SINCE;
	return 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct lines *all = job->state;
	const struct line *l = &all->line[row];

	switch (column) {
	case COLUMN_RUN:
		return rep_str(job->runs[l->run].row.name);
	case COLUMN_TIME:
		return rep_int(l->ts_ns);
	case COLUMN_TASK:
		return rep_int(l->task);
	case COLUMN_TYPE:
		return rep_texts_string(&job->texts, l->type, "");
	case COLUMN_SINCE:
		return rep_opt(l->since_ns);
	case COLUMN_GOROUTINE:
		return rep_job_goroutine(job, l->run, l->goroutine);
	case COLUMN_CATEGORY:
		return rep_texts_string(&job->texts, l->category, "");
	case COLUMN_MESSAGE:
		return rep_texts_string(&job->texts, l->message, "");
	case COLUMN_FUNCTION:
		return rep_texts_string(&job->texts, l->entry, "");
	default:
		return rep_stack_names(&job->texts, l->stack);
	}
}

static void release(struct rep_job *job)
{
	struct lines *all = job->state;

	if (!all)
		return;
	rep_pick_release(&all->choice);
	free(all->line);
	free(all);
}

static const struct rep_report_ops ops = {
    .begin = begin,
    .add = add,
    .finish = finish,
    .value = value,
    .release = release,
};

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
