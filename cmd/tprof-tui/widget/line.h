/* A line that is typed, or several: moved in, cut, and remembered. Text is UTF-8. */
#ifndef TUI_WIDGET_LINE_H
#define TUI_WIDGET_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "tprof-tui/screen/screen.h"

#define TUI_LINE_SIZE 16384

struct tui_line {
	char text[TUI_LINE_SIZE];
	size_t size, at; /* at: place of the cursor, in bytes */
	char **history;
	size_t nhistory, place; /* place: of what is shown; nhistory: what is being typed */
	char *kept;		/* what was being typed before the history was looked at */
	bool several;		/* ^J begins a new line, and Up and Down move among them */
};

enum tui_line_result {
	TUI_LINE_TYPED, /* it goes on, and may have changed */
	TUI_LINE_DONE,
	TUI_LINE_GIVEN_UP,
	TUI_LINE_COMPLETE, /* Tab */
};

void tui_line_begin(struct tui_line *l, const char *text);
enum tui_line_result tui_line_key(struct tui_line *l, int key);
/* Puts text in at the cursor. */
void tui_line_insert(struct tui_line *l, const char *text, size_t size);
/* Takes text out, and leaves the cursor there. */
void tui_line_cut(struct tui_line *l, size_t from, size_t to);
/* Keeps what was typed for Up and Down. */
void tui_line_remember(struct tui_line *l);
/* Puts a text at the end of the history. */
void tui_line_recall(struct tui_line *l, const char *text);
void tui_line_release(struct tui_line *l);

/* Draws it behind `label`, and leaves the terminal's cursor in it. */
void tui_line_draw(const struct tui_line *l, int row, int col, int cols, const char *label);

/* Lines of the text, one at least. */
int tui_line_count(const struct tui_line *l);
/* Draws as many of them as there are rows, those around the cursor; `more` stands before all but
 * the first. */
void tui_line_draw_several(const struct tui_line *l, struct tui_area area, const char *label,
			   const char *more);

#endif
