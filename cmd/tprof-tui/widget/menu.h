/* A list of completions, shown while the user types. */
#ifndef TUI_WIDGET_MENU_H
#define TUI_WIDGET_MENU_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "tprof-tui/screen/screen.h"

struct tui_menu {
	struct tui_menu_item {
		const char *word;  /* the text to insert */
		const char *shown; /* the text to display, with arguments */
		const char *doc;
	} * item;
	size_t n, room;
	long at; /* index of the chosen item, -1: no item is chosen */
	struct tp_arena texts;
};

void tui_menu_clear(struct tui_menu *m);
void tui_menu_release(struct tui_menu *m);
/* Adds an item, unless the menu has its word already. Texts are copied. `shown` NULL: the word is
 * displayed. Returns false if memory is out. */
bool tui_menu_add(struct tui_menu *m, const char *word, const char *shown, const char *doc);
/* Chooses the next item (step 1) or the previous one (-1), wraps around at the ends, and returns its word;
 * NULL if the menu is empty. */
const char *tui_menu_turn(struct tui_menu *m, int step);
/* Draws the menu at the bottom of `area` if `up`, else at its top. Returns the rows taken. */
int tui_menu_draw(const struct tui_menu *m, struct tui_area area, bool up);

#endif
