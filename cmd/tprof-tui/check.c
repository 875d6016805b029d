/* Checks filters that name a goroutine, a task or a region. The view is opened with the filter at
 * once; if the worker finds that the run has nothing of that name, the view is closed again and the
 * message of the commands is shown. */
#include "tprof-tui/tui.h"

#include <stdlib.h>
#include <string.h>

#include "top/outside.h"

struct check {
	struct tui_job job;
	struct tui_view asks; /* a view of its own, so that no other job replaces it */
	enum tui_text of;
	char *before;
	const struct tui_view *opened; /* may be closed by now */
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

	return of == TUI_TEXT_GOROUTINE ? rep_outside_goroutines(store, s->run, &only, err)
					: rep_outside_types(store, s->run, &only, err);
}

/* ---- on the screen's thread ---- */

/* Views report other errors themselves. */
static void done(struct tui_view *asks, struct tui_job *job)
{
	struct check *c = (struct check *)job;
	struct tui *t = asks->tui;
	const char *tried = job->select.text[c->of];
	char **text = &t->select.text[c->of];

	if (job->code != TP_ENOENT)
		return;
	/* The filter or the run has been changed meanwhile. */
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

	/* Before the view asks for its table. */
	if (c)
		tui_job_ask(&c->job);
	/* `done` is called by this thread, later. */
	if (tui_again(t) && c)
		c->opened = tui_current(t);
}
