/* Makes the tables on the worker's thread, with the functions of the commands that print them. */
#include "tprof-tui/view/top/top.h"

#include <stdlib.h>
#include <string.h>

#include "leak/leak.h"
#include "path/show.h"
#include "profile/merge/difference.h"
#include "profile/report.h"
#include "profile/trace.h"
#include "tprof-tui/fill.h"

/* Rows beyond this limit are dropped; a note below the table says so. */
#define MOST_ROWS 200000

void top_result_release(struct top_result *t)
{
	top_model_drop(t->model);
	tp_buf_release(&t->types);
	*t = (struct top_result){0};
}

void top_ask_release(struct tui_fill *f)
{
	top_result_release(&((struct top_ask *)f)->result);
}

/* ---- reports on traces ---- */

/* Makes each table of a page separately, so that every table is complete. */
static int fill_page(const struct rep_top_options *page, const struct rep_run *run,
		     struct tp_store *store, struct rep_output *out, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; page->report->page[i] && !code; i++) {
		struct rep_top_options opt = *page;
		char title[200];

		opt.report = page->report->page[i];
		opt.each = page->each && opt.report->filters & REP_BY_EACH;
		snprintf(title, sizeof(title), "%s: %s", opt.report->name, opt.report->doc);
		code = rep_output_note(out, true, title, err);
		if (!code)
			code = rep_top(out, store, run, 1, &opt, err);
	}
	return code;
}

/* Returns the sort key for goroutines that are filtered by a state or reason, NULL for the default. The
 * default, running, would be 0 for all of them. */
static const char *state_key(const struct rep_filter_text *f)
{
	static const char *const keys[] = {"blocked", "runnable", "syscall"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (f->state && !strcmp(f->state, keys[i]))
			return keys[i];
	return f->reason && !f->state ? "blocked" : NULL;
}

static int fill_report(struct top_ask *a, struct tp_store *store, struct rep_output *out,
		       struct tp_err *err)
{
	char times[60];
	struct rep_top_options opt = {
	    .filter = tui_select_filter(&a->fill.job.select, top_filters(&a->entry), times),
	    .rows = MOST_ROWS,
	    .tables = true,
	    .whole = true,
	};

	opt.each = a->how.each && top_has_each(&a->entry);
	opt.report = rep_report_meant(a->entry.name, &opt);
	if (!strcmp(opt.report->name, "goroutines"))
		opt.sort = state_key(&opt.filter);
	if (strcmp(opt.report->name, a->entry.name) != 0)
		snprintf(a->result.meant, sizeof(a->result.meant), "%s", opt.report->name);
	return rep_top_several(opt.report)
		   ? fill_page(&opt, a->fill.job.select.run, store, out, err)
		   : rep_top(out, store, a->fill.job.select.run, 1, &opt, err);
}

/* ---- profiles ---- */

/* Loads a trace as a profile. Focus applies to the profile, as in pprof, unless the table is a
 * report. */
static int load_trace(const struct top_ask *a, struct tp_store *store, const struct rep_run *run,
		      enum rep_trace_view view, enum rep_trace_go go, struct tp_profile **p,
		      struct tp_err *err)
{
	char times[60];
	struct rep_trace_profile_options opt =
	    tui_select_trace(&a->fill.job.select, top_filters(&a->entry), times);

	opt.view = view;
	opt.go = go;
	if (a->entry.kind != TOP_REPORT)
		opt.filter.focus = NULL;
	return rep_trace_profile(store, run, &opt, p, err);
}

/* Loads a trace as the profile of the table's view, or a profile as it is. */
static int load_view(const struct top_ask *a, struct tp_store *store, const struct rep_run *run,
		     struct tp_profile **p, struct tp_err *err)
{
	if (a->entry.kind == TOP_GO)
		return load_trace(a, store, run, 0, (enum rep_trace_go)a->entry.which, p, err);
	if (a->entry.kind == TOP_FUNCTIONS)
		return load_trace(a, store, run, (enum rep_trace_view)a->entry.which, 0, p, err);
	return tui_fill_load(store, run, a->fill.job.select.task, p, err);
}

static int subtract(struct top_ask *a, struct tp_store *store, struct tp_profile **p,
		    struct tp_err *err)
{
	const struct rep_difference_options how = {.mark = a->how.base == TOP_DIFF_BASE};
	struct tp_profile *base = NULL, *difference = NULL;
	int code;

	if (a->how.base == TOP_NO_BASE || !a->fill.job.select.other ||
	    a->fill.job.select.other == a->fill.job.select.run)
		return 0;
	if (strcmp(a->fill.job.select.other->row.kind, a->fill.job.select.run->row.kind) != 0)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "the marked run is a %s, but this one is a %s; press d to end the comparison",
		    a->fill.job.select.other->row.kind, a->fill.job.select.run->row.kind);
	code = load_view(a, store, a->fill.job.select.other, &base, err);
	if (!code)
		code = rep_profile_difference(base, *p, &how, &difference, err);
	tp_profile_free(base);
	if (code)
		return code;
	tp_profile_free(*p);
	*p = difference;
	a->result.based = true;
	return 0;
}

/* Records the sample types, and which of them is shown. */
static int tell_types(struct top_ask *a, const struct rep_profile_view *v)
{
	const struct tp_profile *p = v->profile;
	int failed = 0;

	for (size_t i = 0; i < p->ntypes; i++) {
		struct tp_text t = tp_dict_text(p->dict, p->types[i].type);

		failed |= tp_buf_put(&a->result.types, t.text, t.size) |
			  tp_buf_put(&a->result.types, "", 1);
	}
	a->result.ntypes = p->ntypes;
	a->result.at = v->index;
	snprintf(a->result.found, sizeof(a->result.found), "%s", v->type);
	return failed ? TP_ENOMEM : 0;
}

static void options(const struct top_ask *a, struct rep_profile_options *opt)
{
	*opt = (struct rep_profile_options)REP_PROFILE_OPTIONS_INIT;
	/* Show all rows, in the unit that tprof-top chooses without the small rows, which it leaves out. */
	opt->unit_fraction = opt->node_fraction;
	opt->node_fraction = 0;
	opt->granularity = a->how.granularity;
	opt->cum = a->how.cum;
	opt->focus = a->fill.job.select.focus;
	opt->sample_index = *a->how.type ? a->how.type : NULL;
}

static int fill_functions(struct top_ask *a, struct tp_store *store, struct rep_output *out,
			  struct tp_err *err)
{
	struct top_model *m = a->result.model = top_model_new();
	struct rep_profile_options opt;
	int code =
	    m ? load_view(a, store, a->fill.job.select.run, &m->profile, err) : tp_nomem(err);

	if (!code)
		code = subtract(a, store, &m->profile, err);
	if (code)
		return code;
	options(a, &opt);
	/* The model points to these texts. */
	m->focus = opt.focus ? strdup(opt.focus) : NULL;
	m->type = opt.sample_index ? strdup(opt.sample_index) : NULL;
	if ((opt.focus && !m->focus) || (opt.sample_index && !m->type))
		return tp_nomem(err);
	opt.focus = m->focus;
	opt.sample_index = m->type;
	code = rep_profile_top(&m->top, m->profile, &opt, err);
	if (!code)
		code = tui_fill_notes(&m->top.view.notes, out, err);
	if (!code)
		code = rep_profile_top_print(&m->top, out, err);
	if (!code && tell_types(a, &m->top.view))
		code = tp_nomem(err);
	return code;
}

/* Makes the report cpu. Its rows unfold by the profile of the view cpu, which has the same functions. */
static int fill_cpu(struct top_ask *a, struct tp_store *store, struct rep_output *out,
		    struct tp_err *err)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct top_model *m;
	int code = fill_report(a, store, out, err);

	if (code)
		return code;
	m = a->result.model = top_model_new();
	if (!m)
		return tp_nomem(err);
	m->by_name = true;
	code = load_trace(a, store, a->fill.job.select.run, REP_TRACE_CPU, 0, &m->profile, err);
	/* Count samples, as the report does. */
	opt.sample_index = "0";
	opt.node_fraction = 0;
	return code ? code : rep_profile_top(&m->top, m->profile, &opt, err);
}

/* Writes a report on profiles whose rows are not functions: labels or goroutines. */
static int fill_rows(struct top_ask *a, struct tp_store *store, struct rep_output *out,
		     struct tp_err *err)
{
	const struct rep_profile_report *r =
	    rep_profile_report_find(a->entry.kind == TOP_LABELS ? "tags" : a->entry.name);
	struct rep_profile_options opt;
	struct rep_profile_view v = {0};
	struct tp_profile *p = NULL;
	int code = tui_fill_load(store, a->fill.job.select.run, a->fill.job.select.task, &p, err);

	options(a, &opt);
	opt.pprof_units = true; /* numbers of labels are texts, and copied as tprof-top has them */
	if (!code) {
		code = rep_profile_view_init(&v, p, &opt, &r->traits, err);
		if (!code)
			code = tui_fill_notes(&v.notes, out, err);
		if (!code)
			code = r->table(&v, NULL, out, err);
		if (!code && tell_types(a, &v))
			code = tp_nomem(err);
		rep_profile_view_release(&v);
	}
	tp_profile_free(p);
	return code;
}

/* ---- leaked goroutines ---- */

static int fill_leaks(const struct top_ask *a, struct tp_store *store, struct rep_output *out,
		      struct tp_err *err)
{
	const struct rep_leak_options opt = {0};
	const struct rep_run *run = a->fill.job.select.run;
	struct tp_profile *p = NULL;
	struct rep_leaks *l = NULL;
	int code = rep_leaks_new(&l, &opt, err);

	if (!code && strcmp(run->row.kind, "profile") != 0) {
		code = rep_leaks_add_run(l, run->row.name, store, run, err);
	} else if (!code) {
		code = tui_fill_load(store, run, a->fill.job.select.task, &p, err);
		if (!code)
			code = rep_leaks_add_profile(l, run->row.name, p, err);
	}
	if (!code)
		code = rep_leaks_finish(l, err);
	if (!code)
		code = rep_leaks_print(l, out, MOST_ROWS, false, err);
	rep_leaks_free(l);
	tp_profile_free(p);
	return code;
}

/* ---- critical paths ---- */

static int fill_paths(struct rep_view *v, const struct rep_path_options *pick,
		      enum rep_path_report report, struct rep_output *out, struct tp_err *err)
{
	struct rep_path_requests list;
	struct rep_path path = {0};
	/* 0 rows: all branches of a tree, whose number is limited by that of the chains. The default
	 * would show only a few. */
	const struct rep_path_page page = {
	    .v = v, .list = &list, .path = &path, .rows = report == REP_PATH_TREE ? 0 : MOST_ROWS};
	int code = rep_path_pick(v, pick, &list, err);

	if (!code && (report == REP_PATH_HOP_LIST || report == REP_PATH_WHAT_IF) && list.n != 1)
		code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "this table is about one request, but %zu match; open "
				  "'path requests' and press Enter on one",
				  list.n);
	if (!code)
		code = report == REP_PATH_BLAME ? rep_path_mark_bands(v, &list, err) : 0;
	if (!code)
		code = rep_path_walk(v, list.request, list.n, REP_PATH_HOPS, &path, err);
	if (!code)
		code = rep_path_show(out, &page, report, err);
	rep_path_release(&path);
	rep_path_requests_release(&list);
	return code;
}

static int fill_path(const struct top_ask *a, struct tp_store *store, struct rep_output *out,
		     struct tp_err *err)
{
	enum rep_path_report report = (enum rep_path_report)a->entry.which;
	struct rep_path_options pick = {.at_most = INT64_MAX};
	struct rep_wakes wakes;
	struct tui_filtered all = {0};
	struct rep_view *v = &all.view;
	int code;

	pick.task = a->fill.job.select.task;
	pick.region = a->fill.job.select.region;
	code = tui_filtered_init(&all, &a->fill.job.select,
				 top_filters(&a->entry) & ~(unsigned)REP_BY_TASK, store, err);
	if (!code && report == REP_PATH_WAKERS) {
		code = rep_wakes_add_up(v, pick.task, pick.region, false, &wakes, err);
		if (!code)
			code = rep_wakes_show(out, v, &wakes, MOST_ROWS, false, err);
		rep_wakes_release(&wakes);
	} else if (!code) {
		code = fill_paths(v, &pick, report, out, err);
	}
	tui_filtered_release(&all);
	return code;
}

/* ---- single spans ---- */

#define MOST_SPANS 1000

static int fill_longest(struct top_ask *a, struct tp_store *store, struct rep_output *out,
			struct tp_err *err)
{
	const struct top_longest *which = &top_longest[a->entry.which];
	/* Sleeping goroutines are left out unless a reason is selected. */
	const struct rep_worst_options opt = {.states = which->states,
					      .n = MOST_SPANS,
					      .no_rest = !a->fill.job.select.reason,
					      .stop = &a->fill.job.stop};
	int code =
	    tui_fill_worst(&a->fill, &opt, top_filters(&a->entry), which->name, store, out, err);

	if (!code && opt.no_rest && which->states & 1u << TP_ST_WAITING)
		code =
		    rep_output_note(out, false, "without sleep and the runtime's own waits", err);
	return code;
}

int top_fill(struct tui_fill *f, struct tp_store *store, struct rep_output *out, struct tp_err *err)
{
	struct top_ask *a = (struct top_ask *)f;

	switch (a->entry.kind) {
	case TOP_REPORT:
		return strcmp(a->entry.name, "cpu") ? fill_report(a, store, out, err)
						    : fill_cpu(a, store, out, err);
	case TOP_FUNCTIONS:
	case TOP_GO:
	case TOP_PROFILE:
		return fill_functions(a, store, out, err);
	case TOP_LABELS:
	case TOP_GOROUTINES:
	case TOP_DEADLOCK:
		return fill_rows(a, store, out, err);
	case TOP_LONGEST:
		return fill_longest(a, store, out, err);
	case TOP_PATH:
		return fill_path(a, store, out, err);
	case TOP_LEAKS:
		break;
	}
	return fill_leaks(a, store, out, err);
}
