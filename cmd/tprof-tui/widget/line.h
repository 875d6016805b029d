/* An input field with one or more lines and a history. Text is UTF-8. */
#ifndef TUI_WIDGET_LINE_H
#define TUI_WIDGET_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "tprof-tui/screen/screen.h"

#define TUI_LINE_SIZE 16384

struct tui_line {
	char text[TUI_LINE_SIZE];
	size_t size, at; /* at: the cursor's offset in bytes */
	char **history;
	size_t nhistory, place; /* place: the entry that is shown; nhistory: the new text */
	char *typed;		/* the new text, while an entry of the history is shown */
	bool multiline;		/* ^J begins a new line, and Up and Down move between lines */
};

enum tui_line_result {
	TUI_LINE_TYPED, /* the text may have changed */
	TUI_LINE_DONE,
	TUI_LINE_GIVEN_UP,
	TUI_LINE_COMPLETE, /* Tab */
};

void tui_line_begin(struct tui_line *l, const char *text);
enum tui_line_result tui_line_key(struct tui_line *l, int key);
/* Inserts text at the cursor. */
void tui_line_insert(struct tui_line *l, const char *text, size_t size);
/* Removes the bytes [from, to), and moves the cursor there. */
void tui_line_cut(struct tui_line *l, size_t from, size_t to);
/* Appends a text to the history, unless it is empty or equals the last entry. */
void tui_line_add_history(struct tui_line *l, const char *text);
void tui_line_release(struct tui_line *l);

/* Draws the field after `label`, and moves the terminal's cursor to the field's. */
void tui_line_draw(const struct tui_line *l, int row, int col, int cols, const char *label);

/* Returns the number of lines, at least 1. */
int tui_line_count(const struct tui_line *l);
/* Draws as many lines around the cursor as the area has rows. The first line of the text follows `label`,
 * the others follow `more`. */
void tui_line_draw_multiline(const struct tui_line *l, struct tui_area area, const char *label,
			     const char *more);

#endif
