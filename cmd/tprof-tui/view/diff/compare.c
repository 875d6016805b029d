/* Makes the comparisons of the view diff on the worker's thread, with the functions of tprof-diff. */
#include "tprof-tui/view/diff/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff/prepare.h"
#include "diff/show.h"
#include "goid.h"
#include "output/ops.h"
#include "profile/trace.h"
#include "profile/view.h"
#include "tprof-tui/fill.h"

bool diff_rows_at(bool traces, int i, struct diff_rows *rows)
{
	if (i < 0)
		return false;
	if (!traces) {
		if (i >= REP_NDIFF_BY)
			return false;
		*rows = (struct diff_rows){.kind = DIFF_PROFILES, .which = i};
		snprintf(rows->name, sizeof(rows->name), "%s", rep_diff_by[i].name);
		return true;
	}
	if (i <= REP_NTRACE_SECTIONS) {
		*rows = (struct diff_rows){.kind = DIFF_METRICS, .which = i - 1};
		snprintf(rows->name, sizeof(rows->name), "%s",
			 i ? rep_trace_sections[i - 1].name : "all");
		return true;
	}
	i -= REP_NTRACE_SECTIONS + 1;
	if (i >= REP_NTRACE_VIEWS)
		return false;
	*rows = (struct diff_rows){.kind = DIFF_VIEWS, .which = i};
	snprintf(rows->name, sizeof(rows->name), "view=%s", rep_trace_views[i].name);
	return true;
}

void diff_ask_release(struct tui_fill *f)
{
	struct diff_ask *a = (struct diff_ask *)f;

	rep_runs_release(&a->old);
	rep_runs_release(&a->new);
	tp_buf_release(&a->result.types);
}

static int stopped(const struct diff_ask *a, struct tp_err *err)
{
	return a->fill.job.stop ? tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted") : 0;
}

/* "a.pb.gz and 2 more" */
static char *name_of(const struct rep_run *first, size_t n, char text[400])
{
	if (n < 2)
		snprintf(text, 400, "%.300s", first->row.name);
	else
		snprintf(text, 400, "%.300s and %zu more", first->row.name, n - 1);
	return text;
}

static const struct rep_run *run_at(const struct diff_ask *a, size_t i)
{
	return i < a->old.n ? &a->old.run[i] : &a->new.run[i - a->old.n];
}

/* Warns if an older tprof imported several goroutines as one, which may cause the change. */
static int tell_mixed(const struct diff_ask *a, struct tp_store *store, struct rep_output *out,
		      struct tp_err *err)
{
	int64_t goid;

	for (size_t i = 0; i < a->old.n + a->new.n; i++) {
		char text[400];

		if (rep_goids_mixed(store, run_at(a, i)->row.id, &goid, err) != 1)
			continue;
		snprintf(text, sizeof(text),
			 "%.300s: several goroutines had the id %" PRId64
			 " and are counted as one; see its overview",
			 run_at(a, i)->row.name, goid);
		return rep_output_note(out, true, text, err);
	}
	return 0;
}

/* Compares with the options of the view, and writes the heading, the notes and the table. */
static int show(struct diff_ask *a, const struct rep_diff_side *old,
		const struct rep_diff_side *new, const struct rep_diff_show *how,
		int (*notes)(const struct diff_ask *a, struct rep_output *out, struct tp_err *err),
		struct rep_output *out, struct tp_err *err)
{
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_diff *d = NULL;
	int code;

	opt.changed = a->how.changed;
	opt.keys.by = a->lines			      ? REP_BY_LINE
		      : a->rows.kind == DIFF_PROFILES ? (enum rep_diff_by)a->rows.which
						      : REP_BY_FUNCTION;
	opt.sample_index = *a->how.type ? a->how.type : NULL;
	opt.normalize = a->how.normalize;
	opt.cum = a->how.cum;
	opt.per.per = a->how.per;
	opt.sections = a->rows.kind == DIFF_METRICS && a->rows.which >= 0 ? 1u << a->rows.which : 0;
	opt.every_stat = a->how.every_stat;
	code = rep_diff_new(&d, old, new, &opt, err);
	if (!code && a->rows.kind != DIFF_METRICS)
		snprintf(a->result.type, sizeof(a->result.type), "%s", d->type);
	if (!code)
		code = rep_diff_heading(d, how, out, err);
	if (!code && notes)
		code = notes(a, out, err);
	if (!code)
		code = rep_diff_rows(d, how, out, err);
	rep_diff_free(d);
	return code;
}

/* Warns about damaged runs, since missing data may cause the change. */
static int tell_losses(const struct diff_ask *a, struct rep_output *out, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < a->old.n + a->new.n && !code; i++) {
		char text[400];

		if (!run_at(a, i)->losses)
			continue;
		snprintf(text, sizeof(text),
			 "%.300s is damaged, so some of its data is missing here; see runs",
			 run_at(a, i)->row.name);
		return rep_output_note(out, true, text, err);
	}
	return code;
}

/* ---- profiles, and traces shown as profiles ---- */

struct loaded {
	struct loaded_one {
		struct tp_profile *profile;
		const struct rep_run *run;
	} * one; /* old, then new */
	size_t n, nold;
	struct tp_profile **profile; /* the profiles alone, of runs that have the type */
};

static void loaded_release(struct loaded *l)
{
	for (size_t i = 0; i < l->n; i++)
		tp_profile_free(l->one[i].profile);
	free(l->one);
	free(l->profile);
}

static int load_one(const struct diff_ask *a, struct tp_store *store, const struct rep_run *run,
		    struct tp_profile **p, struct tp_err *err)
{
	char times[60];
	struct rep_trace_profile_options view =
	    tui_select_trace(&a->fill.job.select, TUI_BY_ALL, times);

	if (a->rows.kind == DIFF_PROFILES)
		return tui_fill_load(store, run, a->fill.job.select.task, p, err);
	view.view = (enum rep_trace_view)a->rows.which;
	/* Focus applies to the profile, as in pprof. */
	view.filter.focus = NULL;
	return rep_trace_profile(store, run, &view, p, err);
}

/* Chooses the sample type to compare. Runs with the same label may be heap, CPU and goroutine profiles,
 * so only the runs of a set that have this type are compared. The default is the type of the run that
 * is shown. */
static void find_type(struct diff_ask *a, const struct loaded *l, int64_t shown)
{
	const struct tp_profile *p = l->one[l->nold].profile;
	struct tp_text name;
	struct tp_err err;
	size_t index;

	for (size_t i = l->nold; i < l->n; i++)
		if (l->one[i].run->row.id == shown)
			p = l->one[i].profile;
	if (*a->how.type || l->n == 2 || rep_profile_sample_index(p, NULL, &index, &err))
		return;
	name = tp_dict_text(p->dict, p->types[index].type);
	if (name.size < sizeof(a->how.type))
		snprintf(a->how.type, sizeof(a->how.type), "%.*s", (int)name.size, name.text);
}

/* Drops the profiles in [first, end) that lack the sample type; keeps all of them if all lack it. */
static void keep_type(struct loaded *l, size_t first, size_t end, const char *index)
{
	size_t n = first, any = 0, type;
	struct tp_err err;

	for (size_t i = first; i < end; i++)
		any += !rep_profile_sample_index(l->one[i].profile, index, &type, &err);
	for (size_t i = first; i < end && any; i++) {
		if (rep_profile_sample_index(l->one[i].profile, index, &type, &err))
			tp_profile_free(l->one[i].profile);
		else
			l->one[n++] = l->one[i];
	}
	if (!any)
		return;
	memmove(l->one + n, l->one + end, (l->n - end) * sizeof(*l->one));
	l->n -= end - n;
	l->nold -= first ? 0 : end - n;
}

static int load(struct diff_ask *a, struct tp_store *store, struct loaded *l, struct tp_err *err)
{
	size_t n = a->old.n + a->new.n;
	int code = 0;

	l->one = calloc(n + 1, sizeof(*l->one));
	l->profile = calloc(n + 1, sizeof(struct tp_profile *));
	if (!l->one || !l->profile)
		return tp_nomem(err);
	for (size_t i = 0; i < n && !code; i++) {
		code = stopped(a, err);
		if (code)
			break;
		l->one[i].run = run_at(a, i);
		code = load_one(a, store, l->one[i].run, &l->one[i].profile, err);
		l->n += l->one[i].profile != NULL;
		if (code && n > 2)
			tp_err_prefix(err, "%s", l->one[i].run->row.name);
	}
	if (code)
		return code;
	if (!l->one[0].profile || !l->one[a->old.n].profile)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "one side has no runs");
	l->nold = a->old.n;
	find_type(a, l, a->fill.job.select.run->row.id);
	if (*a->how.type) {
		keep_type(l, l->nold, l->n, a->how.type);
		keep_type(l, 0, l->nold, a->how.type);
	}
	for (size_t i = 0; i < l->n; i++)
		l->profile[i] = l->one[i].profile;
	a->result.first[0] = l->one[0].run->row.id;
	a->result.first[1] = l->one[l->nold].run->row.id;
	snprintf(a->result.against, sizeof(a->result.against), "%.300s", l->one[0].run->row.name);
	return 0;
}

static int tell_left_out(const struct diff_ask *a, const struct loaded *l, struct rep_output *out,
			 struct tp_err *err)
{
	size_t n = a->old.n + a->new.n;
	char text[200];

	if (l->n == n)
		return 0;
	snprintf(text, sizeof(text), "%zu of %zu runs are left out: they have no sample type %.90s",
		 n - l->n, n, a->how.type);
	return rep_output_note(out, false, text, err);
}

static bool type_at(const struct tp_profile *p, size_t i, char text[96])
{
	struct tp_text name = tp_dict_text(p->dict, p->types[i].type);

	return name.size && name.size < 96 &&
	       snprintf(text, 96, "%.*s", (int)name.size, name.text) > 0;
}

/* Finds the sample types that both sides have. TP_EFORMAT if there are none. */
static int find_types(struct diff_ask *a, const struct loaded *l, struct tp_err *err)
{
	const struct tp_profile *old = l->profile[0], *new = l->profile[l->nold];
	char text[96], last[96] = "";
	struct tp_err none;
	size_t index;
	int failed = 0;

	for (size_t i = 0; i < new->ntypes; i++)
		if (type_at(new, i, text) && !rep_profile_sample_index(old, text, &index, &none))
			failed |= tp_buf_put(&a->result.types, text, strlen(text) + 1);
	if (failed)
		return tp_nomem(err);
	if (a->result.types.size || !new->ntypes || !old->ntypes)
		return 0;
	if (!type_at(new, new->ntypes - 1, text) || !type_at(old, old->ntypes - 1, last))
		return 0;
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%.90s measures %s, but %.90s measures %s; press o to choose another run",
			  l->one[0].run->row.name, last, l->one[l->nold].run->row.name, text);
}

static int compare_profiles(struct diff_ask *a, struct tp_store *store, struct rep_output *out,
			    struct tp_err *err)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_diff_side old = {0}, new = {0};
	struct rep_filter_notes notes = {0};
	struct loaded l = {0};
	int code = load(a, store, &l, err);

	opt.focus = a->fill.job.select.focus;
	if (!code)
		code = find_types(a, &l, err);
	if (!code)
		code = rep_diff_side_profiles(&old, l.profile, l.nold, err);
	if (!code)
		code = rep_diff_side_profiles(&new, l.profile + l.nold, l.n - l.nold, err);
	if (!code)
		code = rep_diff_prepare(&old, &opt, &notes, err);
	notes.texts.size = 0; /* only notes on the new side are shown */
	if (!code)
		code = rep_diff_prepare(&new, &opt, &notes, err);
	if (!code)
		code = stopped(a, err);
	if (!code)
		code = tui_fill_notes(&notes, out, err);
	if (!code) {
		char names[2][400];
		const struct rep_diff_show how = {
		    .old = name_of(l.one[0].run, l.nold, names[0]),
		    .new = name_of(l.one[l.nold].run, l.n - l.nold, names[1]),
		    .changed = "the = key"};

		code = show(a, &old, &new, &how, NULL, out, err);
	}
	if (!code)
		code = tell_left_out(a, &l, out, err);
	rep_diff_side_release(&old);
	rep_diff_side_release(&new);
	rep_filter_notes_release(&notes);
	loaded_release(&l);
	return code;
}

/* ---- metrics of traces ---- */

#define BY_METRICS (REP_BY_TIME | REP_BY_GOROUTINE)

static void free_side(void *object)
{
	rep_diff_side_release(object);
	free(object);
}

/* Measures all runs, the old ones first. */
static int measure(struct tui_job *job, struct tp_store *store, void **out, struct tp_err *err)
{
	const struct diff_ask *a = (struct diff_ask *)job;
	char times[60];
	const struct rep_filter_text filter = tui_select_filter(&job->select, BY_METRICS, times);
	const struct rep_metrics_options opt = {.filter = &filter};
	struct rep_diff_side *s = calloc(1, sizeof(*s));
	size_t n = a->old.n + a->new.n;
	int code = 0;

	if (s)
		s->run = calloc(n + 1, sizeof(*s->run));
	if (!s || !s->run)
		code = tp_nomem(err);
	for (size_t i = 0; i < n && !code; i++) {
		code = stopped(a, err);
		if (!code)
			code = rep_metrics_new(&s->run[i].metrics, store, run_at(a, i), &opt, err);
		s->n += !code;
	}
	if (code && s)
		free_side(s);
	*out = s;
	return code;
}

/* Returns the metrics from the cache, or measures them: several tables show them. */
static int measured(struct diff_ask *a, struct tp_store *store, void **side, struct tp_err *err)
{
	static const struct tui_cache_kind kind = {measure, free_side};
	struct tp_buf runs = {0};
	char *key;

	for (size_t i = 0; i < a->old.n + a->new.n; i++)
		tp_buf_printf(&runs, "%" PRId64 " %s%s", run_at(a, i)->row.id,
			      run_at(a, i)->row.hash, i + 1 == a->old.n ? "/" : " ");
	key = tp_buf_put(&runs, "", 1)
		  ? NULL
		  : tui_select_key(&a->fill.job.select, BY_METRICS, (const char *)runs.data);
	tp_buf_release(&runs);
	return tui_cache_get(&a->fill.job, store, &kind, key, side, err);
}

/* Notes the filters that this table ignores. */
static int tell_filters(const struct diff_ask *a, struct rep_output *out, struct tp_err *err)
{
	const char *id = a->fill.job.select.goroutine;
	char text[200];
	int code = 0;

	for (size_t i = TUI_TEXT_FOCUS; i < TUI_NTEXTS && !code; i++) {
		if (!a->fill.job.select.text[i])
			continue;
		snprintf(text, sizeof(text),
			 "the filter %s applies only to views as profiles; Tab leads to them",
			 tui_texts[i].name);
		code = rep_output_note(out, true, text, err);
	}
	if (!code && id && !id[strspn(id, "0123456789")])
		code = rep_output_note(
		    out, true,
		    "goroutine ids of two runs are unrelated; press c to clear the filter", err);
	return code;
}

static int compare_metrics(struct diff_ask *a, struct tp_store *store, struct rep_output *out,
			   struct tp_err *err)
{
	const struct rep_diff_side *all;
	void *object = NULL;
	char names[2][400];
	const struct rep_diff_show how = {.old = name_of(a->old.run, a->old.n, names[0]),
					  .new = name_of(a->new.run, a->new.n, names[1]),
					  .changed = "the = key",
					  .one = true};
	int code = measured(a, store, &object, err);

	all = object;
	return code ? code
		    : show(a, &(struct rep_diff_side){all->run, a->old.n},
			   &(struct rep_diff_side){all->run + a->old.n, a->new.n}, &how,
			   tell_filters, out, err);
}

int diff_compare(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		 struct tp_err *err)
{
	struct diff_ask *a = (struct diff_ask *)f;
	int code = tell_losses(a, out, err);

	if (!code)
		code = tell_mixed(a, store, out, err);
	if (code)
		return code;
	return a->rows.kind == DIFF_METRICS ? compare_metrics(a, store, out, err)
					    : compare_profiles(a, store, out, err);
}
