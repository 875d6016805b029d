/* Opens the timeline at the longest of the spans that a row adds up. The worker finds it. */
#include "tprof-tui/fill.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/top/top.h"

struct ask {
	struct tui_fill fill;
	uint32_t states;
};

/* Tables whose rows are sums of spans, and the states of the spans. */
static const struct {
	const char *table;
	uint32_t states;
} tables[] = {
    {"block", 1u << TP_ST_WAITING},
    {"sched", 1u << TP_ST_RUNNABLE},
    {"syscalls", 1u << TP_ST_SYSCALL | 1u << TP_ST_SYSCALL_BLOCKED},
    {"groups", 1u << TP_ST_WAITING},
    {"goroutines", 1u << TP_ST_WAITING},
    {"breakdown", 0}, /* the row's state */
};

static uint32_t states_of(const struct rep_value *state)
{
	for (const struct rep_state_desc *d = rep_states; d->name; d++)
		if (rep_value_is(state, d->name))
			return d->states;
	return 0;
}

static int find(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		struct tp_err *err)
{
	const struct rep_worst_options opt = {
	    .states = ((const struct ask *)f)->states, .n = 1, .stop = &f->job.stop};

	return tui_fill_worst(f, &opt, TUI_BY_ALL & ~(unsigned)REP_BY_STATE, "spans", store, out,
			      err);
}

static void came(struct tui_view *v, struct tui_fill *f)
{
	struct tui *t = v->tui;
	struct tui_lead lead;

	if (f->job.code) {
		tui_error(t, "%s", f->job.err.msg);
		return;
	}
	/* If the user has opened another view meanwhile, stay there. */
	if (tui_current(t) != v)
		return;
	if (!tui_lead_read(f->cells.n ? &f->cells.sheet[0] : NULL, 0, &lead)) {
		tui_message(t, "there is no single moment to show");
		return;
	}
	t->select.at_ns = lead.at_ns;
	t->select.at_goroutine = lead.goroutine;
	tui_open(t, tui_view_find("timeline"), NULL);
}

bool top_worst(struct tui_view *v)
{
	static const struct tui_fill how = {.fill = find, .instead = came};
	struct top *top = v->state;
	const struct rep_sheet *s = top_sheet(top);
	long row = s ? tui_table_row(&top->rows.table) : -1;
	uint32_t states = 0;
	struct ask *a;

	for (size_t i = 0; row >= 0 && i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(tables[i].table, s->name))
			states = tables[i].states
				     ? tables[i].states
				     : states_of(tui_table_cell(&top->rows.table, "state"));
	if (!states || v->busy)
		return false;
	a = tui_fill_new(v, sizeof(*a), &how);
	if (!a)
		return true;
	a->states = states;
	if (tui_lead_narrow(&a->fill.job.select, s, row)) {
		tui_job_ask(&a->fill.job);
	} else {
		tui_job_free(&a->fill.job);
		tui_nomem(v->tui);
	}
	return true;
}
