/* The terminal: begun, put away, given back in every case, and drawn on.
 *
 * Everything that is drawn goes through tui_put(), which clips, escapes what comes from dumps, and
 * replaces what the terminal cannot show. */
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
	bool ascii; /* even where the locale has more */
};

/* Begins. TP_EFORMAT, with a sentence, where the terminal cannot do it: standard input or output is
 * none, or $TERM is unknown. From then on it is given back when the program exits, however it does.
 */
int tui_screen_begin(const struct tui_screen_options *opt, struct tp_err *err);
void tui_screen_end(void);
/* Stops the program as ^Z does, and comes back. */
void tui_screen_suspend(void);
/* Gives the terminal to another program: false where it could not be run, or failed. argv as of
 * execvp. */
bool tui_screen_run(char *const argv[]);

/* The signal that told the program to end, 0: none did. After a moment it ends in any case. */
int tui_screen_ended(void);
/* Was ^C typed since the last time this was asked? */
bool tui_screen_interrupted(void);
/* There is nobody at the other end of the terminal any more. */
bool tui_screen_gone(void);
bool tui_screen_ascii(void);
void tui_screen_size(int *rows, int *cols);
/* A sequence for the terminal itself, past what is drawn (OSC 52). */
void tui_screen_raw(const char *data, size_t size);

/* Text in at most `cols` cells at a place, cut with an ellipsis as `how` says. Returns the cells
 * taken. Text of dumps goes in as it is: it is escaped here. */
int tui_put(int row, int col, int cols, enum tui_style style, enum rep_shorten how,
	    const char *text, size_t size);
/* The same of a C string of ours, cut at its right. */
int tui_say(int row, int col, int cols, enum tui_style style, const char *text);
int tui_sayf(int row, int col, int cols, enum tui_style style, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Text set to the right end of the cells. */
void tui_put_right(int row, int col, int cols, enum tui_style style, const char *text, size_t size);
/* Fills cells with blanks in this style. */
void tui_fill(int row, int col, int cols, enum tui_style style);
/* The terminal's cursor is to be shown where something was drawn last, or a line has left it. */
void tui_screen_cursor(void);
/* Around everything that is drawn. */
void tui_screen_begin_drawing(void);
void tui_screen_show(void);
/* A glyph, or what stands for it in ASCII. */
void tui_glyph(int row, int col, enum tui_style style, const char *glyph, char ascii);

#endif
