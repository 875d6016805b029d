/* The prompt at the bottom of the screen, for commands, searches, filters and names. */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "tprof-tui/tui.h"

void tui_prompt_begin(struct tui *t, enum tui_prompt_kind kind, const char *text);
bool tui_prompt_open(const struct tui *t);
void tui_prompt_key(struct tui *t, int key);
/* Answers the open prompt with the text. The prompt must not be the palette. */
void tui_prompt_take(struct tui *t, const char *text);
/* Returns the hints, as tui_view_ops.hints does. */
const char *tui_prompt_hints(const struct tui *t);
void tui_prompt_draw(const struct tui *t, int row, int cols);
/* Returns the i-th word of the palette: commands (command.c), then views, then actions. Returns
 * false after the last. */
struct tui_word {
	const char *name, *arg, *doc;
};
bool tui_word_at(size_t i, struct tui_word *w);
/* Returns the last text searched for; "" if nothing has been searched for. */
const char *tui_prompt_last_search(const struct tui *t);
void tui_prompt_release(struct tui *t);

#endif
