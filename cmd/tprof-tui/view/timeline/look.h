/* How cells are drawn. The glyph shows the state, also without colours; its height or density shows the
 * busy share of the cell. The colour repeats the state. */
#ifndef TUI_TIMELINE_LOOK_H
#define TUI_TIMELINE_LOOK_H

#include "lanes/lanes.h"
#include "tprof-tui/screen/style.h"

struct tl_look {
	const char *glyph;
	char ascii;
	enum tui_style style;
};

/* The states as they are shown. IDLE is for Ps and Ms, NOTHING for cells in which the row did not
 * exist. */
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
extern const char *const tl_shown[TL_NSHOWN]; /* "running" …, as in the legend */

/* Returns the dominant state of a cell: if it has any, the longest of running, runnable and system
 * calls, since users look for busy moments within waits; else the longest of blocked, lost and idle. */
enum tl_show tl_show_of(const struct rep_cell *cell);
/* Returns the states that are shown as `what`, a bit per enum tp_state. */
uint32_t tl_shown_states(enum tl_show what);
/* Returns the time of a cell in states that are shown as `what`, in ns. */
int64_t tl_shown_ns(const struct rep_cell *cell, enum tl_show what);

/* Returns the look of a cell that covers `width` ns. */
struct tl_look tl_look_of(const struct rep_cell *cell, int64_t width);
/* Returns the look of a state in the legend. */
struct tl_look tl_look_plain(enum tl_show what);

#endif
