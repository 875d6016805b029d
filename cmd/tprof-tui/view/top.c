/* top: the reports of tprof-top on what is selected; of a profile, its table of functions. */
#include <string.h>

#include "profile/top.h"
#include "top/top.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"

struct top {
	struct tui_rows rows;
	int report; /* of rep_reports[] */
};

static bool is_profile(const struct tui_view *v)
{
	return v->select.run && !strcmp(v->select.run->row.kind, "profile");
}

/* ---- what fills the table ---- */

static int fill_trace(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		      struct tp_err *err)
{
	char times[60];
	const struct rep_top_options opt = {
	    .report = rep_reports[f->which],
	    .filter = tui_select_filter(&f->select, times),
	    .tables = true,
	};
	struct rep_top_options fitting = opt;
	unsigned by = opt.report->filters;

	/* What a report does not know is left to those that do. */
	if (!(by & REP_BY_FRAMES))
		fitting.filter.focus = NULL;
	if (!(by & REP_BY_GOROUTINE))
		fitting.filter.goroutine = NULL;
	if (!(by & REP_BY_REASON))
		fitting.filter.reason = NULL;
	if (!(by & REP_BY_STATE))
		fitting.filter.state = NULL;
	return rep_top(out, store, f->select.run, 1, &fitting, err);
}

static int fill_profile(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
			struct tp_err *err)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_profile_top top = {0};
	struct tp_profile *p = NULL;
	int code = tp_profile_load(store, f->select.run->row.id, &p, err);

	opt.focus = f->select.focus;
	opt.sample_index = f->arg;
	if (!code) {
		code = rep_profile_top(&top, p, &opt, err);
		if (!code)
			code = rep_profile_top_print(&top, out, err);
		rep_profile_top_release(&top);
	}
	tp_profile_free(p);
	return code;
}

static void ask(struct tui *t, struct tui_view *v)
{
	struct top *top = v->state;

	if (v->select.run)
		tui_rows_ask(t, v, is_profile(v) ? fill_profile : fill_trace, top->report, NULL);
}

static int find_report(const char *name)
{
	for (int i = 0; rep_reports[i]; i++)
		if (!strcmp(rep_reports[i]->name, name) && rep_reports[i]->ncolumns)
			return i;
	return -1;
}

static bool open_view(struct tui *t, struct tui_view *v, const char *arg)
{
	struct top *top = v->state;

	top->rows.table.sort = -1;
	if (arg && is_profile(v)) {
		tui_error(t, "'%.100s' is a report on traces, and this is a profile", arg);
		return false;
	}
	if (arg) {
		top->report = find_report(arg);
		if (top->report < 0) {
			tui_error(t, "there is no report '%.100s'; Tab shows one after the other",
				  arg);
			return false;
		}
	}
	if (!v->select.run)
		tui_error(t, "this store holds no runs");
	ask(t, v);
	return true;
}

/* ---- keys ---- */

static void turn(struct tui *t, struct tui_view *v, int step)
{
	struct top *top = v->state;
	int n = 0;

	if (is_profile(v))
		return;
	while (rep_reports[n])
		n++;
	do
		top->report = (top->report + step + n) % n;
	while (!rep_reports[top->report]->ncolumns);
	top->rows.table.cursor = top->rows.table.top = 0;
	top->rows.table.first = 0;
	ask(t, v);
}

static bool act(struct tui *t, struct tui_view *v, enum tui_action action)
{
	const struct top *top = v->state;

	switch (action) {
	case TUI_DO_REPORT_NEXT:
		turn(t, v, 1);
		return true;
	case TUI_DO_REPORT_BACK:
		turn(t, v, -1);
		return true;
	default:
		return tui_lead_act(t, v, top->rows.table.sheet, tui_table_row(&top->rows.table),
				    action) ||
		       tui_rows_act(t, v, action);
	}
}

static void title(struct tui *t, struct tui_view *v, char *text, size_t size)
{
	const struct top *top = v->state;

	(void)t;
	snprintf(text, size, "%s", is_profile(v) ? "" : rep_reports[top->report]->name);
}

const struct tui_view_ops tui_top = {
    .where = TUI_TOP,
    .name = "top",
    .arg = "[REPORT]",
    .size = sizeof(struct top),
    .open = open_view,
    .close = tui_rows_close,
    .draw = tui_rows_draw,
    .act = act,
    .click = tui_rows_click,
    .search = tui_rows_search,
    .filter = tui_rows_filter,
    .yank = tui_rows_yank,
    .save = tui_rows_save,
    .title = title,
};
