/* The view help: lists all keys and commands, from the tables that define them. */
#include <string.h>

#include "tprof-tui/prompt.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"

enum { COLUMN_KEY, COLUMN_COMMAND, COLUMN_DOC, COLUMN_WHERE, NCOLUMNS };

static const struct rep_column columns[NCOLUMNS] = {
    [COLUMN_KEY] = {.name = "key", .title = "KEY", .kind = REP_TEXT},
    [COLUMN_COMMAND] = {.name = "command", .title = "COMMAND", .kind = REP_TEXT, .drop = 2},
    [COLUMN_DOC] = {.name = "what", .title = "WHAT IT DOES", .kind = REP_TEXT, .least = 36},
    [COLUMN_WHERE] = {.name = "where", .title = "WHERE", .kind = REP_TEXT, .drop = 1},
};

/* Writes the views of a key, "runs, top", or "everywhere". */
static void where_text(unsigned where, char *text, size_t size)
{
	bool all = true, rows = true;

	text[0] = '\0';
	for (size_t i = 0; tui_views[i]; i++) {
		all = all && tui_views[i]->where & where;
		rows = rows && !(tui_views[i]->where & where) == !(tui_views[i]->where & TUI_ROWS);
	}
	if (all || rows)
		snprintf(text, size, "%s", all ? "everywhere" : "tables");
	for (size_t i = 0; tui_views[i] && !all && !rows; i++)
		if (tui_views[i]->where & where)
			tui_add(text, size, ", ", "%s", tui_views[i]->name);
}

/* Writes all keys that have this action in the same views. A key may have several codes; its name is
 * written once. */
static void keys_text(const struct tui_binding *first, char *text, size_t size)
{
	text[0] = '\0';
	for (const struct tui_binding *b = first; b->key; b++) {
		char name[16], padded[120], part[20];

		if (b->action != first->action || b->where != first->where)
			continue;
		tui_key_name(b->key, name);
		snprintf(padded, sizeof(padded), " %s ", text);
		snprintf(part, sizeof(part), " %s ", name);
		if (!strstr(padded, part))
			tui_add(text, size, " ", "%s", name);
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

/* Keys of input fields, which are not in the table of bindings. */
static const struct {
	const char *key, *doc, *where;
} typing[] = {
    {"Enter", "accept: run the command or the statement, stay at the match", "while typing"},
    {"Esc ^G ^C", "cancel", "while typing"},
    {"Tab S-Tab", "complete with the next word that fits, or the previous one", "while typing"},
    {"Up Down ^P ^N", "recall earlier input, and later input again", "while typing"},
    {"^A ^E Home End", "go to the start of the line, or to its end", "while typing"},
    {"^B ^F Left Right", "move one character back, or forward", "while typing"},
    {"^W ^U ^K", "cut a word, the text before the cursor, or the text after it", "while typing"},
    {"^J", "begin another line of the statement", "while typing, sql"},
    {"^C", "interrupt a running statement, or other work that takes long", "everywhere"},
    {"wheel click", "scroll; select, sort by a heading, twice: open", "mouse"},
};

/* Keys of this view only; of this and some other views; of all views; of other views. */
enum part { PART_OWN, PART_HERE, PART_EVERYWHERE, PART_OTHERS };

static enum part part_of(const struct tui_binding *b, unsigned here)
{
	return b->where == TUI_EVERYWHERE ? PART_EVERYWHERE
	       : b->where == here	  ? PART_OWN
	       : b->where & here	  ? PART_HERE
					  : PART_OTHERS;
}

static int put_keys(unsigned here, enum part part, struct rep_output *out, struct tp_err *err)
{
	char keys[100], where[200];
	int code = 0;

	for (const struct tui_binding *b = tui_bindings; b->key && !code; b++) {
		if (was_before(b) || part_of(b, here) != part)
			continue;
		keys_text(b, keys, sizeof(keys));
		where_text(b->where, where, sizeof(where));
		code = put(out, keys, tui_actions[b->action].name, tui_actions[b->action].doc,
			   where, err);
	}
	return code;
}

static bool has_key(int action)
{
	for (const struct tui_binding *b = tui_bindings; b->key; b++)
		if ((int)b->action == action)
			return true;
	return false;
}

/* Writes the words of the palette that take arguments or have no key. A command may have the name of a
 * view; each name is written once. */
static int put_commands(struct rep_output *out, struct tp_err *err)
{
	struct tui_word w, before;
	char command[200];
	int code = 0;

	for (size_t i = 0; tui_word_at(i, &w) && !code; i++) {
		bool told = !w.arg && has_key((int)tui_action_find(w.name));

		for (size_t k = 0; k < i && !told; k++)
			told = tui_word_at(k, &before) && !strcmp(before.name, w.name);
		if (told)
			continue;
		snprintf(command, sizeof(command), "%s%s%s", w.name, w.arg ? " " : "",
			 w.arg ? w.arg : "");
		code = put(out, ":", command, w.doc,
			   w.arg || tui_view_find(w.name) ? "everywhere" : "", err);
	}
	return code;
}

int tui_help_fill(const struct tui_view *view, struct rep_output *out, struct tp_err *err)
{
	unsigned here = view ? view->ops->where : 0;
	int code = rep_output_begin(out, "help", columns, NCOLUMNS, err);

	for (enum part part = PART_OWN; part <= PART_OTHERS && !code; part++)
		code = put_keys(here, part, out, err);
	for (size_t i = 0; i < sizeof(typing) / sizeof(typing[0]) && !code; i++)
		code = put(out, typing[i].key, "", typing[i].doc, typing[i].where, err);
	if (!code)
		code = put_commands(out, err);
	return code ? code : rep_output_end(out, err);
}

static int fill(void *ctx, struct rep_output *out, struct tp_err *err)
{
	return tui_help_fill(ctx, out, err);
}

/* Lists the keys of the view that help was opened from first. */
static bool open_view(struct tui_view *v, const char *arg)
{
	struct tui_rows *r = v->state;

	if (arg) {
		tui_error(v->tui, "help takes no arguments; / searches it");
		return false;
	}
	r->table.sort = -1;
	return tui_rows_fill(v, r, fill, tui_current(v->tui));
}

/* Enter runs the line's command in the previous view. */
static bool act(struct tui_view *v, enum tui_action action)
{
	const struct rep_value *command = tui_table_cell(tui_rows_table(v), "command");
	char text[100];
	size_t n;

	if (action != TUI_DO_ENTER)
		return false;
	if (!rep_value_is_text(command))
		return true;
	n = command->text.size < sizeof(text) - 1 ? command->text.size : sizeof(text) - 1;
	memcpy(text, command->text.data, n);
	text[n] = '\0';
	text[strcspn(text, " ")] = '\0';
	tui_back(v->tui);
	if (n > strlen(text)) {
		/* The command takes arguments. */
		text[strlen(text)] = ' ';
		text[strcspn(text, " ") + 1] = '\0';
		tui_prompt_begin(v->tui, TUI_PROMPT_PALETTE, text);
	} else {
		tui_command(v->tui, text);
	}
	return true;
}

const struct tui_view_ops tui_help = {
    .where = TUI_HELP,
    .name = "help",
    .size = sizeof(struct tui_rows),
    .open = open_view,
    .act = act,
    .table = tui_rows_table,
};
