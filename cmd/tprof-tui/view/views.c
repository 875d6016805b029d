#include "tprof-tui/view/views.h"

const struct tui_view_ops *const tui_views[] = {&tui_runs, &tui_top, &tui_sql, &tui_help, NULL};
