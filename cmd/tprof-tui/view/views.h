/* The views, each in its own file. The Makefile finds them; keys.h lists them. */
#ifndef TUI_VIEW_VIEWS_H
#define TUI_VIEW_VIEWS_H

#include "tprof-tui/tui.h"

/* Writes the table of all keys and commands, the view's own first (NULL: no view). */
int tui_help_fill(const struct tui_view *view, struct rep_output *out, struct tp_err *err);

/* Returns whether the view top has a table of this name, for traces or for profiles. */
bool tui_top_has(const char *name);

#define TUI_X(name, NAME) extern const struct tui_view_ops tui_##name;
TUI_VIEWS(TUI_X)
#undef TUI_X

#endif
