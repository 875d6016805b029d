#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tprof-tui/view/flame/flame.h"

#define MOST_NODES ((size_t)1 << 21) /* in the pictures of all views: about 200 MB */

struct job {
	struct tui_job job;
	struct flame_kind kind;
	struct rep_flame_picture *pic;
};

void flame_free_picture(struct rep_flame_picture *pic)
{
	if (pic)
		rep_flame_picture_release(pic);
	free(pic);
}

/* ---- on the worker's thread ---- */

/* Frees a cached struct rep_flame_load. */
static void free_load(void *object)
{
	struct rep_flame_load *load = object;

	rep_flame_load_release(load);
	free(load);
}

static const char *index_of(const struct flame_kind *kind)
{
	return kind->count ? "0" : *kind->type ? kind->type : NULL;
}

static const struct rep_run *base_of(const struct job *j)
{
	return j->kind.differ ? j->job.select.other : NULL;
}

static int make_load(struct tui_job *job, struct tp_store *store, void **out, struct tp_err *err)
{
	const struct job *j = (struct job *)job;
	char times[60], words[300];
	struct rep_flame_pick pick = {
	    .run = job->select.run,
	    .base = base_of(j),
	    .trace = tui_select_trace(&job->select, TUI_BY_ALL, times),
	    .sample_index = index_of(&j->kind),
	    .words = tui_select_words(&job->select, words, sizeof(words)),
	};
	struct rep_flame_load *l = calloc(1, sizeof(*l));
	int code;

	if (!l)
		return tp_nomem(err);
	pick.trace.view = j->kind.view;
	pick.trace.stop = &job->stop;
	code = rep_flame_load(l, store, &pick, err);
	if (code)
		free_load(l);
	*out = l;
	return code;
}

/* Loads the stacks. They are cached, since loading may take much longer than merging. */
static int load(struct job *j, struct tp_store *store, void **out, struct tp_err *err)
{
	static const struct tui_cache_kind kind = {make_load, free_load};
	const struct rep_run *base = base_of(j);
	const char *index = index_of(&j->kind);
	char more[240];

	if (j->kind.view == REP_TRACE_CPU && (j->job.select.state || j->job.select.reason))
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "CPU samples have neither states nor reasons; press c to clear the "
		    "filters");
	snprintf(more, sizeof(more), "%lld %.80s %d %.100s", base ? (long long)base->row.id : -1LL,
		 base ? base->row.hash : "", (int)j->kind.view, index ? index : "");
	return tui_cache_get(&j->job, store, &kind,
			     tui_select_key(&j->job.select, TUI_BY_ALL, more), out, err);
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct job *j = (struct job *)job;
	void *l = NULL;
	int code = load(j, store, &l, err);

	if (!code && job->stop)
		code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
	if (code)
		return code;
	j->pic = calloc(1, sizeof(*j->pic));
	if (!j->pic)
		return tp_nomem(err);
	return rep_flame_picture(j->pic, l, j->kind.reverse, err);
}

/* ---- on the screen's thread ---- */

static void done(struct tui_view *v, struct tui_job *job)
{
	struct job *j = (struct job *)job;
	struct flame *f = v->state;

	/* Keep the picture that is shown; it is still valid. */
	if (job->code == TP_ECANCEL && f->pic) {
		f->want = f->kind;
		tui_error(v->tui, "%s", job->err.msg);
		return;
	}
	free(f->error);
	f->error = NULL;
	if (job->code) {
		tui_error(v->tui, "%s", job->err.msg);
		f->error = strdup(job->err.msg);
		flame_take(v->tui, f, NULL, &j->kind);
		return;
	}
	flame_take(v->tui, f, j->pic, &j->kind);
	j->pic = NULL;
	flame_drop_others(v);
}

void flame_drop_others(const struct tui_view *v)
{
	struct tui *t = v->tui;
	const struct flame *f = v->state;
	size_t nodes = f->pic ? f->pic->tree.n : 0;

	/* Counts from the newest view on, so the oldest views lose their pictures. */
	for (size_t i = t->nviews; i-- > 0;) {
		struct flame *other = t->view[i]->state;

		if (t->view[i] == v || t->view[i]->ops != v->ops || !other->pic)
			continue;
		nodes += other->pic->tree.n;
		if (nodes > MOST_NODES)
			flame_drop(other);
	}
}

static void release(struct tui_job *job)
{
	struct job *j = (struct job *)job;

	flame_free_picture(j->pic);
}

void flame_ask(struct tui_view *v)
{
	static const struct tui_job how = {.work = work, .done = done, .release = release};
	struct flame *f = v->state;
	struct job *j = v->select.run ? tui_job_new(v, sizeof(*j), &how) : NULL;

	if (!j)
		return;
	j->kind = f->want;
	tui_job_ask(&j->job);
}

/* ---- words ---- */

void flame_title(struct tui_view *v, char *text, size_t size)
{
	const struct flame *f = v->state;
	const struct flame_kind *k = &f->want;
	const char *type = tui_is_profile(&v->select) ? k->type : rep_trace_views[k->view].name;

	if (!v->select.run)
		return;
	if (tui_is_profile(&v->select) && !*type && f->pic)
		type = f->pic->type;
	snprintf(text, size, "%s%s%s%s%.60s", type,
		 !k->count		    ? ""
		 : k->view == REP_TRACE_CPU ? " samples"
					    : " events",
		 k->reverse ? " by leaf" : "", k->differ && v->select.other ? " against " : "",
		 k->differ && v->select.other ? v->select.other->row.name : "");
}

const char *flame_why_empty(const struct tui_view *v)
{
	static const char *const whys[REP_NTRACE_VIEWS] = {
	    [REP_TRACE_CPU] = "This trace has no CPU samples. A trace has them if the CPU profiler "
			      "ran as well: pprof.StartCPUProfile beside trace.Start, or go test "
			      "with -trace and -cpuprofile. Press x to show running time instead.",
	    [REP_TRACE_RUNNING] = "No goroutine ran in the selection.",
	    [REP_TRACE_OFFCPU] = "No goroutine was blocked in the selection.",
	    [REP_TRACE_SCHED] = "No goroutine waited for a P in the selection.",
	    [REP_TRACE_SYSCALL] = "No goroutine was in a system call in the selection.",
	    [REP_TRACE_WALL] = "No goroutine existed in the selection.",
	};
	const struct flame *f = v->state;
	char words[8];

	if (tui_is_profile(&v->select) && f->pic && *f->pic->zero)
		return f->pic->zero;
	if (tui_is_profile(&v->select))
		return *tui_select_words(&v->select, words, sizeof(words))
			   ? "No sample has a matching frame; press c to clear the filter."
			   : "All samples of this type are zero; press x to show the next type.";
	return whys[f->kind.view];
}
