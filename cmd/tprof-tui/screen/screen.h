/* The terminal: sets it up, suspends the program, draws, and restores the terminal in every case.
 *
 * All text is drawn by tui_put(), which clips it, escapes text from dumps, and replaces characters that
 * the terminal cannot show. */
#ifndef TUI_SCREEN_SCREEN_H
#define TUI_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "output/text.h"
#include "tprof-tui/screen/style.h"

/* A rectangle of cells. */
struct tui_area {
	int row, col, rows, cols;
};

#define TUI_LEAST_ROWS 8
#define TUI_LEAST_COLS 40

struct tui_screen_options {
	bool colour, mouse;
	bool ascii; /* ASCII only, even in a UTF-8 locale */
};

/* Sets the terminal up; it is restored however the program ends. Returns 0, TP_EFORMAT if standard input
 * or output is not a terminal or $TERM is unknown, TP_EIO or TP_ENOMEM. */
int tui_screen_begin(const struct tui_screen_options *opt, struct tp_err *err);
void tui_screen_end(void);
/* Suspends the program, as ^Z does in other programs. */
void tui_screen_suspend(void);
/* Runs another program on the terminal, with argv as for execvp. Returns false if it could not be run or
 * failed. */
bool tui_screen_run(char *const argv[]);

/* Returns the signal that asked the program to end, or 0. Two seconds after the signal the process is
 * ended in any case. */
int tui_screen_ended(void);
/* Returns whether ^C was typed since the last call. */
bool tui_screen_interrupted(void);
/* Returns whether the terminal has been closed. */
bool tui_screen_gone(void);
bool tui_screen_ascii(void);
void tui_screen_size(int *rows, int *cols);
/* Sends a sequence such as OSC 52 to the terminal, bypassing ncurses. */
void tui_screen_raw(const char *data, size_t size);

/* Draws a text in at most `cols` cells. Escapes it, and shortens it with an ellipsis as `how` says.
 * Returns the cells taken. */
int tui_put(int row, int col, int cols, enum tui_style style, enum rep_shorten how,
	    const char *text, size_t size);
/* Does the same for a C string, shortened on the right. */
int tui_say(int row, int col, int cols, enum tui_style style, const char *text);
int tui_sayf(int row, int col, int cols, enum tui_style style, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Draws a text right-aligned in the cells. */
void tui_put_right(int row, int col, int cols, enum tui_style style, const char *text, size_t size);
/* Fills cells with blanks of this style. */
void tui_fill(int row, int col, int cols, enum tui_style style);
/* Shows the terminal's cursor where something was drawn last, or where tui_line_draw() left it. */
void tui_screen_cursor(void);
/* Begin and finish the drawing of a screen. */
void tui_screen_begin_drawing(void);
void tui_screen_show(void);
/* Draws a glyph, or its replacement in ASCII. */
void tui_glyph(int row, int col, enum tui_style style, const char *glyph, char ascii);

#endif
