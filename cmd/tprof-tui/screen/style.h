/* Styles, named by their meaning, so that a terminal without colours can show them by other
 * means. */
#ifndef TUI_SCREEN_STYLE_H
#define TUI_SCREEN_STYLE_H

#include <stdbool.h>

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
	X(GC,       170,  -1,  5, -1, A_NORMAL,    A_NORMAL)
/* Bars of flame graphs: two shades of each hue of packages (flame/name.h; the last one is grey),
 * so that neighbours differ; and steps of differences (flame/change.h). */
#define TUI_FLAME_STYLES(X)                                                                         \
	X(HUE0,     16, 217,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE0B,    16, 210,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE1,     16, 216,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE1B,    16, 223,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE2,     16, 215,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE2B,    16, 222,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE3,     16, 180,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE3B,    16, 187,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE4,     16, 179,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE4B,    16, 186,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE5,     16, 185,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE5B,    16, 192,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE6,     16, 150,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE6B,    16, 151,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE7,     16, 115,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE7B,    16, 157,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE8,     16, 116,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE8B,    16, 122,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE9,     16,  80,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE9B,    16, 123,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE10,    16, 117,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE10B,   16, 159,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE11,    16, 110,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE11B,   16, 153,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE12,    16, 111,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE12B,   16, 147,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE13,    16, 146,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE13B,   16, 189,  0,  3, A_NORMAL,    A_NORMAL)                                                \
	X(HUE14,    16, 183,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE14B,   16, 177,  0,  6, A_NORMAL,    A_NORMAL)                                                \
	X(HUE15,    16, 182,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE15B,   16, 219,  0,  2, A_NORMAL,    A_NORMAL)                                                \
	X(HUE16,    16, 250,  0,  7, A_NORMAL,    A_NORMAL)                                                \
	X(HUE16B,   16, 252,  0,  7, A_NORMAL,    A_NORMAL)                                                \
	X(ALIKE,    16, 255,  0,  7, A_NORMAL,    A_NORMAL)                                                \
	X(MORE1,    16, 224,  7,  1, A_NORMAL,    A_NORMAL)                                                \
	X(MORE2,    16, 217,  7,  1, A_NORMAL,    A_NORMAL)                                                \
	X(MORE3,    16, 210,  7,  1, A_NORMAL,    A_NORMAL)                                                \
	X(MORE4,    16, 203,  7,  1, A_NORMAL,    A_NORMAL)                                                \
	X(MORE5,    16, 167,  7,  1, A_NORMAL,    A_NORMAL)                                                \
	X(LESS1,    16, 189,  7,  4, A_NORMAL,    A_NORMAL)                                                \
	X(LESS2,    16, 153,  7,  4, A_NORMAL,    A_NORMAL)                                                \
	X(LESS3,    16, 111,  7,  4, A_NORMAL,    A_NORMAL)                                                \
	X(LESS4,    16,  75,  7,  4, A_NORMAL,    A_NORMAL)                                                \
	X(LESS5,    16,  68,  7,  4, A_NORMAL,    A_NORMAL)                                                \
	X(MERGED,   16, 246,  7,  0, A_NORMAL,    A_DIM)                                                   \
	X(FOUND,   231, 127,  7,  5, A_BOLD,      A_BOLD | A_UNDERLINE)
/* clang-format on */

enum tui_style {
#define TUI_X(name, fg, bg, fg8, bg8, attr, mono) TUI_STYLE_##name,
	TUI_STYLES(TUI_X) TUI_FLAME_STYLES(TUI_X)
#undef TUI_X
	    TUI_NSTYLES
};

/* Sets the colour pairs up, after ncurses has begun. Without `colour` there are attributes only. */
void tui_style_init(bool colour);
/* Draws what follows in this style. */
void tui_style_set(enum tui_style style);
/* Returns whether there are colours. */
bool tui_style_coloured(void);

#endif
