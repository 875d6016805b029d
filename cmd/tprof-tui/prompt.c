#include "tprof-tui/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "tprof-tui/widget/line.h"

/* Each kind has a history of its own. */
struct tui_prompts {
	enum tui_prompt_kind open;
	struct tui_line line[TUI_PROMPT_GO + 1];
	char search[TUI_LINE_SIZE];
	size_t words;  /* completions of the palette: the one that was put in last */
	char stem[64]; /* what was typed of it */
};

static const char *const labels[] = {
    [TUI_PROMPT_NONE] = "",	     [TUI_PROMPT_PALETTE] = ":",
    [TUI_PROMPT_SEARCH] = "/",	     [TUI_PROMPT_FILTER] = "only lines with: ",
    [TUI_PROMPT_SAVE] = "save as: ", [TUI_PROMPT_GO] = "go to time or goroutine: ",
};

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
		tui_error(t, "out of memory");
		return;
	}
	t->prompts->open = kind;
	t->prompts->stem[0] = '\0';
	tui_line_begin(line(t), text);
}

const char *tui_prompt_last_search(const struct tui *t)
{
	return t->prompts ? t->prompts->search : "";
}

void tui_prompt_release(struct tui *t)
{
	for (size_t i = 0; t->prompts && i <= TUI_PROMPT_GO; i++)
		tui_line_release(&t->prompts->line[i]);
	free(t->prompts);
	t->prompts = NULL;
}

/* ---- completion: the words of the palette that begin so, one after the other ---- */

static const char *word(size_t i)
{
	size_t views = 0;

	while (tui_views[views])
		views++;
	if (i < views)
		return tui_views[i]->name;
	if (i < views + tui_ncommands)
		return tui_commands[i - views].name;
	i = i - views - tui_ncommands + 1;
	return i < TUI_NACTIONS ? tui_actions[i].name : NULL;
}

static void complete(struct tui *t)
{
	struct tui_prompts *p = t->prompts;
	struct tui_line *l = line(t);

	if (p->open != TUI_PROMPT_PALETTE)
		return;
	if (!p->stem[0]) {
		if (!l->size || l->size >= sizeof(p->stem) || memchr(l->text, ' ', l->size))
			return;
		memcpy(p->stem, l->text, l->size + 1);
		p->words = 0;
	}
	for (int round = 0; round < 2; round++) {
		const char *name;

		while ((name = word(p->words++)) != NULL) {
			if (strncmp(name, p->stem, strlen(p->stem)) != 0)
				continue;
			tui_line_begin(l, name);
			return;
		}
		p->words = 0;
	}
}

/* ---- keys ---- */

static void typed(struct tui *t, struct tui_view *v)
{
	const char *text = line(t)->text;

	if (t->prompts->open == TUI_PROMPT_FILTER)
		v->ops->filter(t, v, text);
	if (t->prompts->open != TUI_PROMPT_SEARCH || !*text)
		return;
	snprintf(t->prompts->search, sizeof(t->prompts->search), "%s", text);
	if (!v->ops->search(t, v, text, 0))
		tui_error(t, "nothing here holds '%.200s'", text);
}

static void done(struct tui *t, struct tui_view *v, enum tui_prompt_kind kind, const char *text)
{
	switch (kind) {
	case TUI_PROMPT_PALETTE:
		tui_command(t, text);
		break;
	case TUI_PROMPT_SAVE:
		if (*text && v->ops->save(t, v, text))
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

	switch (tui_line_key(line(t), key)) {
	case TUI_LINE_TYPED:
		t->prompts->stem[0] = '\0';
		typed(t, v);
		break;
	case TUI_LINE_COMPLETE:
		complete(t);
		break;
	case TUI_LINE_GIVEN_UP:
		if (kind == TUI_PROMPT_FILTER)
			v->ops->filter(t, v, "");
		t->prompts->open = TUI_PROMPT_NONE;
		break;
	case TUI_LINE_DONE:
		tui_line_remember(line(t));
		memcpy(text, line(t)->text, line(t)->size + 1);
		t->prompts->open = TUI_PROMPT_NONE;
		done(t, v, kind, text);
		break;
	}
}

void tui_prompt_draw(const struct tui *t, int row, int cols)
{
	tui_line_draw(line(t), row, 0, cols, labels[t->prompts->open]);
	tui_screen_cursor();
}
