#include "tprof-tui/prompt.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tprof-tui/state.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/widget/line.h"
#include "tprof-tui/widget/menu.h"

#define HISTORY "commands"

/* Each kind of prompt has its own history. */
struct tui_prompts {
	enum tui_prompt_kind open;
	struct tui_line line[TUI_PROMPT_GO + 1];
	char search[TUI_LINE_SIZE];
	struct tui_menu menu; /* of the palette: completions of the input */
	bool arguments;	      /* the menu has arguments of the command */
	bool recalled;	      /* the palette's history has been loaded */
};

static const struct {
	const char *label, *hints;
} kinds[] = {
    [TUI_PROMPT_NONE] = {"", ""},
    [TUI_PROMPT_PALETTE] = {":", "Enter run\tTab complete\tUp history\tEsc cancel"},
    [TUI_PROMPT_SEARCH] = {"/", "Enter stay here\tUp history\tEsc cancel\tn next match"},
    [TUI_PROMPT_FILTER] = {"only lines with: ", "Enter keep\tUp history\tEsc all lines"},
    [TUI_PROMPT_SAVE] = {"save as: ", "Enter accept\tUp history\tEsc cancel"},
    [TUI_PROMPT_GO] = {"go to 1.5ms, 25%, goroutine 12, task #3: ",
		       "Enter accept\tUp history\tEsc cancel"},
};

static void fill_menu(struct tui *t);

static struct tui_line *line(const struct tui *t)
{
	return &t->prompts->line[t->prompts->open];
}

bool tui_prompt_open(const struct tui *t)
{
	return t->prompts && t->prompts->open != TUI_PROMPT_NONE;
}

void tui_prompt_begin(struct tui *t, enum tui_prompt_kind kind, const char *text)
{
	if (!t->prompts)
		t->prompts = calloc(1, sizeof(*t->prompts));
	if (!t->prompts) {
		tui_nomem(t);
		return;
	}
	t->prompts->open = kind;
	if (kind == TUI_PROMPT_PALETTE && !t->prompts->recalled) {
		t->prompts->recalled = true;
		tui_history_load(line(t), HISTORY);
	}
	tui_line_begin(line(t), text);
	fill_menu(t);
}

const char *tui_prompt_last_search(const struct tui *t)
{
	return t->prompts ? t->prompts->search : "";
}

void tui_prompt_release(struct tui *t)
{
	for (size_t i = 0; t->prompts && i <= TUI_PROMPT_GO; i++)
		tui_line_release(&t->prompts->line[i]);
	if (t->prompts)
		tui_menu_release(&t->prompts->menu);
	free(t->prompts);
	t->prompts = NULL;
}

/* ---- the palette: matches while the user types ---- */

bool tui_word_at(size_t i, struct tui_word *w)
{
	size_t views = 0;

	while (tui_views[views])
		views++;
	if (i < tui_ncommands) {
		*w = (struct tui_word){tui_commands[i].name, tui_commands[i].arg,
				       tui_commands[i].doc};
		return true;
	}
	i -= tui_ncommands;
	if (i < views) {
		enum tui_action action = tui_action_find(tui_views[i]->name);

		*w = (struct tui_word){tui_views[i]->name, tui_views[i]->arg,
				       action ? tui_actions[action].doc : "a view"};
		return true;
	}
	i = i - views + 1;
	if (i >= TUI_NACTIONS)
		return false;
	*w = (struct tui_word){tui_actions[i].name, NULL, tui_actions[i].doc};
	return true;
}

static bool has(const char *text, const char *part)
{
	size_t n = strlen(part);

	for (; text && strlen(text) >= n; text++)
		if (!strncasecmp(text, part, n))
			return true;
	return false;
}

/* Fills the menu with the arguments of the command. */
static void fill_arguments(struct tui *t, const char *typed)
{
	struct tui_menu *menu = &t->prompts->menu;
	size_t n = strcspn(typed, " ");
	const struct tui_view_ops *ops;
	char name[64];
	struct tui_word w;

	snprintf(name, sizeof(name), "%.*s", n < 63 ? (int)n : 63, typed);
	ops = tui_view_find(name);
	if (ops && ops->offer)
		ops->offer(t, menu, typed + n + strspn(typed + n, " "));
	for (size_t i = 0; !menu->n && tui_word_at(i, &w); i++) {
		char shown[100];

		if (strcmp(w.name, name) != 0)
			continue;
		/* The item inserts nothing; it shows the usage. */
		snprintf(shown, sizeof(shown), "%s %s", w.name, w.arg ? w.arg : "");
		tui_menu_add(menu, "", shown, w.doc);
	}
}

/* Fills the menu with words that begin with the input, then words that contain it, then words whose
 * description contains it. */
static void fill_menu(struct tui *t)
{
	struct tui_prompts *p = t->prompts;
	const char *typed = line(t)->text;
	size_t n = strlen(typed);
	struct tui_word w;

	tui_menu_clear(&p->menu);
	p->arguments = strchr(typed, ' ') != NULL;
	if (p->arguments) {
		fill_arguments(t, typed);
		return;
	}
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; tui_word_at(i, &w); i++) {
			bool begins = !strncasecmp(w.name, typed, n);
			bool fits = round == 0	 ? begins
				    : round == 1 ? n > 1 && has(w.name, typed)
						 : n > 2 && has(w.doc, typed);
			char shown[100];

			snprintf(shown, sizeof(shown), "%s%s%s", w.name, w.arg ? " " : "",
				 w.arg ? w.arg : "");
			if (fits)
				tui_menu_add(&p->menu, w.name, shown, w.doc);
		}
}

static void complete(struct tui *t, int step)
{
	struct tui_prompts *p = t->prompts;
	const char *word;

	char whole[TUI_LINE_SIZE];

	if (p->open != TUI_PROMPT_PALETTE)
		return;
	word = tui_menu_turn(&p->menu, step);
	if (!word || !*word)
		return;
	snprintf(whole, sizeof(whole), "%.*s%s%.200s",
		 p->arguments ? (int)strcspn(line(t)->text, " ") : 0, line(t)->text,
		 p->arguments ? " " : "", word);
	tui_line_begin(line(t), whole);
}

/* Returns the command that the typed word abbreviates if there is only one, else NULL. */
static const char *only_one(const char *typed)
{
	const char *found = NULL;
	size_t n = strcspn(typed, " ");
	struct tui_word w;

	for (size_t i = 0; tui_word_at(i, &w); i++) {
		if (strncmp(w.name, typed, n) != 0)
			continue;
		if (w.name[n] == '\0')
			return NULL;
		if (found && strcmp(found, w.name) != 0)
			return NULL;
		found = w.name;
	}
	return n ? found : NULL;
}

/* ---- keys ---- */

static void typed(struct tui *t, struct tui_view *v)
{
	const char *text = line(t)->text;

	if (t->prompts->open == TUI_PROMPT_FILTER)
		tui_filter(v, text);
	if (t->prompts->open != TUI_PROMPT_SEARCH || !*text)
		return;
	snprintf(t->prompts->search, sizeof(t->prompts->search), "%s", text);
	if (!tui_search(v, text, 0))
		tui_error(t, "nothing here contains '%.200s'", text);
}

static void command(struct tui *t, const char *text)
{
	const char *name = only_one(text);
	char whole[TUI_LINE_SIZE];

	if (name)
		snprintf(whole, sizeof(whole), "%s%s", name, text + strcspn(text, " "));
	tui_command(t, name ? whole : text);
}

/* Finishes a prompt other than the palette. Commands of the palette may finish it, too. */
static void done(struct tui *t, struct tui_view *v, enum tui_prompt_kind kind, const char *text)
{
	switch (kind) {
	case TUI_PROMPT_SEARCH:
		if (*text && !tui_search(v, text, 0))
			tui_error(t, "nothing here contains '%.200s'", text);
		break;
	case TUI_PROMPT_SAVE:
		if (*text && tui_save_view(v, text))
			tui_message(t, "saved as %.300s", text);
		break;
	case TUI_PROMPT_GO:
		tui_go(t, text);
		break;
	default:
		break;
	}
}

void tui_prompt_key(struct tui *t, int key)
{
	struct tui_view *v = tui_current(t);
	enum tui_prompt_kind kind = t->prompts->open;
	char text[TUI_LINE_SIZE];

	if (key == TUI_BACK_TAB) {
		complete(t, -1);
		return;
	}
	switch (tui_line_key(line(t), key)) {
	case TUI_LINE_TYPED:
		if (kind == TUI_PROMPT_PALETTE)
			fill_menu(t);
		typed(t, v);
		break;
	case TUI_LINE_COMPLETE:
		complete(t, 1);
		break;
	case TUI_LINE_GIVEN_UP:
		if (kind == TUI_PROMPT_FILTER)
			tui_filter(v, "");
		t->prompts->open = TUI_PROMPT_NONE;
		break;
	case TUI_LINE_DONE:
		if (kind == TUI_PROMPT_PALETTE)
			tui_history_add(line(t), HISTORY);
		else
			tui_line_add_history(line(t), line(t)->text);
		memcpy(text, line(t)->text, line(t)->size + 1);
		t->prompts->open = TUI_PROMPT_NONE;
		if (kind == TUI_PROMPT_PALETTE)
			command(t, text);
		else
			done(t, v, kind, text);
		break;
	}
}

void tui_prompt_take(struct tui *t, const char *text)
{
	struct tui_view *v = tui_current(t);
	enum tui_prompt_kind kind = t->prompts->open;

	tui_line_begin(line(t), text);
	typed(t, v);
	t->prompts->open = TUI_PROMPT_NONE;
	done(t, v, kind, text);
}

const char *tui_prompt_hints(const struct tui *t)
{
	return kinds[t->prompts->open].hints;
}

void tui_prompt_draw(const struct tui *t, int row, int cols)
{
	int used = 0;

	if (t->prompts->open == TUI_PROMPT_PALETTE && row > 2)
		tui_menu_draw(&t->prompts->menu, (struct tui_area){1, 0, row - 1, cols}, true);
	/* An error in the input is shown on the right. */
	if (t->error && *t->message && cols > 60) {
		used = (int)rep_text_width(t->message, strlen(t->message)) + 2;
		used = used < cols / 2 ? used : cols / 2;
		tui_say(row, cols - used, used, TUI_STYLE_ERROR, t->message);
	}
	tui_line_draw(line(t), row, 0, cols - used, kinds[t->prompts->open].label);
	tui_screen_cursor();
}
