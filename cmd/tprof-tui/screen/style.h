/* Styles, named by their meaning, so that terminals without colours can show them in other ways. */
#ifndef TUI_SCREEN_STYLE_H
#define TUI_SCREEN_STYLE_H

#include <stdbool.h>

#include "flame/change.h"
#include "flame/name.h"

/* Name; foreground and background on terminals with 256 colours (-1: the terminal's own); the
 * same with eight colours; attributes with colours; attributes without. */
/* clang-format off */
#define TUI_STYLES(X)                                                                               \
	X(NORMAL,    -1,  -1, -1, -1, A_NORMAL,    A_NORMAL)                                        \
	X(DIM,      245,  -1, -1, -1, A_NORMAL,    A_DIM)                                           \
	X(STRONG,    -1,  -1, -1, -1, A_BOLD,      A_BOLD)                                          \
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
	X(GC,       170,  -1,  5, -1, A_NORMAL,    A_NORMAL)                                        \
	/* Bars of flame graphs: unchanged, merged, and matches of a search. */                     \
	X(ALIKE,     16, 255,  0,  7, A_NORMAL,    A_NORMAL)                                        \
	X(MERGED,    16, 246,  7,  0, A_NORMAL,    A_DIM)                                           \
	X(FOUND,    231, 127,  7,  5, A_BOLD,      A_BOLD | A_UNDERLINE)
/* clang-format on */

enum tui_style {
#define TUI_X(name, fg, bg, fg8, bg8, attr, mono) TUI_STYLE_##name,
	TUI_STYLES(TUI_X)
#undef TUI_X
	/* Bars of flame graphs: two shades of each hue of packages (flame/name.h; the last one is
	 * grey), so that neighbours differ; and steps of differences (flame/change.h). */
	TUI_STYLE_HUE0,
	TUI_STYLE_MORE1 = TUI_STYLE_HUE0 + 2 * (REP_FLAME_HUES + 1),
	TUI_STYLE_LESS1 = TUI_STYLE_MORE1 + REP_FLAME_STEPS,
	TUI_NSTYLES = TUI_STYLE_LESS1 + REP_FLAME_STEPS
};

/* Sets the colour pairs up. Call it after ncurses has started. Without `colour`, styles use attributes
 * only. */
void tui_style_init(bool colour);
/* Sets the style of the text drawn next. */
void tui_style_set(enum tui_style style);
/* Returns whether there are colours. */
bool tui_style_coloured(void);

#endif
