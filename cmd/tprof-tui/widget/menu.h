/* A list of what could be typed, shown beside a line while one types. */
#ifndef TUI_WIDGET_MENU_H
#define TUI_WIDGET_MENU_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "tprof-tui/screen/screen.h"

struct tui_menu {
	struct tui_menu_item {
		const char *word;  /* what is put in */
		const char *shown; /* with its arguments */
		const char *doc;
	} * item;
	size_t n, room;
	long at; /* chosen, -1: none */
	struct tp_arena texts;
};

void tui_menu_clear(struct tui_menu *m);
void tui_menu_release(struct tui_menu *m);
/* Texts are copied; a word that is there already is not added again. `shown` NULL: as the word.
 * False: no memory. */
bool tui_menu_add(struct tui_menu *m, const char *word, const char *shown, const char *doc);
/* The next word (step 1) or the one before, round and round; NULL where there is none. */
const char *tui_menu_turn(struct tui_menu *m, int step);
/* Draws it, `area` being what it may cover: at its bottom if `up`, else at its top. Returns the
 * rows taken. */
int tui_menu_draw(const struct tui_menu *m, struct tui_area area, bool up);

#endif
