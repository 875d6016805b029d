/* What a cell looks like: the state by glyph, so that it needs no colour, how much of the cell is
 * busy by the glyph's height or density, and the colour says the state once more. */
#ifndef TUI_TIMELINE_LOOK_H
#define TUI_TIMELINE_LOOK_H

#include "lanes/lanes.h"
#include "tprof-tui/screen/style.h"

struct tl_look {
	const char *glyph;
	char ascii;
	enum tui_style style;
};

/* The states as people tell them apart; the last two are of Ps and Ms, and of nobody. */
enum tl_show {
	TL_SHOW_RUNNING,
	TL_SHOW_RUNNABLE,
	TL_SHOW_SYSCALL,
	TL_SHOW_BLOCKED,
	TL_SHOW_LOST,
	TL_SHOW_IDLE,
	TL_SHOW_NOTHING,
	TL_NSHOWN
};
extern const char *const tl_shown[TL_NSHOWN]; /* "running" … as in the legend */

/* What dominates the cell: the longest of running, runnable and system calls where any of them is
 * there, since a busy moment among much waiting is what one looks for; else blocked, lost, idle. */
enum tl_show tl_show_of(const struct rep_cell *cell);
/* Time by what is shown, in ns. */
/* A bit per enum tp_state that is shown as this. */
uint32_t tl_shown_states(enum tl_show what);
int64_t tl_shown_ns(const struct rep_cell *cell, enum tl_show what);

/* `width`: ns that the cell stands for. */
struct tl_look tl_look_of(const struct rep_cell *cell, int64_t width);
/* As in the legend: nothing else in the cell. */
struct tl_look tl_look_plain(enum tl_show what);

#endif
