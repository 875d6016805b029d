/* The views, one file each. */
#ifndef TUI_VIEW_VIEWS_H
#define TUI_VIEW_VIEWS_H

#include "tprof-tui/tui.h"

extern const struct tui_view_ops tui_runs, tui_top, tui_sql, tui_help;

#endif
