/* Picks the requests of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"
#include "path/path.h"
#include "task/choose.h"

/* Checks the options. Task 0, the background task, is not a request: it stands for everything outside all
 * tasks. */
static int read_options(struct rep_pick *choice, const struct rep_path_options *opt,
			struct tp_err *err)
{
	const struct rep_pick_text text = {.task = opt->task, .region = opt->region};
	const struct rep_pattern *task = &choice->pattern[REP_PICK_TASK];
	int code = rep_pick_init(choice, &text, err);

	if (!code && task->by_id && !task->id && !opt->region)
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--task=0 is not a request: it stands for what happens outside "
				  "all tasks");
	return code;
}

int rep_path_check(const struct rep_path_options *opt, struct tp_err *err)
{
	struct rep_pick choice;
	int code = read_options(&choice, opt, err);

	rep_pick_release(&choice);
	return code;
}

/* ---- collecting ---- */

struct pick {
	struct rep_view *v;
	const struct rep_path_options *opt;
	struct rep_path_requests *list;
	struct rep_pick choice;
	struct rep_tasks tasks;
	size_t room;
	/* The latency nearest to the bounds --min and --max among those outside them, and its
	 * distance from the bound; 0 if no request is outside. */
	int64_t near, off;
};

/* Adds a request with the data of the run. Its goroutine is `goroutine` until the walk finds the one on which
 * it ends. */
static int put(struct pick *p, struct rep_path_request r, int64_t from, int64_t to,
	       int64_t goroutine)
{
	const struct rep_view *v = p->v;
	struct rep_path_requests *list = p->list;
	int64_t end = v->run->row.duration_ns, took, off;
	int code;

	r.no_begin = from == TP_NULL;
	r.no_end = to == TP_NULL;
	r.from = from == TP_NULL || from < 0 ? 0 : from;
	r.to = to == TP_NULL || to > end ? end : to;
	r.goroutine = goroutine >= 0 && (uint64_t)goroutine < v->nrows[TP_TABLE_GOROUTINE]
			  ? (uint32_t)goroutine
			  : TP_NONE;
	r.begins = r.goroutine;
	r.subject = (uint8_t)list->subject;
	if (r.to < r.from || !rep_view_overlaps(v, r.from, r.to))
		return 0;
	took = r.to - r.from;
	off = took < p->opt->at_least ? p->opt->at_least - took : took - p->opt->at_most;
	if (off > 0) {
		if (!p->off || off < p->off) {
			p->near = took;
			p->off = off;
		}
		return 0;
	}
	if (r.no_end && list->subject != REP_PATH_GOROUTINE &&
	    !p->choice.pattern[REP_PICK_TASK].by_id && !p->choice.pattern[REP_PICK_TASK].request) {
		if (!list->incomplete++)
			list->example = r.id;
		return 0;
	}
	code = tp_grow(&list->request, &p->room, list->n, sizeof(r));
	if (!code)
		list->request[list->n++] = r;
	return code;
}

static bool is_filtered(const struct pick *p)
{
	return p->v->filter->by_id || p->v->filter->given[REP_FILTER_GOROUTINE];
}

static bool wants_goroutine(struct pick *p, int64_t goroutine)
{
	return !is_filtered(p) || rep_view_match_goroutine(p->v, goroutine);
}

static int pick_tasks(struct pick *p, struct tp_err *err)
{
	struct rep_view *v = p->v;
	int code = 0;

	for (uint32_t i = 0; i < p->tasks.n && !code; i++) {
		struct rep_path_request r = {.id = REP_AT(v, TASK, id, i),
					     .name = (uint32_t)REP_AT(v, TASK, name, i)};

		if (rep_choose_task(&p->choice, i) &&
		    wants_goroutine(p, REP_AT(v, TASK, goroutine, i)))
			code = put(p, r, REP_AT(v, TASK, start_ns, i), REP_AT(v, TASK, end_ns, i),
				   REP_AT(v, TASK, goroutine, i));
	}
	return code ? tp_nomem(err) : 0;
}

static int pick_regions(struct pick *p, struct tp_err *err)
{
	struct rep_view *v = p->v;
	int code = rep_view_load(v, TP_TABLE_REGION,
				 REP_BIT(REGION, name) | REP_BIT(REGION, task) |
				     REP_BIT(REGION, goroutine) | REP_BIT(REGION, start_ns) |
				     REP_BIT(REGION, end_ns) | REP_BIT(REGION, stack),
				 err);

	for (uint32_t i = 0; i < v->nrows[TP_TABLE_REGION] && !code; i++) {
		int64_t g = REP_AT(v, REGION, goroutine, i);
		struct rep_path_request r = {
		    .id = (int64_t)i,
		    .name = (uint32_t)REP_AT(v, REGION, name, i),
		    .stack = (uint32_t)REP_AT(v, REGION, stack, i),
		};

		/* Regions without a name stand for inherited tasks and are not regions of the program. */
		if (r.name && rep_choose_region(&p->choice, i) && wants_goroutine(p, g) &&
		    put(p, r, REP_AT(v, REGION, start_ns, i), REP_AT(v, REGION, end_ns, i), g))
			code = tp_nomem(err);
	}
	return code;
}

static int pick_goroutines(struct pick *p, struct tp_err *err)
{
	struct rep_view *v = p->v;
	int code =
	    rep_view_load(v, TP_TABLE_GOROUTINE,
			  REP_BIT(GOROUTINE, created_ns) | REP_BIT(GOROUTINE, ended_ns), err);

	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE] && !code; i++) {
		struct rep_path_request r = {.id = REP_COL(v, GOROUTINE, id)[i],
					     .name = (uint32_t)REP_COL(v, GOROUTINE, name)[i]};

		if (wants_goroutine(p, (int64_t)i) &&
		    (!p->choice.request.goroutine || p->choice.request.goroutine[i]) &&
		    put(p, r, REP_COL(v, GOROUTINE, created_ns)[i],
			REP_COL(v, GOROUTINE, ended_ns)[i], (int64_t)i))
			code = tp_nomem(err);
	}
	return code;
}

static int pick_range(struct pick *p, struct tp_err *err)
{
	int64_t end = p->v->run->row.duration_ns;
	struct rep_path_request r = {.id = TP_NULL};

	return put(p, r, rep_view_clip_start(p->v, 0), rep_view_clip_end(p->v, end), -1)
		   ? tp_nomem(err)
		   : 0;
}

/* ---- choosing ---- */

static int by_length(const void *a, const void *b)
{
	const struct rep_path_request *x = a, *y = b;
	int64_t lx = x->to - x->from, ly = y->to - y->from;

	if (lx != ly)
		return lx > ly ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void rep_path_sort(struct rep_path_request *requests, size_t n)
{
	if (n)
		qsort(requests, n, sizeof(*requests), by_length);
}

static void choose(const struct pick *p)
{
	struct rep_path_requests *list = p->list;
	size_t n = list->n;

	rep_path_sort(list->request, n);
	list->matching = n;
	if (p->opt->slowest > 0 && (uint64_t)p->opt->slowest < n)
		n = (size_t)p->opt->slowest;
	/* Rounded up: 1 % of 30 is one. */
	if (p->opt->slowest_share > 0) {
		double some = (double)list->n * p->opt->slowest_share;
		size_t most = (size_t)some;

		if ((double)most < some)
			most++;
		n = most < n ? most ? most : 1 : n;
	}
	list->n = n < list->n ? n : list->n;
}

static int nothing(const struct pick *p, struct tp_err *err)
{
	struct rep_view *v = p->v;
	const struct rep_path_requests *list = p->list;
	bool tasks = list->subject == REP_PATH_TASK;
	const char *what = tasks			      ? "task"
			   : list->subject == REP_PATH_REGION ? "region"
							      : "goroutine";
	char types[256], end[TP_UNITS_SIZE];

	if (list->incomplete && tasks)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "none of the %zu tasks that match ends in the trace; --task=%lld "
				  "follows one as far as the trace goes",
				  list->incomplete, (long long)list->example);
	if (list->incomplete)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "none of the %zu regions that match ends in the trace; "
				  "--goroutine follows the goroutine of one",
				  list->incomplete);
	if (p->off)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no %s took between --min and --max; the nearest took %s", what,
				  tp_fmt_ns(end, p->near));
	if (list->subject == REP_PATH_RANGE)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the time range begins after the end of the run, at %s",
				  tp_fmt_ns(end, v->run->row.duration_ns));
	if (list->subject == REP_PATH_GOROUTINE)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no goroutine matches; 'tprof-top FILE goroutines' lists all of "
				  "them");
	if (tasks && p->choice.pattern[REP_PICK_TASK].by_id && v->nrows[TP_TABLE_TASK])
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "there is no task %lld%s; 'tprof-top FILE task' lists them",
				  (long long)p->choice.pattern[REP_PICK_TASK].id,
				  is_filtered(p) ? " of a goroutine that passes the filters" : "");
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "no %s matches%s; %s", what,
			  is_filtered(p) ? " and passes the filters" : "",
			  rep_pick_hint(v, !tasks, types, sizeof(types)));
}

/* A request is followed on its tasks if it has any, else in its regions, else on its goroutines. */
static enum rep_path_subject subject_of_request(const struct rep_pick *choice)
{
	const struct rep_request *r = &choice->request;

	return !choice->pattern[REP_PICK_TASK].request || r->ntasks ? REP_PATH_TASK
	       : r->nregions					    ? REP_PATH_REGION
								    : REP_PATH_GOROUTINE;
}

int rep_path_pick(struct rep_view *v, const struct rep_path_options *opt,
		  struct rep_path_requests *list, struct tp_err *err)
{
	struct pick p = {.v = v, .opt = opt, .list = list};
	int code;

	memset(list, 0, sizeof(*list));
	code = read_options(&p.choice, opt, err);
	p.tasks.v = v;
	if (!code && opt->task)
		code = rep_tasks_init_members(&p.tasks, v, err);
	if (!code)
		code = rep_pick_run(&p.choice, &p.tasks, err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
	list->subject = opt->region	  ? REP_PATH_REGION
			: opt->task	  ? subject_of_request(&p.choice)
			: is_filtered(&p) ? REP_PATH_GOROUTINE
					  : REP_PATH_RANGE;
	if (!code)
		code = list->subject == REP_PATH_REGION	     ? pick_regions(&p, err)
		       : list->subject == REP_PATH_TASK	     ? pick_tasks(&p, err)
		       : list->subject == REP_PATH_GOROUTINE ? pick_goroutines(&p, err)
							     : pick_range(&p, err);
	if (!code)
		choose(&p);
	if (!code)
		code = rep_matcher_settle(&v->match, err);
	if (!code && !list->n)
		code = nothing(&p, err);
	rep_pick_release(&p.choice);
	rep_tasks_release(&p.tasks);
	return code;
}

void rep_path_requests_release(struct rep_path_requests *list)
{
	free(list->request);
	memset(list, 0, sizeof(*list));
}
