/* The views, one file each. */
#ifndef TUI_VIEW_VIEWS_H
#define TUI_VIEW_VIEWS_H

#include "tprof-tui/tui.h"

/* In the order of their digits; the Makefile finds the files. A line each, so that adding one is
 * adding a line. */
/* clang-format off */
#define TUI_VIEWS(X) \
	X(runs)      \
	X(overview)  \
	X(timeline)  \
	X(top)       \
	X(flame)     \
	X(diff)      \
	X(goroutine) \
	X(sql)       \
	X(help)
/* clang-format on */

/* Writes the table of all keys and commands, those of the view first (NULL: no view). */
int tui_help_fill(const struct tui_view *view, struct rep_output *out, struct tp_err *err);

#define TUI_X(name) extern const struct tui_view_ops tui_##name;
TUI_VIEWS(TUI_X)
#undef TUI_X

#endif
