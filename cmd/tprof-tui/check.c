/* Checks filters by goroutine, task or region. The view opens with the new filter at once. If the worker
 * then finds that nothing in the run matches, the view is closed again and the message that the commands
 * print is shown. */
#include "tprof-tui/tui.h"

#include <stdlib.h>
#include <string.h>

#include "task/request.h"
#include "top/outside.h"
#include "tprof-tui/fill.h"

struct check {
	struct tui_job job;
	struct tui_view asks; /* the job's own view, so that other jobs do not replace it */
	enum tui_text of;
	char *before;
	const struct tui_view *opened; /* compared only; the view may be closed by now */
};

/* ---- on the worker's thread ---- */

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	const struct tui_select *s = &job->select;
	enum tui_text of = ((struct check *)job)->of;
	const struct rep_filter_text only = {
	    .goroutine = of == TUI_TEXT_GOROUTINE ? s->goroutine : NULL,
	    .task = of == TUI_TEXT_TASK ? s->task : NULL,
	    .region = of == TUI_TEXT_REGION ? s->region : NULL,
	};

	if (of == TUI_TEXT_TASK && strcmp(s->run->row.kind, "trace") != 0) {
		struct tp_profile *p = NULL;
		int code = tui_fill_load(store, s->run, s->task, &p, err);

		tp_profile_free(p);
		return code;
	}
	return of == TUI_TEXT_GOROUTINE ? rep_outside_goroutines(store, s->run, &only, err)
					: rep_outside_types(store, s->run, &only, err);
}

/* ---- on the screen's thread ---- */

/* Undoes a filter that matched nothing. Other errors are reported by the views. */
static void done(struct tui_view *asks, struct tui_job *job)
{
	struct check *c = (struct check *)job;
	struct tui *t = asks->tui;
	const char *tried = job->select.text[c->of];
	char **text = &t->select.text[c->of];

	if (job->code != TP_ENOENT)
		return;
	/* The filter or the run has changed meanwhile. */
	if (!*text || strcmp(*text, tried) != 0 || !t->select.run ||
	    t->select.run->row.id != job->select.run->row.id)
		return;
	if (tui_current(t) == c->opened)
		tui_undo(t);
	else if (tui_select_set(text, c->before))
		tui_again(t);
	tui_error(t, "%s", job->err.msg);
}

static void release(struct tui_job *job)
{
	struct check *c = (struct check *)job;

	c->asks.tui->checks--;
	free(c->before);
}

static struct check *new_check(struct tui *t, enum tui_text of, const char *before)
{
	struct check *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	t->checks++;
	c->job = (struct tui_job){.work = work, .done = done, .release = release, .view = &c->asks};
	c->asks.tui = t;
	c->of = of;
	if (tui_select_copy(&c->job.select, &t->select) && tui_select_set(&c->before, before))
		return c;
	tui_job_free(&c->job);
	return NULL;
}

void tui_check_filter(struct tui *t, enum tui_text of, const char *before)
{
	struct check *c = new_check(t, of, before);

	/* The check runs before the view's own job. */
	if (c)
		tui_job_ask(&c->job);
	/* This thread calls `done`, so it cannot come before `opened` is set. */
	if (tui_again(t) && c)
		c->opened = tui_current(t);
}
