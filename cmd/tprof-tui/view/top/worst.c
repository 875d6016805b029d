/* The timeline at the worst moment of what a row adds up: found by the worker. */
#include <string.h>

#include "top/top.h"
#include "top/worst.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/top/top.h"

struct job {
	struct tui_job job;
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
	for (const struct rep_state_desc *d = rep_states; d->name; d++)
		if (rep_value_is(state, d->name))
			return d->states;
	return 0;
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct job *j = (struct job *)job;
	const struct rep_worst_options opt = {
	    .states = j->states, .n = 1, .no_rest = false, .stop = &job->stop};
	struct tui_filtered all = {0};
	struct rep_view *v = &all.view;
	struct rep_worst worst = {0};
	size_t n = 0;
	int code =
	    tui_filtered_init(&all, &job->select, TUI_BY_ALL & ~(unsigned)REP_BY_STATE, store, err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
	if (!code)
		code = rep_worst(v, &opt, &worst, &n, err);
	j->any = !code && n && worst.span.goroutine < v->nrows[TP_TABLE_GOROUTINE];
	if (j->any) {
		j->at_ns = worst.at_ns;
		j->goroutine = rep_goids_name(&v->goids, rep_view_goid(v, worst.span.goroutine));
	}
	tui_filtered_release(&all);
	return code;
}

static void done(struct tui_view *v, struct tui_job *job)
{
	const struct job *j = (const struct job *)job;
	struct tui *t = v->tui;
	struct tui_select select;
	bool fine;

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
	fine = tui_select_copy(&select, &v->select);
	select.at_ns = j->at_ns;
	select.at_goroutine = j->goroutine;
	tui_lead_open(t, fine, &select, "timeline", NULL);
}

bool top_worst(struct tui_view *v)
{
	static const struct tui_job how = {.work = work, .done = done};
	struct top *top = v->state;
	const struct rep_sheet *s = top_sheet(top);
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
	j = tui_job_new(v, sizeof(*j), &how);
	if (!j)
		return true;
	j->states = states;
	if (tui_lead_narrow(&j->job.select, s, row)) {
		tui_job_ask(&j->job);
	} else {
		tui_job_free(&j->job);
		tui_nomem(v->tui);
	}
	return true;
}
