#include "tprof-tui/trial.h"

#include <stdlib.h>
#include <string.h>

#include "task/inside.h"
#include "top/outside.h"

struct trial {
	struct tui_job job;
	struct tui_view asks; /* for the worker: no other job takes its place */
	enum tui_text of;
	char *before;
	const struct tui_view *opened; /* perhaps closed since */
};

/* ---- on the worker's thread ---- */

static int find_inside(const struct tui_select *s, enum tui_text of, struct tp_store *store,
		       struct tp_err *err)
{
	struct tui_filtered all = {0};
	struct rep_inside in = {0};
	int code = tui_filtered_init(&all, s, 0, store, err);

	if (!code)
		code = rep_inside_init(&in, &all.view, of == TUI_TEXT_TASK ? s->task : NULL,
				       of == TUI_TEXT_REGION ? s->region : NULL, err);
	rep_inside_release(&in);
	tui_filtered_release(&all);
	return code;
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	const struct trial *trial = (struct trial *)job;
	const struct rep_filter_text only = {.goroutine = job->select.goroutine};

	return trial->of == TUI_TEXT_GOROUTINE
		   ? rep_outside_goroutines(store, job->select.run, &only, err)
		   : find_inside(&job->select, trial->of, store, err);
}

/* ---- on the screen's thread ---- */

/* Whatever else is wrong, views say themselves. */
static void done(struct tui_view *asks, struct tui_job *job)
{
	struct trial *trial = (struct trial *)job;
	struct tui *t = asks->tui;
	const char *tried = job->select.text[trial->of];
	char **text = &t->select.text[trial->of];

	if (job->code != TP_ENOENT)
		return;
	/* Somebody has asked for something else since. */
	if (!*text || strcmp(*text, tried) != 0 || !t->select.run ||
	    t->select.run->row.id != job->select.run->row.id)
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
	free(trial->before);
}

static struct trial *new_trial(struct tui *t, enum tui_text of, const char *before)
{
	struct trial *trial = calloc(1, sizeof(*trial));

	if (!trial)
		return NULL;
	t->trials++;
	trial->job =
	    (struct tui_job){.work = work, .done = done, .release = release, .view = &trial->asks};
	trial->asks.tui = t;
	trial->of = of;
	if (tui_select_copy(&trial->job.select, &t->select) &&
	    tui_select_set(&trial->before, before))
		return trial;
	tui_job_free(&trial->job);
	return NULL;
}

void tui_trial(struct tui *t, enum tui_text of, const char *before)
{
	struct trial *trial = new_trial(t, of, before);

	/* Before the view has asked for what it shows. */
	if (trial)
		tui_job_ask(&trial->job);
	/* It is handed over by this thread, later. */
	if (tui_again(t) && trial)
		trial->opened = tui_current(t);
}
