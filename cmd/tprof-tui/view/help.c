/* help: every key and every command, from the tables that make them work. */
#include <string.h>

#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"

struct help {
	struct tui_rows rows;
};

enum { COLUMN_KEY, COLUMN_COMMAND, COLUMN_DOC, COLUMN_WHERE, NCOLUMNS };

static const struct rep_column columns[NCOLUMNS] = {
    [COLUMN_KEY] = {.name = "key", .title = "KEY", .kind = REP_TEXT},
    [COLUMN_COMMAND] = {.name = "command", .title = "COMMAND", .kind = REP_TEXT},
    [COLUMN_DOC] = {.name = "what", .title = "WHAT IT DOES", .kind = REP_TEXT},
    [COLUMN_WHERE] = {.name = "where", .title = "WHERE", .kind = REP_TEXT},
};

/* "runs, top"; "" everywhere. */
static void where_text(unsigned where, char *text, size_t size)
{
	size_t n = 0;
	bool all = true;

	text[0] = '\0';
	for (size_t i = 0; tui_views[i]; i++)
		all = all && tui_views[i]->where & where;
	for (size_t i = 0; tui_views[i] && !all && n < size; i++)
		if (tui_views[i]->where & where)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "",
					      tui_views[i]->name);
}

/* All keys of an action that mean it in the same places. */
static void keys_text(const struct tui_binding *first, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (const struct tui_binding *b = first; b->key && n < size; b++) {
		char name[16];

		if (b->action != first->action || b->where != first->where)
			continue;
		tui_key_name(b->key, name);
		n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", name);
	}
}

static bool was_before(const struct tui_binding *at)
{
	for (const struct tui_binding *b = tui_bindings; b < at; b++)
		if (b->action == at->action && b->where == at->where)
			return true;
	return false;
}

static int put(struct rep_output *out, const char *key, const char *command, const char *doc,
	       const char *where, struct tp_err *err)
{
	const struct rep_value row[NCOLUMNS] = {rep_str(key), rep_str(command), rep_str(doc),
						rep_str(where)};

	return rep_output_row(out, row, err);
}

static int fill(void *ctx, struct rep_output *out, struct tp_err *err)
{
	int code = rep_output_begin(out, "help", columns, NCOLUMNS, err);
	char keys[100], where[200];

	(void)ctx;
	for (const struct tui_binding *b = tui_bindings; b->key && !code; b++) {
		if (was_before(b))
			continue;
		keys_text(b, keys, sizeof(keys));
		where_text(b->where, where, sizeof(where));
		code = put(out, keys, tui_actions[b->action].name, tui_actions[b->action].doc,
			   where, err);
	}
	for (size_t i = 0; i < tui_ncommands && !code; i++) {
		snprintf(where, sizeof(where), "%s %s", tui_commands[i].name, tui_commands[i].arg);
		code = put(out, ":", where, tui_commands[i].doc, "", err);
	}
	return code ? code : rep_output_end(out, err);
}

static bool open_view(struct tui *t, struct tui_view *v, const char *arg)
{
	struct help *h = v->state;

	(void)arg;
	h->rows.table.sort = -1;
	return tui_rows_fill(t, v, fill, NULL);
}

const struct tui_view_ops tui_help = {
    .where = TUI_HELP,
    .name = "help",
    .size = sizeof(struct help),
    .open = open_view,
    .close = tui_rows_close,
    .draw = tui_rows_draw,
    .act = tui_rows_act,
    .click = tui_rows_click,
    .search = tui_rows_search,
    .filter = tui_rows_filter,
    .yank = tui_rows_yank,
    .save = tui_rows_save,
};
