/* gc, tasks, regions: what has a name, a beginning and an end, by name.
 *
 *   gc       table range: stops of the world, mark phases, sweeps, mark assists
 *   tasks    table task: user tasks by type
 *   regions  table region: user regions by type
 *
 * Every duration is at hand, so percentiles are exact. What has no beginning or no end in the trace
 * is incomplete: of ranges, the part that is there counts; tasks and regions are counted, but their
 * times are not. A time range clips durations, as everywhere. */
#include <stdio.h>
#include <stdlib.h>

#include "base/many.h"
#include "base/sum.h"
#include "base/units.h"
#include "top/report.h"

enum { MORE_A, MORE_B, MORE_C, MORE_D, NMORE }; /* further sums of a row, by report */

/* The state of a job: string of the run and its row, as alike ones often follow each other. */
struct last {
	uint32_t name, row;
	bool known;
};

enum {
	COLUMN_NAME,
	COLUMN_COUNT,
	COLUMN_INCOMPLETE,
	COLUMN_TOTAL,
	COLUMN_SHARE,
	COLUMN_MEAN,
	COLUMN_P50,
	COLUMN_P90,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_EXACT,
	COLUMN_WORST,
	COLUMN_WORST_GOROUTINE,
	COLUMN_MORE,
	/* A time range cut one: what is only known as a whole is unknown. */
	NUMBER_CUT = COLUMN_MORE + NMORE,
	NNUMBERS
};

#define COLUMNS_COMMON(title_text, name_doc, count_doc, total_doc, share_doc, mean_doc)            \
	[COLUMN_NAME] =                                                                            \
	    {.column = {.name = "name", .title = (title_text), .kind = REP_TEXT, .least = 26},     \
	     .key = "name",                                                                        \
	     .cell = REP_CELL_STRING,                                                              \
	     .doc = (name_doc)},                                                                   \
	[COLUMN_COUNT] = REP_COLUMN_COUNT(count_doc),                                              \
	[COLUMN_INCOMPLETE] =                                                                      \
	    {.column = {.name = "incomplete", .title = "INCOMPL", .kind = REP_COUNT, .drop = 7},   \
	     .key = "incomplete",                                                                  \
	     .doc = "of them, without beginning or end in the trace"},                             \
	[COLUMN_TOTAL] = REP_COLUMN_NS("total_ns", "TOTAL", "total", 0, total_doc),                \
	[COLUMN_SHARE] = REP_COLUMN_SHARE(1, share_doc),                                           \
	REP_COLUMNS_DISTRIBUTION_OF(mean_doc), [COLUMN_EXACT] = REP_COLUMN_EXACT,                  \
	[COLUMN_WORST] = REP_COLUMN_NS("worst_at_ns", "WORST AT", "worst", 3,                      \
				       "when the longest began, since the run did; or the "        \
				       "beginning of the time range, if later"),                   \
	[COLUMN_WORST_GOROUTINE] = {                                                               \
	    .column = {.name = "worst_goroutine", .kind = REP_ID, .raw_only = true},               \
	    .cell = REP_CELL_GOROUTINE,                                                            \
	    .doc = "whose the longest was"}

#define MEAN_OF_COMPLETE "total / number of complete ones"

static const struct rep_report_column gc_columns[] = {
    COLUMNS_COMMON("RANGE", "as Go names it", "how many", "their time",
		   "of the run's time (or of the time range)", "total / count"),
    [COLUMN_MORE + MORE_A] =
	{.column = {.name = "swept_bytes", .title = "SWEPT", .kind = REP_BYTES, .drop = 8},
	 .key = "swept",
	 .doc = "bytes swept, by sweeps"},
    [COLUMN_MORE + MORE_B] =
	{.column = {.name = "reclaimed_bytes", .title = "RECLAIMED", .kind = REP_BYTES, .drop = 9},
	 .key = "reclaimed",
	 .doc = "bytes reclaimed, by sweeps"},
};

static const struct rep_report_column task_columns[] = {
    COLUMNS_COMMON("TASK TYPE", "type of the tasks", "how many", "time of the complete ones",
		   "of all tasks' time here", MEAN_OF_COMPLETE),
    [COLUMN_MORE +
	MORE_A] = {.column = {.name = "regions", .title = "REGIONS", .kind = REP_COUNT, .drop = 8},
		   .key = "regions",
		   .doc = "regions in them"},
    [COLUMN_MORE +
	MORE_B] = {.column = {.name = "logs", .title = "LOGS", .kind = REP_COUNT, .drop = 9},
		   .key = "logs",
		   .doc = "log messages in them"},
};

static const struct rep_report_column region_columns[] = {
    COLUMNS_COMMON("REGION TYPE", "type of the regions", "how many", "time of the complete ones",
		   "of all regions' time here", MEAN_OF_COMPLETE),
    [COLUMN_MORE + MORE_A] = REP_COLUMN_NS("running_ns", "RUNNING", "running", 8,
					   "executing while in them; nothing where a time "
					   "range cuts one"),
    [COLUMN_MORE + MORE_B] = REP_COLUMN_NS("runnable_ns", "RUNNABLE", "runnable", 9,
					   "waiting for a P while in them; likewise"),
    [COLUMN_MORE + MORE_C] =
	REP_COLUMN_NS("blocked_ns", "BLOCKED", "blocked", 8, "blocked while in them; likewise"),
    [COLUMN_MORE + MORE_D] = REP_COLUMN_NS("syscall_ns", "SYSCALL", "syscall", 9,
					   "in system calls while in them; likewise"),
};

/* The columns that the three tables have in common. */
struct source {
	enum tp_table_id table;
	int name, goroutine, start, end, stack;
	int more[NMORE], more_plus; /* columns summed; -1 for none; the last is added to MORE_D */
};

static const struct source ranges = {
    .table = TP_TABLE_RANGE,
    .name = TP_COL(RANGE, name),
    .goroutine = TP_COL(RANGE, goroutine),
    .start = TP_COL(RANGE, start_ns),
    .end = TP_COL(RANGE, end_ns),
    .stack = TP_COL(RANGE, stack),
    .more = {TP_COL(RANGE, swept_bytes), TP_COL(RANGE, reclaimed_bytes), -1, -1},
    .more_plus = -1,
};

static const struct source tasks = {
    .table = TP_TABLE_TASK,
    .name = TP_COL(TASK, name),
    .goroutine = TP_COL(TASK, goroutine),
    .start = TP_COL(TASK, start_ns),
    .end = TP_COL(TASK, end_ns),
    .stack = TP_COL(TASK, stack),
    .more = {TP_COL(TASK, regions), TP_COL(TASK, logs), -1, -1},
    .more_plus = -1,
};

static const struct source regions = {
    .table = TP_TABLE_REGION,
    .name = TP_COL(REGION, name),
    .goroutine = TP_COL(REGION, goroutine),
    .start = TP_COL(REGION, start_ns),
    .end = TP_COL(REGION, end_ns),
    .stack = TP_COL(REGION, stack),
    .more = {TP_COL(REGION, running_ns), TP_COL(REGION, runnable_ns), TP_COL(REGION, blocked_ns),
	     TP_COL(REGION, syscall_ns)},
    .more_plus = TP_COL(REGION, syscall_blocked_ns),
};

static const struct source *source_of(const struct rep_job *job)
{
	return job->report == &rep_report_gc	  ? &ranges
	       : job->report == &rep_report_tasks ? &tasks
						  : &regions;
}

/* Returns whether not all tasks or regions are wanted. */
static bool is_choosy(const struct rep_job *job)
{
	const struct rep_top_options *opt = job->opt;

	return job->report != &rep_report_gc &&
	       (opt->filter.task || opt->filter.region || opt->min || opt->max || opt->log);
}

/* Returns whether the result depends on goroutines or stacks, which tables do not show. */
static bool needs_goroutines(const struct rep_job *job, const struct rep_filter *f)
{
	return f->by_id || f->given[REP_FILTER_GOROUTINE] || f->given[REP_FILTER_FOCUS] ||
	       f->given[REP_FILTER_IGNORE] || !job->opt->tables || job->opt->whole;
}

static uint32_t columns_of(const struct source *s, bool goroutines)
{
	uint32_t columns = 1u << s->name | 1u << s->start | 1u << s->end;

	if (goroutines)
		columns |= 1u << s->goroutine | 1u << s->stack;
	for (int i = 0; i < NMORE; i++)
		columns |= s->more[i] >= 0 ? 1u << s->more[i] : 0;
	if (s->more_plus >= 0)
		columns |= 1u << s->more_plus;
	if (s == &ranges)
		columns |= REP_BIT(RANGE, complete);
	if (s->table == TP_TABLE_TASK)
		columns |= REP_BIT(TASK, id);
	return columns;
}

static int64_t cell(const struct rep_view *v, const struct source *s, int column, size_t i)
{
	return column < 0 || !rep_view_has(v, s->table, column)
		   ? TP_NULL
		   : rep_view_at(v, s->table, column, i);
}

static int add_time(struct rep_job *job, uint32_t index, struct rep_view *v, const struct source *s,
		    size_t i, int64_t start, int64_t end)
{
	const struct rep_sum *sum = &job->durations.sum[index];
	int64_t *row = rep_job_row_at(job, index);
	struct rep_part part = {.site = TP_NONE, .count = 1};
	int64_t from = rep_view_clip_start(v, start);

	part.total_ns = part.min_ns = part.max_ns = tp_minus(rep_view_clip_end(v, end), from);
	if (!sum->count || part.total_ns > sum->max_ns) {
		row[COLUMN_WORST] = from;
		/* Other reports may have loaded some of the columns that this one did not need. */
		row[COLUMN_WORST_GOROUTINE] = REP_COL(v, GOROUTINE, id)
						  ? rep_view_goid(v, cell(v, s, s->goroutine, i))
						  : REP_NO_GOID;
		row[NNUMBERS] = (int64_t)v->index;
	}
	return rep_durations_put(job, index, &part);
}

static int row_of(struct rep_job *job, struct rep_view *v, uint32_t id, uint32_t *index)
{
	struct last *last = job->state;
	uint32_t name;
	int code;

	*index = last->row;
	if (last->known && last->name == id)
		return 0;
	code = rep_view_string(v, id, &name);
	if (!code)
		code = rep_job_key(job, v, name, 0, 0, index);
	if (!code)
		code = rep_durations_add(job, *index, 0);
	if (code)
		return code;
	rep_job_row_at(job, *index)[COLUMN_NAME] = name;
	*last = (struct last){.name = id, .row = *index, .known = true};
	return 0;
}

static int add_row(struct rep_job *job, struct rep_view *v, const struct source *s, size_t i)
{
	int64_t start = cell(v, s, s->start, i), end = cell(v, s, s->end, i);
	bool complete = start != TP_NULL && end != TP_NULL;
	uint32_t index;
	int64_t *row;
	int code;

	/* The background task stands for what is logged outside all tasks. */
	if (s->table == TP_TABLE_TASK && !REP_AT(v, TASK, id, i))
		return 0;
	start = start == TP_NULL ? 0 : start;
	end = end == TP_NULL ? v->run->row.duration_ns : end;
	if (!rep_view_overlaps(v, start, end))
		return 0;
	code = row_of(job, v, (uint32_t)cell(v, s, s->name, i), &index);
	if (code)
		return code;
	row = rep_job_row_at(job, index);
	row[COLUMN_COUNT]++;
	row[NUMBER_CUT] |= start < v->from || end > v->to;
	complete = complete && (s != &ranges || REP_COL(v, RANGE, complete)[i] == 1);
	row[COLUMN_INCOMPLETE] += !complete;
	/* Those of regions are parts of their time, which is not counted then. */
	for (int k = 0; k < NMORE && (complete || s != &regions); k++) {
		int64_t more = cell(v, s, s->more[k], i);

		tp_sum(&row[COLUMN_MORE + k], more == TP_NULL ? 0 : more);
	}
	if (s->more_plus >= 0 && (complete || s != &regions) &&
	    cell(v, s, s->more_plus, i) != TP_NULL)
		tp_sum(&row[COLUMN_MORE + MORE_D], cell(v, s, s->more_plus, i));
	if (!complete && s != &ranges)
		return 0;
	return add_time(job, index, v, s, i, start, end);
}

static bool chosen(struct rep_job *job, const struct source *s, uint32_t i)
{
	return s == &tasks ? rep_choose_task(&job->choice, i) : rep_choose_region(&job->choice, i);
}

static int add_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct rep_job *job = ctx;
	const struct source *s = source_of(job);
	bool goroutines = needs_goroutines(job, v->filter), choosy = is_choosy(job);
	int code = goroutines
		       ? rep_view_load(v, TP_TABLE_GOROUTINE,
				       REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err)
		       : 0;

	if (code)
		return code;
	for (size_t i = 0; !code && i < v->nrows[s->table]; i++) {
		int64_t goroutine = goroutines ? cell(v, s, s->goroutine, i) : TP_NULL;

		if (goroutines && !rep_view_matches(v, goroutine, cell(v, s, s->stack, i)))
			continue;
		if (choosy && !chosen(job, s, (uint32_t)(first + i)))
			continue;
		code = add_row(job, v, s, i);
	}
	return code ? rep_job_fail(err, code) : 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const struct source *s = source_of(job);
	uint32_t columns = columns_of(s, needs_goroutines(job, v->filter));
	bool choosy = is_choosy(job);
	int code = choosy ? rep_job_tasks(job, v, err) : 0;

	*(struct last *)job->state = (struct last){.known = false};
	if (!code && choosy) /* chosen() reads the table by row, so it has to be whole */
		code = rep_view_load(v, s->table, columns, err);
	if (!code)
		code = choosy ? add_rows(job, v, 0, err)
			      : rep_view_visit(v, s->table, columns, add_rows, job, err);
	if (!code && !job->nrows && choosy)
		rep_pick_hint(v, s == &regions, job->note, sizeof(job->note));
	return code;
}

/* Mark assists wait, too, and many goroutines do so at once. */
#define NOTE_OVER "more than 100%: several goroutines at a time, whose times add up"

/* A name that needs no quotes, and no escapes, where it is typed. */
static bool is_plain(struct tp_text name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.text[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-' && c != '.' && c != '/')
			return false;
	}
	return name.size && name.size <= 40;
}

/* Notes that the time range cuts some, and that states are only known of whole regions. */
static void note_cut(struct rep_job *job)
{
	const struct rep_sum *sum = job->durations.sum;
	bool regions_too = job->report == &rep_report_regions;
	const char *one = regions_too ? "region" : "task";
	struct tp_text name;
	size_t most = job->nrows;

	for (size_t i = 0; i < job->nrows; i++)
		if (rep_job_row_at(job, i)[NUMBER_CUT] &&
		    (most == job->nrows || sum[i].total_ns > sum[most].total_ns))
			most = i;
	if (most == job->nrows)
		return;
	name = tp_dict_text(job->texts.dict, (uint32_t)rep_job_row_at(job, most)[COLUMN_NAME]);
	if (!is_plain(name))
		name = (struct tp_text){.text = "TYPE", .size = 4};
	snprintf(job->note, sizeof(job->note),
		 "times are of what lies in the time range%s; '%s --%s=%.*s' with the same range "
		 "has each whole",
		 regions_too ? ", and RUNNING to SYSCALL are - where it cuts a region" : "", one,
		 one, (int)name.size, name.text);
}

/* Says how many have not ended, and where to see them. */
static void note_unfinished(struct rep_job *job)
{
	bool regions_too = job->report == &rep_report_regions;
	int64_t incomplete = 0, count = 0;
	char a[TP_COUNT_SIZE], b[TP_COUNT_SIZE];

	for (size_t i = 0; i < job->nrows; i++) {
		tp_sum(&incomplete, rep_job_row_at(job, i)[COLUMN_INCOMPLETE]);
		tp_sum(&count, rep_job_row_at(job, i)[COLUMN_COUNT]);
	}
	if (incomplete && !job->note[0])
		snprintf(job->note, sizeof(job->note),
			 "the trace lacks the beginning or end of %s of %s %s, whose times are not "
			 "counted; the report '%s' lists them",
			 tp_fmt_count(a, incomplete), tp_fmt_count(b, count),
			 regions_too ? "regions" : "tasks", regions_too ? "region" : "task");
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	(void)err;
	if (job->report != &rep_report_gc) {
		note_cut(job);
		note_unfinished(job);
	}
	rep_job_hide_zeros(job, COLUMN_INCOMPLETE);
	for (size_t i = 0; i < job->nrows && job->report == &rep_report_gc; i++)
		if (job->durations.sum[i].total_ns > job->length_ns)
			snprintf(job->note, sizeof(job->note), "%s", NOTE_OVER);
	return 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const int64_t *numbers = rep_job_row_at(job, row);
	bool regions_too = job->report == &rep_report_regions;
	bool timed = job->durations.sum[row].count; /* else none is complete */

	if (column == COLUMN_NAME)
		return rep_texts_string(&job->texts, (uint32_t)numbers[COLUMN_NAME],
					regions_too ? "(inherited)" : "(no name)");
	if (column >= COLUMN_MORE && regions_too && (numbers[NUMBER_CUT] || !timed))
		return rep_null();
	if (column >= COLUMN_TOTAL && column < COLUMN_MORE && !timed)
		return rep_null();
	if (column < COLUMN_TOTAL || column > COLUMN_EXACT)
		return rep_job_cell(job, row, column);
	return rep_durations_value(
	    job, row, job->report == &rep_report_gc ? job->length_ns : job->durations.total_ns,
	    (enum rep_sum_column)(column - COLUMN_TOTAL + REP_SUM_TOTAL));
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct last),
    .add = add,
    .finish = finish,
    .prepare = rep_durations_prepare,
    .value = value,
};

const struct rep_report rep_report_gc = {
    .name = "gc",
    .doc = "stops of the world, GC mark phases, sweeps and mark assists",
    .rows = "ranges",
    .columns = gc_columns,
    .ncolumns = TP_COUNT_OF(gc_columns),
    .numbers = NNUMBERS,
    .sort = "total",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE,
    .ops = &ops,
};

const struct rep_report rep_report_tasks = {
    .name = "tasks",
    .doc = "user tasks (runtime/trace.NewTask) by type",
    .rows = "task types",
    .columns = task_columns,
    .ncolumns = TP_COUNT_OF(task_columns),
    .numbers = NNUMBERS,
    .sort = "total",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_TASK | REP_BY_LATENCY |
	       REP_BY_LOG | REP_BY_SLOWEST | REP_BY_EACH,
    .ops = &ops,
};

const struct rep_report rep_report_regions = {
    .name = "regions",
    .doc = "user regions (runtime/trace.StartRegion) by type",
    .rows = "region types",
    .columns = region_columns,
    .ncolumns = TP_COUNT_OF(region_columns),
    .numbers = NNUMBERS,
    .sort = "total",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_TASK | REP_BY_LATENCY |
	       REP_BY_SLOWEST | REP_BY_EACH,
    .ops = &ops,
};
