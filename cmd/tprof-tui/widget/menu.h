/* A list of completions, shown while the user types. */
#ifndef TUI_WIDGET_MENU_H
#define TUI_WIDGET_MENU_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "tprof-tui/screen/screen.h"

struct tui_menu {
	struct tui_menu_item {
		const char *word;  /* is inserted */
		const char *shown; /* with its arguments */
		const char *doc;
	} * item;
	size_t n, room;
	long at; /* the chosen one, -1: none */
	struct tp_arena texts;
};

void tui_menu_clear(struct tui_menu *m);
void tui_menu_release(struct tui_menu *m);
/* Adds an item, unless its word is there already. Texts are copied. `shown` NULL: the word. Returns
 * false if memory is out. */
bool tui_menu_add(struct tui_menu *m, const char *word, const char *shown, const char *doc);
/* Chooses the next word (step 1) or the previous one (-1), in a circle. Returns NULL if there is
 * none. */
const char *tui_menu_turn(struct tui_menu *m, int step);
/* Draws it at the bottom of `area` if `up`, else at its top. Returns the rows taken. */
int tui_menu_draw(const struct tui_menu *m, struct tui_area area, bool up);

#endif
