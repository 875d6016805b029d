/* Updates the list of runs when the store has changed. */
#include "tprof-tui/tui.h"

#include <stdlib.h>
#include <string.h>

/* An old list of runs, which is kept because jobs and views may point into it. */
struct tui_old_runs {
	struct rep_runs runs;
	struct tui_old_runs *next;
};

static bool same_run(const struct rep_run *a, const struct rep_run *b)
{
	bool same = a->row.id == b->row.id && !strcmp(a->row.name, b->row.name) &&
		    !strcmp(a->row.hash, b->row.hash) && a->nlabels == b->nlabels &&
		    a->losses == b->losses;

	for (size_t i = 0; i < a->nlabels && same; i++)
		same = !strcmp(a->labels[i], b->labels[i]);
	return same;
}

static bool same_runs(const struct rep_runs *a, const struct rep_runs *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; i < a->n && same; i++)
		same = same_run(&a->run[i], &b->run[i]);
	return same;
}

/* Makes a selection refer to the new list. A deleted run stays selected; reports on it say that it is
 * gone. */
static void renew(const struct rep_runs *runs, struct tui_select *s)
{
	const struct rep_run *run = s->run ? tui_run_find(runs, s->run->row.id) : NULL;

	s->run = run ? run : s->run;
	s->other = s->other ? tui_run_find(runs, s->other->row.id) : NULL;
	if (!s->run && runs->n)
		s->run = &runs->run[runs->n - 1];
}

void tui_reload(struct tui *t)
{
	struct tui_view *v = tui_current(t);
	struct tui_old_runs *old;
	struct rep_runs fresh = {0};
	struct tp_err err;
	size_t before = t->cmd->all.n;

	if (rep_runs_load(t->cmd->store, &fresh, &err)) {
		tui_error(t, "%s", err.msg);
		rep_runs_release(&fresh);
		return;
	}
	old = same_runs(&t->cmd->all, &fresh) ? NULL : calloc(1, sizeof(*old));
	if (!old) {
		rep_runs_release(&fresh);
		return;
	}
	*old = (struct tui_old_runs){t->cmd->all, t->old_runs};
	t->old_runs = old;
	t->cmd->all = fresh;
	renew(&fresh, &t->select);
	for (size_t i = 0; i < t->nviews; i++)
		renew(&fresh, &t->view[i]->select);
	if (v && v->ops->resume)
		v->ops->resume(v);
	if (fresh.n > before)
		tui_message(t, "%zu new run%s in the store", fresh.n - before,
			    fresh.n - before == 1 ? "" : "s");
	else
		tui_message(t, "the store has changed: %zu run%s", fresh.n,
			    fresh.n == 1 ? "" : "s");
}

void tui_reload_release(struct tui *t)
{
	while (t->old_runs) {
		struct tui_old_runs *old = t->old_runs;

		t->old_runs = old->next;
		rep_runs_release(&old->runs);
		free(old);
	}
}
