/* The timeline at the worst moment of what a row adds up: found by the worker. */
#include <stdlib.h>
#include <string.h>

#include "top/worst.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/top/top.h"

struct job {
	struct tui_job job;
	struct tui_select select; /* narrowed to the row */
	uint32_t states;
	/* found */
	bool any;
	int64_t at_ns;
	struct rep_goid goroutine;
};

/* Tables whose rows add up many spans, and the states of these. */
static const struct {
	const char *table;
	uint32_t states;
} tables[] = {
    {"block", 1u << TP_ST_WAITING},
    {"sched", 1u << TP_ST_RUNNABLE},
    {"syscalls", 1u << TP_ST_SYSCALL | 1u << TP_ST_SYSCALL_BLOCKED},
    {"groups", 1u << TP_ST_WAITING},
    {"goroutines", 1u << TP_ST_WAITING},
    {"breakdown", 0}, /* by the row */
};

static uint32_t states_of(const struct rep_value *state)
{
	for (const struct rep_state_desc *d = rep_states; state && d->name; d++)
		if (state->type == REP_TYPE_TEXT && strlen(d->name) == state->text.size &&
		    !memcmp(d->name, state->text.data, state->text.size))
			return d->states;
	return 0;
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct job *j = (struct job *)job;
	const struct rep_worst_options opt = {
	    .states = j->states, .n = 1, .no_rest = false, .stop = &job->stop};
	char times[60];
	struct rep_filter_text text = tui_select_filter(&j->select, times);
	struct rep_worst worst = {0};
	struct rep_filter filter;
	struct rep_view v = {0};
	size_t n = 0;
	int code;

	text.state = NULL;
	code = rep_filter_init(&filter, &text, err);
	if (!code)
		code = rep_view_init(&v, store, j->select.run, &filter, NULL, err);
	if (!code)
		code = rep_view_load(&v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
	if (!code)
		code = rep_worst(&v, &opt, &worst, &n, err);
	j->any = !code && n && worst.span.goroutine < v.nrows[TP_TABLE_GOROUTINE];
	if (j->any) {
		j->at_ns = worst.at_ns;
		j->goroutine = rep_goids_name(&v.goids, rep_view_goid(&v, worst.span.goroutine));
	}
	rep_view_release(&v);
	rep_filter_release(&filter);
	return code;
}

static void done(struct tui_view *v, struct tui_job *job)
{
	const struct job *j = (const struct job *)job;
	struct tui *t = v->tui;
	struct tui_select select;

	v->busy = false;
	if (job->code) {
		tui_error(t, "%s", job->err.msg);
		return;
	}
	/* Who has gone elsewhere meanwhile stays there. */
	if (tui_current(t) != v)
		return;
	if (!j->any) {
		tui_message(t, "there is no single moment to show");
		return;
	}
	if (!tui_select_copy(&select, &v->select)) {
		tui_nomem(t);
		return;
	}
	select.at_ns = j->at_ns;
	select.at_goroutine = j->goroutine;
	tui_lead_open(t, &select, "timeline", NULL);
}

static void release(struct tui_job *job)
{
	struct job *j = (struct job *)job;

	tui_select_release(&j->select);
	free(j);
}

bool top_worst(struct tui *t, struct tui_view *v)
{
	struct top *top = v->state;
	const struct tui_sheet *s = top_sheet(top);
	long row = s ? tui_table_row(&top->rows.table) : -1;
	uint32_t states = 0;
	struct job *j;

	for (size_t i = 0; row >= 0 && i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(tables[i].table, s->name))
			states = tables[i].states
				     ? tables[i].states
				     : states_of(tui_table_cell(&top->rows.table, "state"));
	/* Spans are not found by tasks and regions. */
	if (!states || v->busy || v->select.task || v->select.region)
		return false;
	j = calloc(1, sizeof(*j));
	if (!j || !tui_select_copy(&j->select, &v->select) ||
	    !tui_lead_narrow(&j->select, s, row)) {
		if (j)
			tui_select_release(&j->select);
		free(j);
		tui_nomem(t);
		return true;
	}
	j->states = states;
	j->job = (struct tui_job){.work = work, .done = done, .release = release, .view = v};
	v->busy = true;
	tui_worker_ask(t->worker, &j->job);
	return true;
}
