/* Drilling down from tables that only the view top has. */
#include <stdio.h>
#include <string.h>

#include "profile/trace.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/top/top.h"

/* Opens the flame graph of the row with the same view and sample type. */
bool top_lead_flame(struct tui_view *v)
{
	struct top *top = v->state;
	const struct top_entry *e = top_entry_of(top);
	struct tui *t = v->tui;
	const char *arg = e->kind == TOP_FUNCTIONS ? rep_trace_views[e->which].name
			  : e->kind == TOP_REPORT  ? rep_trace_views[REP_TRACE_CPU].name
			  : tui_is_profile(&v->select) && *top->result.found ? top->result.found
									     : NULL;

	if (!top->result.model || e->kind == TOP_GO)
		return false;
	tui_open_narrowed(
	    t, tui_lead_narrow(&t->select, top->rows.table.sheet, tui_table_row(&top->rows.table)),
	    "flame", arg);
	return true;
}

/* Writes a function's name without the folders of its package, as tables show it. */
static void short_name(const struct rep_value *v, char *name, size_t size)
{
	size_t from = 0;

	for (size_t i = 0; i < v->text.size && v->text.data[i] != '(' && v->text.data[i] != '[';
	     i++)
		if (v->text.data[i] == '/')
			from = i + 1;
	snprintf(name, size, "%.*s",
		 (int)(v->text.size - from < size ? v->text.size - from : size - 1),
		 v->text.data + from);
}

/* Opens the path of a request. */
bool top_lead_path(struct tui_view *v)
{
	struct top *top = v->state;
	const struct rep_sheet *s = top->rows.table.sheet;
	const struct rep_value *id = tui_table_cell(&top->rows.table, "id");
	struct tui_select *select = &v->tui->select;
	char digits[24];

	if (top_entry_of(top)->kind != TOP_PATH || !s || strcmp(s->name, "requests") != 0 || !id ||
	    id->type != REP_TYPE_INT || v->select.region)
		return false;
	snprintf(digits, sizeof(digits), "%lld", (long long)id->i);
	tui_open_narrowed(v->tui,
			  tui_select_set(select->task ? &select->task : &select->goroutine, digits),
			  "top", "path summary");
	return true;
}

/* Opens the table of wakers, filtered by the function of the row. */
void top_lead_wakers(struct tui_view *v)
{
	struct tui *t = v->tui;
	struct top *top = v->state;
	struct tui_lead lead;
	const struct rep_value *who;
	char name[200];

	if (tui_is_profile(&v->select) ||
	    !tui_lead_read(top->rows.table.sheet, tui_table_row(&top->rows.table), &lead)) {
		tui_message(t, "this line has no wakers");
		return;
	}
	who = lead.function.type == REP_TYPE_TEXT ? &lead.function : &lead.entry;
	if (!tui_open(t, v->ops, "path wakers") || who->type != REP_TYPE_TEXT)
		return;
	short_name(who, name, sizeof(name));
	tui_filter(tui_current(t), name);
	tui_message(t, "only lines with %s; f and Esc show all", name);
}
