#include "top/top.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sum.h"
#include "base/units.h"
#include "mmu/curve.h"
#include "task/inside.h"
#include "task/outliers.h"
#include "top/job.h"
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
    .doc = "what costs most, in sentences, and the first rows of other reports",
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

static const struct rep_report *const incident[] = {
    &rep_report_incident,
    &rep_report_incident_longest,
    &rep_report_incident_path,
    NULL,
};

const struct rep_report rep_report_incident_page = {
    .name = "incident",
    .doc = "what took more or less time than usual in a short stretch of the run",
    .rows = "tables",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE | REP_BY_REASON |
	       REP_BY_MOMENT,
    .page = incident,
    .page_rows = 10,
};

#define MOST_PAGE 16 /* reports on a page */

const struct rep_report *const rep_reports[] = {
    &rep_report_groups, &rep_report_goroutines, &rep_report_breakdown, &rep_report_block,
    &rep_report_locks,	&rep_report_sched,	&rep_report_syscalls,  &rep_report_cpu,
    &rep_report_gc,	&rep_report_tasks,	&rep_report_task,      &rep_report_regions,
    &rep_report_region, &rep_report_logs,	&rep_report_outliers,  &rep_report_story,
    &rep_report_procs,	&rep_report_overview,	&rep_report_mmu,       &rep_report_pauses,
    &rep_report_stops,	&rep_report_heap,	&rep_report_incident,  NULL,
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
	if (r == &rep_report_incident) {
		opt->incident.task = opt->filter.task;
		opt->filter.task = NULL;
		return &rep_report_incident_page;
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
		if (r->columns[i].key && !strcasecmp(r->columns[i].key, key))
			return &r->columns[i];
	}
	/* As it is printed: "BLOCKED ON". */
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct rep_report_column *c = &r->columns[i];

		if (c->key && c->column.title && !strcasecmp(c->column.title, key))
			return c;
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

/* ---- all of it ---- */

/* Returns a filter that is given but not in `can` (REP_BY_…), or NULL. */
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
	if ((opt->incident.last || opt->incident.around) && !(can & REP_BY_MOMENT))
		return opt->incident.last ? "--last" : "--around";
	return NULL;
}

/* Reports a filter that does not apply to this report, and the reports that take all filters. */
static int not_for(const struct rep_top_options *opt, const char *filter, struct tp_err *err)
{
	char list[200] = "";
	size_t used = 0;

	for (size_t i = 0; rep_reports[i] && used < sizeof(list); i++) {
		struct rep_top_options o = *opt;

		if (!needs(&o, rep_report_meant(rep_reports[i]->name, &o)->filters))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", rep_reports[i]->name);
	}
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%s does not apply to the report '%s'; %s%s", filter, opt->report->name,
			  used ? "it applies to: " : "no report takes all of these options", list);
}

/* Checks the options that select tasks, regions and logs. */
static int check_choice(const struct rep_top_options *opt, struct tp_err *err)
{
	struct rep_slowest slowest;
	struct rep_pick choice;
	int code = rep_top_pick(&choice, opt, err);

	rep_pick_release(&choice);
	if (!code && opt->slowest)
		code = rep_slowest_parse(opt->slowest, &slowest, err);
	return code;
}

/* Returns the report whose rows --sort orders: of the page incident, its first table. */
static const struct rep_report *sorted(const struct rep_report *r)
{
	return r == &rep_report_incident_page ? &rep_report_incident : r;
}

static int no_such_key(const struct rep_report *r, const char *key, struct tp_err *err)
{
	char list[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < r->ncolumns && used < sizeof(list); i++)
		if (r->columns[i].key)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", r->columns[i].key);
	if (!used)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the report '%s' cannot be sorted: its lines have a fixed order",
				  r->name);
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the report '%s' cannot be sorted by '%.40s'; its keys are: %s", r->name,
			  key, list);
}

int rep_top_check(const struct rep_top_options *opt, struct tp_err *err)
{
	const char *filter = needs(opt, opt->report->filters);
	struct rep_filter f;
	int code;

	if (filter)
		return not_for(opt, filter, err);
	if (opt->sort && !rep_report_sort(sorted(opt->report), opt->sort))
		return no_such_key(sorted(opt->report), opt->sort, err);
	code = rep_filter_init(&f, &opt->filter, err);
	rep_filter_release(&f);
	if (!code)
		code = rep_filter_check_range(&opt->filter, err);
	if (!code)
		code = rep_incident_check(&opt->incident, err);
	if (!code && opt->mmu.windows) {
		int64_t window[REP_MMU_WINDOWS];
		size_t n;

		code = rep_mmu_windows_parse(opt->mmu.windows, window, &n, err);
	}
	return code ? code : check_choice(opt, err);
}

struct top {
	const struct rep_top_options *opt;
	struct rep_filter filter;
	struct rep_view view;
	struct tp_dict *common;	 /* of several runs */
	struct rep_goids *goids; /* nruns */
	size_t nruns;
	struct rep_job job[MOST_PAGE];
	size_t njobs, nshown; /* the last ones are for findings only */
	bool outliers;	      /* findings may be about that report */
};

/* Returns the limit on the rows of a table; 0: none. */
static size_t limit_of(const struct rep_top_options *opt)
{
	size_t limit = (size_t)opt->rows, most = opt->report->page_rows;

	return most && !opt->rows_given && (!limit || limit > most) ? most : limit;
}

/* Whether findings are told. */
static bool tells(const struct top *t)
{
	return t->opt->report == &rep_report_overview;
}

static int begin_job(struct top *t, const struct rep_report *r, const struct rep_run *runs,
		     size_t nruns, struct tp_err *err)
{
	const struct rep_top_options *opt = t->opt;
	struct rep_job *job = &t->job[t->njobs];

	/* No finding is about the last two. */
	if (needs(opt, r->filters) ||
	    (opt->findings && (r == &rep_report_sched || r == &rep_report_regions)))
		return 0;
	t->njobs++;
	job->report = r;
	job->width = (r->numbers ? r->numbers : r->ncolumns) + 1;
	job->opt = opt;
	job->sort = rep_report_sort(r, opt->sort && r == sorted(opt->report) ? opt->sort : r->sort);
	job->runs = runs;
	job->nruns = nruns;
	job->goids = t->goids;
	job->texts = (struct rep_texts){
	    .dict = t->common, .people = opt->tables, .own.names = rep_filter_own(&t->filter)};
	job->every = nruns > 1;
	job->limit = limit_of(opt);
	if (tells(t) && job->limit && job->limit < REP_FINDING_ROWS)
		job->limit = REP_FINDING_ROWS;
	job->state = calloc(1, r->ops->state + 1);
	if (!job->state)
		return rep_job_fail(err, TP_ENOMEM);
	return r->ops->begin ? r->ops->begin(job, err) : 0;
}

/* Of so many events the report outliers takes hundredths of a second. The overview of a longer run only says that
 * there is that report, as all events may have to be read for it. */
#define FEW_EVENTS 1000000

static int begin_jobs(struct top *t, const struct rep_run *runs, size_t nruns, struct tp_err *err)
{
	const struct rep_report *r = t->opt->report, *const alone[] = {r, NULL};
	const struct rep_report *const *page = r->page ? r->page : alone;
	int code = 0;

	for (size_t i = 0; !code && page[i] && t->njobs < MOST_PAGE - 1; i++)
		code = begin_job(t, page[i], runs, nruns, err);
	t->nshown = t->opt->findings ? 0 : t->njobs;
	/* It compares tasks of one run. */
	t->outliers = tells(t) && nruns == 1 && !t->opt->filter.region &&
		      !needs(t->opt, rep_report_outliers.filters);
	if (!code && t->outliers && !t->opt->outliers && runs[0].row.events <= FEW_EVENTS)
		code = begin_job(t, &rep_report_outliers, runs, nruns, err);
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
			job->texts.dict = t->view.dict;
		tp_sum(&job->length_ns, rep_view_length(&t->view));
		t->view.members = (struct rep_members){0};
		/* Of a long run the sums are large, and it reads single spans. */
		if (job->report == &rep_report_outliers)
			rep_view_unload(&t->view, TP_TABLE_SITE);
		code = job->report->ops->add(job, &t->view, err);
		rep_members_add(&job->members, &t->view.members);
	}
	/* Rows are shown when the view may be another run's. */
	if (!code && t->view.goids.n && !t->goids[index].n)
		code = rep_goids_load(&t->goids[index], store, run->row.id, err);
	return code ? code : rep_matcher_settle(&t->view.match, err);
}

static int write_jobs(struct top *t, struct rep_output *out, struct tp_err *err)
{
	bool several = rep_top_several(t->opt->report);
	size_t limit = limit_of(t->opt);
	int code = 0;

	for (size_t i = 0; !code && i < t->njobs; i++)
		if (t->job[i].report->ops->finish)
			code = t->job[i].report->ops->finish(&t->job[i], err);
	if (!code && tells(t) && t->njobs)
		code = rep_job_write_findings(t->job, t->njobs, &t->view, t->outliers, out, err);
	for (size_t i = 0; !code && i < t->nshown; i++) {
		struct rep_job *job = &t->job[i];
		char title[200];

		if (!code && several && (job->nrows || job->lead[0] || !t->opt->tables)) {
			snprintf(title, sizeof(title), "%s: %s", job->report->name,
				 job->report->doc);
			if (i)
				code = rep_output_note(out, false, "", err);
			if (!code)
				code = rep_output_note(out, true, title, err);
		}
		if (!code && job->lead[0])
			code = rep_job_write_lead(job, out, err);
		if (!code && job->report->ops->chart)
			code = rep_job_write_chart(job, out, err);
		if (t->opt->chart != REP_CHART_AND_TABLE)
			continue;
		if (!code && (!several || job->nrows || !t->opt->tables))
			code = rep_job_write_table(job, &t->view, out, limit, err);
	}
	return code;
}

/* All but writing. To be ended in every case. */
static int begin_top(struct top **out, struct tp_store *store, const struct rep_run *runs,
		     size_t nruns, const struct rep_top_options *opt, struct tp_err *err)
{
	struct top *t = calloc(1, sizeof(*t));
	size_t without = 0;
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
	t->nruns = nruns;
	t->goids = calloc(nruns + 1, sizeof(*t->goids));
	if (!code && !t->goids)
		code = rep_job_fail(err, TP_ENOMEM);
	if (!code)
		code = begin_jobs(t, runs, nruns, err);
	for (size_t i = 0; !code && i < nruns; i++) {
		code = add_run(t, store, &runs[i], i, err);
		/* Of several runs one that has the task or region is enough. */
		if (code == TP_ENOENT && rep_filter_inside(&t->filter) && ++without < nruns)
			code = 0;
	}
	return code;
}

/* Returns `code`, or an error of the job's texts. */
static int end_top(struct top *t, int code, struct tp_err *err)
{
	if (!t)
		return code;
	for (size_t i = 0; i < t->njobs; i++) {
		struct rep_job *job = &t->job[i];

		if (job->state && job->report->ops->release)
			job->report->ops->release(job);
		free(job->state);
		free(job->row);
		rep_keys_release(&job->keys);
		rep_durations_release(&job->durations);
		rep_tasks_release(&job->tasks);
		rep_pick_release(&job->choice);
		code = rep_texts_end(&job->texts, code, err);
	}
	for (size_t i = 0; t->goids && i < t->nruns; i++)
		rep_goids_release(&t->goids[i]);
	free(t->goids);
	rep_view_release(&t->view);
	rep_filter_release(&t->filter);
	tp_dict_free(t->common);
	free(t);
	return code;
}

int rep_top(struct rep_output *out, struct tp_store *store, const struct rep_run *runs,
	    size_t nruns, const struct rep_top_options *opt, struct tp_err *err)
{
	struct top *t;
	int code = begin_top(&t, store, runs, nruns, opt, err);

	if (!code)
		code = write_jobs(t, out, err);
	return end_top(t, code, err);
}

int rep_top_profile(struct tp_profile **p, struct tp_store *store, const struct rep_run *runs,
		    size_t nruns, const struct rep_top_options *opt, struct tp_err *err)
{
	uint32_t *rows = NULL;
	struct rep_job *job;
	struct top *t = NULL;
	size_t n;
	int code = rep_top_profile_check(opt->report, err);

	*p = NULL;
	if (!code)
		code = begin_top(&t, store, runs, nruns, opt, err);
	job = t ? &t->job[0] : NULL;
	if (!code && job->report->ops->finish)
		code = job->report->ops->finish(job, err);
	if (!code)
		code = rep_job_pick(job, &t->view, (size_t)opt->rows, &rows, &n, err);
	if (!code) {
		*p = tp_profile_new();
		code = *p ? rep_job_profile(job, rows, n, *p, err) : rep_job_fail(err, TP_ENOMEM);
	}
	if (code) {
		tp_profile_free(*p);
		*p = NULL;
	}
	free(rows);
	return end_top(t, code, err);
}
