#include "tprof-tui/view/views.h"

const struct tui_view_ops *const tui_views[] = {
#define TUI_X(name) &tui_##name,
    TUI_VIEWS(TUI_X)
#undef TUI_X
	NULL};
