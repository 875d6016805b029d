/* What things look like: named by what they mean, so that a terminal without colours, or one
 * without Unicode, shows the same by other means. */
#ifndef TUI_SCREEN_STYLE_H
#define TUI_SCREEN_STYLE_H

#include <stdbool.h>

/* Name, foreground and background (256-colour terminals; -1 the terminal's own), the same of eight
 * colours, attributes in either case, attributes where there are no colours. */
/* clang-format off */
#define TUI_STYLES(X)                                                                               \
	X(NORMAL,    -1,  -1, -1, -1, A_NORMAL,    A_NORMAL)                                        \
	X(DIM,      245,  -1, -1, -1, A_NORMAL,    A_DIM)                                           \
	X(STRONG,    -1,  -1, -1, -1, A_BOLD,      A_BOLD)                                          \
	X(TITLE,     -1,  -1, -1, -1, A_BOLD,      A_BOLD)                                          \
	X(HEADING,  110,  -1,  6, -1, A_BOLD,      A_UNDERLINE)                                     \
	X(CURSOR,   231,  24,  7,  4, A_NORMAL,    A_REVERSE)                                       \
	X(STATUS,   250, 236,  7,  0, A_NORMAL,    A_REVERSE)                                       \
	X(KEY,      222, 236,  3,  0, A_BOLD,      A_REVERSE | A_BOLD)                              \
	X(PROMPT,    -1,  -1, -1, -1, A_BOLD,      A_BOLD)                                          \
	X(ERROR,    203,  -1,  1, -1, A_BOLD,      A_BOLD)                                          \
	X(MATCH,     16, 220,  0,  3, A_NORMAL,    A_REVERSE | A_BOLD)                              \
	X(MORE,     203,  -1,  1, -1, A_NORMAL,    A_BOLD)                                          \
	X(LESS,      75,  -1,  4, -1, A_NORMAL,    A_NORMAL)                                        \
	X(RUNNING,   40,  -1,  2, -1, A_NORMAL,    A_NORMAL)                                        \
	X(RUNNABLE, 220,  -1,  3, -1, A_NORMAL,    A_NORMAL)                                        \
	X(BLOCKED,  203,  -1,  1, -1, A_NORMAL,    A_NORMAL)                                        \
	X(SYSCALL,   75,  -1,  4, -1, A_NORMAL,    A_NORMAL)                                        \
	X(LOST,     240,  -1, -1, -1, A_NORMAL,    A_DIM)                                           \
	X(GC,       170,  -1,  5, -1, A_NORMAL,    A_NORMAL)
/* clang-format on */

enum tui_style {
#define TUI_X(name, fg, bg, fg8, bg8, attr, mono) TUI_STYLE_##name,
	TUI_STYLES(TUI_X)
#undef TUI_X
	    TUI_NSTYLES
};

/* Sets the pairs up; without `colour` the attributes alone tell. After ncurses has begun. */
void tui_style_init(bool colour);
/* What follows is drawn in this style. */
void tui_style_set(enum tui_style style);

#endif
