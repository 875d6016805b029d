/* The stack of views, and going back and forward. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "goid.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"

const struct tui_view_ops *const tui_views[] = {
#define TUI_X(name, NAME) &tui_##name,
    TUI_VIEWS(TUI_X)
#undef TUI_X
	NULL};

#define MOST_VIEWS 100 /* limit of the stack; beyond it the oldest view is closed */

struct tui_view *tui_current(const struct tui *t)
{
	return t->nviews ? t->view[t->at] : NULL;
}

const struct tui_view_ops *tui_view_find(const char *name)
{
	for (size_t i = 0; tui_views[i]; i++)
		if (!strcmp(tui_views[i]->name, name))
			return tui_views[i];
	return NULL;
}

static void close_view(struct tui *t, struct tui_view *v)
{
	tui_worker_forget(t->worker, v);
	if (v->ops->close)
		v->ops->close(v);
	else
		tui_rows_close(v);
	tui_select_release(&v->select);
	free(v->state);
	free(v);
}

static struct tui_view *new_view(struct tui *t, const struct tui_view_ops *ops)
{
	struct tui_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->ops = ops;
	v->tui = t;
	v->state = calloc(1, ops->size ? ops->size : 1);
	if (v->state && tui_select_copy(&v->select, &t->select))
		return v;
	free(v->state);
	free(v);
	return NULL;
}

static void close_behind(struct tui *t, size_t keep)
{
	while (t->nviews > keep)
		close_view(t, t->view[--t->nviews]);
}

/* Makes the view's selection the current one. Keeps the old one if memory is out. */
static void take_select(struct tui *t, const struct tui_view *v)
{
	struct tui_select copy;

	if (!tui_select_copy(&copy, &v->select))
		return;
	tui_select_release(&t->select);
	t->select = copy;
}

/* Warns, when a run is first shown, if an older tprof imported several goroutines of the run as one. */
static void tell_mixed(struct tui *t)
{
	const struct rep_run *run = t->select.run;
	struct tp_err err;
	int64_t goid;

	if (!run || run->row.id == t->warned_run)
		return;
	t->warned_run = run->row.id;
	if (rep_goids_mixed(t->cmd->store, run->row.id, &goid, &err) == 1)
		tui_message(t,
			    "%.200s: several goroutines had the id %" PRId64
			    " and are counted as one; see the overview (2)",
			    run->row.name, goid);
}

static bool give_up(struct tui *t)
{
	if (tui_current(t))
		take_select(t, tui_current(t));
	return false;
}

bool tui_open(struct tui *t, const struct tui_view_ops *ops, const char *arg)
{
	struct tui_view **more = realloc(t->view, (t->nviews + 1) * sizeof(struct tui_view *));
	struct tui_view *v;

	if (more)
		t->view = more;
	v = more ? new_view(t, ops) : NULL;
	if (!v) {
		tui_nomem(t);
		return give_up(t);
	}
	if (!ops->open(v, arg)) {
		close_view(t, v);
		return give_up(t);
	}
	close_behind(t, t->nviews ? t->at + 1 : 0);
	if (t->nviews == MOST_VIEWS) {
		close_view(t, t->view[0]);
		memmove(t->view, t->view + 1, --t->nviews * sizeof(struct tui_view *));
	}
	t->view[t->nviews] = v;
	t->at = t->nviews++;
	if (!*t->message)
		tell_mixed(t);
	return true;
}

bool tui_open_narrowed(struct tui *t, bool fine, const char *view, const char *arg)
{
	if (fine)
		return tui_open(t, tui_view_find(view), arg);
	tui_nomem(t);
	return give_up(t);
}

/* Shows a view again, with its selection. */
static void show(struct tui *t, size_t at)
{
	struct tui_view *v = t->view[at];

	t->at = at;
	take_select(t, v);
	if (v->ops->resume)
		v->ops->resume(v);
}

bool tui_again(struct tui *t)
{
	struct tui_view *v = tui_current(t);
	char arg[4096] = "";

	if (!v)
		return false;
	if (v->ops->keep)
		v->ops->keep(v, arg, sizeof(arg));
	return tui_open(t, v->ops, *arg ? arg : NULL);
}

bool tui_back(struct tui *t)
{
	if (!t->nviews || !t->at)
		return false;
	show(t, t->at - 1);
	return true;
}

void tui_undo(struct tui *t)
{
	if (tui_back(t))
		close_behind(t, t->at + 1);
}

bool tui_forward(struct tui *t)
{
	if (t->at + 1 >= t->nviews)
		return false;
	show(t, t->at + 1);
	return true;
}

void tui_close_all(struct tui *t)
{
	close_behind(t, 0);
	free(t->view);
	t->view = NULL;
	t->at = 0;
}
