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
#include "task/choose.h"
#include "top/report.h"

enum { MORE_A, MORE_B, MORE_C, MORE_D, NMORE }; /* further sums of a row, by report */

struct interval {
	struct rep_sum sum;
	int64_t count, incomplete;
	int64_t worst_ns;	 /* when the longest began */
	int64_t worst_goroutine; /* its goroutine's id, or TP_NULL */
	uint32_t worst_run;
	int64_t more[NMORE];
	bool cut;    /* a time range cut one: what is only known as a whole is unknown */
	int64_t *ns; /* sum.count durations */
	size_t room;
	struct rep_percentiles percentiles;
};

struct intervals {
	struct rep_keys keys;	      /* name */
	uint32_t last_name, last_row; /* string of the run and its row: alike ones often follow */
	bool last_known;
	struct interval *row;
	size_t room;
	int64_t total_ns;
	bool choosy; /* of tasks and regions, not all are wanted */
	struct rep_pick choice;
	struct rep_tasks tasks; /* of the last run, if so */
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
	COLUMN_MORE
};

#define COLUMNS_COMMON(title_text, name_doc, count_doc, total_doc, share_doc)                      \
	[COLUMN_NAME] =                                                                            \
	    {.column = {.name = "name", .title = (title_text), .kind = REP_TEXT, .least = 26},     \
	     .key = "name",                                                                        \
	     .doc = (name_doc)},                                                                   \
	[COLUMN_COUNT] = REP_COLUMN_COUNT(count_doc),                                              \
	[COLUMN_INCOMPLETE] =                                                                      \
	    {.column = {.name = "incomplete", .title = "INCOMPL", .kind = REP_COUNT, .drop = 7},   \
	     .key = "incomplete",                                                                  \
	     .doc = "of them, without beginning or end in the trace"},                             \
	[COLUMN_TOTAL] = REP_COLUMN_NS("total_ns", "TOTAL", "total", 0, total_doc),                \
	[COLUMN_SHARE] = REP_COLUMN_SHARE(1, share_doc),                                           \
	REP_COLUMNS_DISTRIBUTION, [COLUMN_EXACT] = REP_COLUMN_EXACT,                               \
	[COLUMN_WORST] = REP_COLUMN_NS("worst_at_ns", "WORST AT", "worst", 3,                      \
				       "when the longest began, since the run did"),               \
	[COLUMN_WORST_GOROUTINE] = {                                                               \
	    .column = {.name = "worst_goroutine", .kind = REP_ID, .raw_only = true},               \
	    .doc = "whose the longest was"}

static const struct rep_report_column gc_columns[] = {
    COLUMNS_COMMON("RANGE", "as Go names it", "how many", "their time",
		   "of the run's time (or of the time range)"),
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
		   "of all tasks' time here"),
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
		   "of all regions' time here"),
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

static int begin(struct rep_job *job, struct tp_err *err)
{
	const struct rep_top_options *opt = job->opt;
	struct intervals *all = job->state;

	all->choosy = job->report != &rep_report_gc &&
		      (opt->filter.task || opt->filter.region || opt->min || opt->max || opt->log);
	return all->choosy ? rep_top_pick(&all->choice, opt, err) : 0;
}

/* Returns whether the result depends on goroutines or stacks, which tables do not show. */
static bool needs_goroutines(const struct rep_job *job, const struct rep_filter *f)
{
	return f->by_id || f->given[REP_FILTER_GOROUTINE] || f->given[REP_FILTER_FOCUS] ||
	       f->given[REP_FILTER_IGNORE] || !job->opt->tables || job->opt->whole;
}

static int load(const struct rep_job *job, struct rep_view *v, const struct source *s,
		struct tp_err *err)
{
	uint32_t columns = 1u << s->name | 1u << s->start | 1u << s->end;
	bool goroutines = needs_goroutines(job, v->filter);
	int code;

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
	code = rep_view_load(v, s->table, columns, err);
	if (!code && goroutines && v->nrows[s->table])
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
	return code;
}

static int64_t cell(const struct rep_view *v, const struct source *s, int column, size_t i)
{
	return column < 0 || !v->col[s->table][column] ? TP_NULL : v->col[s->table][column][i];
}

static int add_time(struct intervals *all, uint32_t index, struct rep_view *v,
		    const struct source *s, size_t i, int64_t start, int64_t end)
{
	struct interval *row = &all->row[index];
	int64_t goroutine = cell(v, s, s->goroutine, i);
	int64_t from = rep_view_clip_start(v, start);
	int64_t ns = tp_minus(rep_view_clip_end(v, end), from);

	if (!row->sum.count || ns > row->sum.max_ns) {
		row->worst_ns = from;
		row->worst_run = (uint32_t)v->index;
		row->worst_goroutine = rep_view_goid(v, goroutine);
	}
	if (tp_grow(&row->ns, &row->room, (size_t)row->sum.count, sizeof(*row->ns)))
		return TP_ENOMEM;
	row->ns[row->sum.count] = ns;
	rep_sum_add(&row->sum, 1, ns, ns, ns);
	tp_sum(&all->total_ns, ns);
	return 0;
}

static int row_of(struct intervals *all, struct rep_view *v, uint32_t id, uint32_t *index)
{
	uint32_t name;
	int code;

	if (all->last_known && all->last_name == id) {
		*index = all->last_row;
		return 0;
	}
	code = rep_view_string(v, id, &name);
	if (!code)
		code = rep_keys_add(&all->keys, name, 0, 0, 0, index);
	if (!code)
		code = tp_grow(&all->row, &all->room, *index, sizeof(*all->row));
	if (code)
		return code;
	all->last_known = true;
	all->last_name = id;
	all->last_row = *index;
	return 0;
}

static int add_row(struct intervals *all, struct rep_view *v, const struct source *s, size_t i)
{
	int64_t start = cell(v, s, s->start, i), end = cell(v, s, s->end, i);
	bool complete = start != TP_NULL && end != TP_NULL;
	struct interval *row;
	uint32_t index;
	int code;

	/* The background task stands for what is logged outside all tasks. */
	if (s->table == TP_TABLE_TASK && !REP_COL(v, TASK, id)[i])
		return 0;
	start = start == TP_NULL ? 0 : start;
	end = end == TP_NULL ? v->run->row.duration_ns : end;
	if (!rep_view_overlaps(v, start, end))
		return 0;
	code = row_of(all, v, (uint32_t)cell(v, s, s->name, i), &index);
	if (code)
		return code;
	row = &all->row[index];
	row->count++;
	row->cut = row->cut || start < v->from || end > v->to;
	complete = complete && (s != &ranges || REP_COL(v, RANGE, complete)[i] == 1);
	row->incomplete += !complete;
	/* Those of regions are parts of their time, which is not counted then. */
	for (int k = 0; k < NMORE && (complete || s != &regions); k++) {
		int64_t more = cell(v, s, s->more[k], i);

		tp_sum(&row->more[k], more == TP_NULL ? 0 : more);
	}
	if (s->more_plus >= 0 && (complete || s != &regions) &&
	    cell(v, s, s->more_plus, i) != TP_NULL)
		tp_sum(&row->more[MORE_D], cell(v, s, s->more_plus, i));
	if (!complete && s != &ranges)
		return 0;
	return add_time(all, index, v, s, i, start, end);
}

static bool chosen(struct intervals *all, const struct source *s, uint32_t i)
{
	return s == &tasks ? rep_choose_task(&all->choice, i) : rep_choose_region(&all->choice, i);
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct intervals *all = job->state;
	const struct source *s = source_of(job);
	bool goroutines = needs_goroutines(job, v->filter);
	int code = load(job, v, s, err);

	if (!code && all->choosy) {
		rep_tasks_release(&all->tasks);
		code = rep_tasks_init(&all->tasks, v, err);
		if (!code)
			code = rep_pick_run(&all->choice, &all->tasks, err);
	}
	if (code)
		return code;
	all->last_known = false;
	for (size_t i = 0; !code && i < v->nrows[s->table]; i++) {
		int64_t goroutine = goroutines ? cell(v, s, s->goroutine, i) : TP_NULL;

		if (goroutines && (!rep_view_match_goroutine(v, goroutine) ||
				   !rep_match_frames(&v->match, rep_view_entry(v, goroutine),
						     (uint32_t)cell(v, s, s->stack, i))))
			continue;
		if (all->choosy && !chosen(all, s, (uint32_t)i))
			continue;
		code = add_row(all, v, s, i);
	}
	job->nrows = all->keys.n;
	if (!job->nrows && all->choosy)
		rep_pick_hint(v, s == &regions, job->note, sizeof(job->note));
	return code ? rep_job_fail(err, code) : 0;
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
	const struct intervals *all = job->state;
	bool regions_too = job->report == &rep_report_regions;
	const char *one = regions_too ? "region" : "task";
	struct tp_text name;
	size_t most = job->nrows;

	for (size_t i = 0; i < job->nrows; i++)
		if (all->row[i].cut &&
		    (most == job->nrows || all->row[i].sum.total_ns > all->row[most].sum.total_ns))
			most = i;
	if (most == job->nrows)
		return;
	name = tp_dict_text(job->texts.dict, all->keys.key[most].part[0]);
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
	const struct intervals *all = job->state;
	bool regions_too = job->report == &rep_report_regions;
	int64_t incomplete = 0, count = 0;
	char a[TP_COUNT_SIZE], b[TP_COUNT_SIZE];

	for (size_t i = 0; i < job->nrows; i++) {
		tp_sum(&incomplete, all->row[i].incomplete);
		tp_sum(&count, all->row[i].count);
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
	struct intervals *all = job->state;
	bool incomplete = false;

	(void)err;
	if (job->report == &rep_report_regions || job->report == &rep_report_tasks) {
		note_cut(job);
		note_unfinished(job);
	}
	for (size_t i = 0; i < job->nrows && !incomplete; i++)
		incomplete = all->row[i].incomplete != 0;
	if (!incomplete)
		job->hidden |= 1u << COLUMN_INCOMPLETE;
	for (size_t i = 0; i < job->nrows; i++) {
		struct interval *row = &all->row[i];

		if (row->sum.count)
			rep_percentiles_of(row->ns, (size_t)row->sum.count, &row->percentiles);
		if (job->report == &rep_report_gc && row->sum.total_ns > job->length_ns)
			snprintf(job->note, sizeof(job->note), "%s", NOTE_OVER);
	}
	return 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	struct intervals *all = job->state;
	const struct interval *r = &all->row[row];

	if (column == COLUMN_NAME)
		return rep_texts_string(&job->texts, all->keys.key[row].part[0],
					job->report == &rep_report_regions ? "(inherited)"
									   : "(no name)");
	if (column == COLUMN_COUNT)
		return rep_int(r->count);
	if (column == COLUMN_INCOMPLETE)
		return rep_int(r->incomplete);
	if (column >= COLUMN_MORE)
		return (r->cut || !r->sum.count) && job->report == &rep_report_regions
			   ? rep_null()
			   : rep_int(r->more[column - COLUMN_MORE]);
	/* None is complete, so no time is known. */
	if (!r->sum.count)
		return rep_null();
	if (column == COLUMN_WORST)
		return rep_int(r->worst_ns);
	if (column == COLUMN_WORST_GOROUTINE)
		return rep_job_goroutine(job, r->worst_run, r->worst_goroutine);
	return rep_sum_value(&r->sum, &r->percentiles,
			     job->report == &rep_report_gc ? job->length_ns : all->total_ns,
			     (enum rep_sum_column)(column - COLUMN_TOTAL + REP_SUM_TOTAL));
}

static void release(struct rep_job *job)
{
	struct intervals *all = job->state;

	for (size_t i = 0; i < all->keys.n && i < all->room; i++)
		free(all->row[i].ns);
	rep_keys_release(&all->keys);
	rep_tasks_release(&all->tasks);
	rep_pick_release(&all->choice);
	free(all->row);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct intervals),
    .begin = begin,
    .add = add,
    .finish = finish,
    .value = value,
    .release = release,
};

const struct rep_report rep_report_gc = {
    .name = "gc",
    .doc = "stops of the world, GC mark phases, sweeps and mark assists",
    .rows = "ranges",
    .columns = gc_columns,
    .ncolumns = TP_COUNT_OF(gc_columns),
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
    .sort = "total",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_TASK | REP_BY_LATENCY |
	       REP_BY_SLOWEST | REP_BY_EACH,
    .ops = &ops,
};
