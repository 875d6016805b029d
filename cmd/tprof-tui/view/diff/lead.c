/* Drilling down from a row of a diff. */
#include <stdio.h>
#include <string.h>

#include "profile/trace.h"
#include "tprof-tui/view/diff/diff.h"
#include "tprof-tui/view/lead.h"

/* Finds the function of the row; null for the total. Returns false with a message. */
static bool find_function(struct tui *t, const struct tui_table *table, struct rep_value *focus)
{
	const struct rep_value *name = tui_table_cell(table, "function");
	const struct rep_value *names = tui_table_cell(table, "names");
	const struct rep_value *stack = tui_table_cell(table, "stack");

	*focus = rep_null();
	if (rep_value_is_text(stack)) {
		const char *end = stack->text.data + stack->text.size, *leaf = end;

		while (leaf > stack->text.data && leaf[-1] != ';')
			leaf--;
		*focus = rep_text(leaf, (size_t)(end - leaf));
	} else if (!rep_value_is_text(name)) {
		tui_message(t, "this line has no details");
		return false;
	} else if (names && names->type == REP_TYPE_INT && names->i > 1) {
		tui_message(t, "this row adds up several functions whose names differ between the "
			       "builds; choose one with :focus");
		return false;
	} else if (!rep_value_is(name, "(total)")) {
		*focus = *name;
	}
	return true;
}

#define NOTHING (-1)

/* The report to open for a family of metrics, and the filter to set to the row's name. */
static const struct {
	const char *family, *by; /* NULL: any */
	const char *report;
	int selects; /* enum tui_text, or NOTHING */
} leads[] = {
    {"sched", "group", "sched", TUI_TEXT_GOROUTINE},
    {"sched", NULL, "sched", NOTHING},
    {"run", "group", "goroutines", TUI_TEXT_GOROUTINE},
    {"run", NULL, "groups", NOTHING},
    {"block", "group", "block", TUI_TEXT_GOROUTINE},
    {"block", "reason", "block", TUI_TEXT_REASON},
    {"block", NULL, "block", NOTHING},
    {"syscall", "function", "syscalls", TUI_TEXT_FOCUS},
    {"syscall", "group", "syscalls", TUI_TEXT_GOROUTINE},
    {"syscall", NULL, "syscalls", NOTHING},
    {"group", "group", "goroutines", TUI_TEXT_GOROUTINE},
    {"group", NULL, "groups", NOTHING},
    {"task", "type", "tasks", TUI_TEXT_TASK},
    {"task", NULL, "tasks", NOTHING},
    {"region", "type", "regions", TUI_TEXT_REGION},
    {"region", NULL, "regions", NOTHING},
    {"stw", NULL, "stops", NOTHING},
    {"gc", NULL, "gc", NOTHING},
    {"cpu", "function", "cpu", TUI_TEXT_FOCUS},
    {"cpu", NULL, "cpu", NOTHING},
};

static void lead_metric(struct tui *t, const struct tui_table *table)
{
	const struct rep_value *family = tui_table_cell(table, "family");
	const struct rep_value *by = tui_table_cell(table, "by");
	const struct rep_value *name = tui_table_cell(table, "name");

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		int selects = leads[i].selects;

		if (!rep_value_is(family, leads[i].family) ||
		    (leads[i].by && !rep_value_is(by, leads[i].by)))
			continue;
		if (selects != NOTHING && !rep_value_is_text(name))
			tui_message(t, "rows without a name cannot be selected");
		else
			tui_open_narrowed(t,
					  selects == NOTHING ||
					      tui_lead_set_only(&t->select.text[selects], *name),
					  "top", leads[i].report);
		return;
	}
	tui_message(t, "this line has no details");
}

void diff_lead(struct tui_view *v, bool whole)
{
	struct tui *t = v->tui;
	const struct diff *d = v->state;
	struct rep_value focus = rep_null();
	const struct rep_run *old, *new;
	const char *kind = d->result.type;
	struct diff_rows rows;
	char arg[120];

	diff_rows_at(tui_is_trace(&v->select), d->at, &rows);
	if (!whole && tui_table_row(&d->rows.table) < 0)
		return;
	if (rows.kind == DIFF_METRICS) {
		lead_metric(t, &d->rows.table);
		return;
	}
	if (!whole && !find_function(t, &d->rows.table, &focus))
		return;
	if (rows.kind == DIFF_VIEWS)
		kind = rep_trace_views[rows.which].name;
	/* Flame graphs compare single runs, so the first run of each set is used. */
	old = tui_run_find(&t->cmd->all, d->result.first[0]);
	new = tui_run_find(&t->cmd->all, d->result.first[1]);
	if (old)
		t->select.other = old;
	if (new)
		t->select.run = new;
	snprintf(arg, sizeof(arg), "diff %.100s", kind);
	tui_open_narrowed(t, tui_lead_set_only(&t->select.focus, focus), "flame", arg);
}
