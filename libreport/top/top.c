#include "top/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "base/units.h"
#include "mmu/curve.h"
#include "task/outliers.h"
#include "top/profile.h"
#include "top/report.h"

/* The page to begin with: the first rows of what most traces have. */
static const struct rep_report *const overview[] = {
    &rep_report_groups, &rep_report_block,
    &rep_report_sched,	&rep_report_syscalls,
    &rep_report_cpu,	&rep_report_gc,
    &rep_report_tasks,	&rep_report_regions,
    &rep_report_procs,	NULL,
};

const struct rep_report rep_report_overview = {
    .name = "overview",
    .doc = "the first rows of the other reports on one page",
    .rows = "reports",
    .filters =
	REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE | REP_BY_REASON | REP_BY_TASK,
    .page = overview,
    .page_rows = 5,
};

static const struct rep_report *const pauses[] = {&rep_report_gc, &rep_report_stops, NULL};

const struct rep_report rep_report_pauses = {
    .name = "pauses",
    .doc = "phases of the collector, and the longest stops of the world",
    .rows = "reports",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE,
    .page = pauses,
    .page_rows = 10,
};

/* One task in detail: `tasks --task=ID`. */
static const struct rep_report *const one_task[] = {
    &rep_report_task,
    &rep_report_story,
    &rep_report_breakdown,
    NULL,
};

const struct rep_report rep_report_one_task = {
    .name = "task",
    .doc = "one user task in detail",
    .rows = "tables",
    .filters = REP_BY_TASK | REP_BY_EACH,
    .page = one_task,
};

#define MOST_PAGE 16 /* reports on a page */

const struct rep_report *const rep_reports[] = {
    &rep_report_groups,	   &rep_report_goroutines,
    &rep_report_breakdown, &rep_report_block,
    &rep_report_sched,	   &rep_report_syscalls,
    &rep_report_cpu,	   &rep_report_gc,
    &rep_report_tasks,	   &rep_report_task,
    &rep_report_regions,   &rep_report_region,
    &rep_report_logs,	   &rep_report_outliers,
    &rep_report_story,	   &rep_report_procs,
    &rep_report_overview,  &rep_report_mmu,
    &rep_report_pauses,	   &rep_report_stops,
    &rep_report_heap,	   NULL,
};

static bool is_id(const char *text)
{
	return text && *text && !text[strspn(text, "0123456789")];
}

const struct rep_report *rep_report_meant(const char *name, struct rep_top_options *opt)
{
	const struct rep_report *r = rep_report_find(name);
	const struct rep_filter_text *f = &opt->filter;
	bool tasks = r == &rep_report_tasks || r == &rep_report_task;
	bool regions = r == &rep_report_regions || r == &rep_report_region;

	/* A page of one table each has no order. */
	if (tasks && is_id(f->task) && !opt->slowest && !opt->sort) {
		opt->each = true;
		return &rep_report_one_task;
	}
	opt->regions = regions || (r == &rep_report_outliers && f->region && !f->task);
	if ((tasks || regions) && opt->slowest)
		return &rep_report_outliers;
	if (r == &rep_report_tasks && (f->task || opt->min || opt->max || opt->log || opt->each))
		return &rep_report_task;
	if (r == &rep_report_regions && (f->region || opt->min || opt->max || opt->each))
		return &rep_report_region;
	return r;
}

const struct rep_report *rep_report_find(const char *name)
{
	for (size_t i = 0; rep_reports[i]; i++) {
		if (!strcmp(rep_reports[i]->name, name))
			return rep_reports[i];
	}
	return NULL;
}

const struct rep_report_column *rep_report_sort(const struct rep_report *r, const char *key)
{
	for (size_t i = 0; i < r->ncolumns; i++) {
		if (r->columns[i].key && !strcmp(r->columns[i].key, key))
			return &r->columns[i];
	}
	return NULL;
}

bool rep_top_several(const struct rep_report *r)
{
	return r->page != NULL;
}

bool rep_top_has_chart(const struct rep_report *r)
{
	return r->ops && r->ops->chart;
}

/* ---- choosing rows ---- */

struct order {
	struct rep_job *job;
	const double *number; /* sort key by row; NULL: by text */
	bool ascending;
	bool lack; /* there was no memory for a text: the order is none */
	size_t column;
};

static int compare_text(struct rep_value a, struct rep_value b)
{
	size_t n = a.text.size < b.text.size ? a.text.size : b.text.size;
	int order;

	if (a.type != REP_TYPE_TEXT || b.type != REP_TYPE_TEXT)
		return (int)(b.type == REP_TYPE_TEXT) - (int)(a.type == REP_TYPE_TEXT);
	order = memcmp(a.text.data, b.text.data, n);
	if (order)
		return order;
	return a.text.size < b.text.size ? -1 : a.text.size > b.text.size;
}

/* Rows that are equal by the key: by what they say, so that the order does not depend on how the
 * run was imported. */
static int compare_tie(struct order *o, uint32_t a, uint32_t b)
{
	const struct rep_report *r = o->job->report;

	if (r->ops->tie) {
		uint64_t x = r->ops->tie(o->job, a), y = r->ops->tie(o->job, b);

		if (x != y)
			return x < y ? -1 : 1;
	}
	for (size_t i = 0; i < r->ncolumns; i++) {
		struct rep_value x, y;
		int order = 0;

		if (!r->columns[i].key || r->columns[i].percentile)
			continue;
		x = r->ops->value(o->job, a, i);
		y = r->ops->value(o->job, b, i);
		o->lack |= rep_is_lack(x) || rep_is_lack(y);
		if (x.type == REP_TYPE_TEXT || y.type == REP_TYPE_TEXT)
			order = compare_text(x, y);
		else if (x.type == REP_TYPE_INT && y.type == REP_TYPE_INT)
			order = x.i < y.i ? -1 : x.i > y.i;
		if (order)
			return order;
	}
	return a < b ? -1 : a > b;
}

/* The order of the output: large numbers first, texts from a to z. */
static int compare(const void *pa, const void *pb, void *ctx)
{
	struct order *o = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	if (o->number && o->number[a] != o->number[b])
		return (o->number[a] > o->number[b]) != o->ascending ? -1 : 1;
	if (!o->number) {
		struct rep_value x = o->job->report->ops->value(o->job, a, o->column);
		struct rep_value y = o->job->report->ops->value(o->job, b, o->column);
		int order = compare_text(x, y);

		o->lack |= rep_is_lack(x) || rep_is_lack(y);
		if (order)
			return order;
	}
	return compare_tie(o, a, b);
}

/* Restores the heap whose root is the last of the n rows in the order of the output. */
static void sift(uint32_t *heap, size_t n, size_t at, struct order *o)
{
	for (;;) {
		size_t child = 2 * at + 1;
		uint32_t row;

		if (child >= n)
			return;
		if (child + 1 < n && compare(&heap[child + 1], &heap[child], o) > 0)
			child++;
		if (compare(&heap[child], &heap[at], o) <= 0)
			return;
		row = heap[at];
		heap[at] = heap[child];
		heap[child] = row;
		at = child;
	}
}

/* Puts the first n of the job's rows in order to the front of rows[]. */
static void choose(uint32_t *rows, size_t total, size_t n, struct order *o)
{
	if (n < total / 8) {
		for (size_t i = n / 2; i-- > 0;)
			sift(rows, n, i, o);
		for (size_t i = n; n && i < total; i++) {
			if (compare(&rows[i], &rows[0], o) < 0) {
				rows[0] = rows[i];
				sift(rows, n, 0, o);
			}
		}
		total = n;
	}
	qsort_r(rows, total, sizeof(*rows), compare, o);
}

static double as_number(struct rep_value v)
{
	return v.type == REP_TYPE_INT ? (double)v.i : v.type == REP_TYPE_FLOAT ? v.f : -1e300;
}

/* The rows to show, in order, into *rows (to be freed) and *n. */
static int pick(struct rep_job *job, struct rep_view *v, size_t limit, uint32_t **rows, size_t *n,
		struct tp_err *err)
{
	const struct rep_report_ops *ops = job->report->ops;
	struct order o = {.job = job, .column = (size_t)(job->sort - job->report->columns)};
	double *number = NULL;
	int code = 0;

	o.ascending = job->report->ascending && !strcmp(job->sort->key, job->report->sort);
	*n = limit && limit < job->nrows ? limit : job->nrows;
	*rows = tp_many(job->nrows + 1, sizeof(**rows));
	if (!*rows)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < job->nrows; i++)
		(*rows)[i] = (uint32_t)i;
	if (job->sort->percentile && ops->prepare)
		code = ops->prepare(job, v, *rows, job->nrows, err);
	if (!code && job->sort->column.kind != REP_TEXT) {
		number = tp_many(job->nrows + 1, sizeof(*number));
		if (!number)
			return rep_job_fail(err, TP_ENOMEM);
		for (size_t i = 0; i < job->nrows; i++)
			number[i] = (job->sort->ascending ? -1 : 1) *
				    as_number(ops->value(job, i, o.column));
		o.number = number;
	}
	if (!code)
		choose(*rows, job->nrows, *n, &o);
	if (o.lack || job->lack)
		code = rep_job_fail(err, TP_ENOMEM);
	if (!code && ops->prepare)
		code = ops->prepare(job, v, *rows, *n, err);
	free(number);
	return code;
}

/* ---- writing ---- */

static bool has_frames(const struct rep_job *job)
{
	return job->opt->whole && job->report->ops->stack;
}

/* The report's columns and the extra ones as the output takes them; a run without a clock has
 * ticks, which are only numbers. */
static struct rep_column *output_columns(struct rep_job *job)
{
	static const struct rep_column frames = {
	    .name = REP_TOP_FRAMES, .kind = REP_TEXT, .raw_only = true, .table_only = true};
	const struct rep_report *r = job->report;
	size_t n = r->ncolumns + job->nextra;
	struct rep_column *c = tp_arena_alloc(&job->texts, (n + 1) * sizeof(*c));
	bool ticks = false;

	if (!c)
		return NULL;
	for (size_t i = 0; i < job->nruns; i++)
		ticks = ticks || job->runs[i].row.ticks;
	for (size_t i = 0; i < n; i++) {
		c[i] = i < r->ncolumns ? r->columns[i].column : job->extra[i - r->ncolumns];
		if (i < 64 && job->hidden >> i & 1)
			c[i].raw_only = true;
		if (ticks && c[i].kind == REP_NS)
			c[i].kind = REP_COUNT;
	}
	if (has_frames(job))
		c[n] = frames;
	return c;
}

/* What to do where filters leave nothing. */
static const char *advice(const struct rep_filter *filter)
{
	if (rep_filter_empty(filter))
		return "";
	return filter->text.goroutine ? " pass the filters; the report goroutines lists the "
					"goroutines there are"
	       : filter->text.reason  ? " pass the filters; the report breakdown lists the reasons "
					"there are"
				      : " pass the filters";
}

static int write_notes(struct rep_job *job, const struct rep_view *v, struct rep_output *out,
		       size_t shown, struct tp_err *err)
{
	char text[200], a[TP_COUNT_SIZE], b[TP_COUNT_SIZE];
	int code = 0;

	if (!job->nrows) {
		snprintf(text, sizeof(text), "nothing to show: no %s%s", job->report->rows,
			 advice(v->filter));
		code = rep_output_note(out, false, text, err);
	} else if (shown < job->nrows) {
		snprintf(text, sizeof(text), "%s of %s %s; -n 0 shows all",
			 tp_fmt_count(a, (int64_t)shown), tp_fmt_count(b, (int64_t)job->nrows),
			 job->report->rows);
		code = rep_output_note(out, false, text, err);
	}
	if (!code && job->note[0])
		code = rep_output_note(out, false, job->note, err);
	return code;
}

/* Line by line, and an empty one. */
static int write_lead(const struct rep_job *job, struct rep_output *out, struct tp_err *err)
{
	const char *from = job->lead;
	char line[sizeof(job->lead)];
	int code = 0;

	while (!code && *from) {
		size_t n = strcspn(from, "\n");

		memcpy(line, from, n);
		line[n] = '\0';
		code = rep_output_note(out, true, line, err);
		from += n + (from[n] != '\0');
	}
	return code ? code : rep_output_note(out, false, "", err);
}

/* A cell, as tables have it, or else the other formats. */
static struct rep_value cell_of(struct rep_job *job, const struct rep_column *column, uint32_t row,
				size_t c)
{
	const struct rep_top_options *opt = job->opt;
	struct rep_top_options plain;
	struct rep_value v = {0}, other;
	bool both = !column->raw_only && !column->table_only;
	bool mine = !(opt->tables ? column->raw_only : column->table_only);

	if (mine)
		v = job->report->ops->value(job, row, c);
	if (!opt->whole || (mine && (!both || v.type != REP_TYPE_TEXT)))
		return mine ? v : rep_null();
	plain = *opt;
	plain.tables = !opt->tables;
	job->opt = &plain;
	other = job->report->ops->value(job, row, c);
	job->opt = opt;
	if (!mine)
		return other;
	if (v.text.size && other.type == REP_TYPE_TEXT && !other.text.size)
		v.type = REP_TYPE_ABSENT;
	return v;
}

#define MOST_FRAMES ((size_t)64 << 20) /* bytes of them that are handed out */

static struct rep_value frames_of(struct rep_job *job, uint32_t row, size_t *given)
{
	struct rep_value v = *given < MOST_FRAMES
				 ? rep_job_frames(job, job->report->ops->stack(job, row))
				 : rep_null();

	if (v.type == REP_TYPE_TEXT)
		*given += v.text.size;
	return v;
}

static int write_table(struct rep_job *job, struct rep_view *v, struct rep_output *out,
		       size_t limit, struct tp_err *err)
{
	size_t n = 0, ncolumns = job->report->ncolumns + job->nextra, given = 0;
	struct rep_column *columns = output_columns(job);
	struct rep_value *values = calloc(ncolumns + 1, sizeof(*values));
	uint32_t *rows = NULL;
	int code = !columns || !values ? rep_job_fail(err, TP_ENOMEM) : 0;

	if (!code)
		code = pick(job, v, limit, &rows, &n, err);
	if (!code && (job->nrows || !job->opt->tables)) {
		code = rep_output_begin(out, job->report->name, columns, ncolumns + has_frames(job),
					err);
		for (size_t i = 0; !code && i < n; i++) {
			for (size_t c = 0; c < ncolumns; c++)
				values[c] = cell_of(job, &columns[c], rows[i], c);
			if (has_frames(job))
				values[ncolumns] = frames_of(job, rows[i], &given);
			code = rep_output_row(out, values, err);
		}
		if (!code)
			code = rep_output_end(out, err);
	}
	if (!code)
		code = write_notes(job, v, out, n, err);
	free(values);
	free(rows);
	return code;
}

#define CHART_ROWS    16
#define CHART_COLUMNS 80
#define SVG_WIDTH     960
#define SVG_HEIGHT    420

static int write_chart(struct rep_job *job, struct rep_output *out, struct tp_err *err)
{
	const struct rep_top_options *opt = job->opt;
	struct rep_chart_terminal t = {.rows = CHART_ROWS};
	struct rep_chart chart = {0};
	unsigned width;
	int code;

	if (opt->chart == REP_CHART_AND_TABLE && (!opt->tables || !job->nrows))
		return 0;
	code = job->report->ops->chart(job, &chart, err);
	if (!code && !chart.nlines && opt->chart == REP_CHART_SVG)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the trace has nothing that the chart of '%s' could be of",
				  job->report->name);
	if (!code && !chart.nlines && opt->chart == REP_CHART_ONLY) {
		return rep_output_note(out, false, "there is nothing to draw", err);
	}
	if (code || !chart.nlines)
		return code;
	if (opt->chart == REP_CHART_SVG)
		return rep_chart_svg(&chart, SVG_WIDTH, SVG_HEIGHT, opt->svg, err);
	code = rep_output_aside(out, &t.sink, &width, &t.colour, &t.ascii, err);
	/* What takes tables as they are has no place for it. */
	if (!code && !t.sink.write)
		return 0;
	t.columns = width && width < CHART_COLUMNS ? width : CHART_COLUMNS;
	if (!code)
		code = rep_chart_terminal(&chart, &t, err);
	return code ? code : rep_output_note(out, false, "", err);
}

/* ---- all of it ---- */

/* What the filters ask for beyond time and what every report can do. */
static const char *needs(const struct rep_top_options *opt, unsigned can)
{
	const struct rep_filter_text *f = &opt->filter;

	if ((f->focus || f->ignore) && !(can & REP_BY_FRAMES))
		return f->focus ? "--focus" : "--ignore";
	if (f->goroutine && !(can & REP_BY_GOROUTINE))
		return "--goroutine";
	if (f->state && !(can & REP_BY_STATE))
		return "--state";
	if (f->reason && !(can & REP_BY_REASON))
		return "--reason";
	if ((f->task || f->region) && !(can & REP_BY_TASK))
		return f->task ? "--task" : "--region";
	if ((opt->min || opt->max) && !(can & REP_BY_LATENCY))
		return opt->min ? "--min" : "--max";
	if (opt->log && !(can & REP_BY_LOG))
		return "--log";
	if (opt->slowest && !(can & REP_BY_SLOWEST))
		return "--slowest";
	if (opt->each && !(can & REP_BY_EACH))
		return "--each";
	return NULL;
}

/* A filter that is not for this report, and for which it is. */
static int not_for(const struct rep_top_options *opt, const char *filter, struct tp_err *err)
{
	char list[200] = "";
	size_t used = 0;

	for (size_t i = 0; rep_reports[i] && used < sizeof(list); i++) {
		const char *still = needs(opt, rep_reports[i]->filters);

		if (!still || strcmp(still, filter) != 0)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", rep_reports[i]->name);
	}
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%s does not apply to the report '%s'; it does to: %s", filter,
			  opt->report->name, list);
}

/* What is typed about tasks, regions and logs makes sense. */
static int check_choice(const struct rep_top_options *opt, struct tp_err *err)
{
	const struct rep_pick_text text = {
	    .task = opt->filter.task,
	    .region = opt->filter.region,
	    .min = opt->min,
	    .max = opt->max,
	    .log = opt->log,
	};
	struct rep_slowest slowest;
	struct rep_pick choice;
	int code = rep_pick_init(&choice, &text, err);

	rep_pick_release(&choice);
	if (!code && opt->slowest)
		code = rep_slowest_parse(opt->slowest, &slowest, err);
	return code;
}

static int no_such_key(const struct rep_report *r, const char *key, struct tp_err *err)
{
	char list[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < r->ncolumns && used < sizeof(list); i++)
		if (r->columns[i].key)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", r->columns[i].key);
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the report '%s' cannot be sorted by '%.40s'; there are: %s", r->name,
			  key, list);
}

int rep_top_check(const struct rep_top_options *opt, struct tp_err *err)
{
	const char *filter = needs(opt, opt->report->filters);
	struct rep_filter f;
	int64_t ns;
	int code;

	if (filter)
		return not_for(opt, filter, err);
	if (opt->sort && !rep_report_sort(opt->report, opt->sort))
		return no_such_key(opt->report, opt->sort, err);
	code = rep_filter_init(&f, &opt->filter, err);
	rep_filter_release(&f);
	if (!code && opt->filter.from)
		code = rep_filter_time(opt->filter.from, "--from", 0, &ns, err);
	if (!code && opt->filter.to)
		code = rep_filter_time(opt->filter.to, "--to", 0, &ns, err);
	if (!code && opt->mmu.windows) {
		int64_t window[REP_MMU_WINDOWS];
		size_t n;

		code = rep_mmu_windows_parse(opt->mmu.windows, window, &n, err);
	}
	return code ? code : check_choice(opt, err);
}

int rep_top_check_run(const struct rep_top_options *opt, const struct rep_run *run,
		      struct tp_err *err)
{
	char end[TP_UNITS_SIZE];
	int64_t from, to;
	int code = rep_filter_range(&opt->filter, run->row.duration_ns, &from, &to, err);

	if (code || from <= run->row.duration_ns)
		return code;
	if (run->row.ticks)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "there is nothing from --from %s on: the run is over after %lld "
				  "ticks",
				  opt->filter.from, (long long)run->row.duration_ns);
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "there is nothing from --from %s on: the run ends at %s",
			  opt->filter.from, tp_fmt_ns(end, run->row.duration_ns));
}

struct top {
	const struct rep_top_options *opt;
	struct rep_filter filter;
	struct rep_view view;
	struct tp_dict *common; /* of several runs */
	struct rep_job job[MOST_PAGE];
	size_t njobs;
};

static int begin_jobs(struct top *t, const struct rep_run *runs, size_t nruns, struct tp_err *err)
{
	const struct rep_top_options *opt = t->opt;
	const struct rep_report *const alone[] = {opt->report, NULL};
	const struct rep_report *const *page = opt->report->page ? opt->report->page : alone;
	int code = 0;

	for (size_t i = 0; !code && page[i] && t->njobs < MOST_PAGE; i++) {
		const struct rep_report *r = page[i];
		struct rep_job *job = &t->job[t->njobs];

		if (needs(opt, r->filters))
			continue;
		t->njobs++;
		job->report = r;
		job->opt = opt;
		job->sort = rep_report_sort(r, opt->sort ? opt->sort : r->sort);
		job->runs = runs;
		job->nruns = nruns;
		job->dict = t->common;
		job->every = nruns > 1;
		code = r->ops->begin(job, err);
	}
	return code;
}

static int add_run(struct top *t, struct tp_store *store, const struct rep_run *run, size_t index,
		   struct tp_err *err)
{
	int code;

	rep_view_release(&t->view);
	code = rep_view_init(&t->view, store, run, &t->filter, t->common, err);
	t->view.index = index;
	for (size_t i = 0; !code && i < t->njobs; i++) {
		struct rep_job *job = &t->job[i];

		if (!t->common)
			job->dict = t->view.dict;
		tp_sum(&job->length_ns, rep_view_length(&t->view));
		code = job->report->ops->add(job, &t->view, err);
	}
	return code ? code : rep_matcher_settle(&t->view.match, err);
}

static int write_jobs(struct top *t, struct rep_output *out, struct tp_err *err)
{
	bool several = rep_top_several(t->opt->report);
	size_t limit = (size_t)t->opt->rows;
	int code = 0;

	if (t->opt->report->page_rows && (!limit || limit > t->opt->report->page_rows))
		limit = t->opt->report->page_rows;
	for (size_t i = 0; !code && i < t->njobs; i++) {
		struct rep_job *job = &t->job[i];
		char title[200];

		if (job->report->ops->finish)
			code = job->report->ops->finish(job, err);
		if (!code && several && (job->nrows || !t->opt->tables)) {
			snprintf(title, sizeof(title), "%s: %s", job->report->name,
				 job->report->doc);
			if (i)
				code = rep_output_note(out, false, "", err);
			if (!code)
				code = rep_output_note(out, true, title, err);
		}
		if (!code && job->lead[0])
			code = write_lead(job, out, err);
		if (!code && job->report->ops->chart)
			code = write_chart(job, out, err);
		if (t->opt->chart != REP_CHART_AND_TABLE)
			continue;
		if (!code && (!several || job->nrows || !t->opt->tables))
			code = write_table(job, &t->view, out, limit, err);
	}
	return code;
}

/* All but writing. To be ended in every case. */
static int begin_top(struct top **out, struct tp_store *store, const struct rep_run *runs,
		     size_t nruns, const struct rep_top_options *opt, struct tp_err *err)
{
	struct top *t = calloc(1, sizeof(*t));
	int code;

	*out = t;
	if (!t)
		return rep_job_fail(err, TP_ENOMEM);
	t->opt = opt;
	code = rep_top_check(opt, err);
	if (!code)
		code = rep_filter_init(&t->filter, &opt->filter, err);
	if (!code && nruns > 1) {
		t->common = tp_dict_new();
		if (!t->common)
			code = rep_job_fail(err, TP_ENOMEM);
	}
	if (!code)
		code = begin_jobs(t, runs, nruns, err);
	for (size_t i = 0; !code && i < nruns; i++)
		code = add_run(t, store, &runs[i], i, err);
	return code;
}

static void end_top(struct top *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->njobs; i++) {
		t->job[i].report->ops->release(&t->job[i]);
		tp_arena_clear(&t->job[i].texts);
	}
	rep_view_release(&t->view);
	rep_filter_release(&t->filter);
	tp_dict_free(t->common);
	free(t);
}

int rep_top(struct rep_output *out, struct tp_store *store, const struct rep_run *runs,
	    size_t nruns, const struct rep_top_options *opt, struct tp_err *err)
{
	struct top *t;
	int code = begin_top(&t, store, runs, nruns, opt, err);

	if (!code)
		code = write_jobs(t, out, err);
	end_top(t);
	return code;
}

int rep_top_profile_check(const struct rep_report *r, struct tp_err *err)
{
	return rep_report_profile_check(r, err);
}

int rep_top_profile(struct tp_profile **p, struct tp_store *store, const struct rep_run *runs,
		    size_t nruns, const struct rep_top_options *opt, struct tp_err *err)
{
	uint32_t *rows = NULL;
	struct rep_job *job;
	struct top *t = NULL;
	size_t n;
	int code = rep_report_profile_check(opt->report, err);

	*p = NULL;
	if (!code)
		code = begin_top(&t, store, runs, nruns, opt, err);
	job = t ? &t->job[0] : NULL;
	if (!code && job->report->ops->finish)
		code = job->report->ops->finish(job, err);
	if (!code)
		code = pick(job, &t->view, (size_t)opt->rows, &rows, &n, err);
	if (!code) {
		*p = tp_profile_new();
		code = *p ? rep_job_profile(job, rows, n, *p, err) : rep_job_fail(err, TP_ENOMEM);
	}
	if (code) {
		tp_profile_free(*p);
		*p = NULL;
	}
	free(rows);
	end_top(t);
	return code;
}
