/* The view top: one table on the selection, chosen from a list of all tables. Each has the numbers of the
 * command that prints it. Rows unfold and open other views. */
#include <stdlib.h>
#include <string.h>

#include "profile/trace.h"
#include "tprof-tui/prompt.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/top/top.h"
#include "tprof-tui/view/views.h"
#include "tprof-tui/widget/menu.h"

/* ---- asking ---- */

/* Drops the table, its cursor and its scroll position, which mean nothing to the next table. */
static void forget_place(struct top *top)
{
	tui_table_show(&top->rows.table, NULL);
	top->rows.table.cursor = top->rows.table.top = 0;
	top->rows.table.first = 0;
}

static void taken(struct tui_view *v, struct tui_fill *f)
{
	struct top *top = v->state;
	struct top_ask *a = (struct top_ask *)f;

	if (top->fresh)
		forget_place(top);
	top->fresh = false;
	top_result_release(&top->result);
	top->result = a->result;
	a->result = (struct top_result){0};
	free(top->way);
	top->way = NULL;
	top->nways = 0;
	top->shown = 0;
	if (f->job.code) {
		top_model_drop(top->result.model);
		top->result.model = NULL;
		return;
	}
	for (size_t i = 0; i < f->cells.n; i++)
		if (top_unfoldable(top, &f->cells.sheet[i]))
			tui_nomem(v->tui);
}

static void ask(struct tui_view *v)
{
	struct top *top = v->state;
	struct tui_fill how = {
	    .rows = &top->rows, .fill = top_fill, .taken = taken, .release = top_ask_release};
	struct top_ask *a;
	int rows, cols;

	if (!v->select.run)
		return;
	tui_screen_size(&rows, &cols);
	how.chart_width = (unsigned)cols;
	a = tui_fill_new(v, sizeof(*a), &how);
	if (!a) {
		/* The title names the new table already, so the old one must not stay on the screen. */
		forget_place(top);
		return;
	}
	a->entry = *top_entry_of(top);
	a->how = top->how;
	tui_job_ask(&a->fill.job);
}

static void ask_from_top(struct tui_view *v)
{
	struct top *top = v->state;

	top->fresh = true;
	ask(v);
}

static void list(struct tui_view *v);

#define MANY_ROWS  10000 /* tables from this size on are freed … */
#define KEPT_VIEWS 6	 /* … except in the newest views */

/* Frees large tables of older views, which make them again when the user goes back to them. */
static void forget_tables(struct tui *t)
{
	for (size_t i = 0; i + KEPT_VIEWS < t->nviews; i++) {
		struct tui_view *v = t->view[i];
		struct top *top = v->state;

		if (v->ops != &tui_top || v->busy || !top->rows.table.sheet ||
		    top->rows.table.sheet->nrows < MANY_ROWS)
			continue;
		tui_table_show(&top->rows.table, NULL);
		rep_cells_release(&top->rows.cells);
		top_model_drop(top->result.model);
		top->result.model = NULL;
		top->shown = 0;
	}
}

static void resume(struct tui_view *v)
{
	const struct top *top = v->state;

	if (!top->rows.table.sheet && !top->rows.cells.nnotes && !v->busy)
		ask(v);
}

static bool open_view(struct tui_view *v, const char *arg)
{
	struct top *top = v->state;

	forget_tables(v->tui);
	top->rows.table.sort = top->choice.table.sort = -1;
	top->nlist = top_list(tui_is_profile(&v->select), top->list);
	if (arg && !strcmp(arg, "list"))
		top->choosing = true;
	top->at = arg && !top->choosing ? top_list_find(top->list, top->nlist, arg) : 0;
	if (top->at < 0) {
		tui_error(v->tui, "there is no table '%.100s' for a %s; press o to list the tables",
			  arg, tui_is_profile(&v->select) ? "profile" : "trace");
		return false;
	}
	ask(v);
	if (top->choosing)
		list(v);
	return true;
}

static void close_view(struct tui_view *v)
{
	struct top *top = v->state;

	top_result_release(&top->result);
	free(top->way);
	tui_rows_release(&top->choice);
	tui_rows_close(v);
}

/* ---- the list ---- */

static void list(struct tui_view *v)
{
	struct top *top = v->state;
	struct top_listing l = {top->list, top->nlist, &v->select};

	if (!tui_rows_fill(v, &top->choice, top_list_fill, &l))
		return;
	top->choice.table.cursor = (size_t)top->at;
	top->choosing = true;
}

static void choose(struct tui_view *v)
{
	struct top *top = v->state;
	long row = tui_table_row(&top->choice.table);

	if (row < 0)
		return;
	top->choosing = false;
	tui_table_filter(&top->choice.table, "");
	top->at = (int)row;
	ask_from_top(v);
}

/* ---- options of the table ---- */

static void turn(struct tui_view *v, int step)
{
	struct top *top = v->state;
	int n = (int)top->nlist;

	top->at = (top->at + step + n) % n;
	ask_from_top(v);
}

/* Returns whether the table is made from a profile, so that options of profiles apply; false with a
 * message. */
static bool of_profile(struct tui *t, struct top *top)
{
	enum top_kind kind = top_entry_of(top)->kind;

	if (kind != TOP_REPORT && kind != TOP_PATH && kind != TOP_LEAKS && kind != TOP_LONGEST)
		return true;
	tui_message(t, "only tables of functions have this; press o to list the tables");
	return false;
}

static void next_type(struct tui_view *v)
{
	struct top *top = v->state;
	size_t next = top->result.ntypes ? (top->result.at + 1) % top->result.ntypes : 0, at = 0;
	const char *type = (const char *)top->result.types.data;

	if (!of_profile(v->tui, top))
		return;
	if (top->result.ntypes < 2) {
		tui_message(v->tui, "there is only one sample type");
		return;
	}
	for (; at < next; at++)
		type += strlen(type) + 1;
	/* Select the type by its index, since names may be missing or equal. */
	snprintf(top->how.type, sizeof(top->how.type), "%zu", next);
	ask(v);
	tui_message(v->tui, "%.80s", type);
}

static void next_granularity(struct tui_view *v)
{
	struct top *top = v->state;

	if (top_has_each(top_entry_of(top))) {
		top->how.each = !top->how.each;
		ask_from_top(v);
		return;
	}
	if (!of_profile(v->tui, top))
		return;
	top->how.granularity = (top->how.granularity + 1) % REP_NGRANULARITIES;
	tui_message(v->tui, "by %s: %s", rep_granularities[top->how.granularity].name,
		    rep_granularities[top->how.granularity].doc);
	ask_from_top(v);
}

static void next_base(struct tui_view *v)
{
	static const char *const words[] = {"not compared", "minus the marked run",
					    "minus the marked run, as shares of that run"};
	struct top *top = v->state;

	if (!of_profile(v->tui, top))
		return;
	if (!v->select.other || v->select.other == v->select.run) {
		tui_message(v->tui, "mark another run first (1, then m)");
		return;
	}
	top->how.base = (top->how.base + 1) % 3;
	tui_message(v->tui, "%s", words[top->how.base]);
	ask_from_top(v);
}

static void turn_table(struct tui *t, struct top *top, int step)
{
	size_t n = top->rows.cells.n;

	if (n < 2) {
		tui_message(t, "there is only one table");
		return;
	}
	top->shown = (top->shown + n + (size_t)step) % n;
	forget_place(top);
	if (!tui_table_show(&top->rows.table, &top->rows.cells.sheet[top->shown]))
		tui_nomem(t);
}

/* ---- keys ---- */

static bool act_on_list(struct tui_view *v, enum tui_action action)
{
	struct top *top = v->state;

	switch (action) {
	case TUI_DO_ENTER:
		choose(v);
		return true;
	case TUI_DO_BACK:
	case TUI_DO_QUIT:
	case TUI_DO_REPORTS:
		top->choosing = false;
		return true;
	default:
		return false;
	}
}

static bool act_on_table(struct tui_view *v, enum tui_action action)
{
	struct top *top = v->state;

	if (action == TUI_DO_ENTER && top_lead_path(v))
		return true;
	if ((action == TUI_DO_ENTER || action == TUI_DO_FLAME) && top_lead_flame(v))
		return true;
	if (action == TUI_DO_TIMELINE && top_worst(v))
		return true;
	/* This view is already shown. */
	if (action == TUI_DO_TOP)
		return true;
	if (action == TUI_DO_WAKER) {
		top_lead_wakers(v);
		return true;
	}
	return tui_lead_act(v, top->rows.table.sheet, tui_table_row(&top->rows.table), action);
}

static bool act(struct tui_view *v, enum tui_action action)
{
	struct top *top = v->state;

	if (top->choosing)
		return act_on_list(v, action);
	switch (action) {
	case TUI_DO_REPORTS:
		list(v);
		return true;
	case TUI_DO_REPORT_NEXT:
	case TUI_DO_REPORT_BACK:
		turn(v, action == TUI_DO_REPORT_NEXT ? 1 : -1);
		return true;
	case TUI_DO_FOLD:
	case TUI_DO_CALLEES:
		top_unfold(v, action == TUI_DO_FOLD);
		return true;
	case TUI_DO_SAMPLE_TYPE:
		next_type(v);
		return true;
	case TUI_DO_KIND:
		next_granularity(v);
		return true;
	case TUI_DO_DIFFER:
		next_base(v);
		return true;
	case TUI_DO_DIFF_CUM:
		if (of_profile(v->tui, top)) {
			top->how.cum = !top->how.cum;
			ask_from_top(v);
		}
		return true;
	case TUI_DO_CHART:
		top->chart = top->charted ? TOP_CHART_NEVER : TOP_CHART_ALWAYS;
		if (!top->rows.cells.chart.size)
			tui_message(v->tui, "only mmu and heap have charts");
		return true;
	case TUI_DO_LINES:
		top->all_lines = !top->all_lines;
		return true;
	case TUI_DO_TABLE_NEXT:
	case TUI_DO_TABLE_BACK:
		turn_table(v->tui, top, action == TUI_DO_TABLE_NEXT ? 1 : -1);
		return true;
	default:
		return act_on_table(v, action);
	}
}

static struct tui_table *table(struct tui_view *v)
{
	struct top *top = v->state;

	return top->choosing ? &top->choice.table : &top->rows.table;
}

static unsigned filters(const struct tui_view *v)
{
	const struct top *top = v->state;

	return top->choosing ? TUI_BY_ALL : top_filters(top_entry_of(top));
}

static bool can(struct tui_view *v, enum tui_action action)
{
	struct top *top = v->state;
	const struct rep_sheet *s = top_sheet(top);
	struct tui_lead lead;
	bool row = s && tui_lead_read(s, tui_table_row(&top->rows.table), &lead);

	switch (action) {
	case TUI_DO_FOLD:
	case TUI_DO_CALLEES:
		return !top->choosing && row && s->branch;
	case TUI_DO_RANGE:
		return !top->choosing && row && lead.dur_ns > 0;
	case TUI_DO_WAKER:
		return !top->choosing && row && !tui_is_profile(&v->select) &&
		       (lead.function.type == REP_TYPE_TEXT || lead.entry.type == REP_TYPE_TEXT);
	default:
		return true;
	}
}

static void title(struct tui_view *v, char *text, size_t size)
{
	const struct top *top = v->state;
	const struct top_entry *e = top_entry_of(top);

	if (top->choosing) {
		snprintf(text, size, "list");
		return;
	}
	snprintf(text, size, "%s", e->name);
	if (*top->result.meant)
		tui_add(text, size, ": ", "%s", top->result.meant);
	if (top->rows.cells.n > 1)
		tui_add(text, size, " ", "%zu/%zu %s", top->shown + 1, top->rows.cells.n,
			top->rows.cells.sheet[top->shown].name);
	if (top->how.each && top_has_each(e))
		tui_add(text, size, ", ", "each");
	if (top->result.ntypes > 1)
		tui_add(text, size, ", ", "%.40s", top->result.found);
	if (top->how.granularity != REP_FUNCTIONS && top->result.model)
		tui_add(text, size, " ", "by %s", rep_granularities[top->how.granularity].name);
	if (top->how.cum && top->result.model)
		tui_add(text, size, ", ", "cum first");
	if (top->result.based && v->select.other)
		tui_add(text, size, ", ", "minus %.60s", v->select.other->row.name);
}

static void keep(struct tui_view *v, char *text, size_t size)
{
	const struct top *top = v->state;

	snprintf(text, size, "%s", top_entry_of(top)->name);
}

static void offer(struct tui *t, struct tui_menu *menu, const char *typed)
{
	const struct rep_run *run = t->select.run;
	struct top_entry list[TOP_MOST_ENTRIES];
	size_t n = run ? top_list(strcmp(run->row.kind, "trace") != 0, list) : 0;

	for (size_t i = 0; i < n; i++)
		if (!strncmp(list[i].name, typed, strlen(typed)))
			tui_menu_add(menu, list[i].name, NULL, list[i].doc);
}

const struct tui_view_ops tui_top = {
    .where = TUI_TOP,
    .name = "top",
    .arg = "[REPORT]",
    .size = sizeof(struct top),
    .needs_run = true,
    .filters = filters,
    .open = open_view,
    .close = close_view,
    .resume = resume,
    .draw = top_draw,
    .act = act,
    .table = table,
    .keeps_line = true,
    .yank = top_yank,
    .save = top_save,
    .source = top_source,
    .title = title,
    .can = can,
    .keep = keep,
    .offer = offer,
};
