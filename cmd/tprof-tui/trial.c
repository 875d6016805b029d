#include "tprof-tui/trial.h"

#include <stdlib.h>
#include <string.h>

#include "task/inside.h"
#include "top/outside.h"

struct trial {
	struct tui_job job;
	struct tui_view asks; /* for the worker: no other job takes its place */
	struct tui_select select;
	enum tui_trial_of of;
	char *before;
	const struct tui_view *opened; /* perhaps closed since */
};

static char **text_of(struct tui_select *s, enum tui_trial_of of)
{
	return of == TUI_TRIAL_GOROUTINE ? &s->goroutine
	       : of == TUI_TRIAL_TASK	 ? &s->task
					 : &s->region;
}

/* ---- on the worker's thread ---- */

static int find_inside(const struct trial *trial, struct tp_store *store, struct tp_err *err)
{
	const struct rep_filter_text all = {0};
	const struct tui_select *s = &trial->select;
	struct rep_filter filter;
	struct rep_view view = {0};
	struct rep_inside in = {0};
	int code = rep_filter_init(&filter, &all, err);

	if (!code)
		code = rep_view_init(&view, store, s->run, &filter, NULL, err);
	if (!code)
		code = rep_inside_init(&in, &view, trial->of == TUI_TRIAL_TASK ? s->task : NULL,
				       trial->of == TUI_TRIAL_REGION ? s->region : NULL, err);
	rep_inside_release(&in);
	rep_view_release(&view);
	rep_filter_release(&filter);
	return code;
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	const struct trial *trial = (struct trial *)job;
	const struct rep_filter_text only = {.goroutine = trial->select.goroutine};

	return trial->of == TUI_TRIAL_GOROUTINE
		   ? rep_outside_goroutines(store, trial->select.run, &only, err)
		   : find_inside(trial, store, err);
}

/* ---- on the screen's thread ---- */

/* Whatever else is wrong, views say themselves. */
static void done(struct tui_view *asks, struct tui_job *job)
{
	struct trial *trial = (struct trial *)job;
	struct tui *t = asks->tui;
	const char *tried = *text_of(&trial->select, trial->of);
	char **text = text_of(&t->select, trial->of);

	if (job->code != TP_ENOENT)
		return;
	/* Somebody has asked for something else since. */
	if (!*text || strcmp(*text, tried) != 0 || !t->select.run ||
	    t->select.run->row.id != trial->select.run->row.id)
		return;
	if (tui_current(t) == trial->opened)
		tui_undo(t);
	else if (tui_select_set(text, trial->before))
		tui_again(t);
	tui_error(t, "%s", job->err.msg);
}

static void release(struct tui_job *job)
{
	struct trial *trial = (struct trial *)job;

	trial->asks.tui->trials--;
	tui_select_release(&trial->select);
	free(trial->before);
	free(trial);
}

static struct trial *new_trial(struct tui *t, enum tui_trial_of of, const char *before)
{
	struct trial *trial = calloc(1, sizeof(*trial));

	if (!trial)
		return NULL;
	trial->job =
	    (struct tui_job){.work = work, .done = done, .release = release, .view = &trial->asks};
	trial->asks.tui = t;
	trial->of = of;
	if (tui_select_copy(&trial->select, &t->select) && tui_select_set(&trial->before, before))
		return trial;
	tui_select_release(&trial->select);
	free(trial);
	return NULL;
}

void tui_trial(struct tui *t, enum tui_trial_of of, const char *before)
{
	struct trial *trial = new_trial(t, of, before);

	/* Before the view has asked for what it shows. */
	if (trial) {
		t->trials++;
		tui_worker_ask(t->worker, &trial->job);
	}
	/* It is handed over by this thread, later. */
	if (tui_again(t) && trial)
		trial->opened = tui_current(t);
}
