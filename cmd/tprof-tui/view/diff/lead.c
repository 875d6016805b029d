#include "tprof-tui/view/diff/lead.h"

#include <stdio.h>
#include <string.h>

bool diff_lead_pattern(const char *name, size_t size, char *text, size_t room)
{
	size_t n = 0;

	if (2 * size + 3 > room)
		return false;
	text[n++] = '^';
	for (size_t i = 0; i < size; i++) {
		if (strchr(".[]{}()*+?^$|\\", name[i]) && name[i])
			text[n++] = '\\';
		text[n++] = name[i];
	}
	text[n++] = '$';
	text[n] = '\0';
	return true;
}

static bool is_text(const struct rep_value *v)
{
	return v && v->type == REP_TYPE_TEXT && v->text.size;
}

static bool equals(const struct rep_value *v, const char *text)
{
	return is_text(v) && v->text.size == strlen(text) &&
	       !memcmp(v->text.data, text, v->text.size);
}

/* Puts the name into a text of the selection. */
static bool select_name(struct tui *t, char **text, const char *name, size_t size)
{
	char pattern[2000];

	if (!diff_lead_pattern(name, size, pattern, sizeof(pattern))) {
		tui_error(t, "this name is too long to look for");
		return false;
	}
	if (tui_select_set(text, pattern))
		return true;
	tui_nomem(t);
	return false;
}

/* A flame graph of the difference, or where there is none the table. */
static void open_flame(struct tui *t, const char *kind)
{
	const struct tui_view_ops *flame = tui_view_find("flame");
	char arg[120];

	snprintf(arg, sizeof(arg), "diff %.100s", kind);
	if (flame)
		tui_open(t, flame, arg);
	else
		tui_open(t, tui_view_find("top"), NULL);
}

static void lead_function(struct tui *t, const struct tui_table *table, const char *kind)
{
	const struct rep_value *name = tui_table_cell(table, "function");
	const struct rep_value *names = tui_table_cell(table, "names");
	const struct rep_value *stack = tui_table_cell(table, "stack");

	if (is_text(stack)) {
		const char *end = stack->text.data + stack->text.size, *leaf = end;

		while (leaf > stack->text.data && leaf[-1] != ';')
			leaf--;
		if (select_name(t, &t->select.focus, leaf, (size_t)(end - leaf)))
			open_flame(t, kind);
		return;
	}
	if (is_text(name) && names && names->type == REP_TYPE_INT && names->i > 1)
		tui_message(t, "these are several functions, called otherwise in one build than in "
			       "the other; :focus picks one");
	else if (is_text(name) && !equals(name, "(total)")) {
		if (select_name(t, &t->select.focus, name->text.data, name->text.size))
			open_flame(t, kind);
	} else if (is_text(name)) {
		open_flame(t, kind);
	} else {
		tui_message(t, "there is nothing behind this line");
	}
}

/* What a family of metrics is about, by what its name is. */
static const struct {
	const char *family, *by; /* NULL: any */
	const char *report;
	enum { NOTHING, GOROUTINE, REASON, FOCUS, TASK, REGION } selects;
} leads[] = {
    {"sched", "group", "sched", GOROUTINE},
    {"sched", NULL, "sched", NOTHING},
    {"run", "group", "goroutines", GOROUTINE},
    {"run", NULL, "groups", NOTHING},
    {"block", "group", "block", GOROUTINE},
    {"block", "reason", "block", REASON},
    {"block", NULL, "block", NOTHING},
    {"syscall", "function", "syscalls", FOCUS},
    {"syscall", "group", "syscalls", GOROUTINE},
    {"syscall", NULL, "syscalls", NOTHING},
    {"group", "group", "goroutines", GOROUTINE},
    {"group", NULL, "groups", NOTHING},
    {"task", "type", "tasks", TASK},
    {"task", NULL, "tasks", NOTHING},
    {"region", "type", "regions", REGION},
    {"region", NULL, "regions", NOTHING},
    {"stw", NULL, "stops", NOTHING},
    {"gc", NULL, "gc", NOTHING},
    {"cpu", "function", "cpu", FOCUS},
    {"cpu", NULL, "cpu", NOTHING},
};

static void lead_metric(struct tui *t, const struct tui_table *table)
{
	const struct rep_value *family = tui_table_cell(table, "family");
	const struct rep_value *by = tui_table_cell(table, "by");
	const struct rep_value *name = tui_table_cell(table, "name");

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		char **const texts[] = {[GOROUTINE] = &t->select.goroutine,
					[REASON] = &t->select.reason,
					[FOCUS] = &t->select.focus,
					[TASK] = &t->select.task,
					[REGION] = &t->select.region};

		if (!equals(family, leads[i].family) || (leads[i].by && !equals(by, leads[i].by)))
			continue;
		if (leads[i].selects != NOTHING && !is_text(name)) {
			tui_message(t, "these have no name, so they cannot be picked");
			return;
		}
		if (leads[i].selects == NOTHING ||
		    select_name(t, texts[leads[i].selects], name->text.data, name->text.size))
			tui_open(t, tui_view_find("top"), leads[i].report);
		return;
	}
	tui_message(t, "there is nothing behind this line");
}

void diff_lead(struct tui *t, const struct diff_lead_from *from)
{
	if (from->whole) {
		open_flame(t, from->kind);
		return;
	}
	if (tui_table_row(from->table) < 0)
		return;
	if (from->metrics)
		lead_metric(t, from->table);
	else
		lead_function(t, from->table, from->kind);
}
