#include "tprof-tui/screen/style.h"

#include <curses.h>

static attr_t attribute[TUI_NSTYLES];
static short pair[TUI_NSTYLES];
static bool coloured;

static const struct {
	short fg, bg, fg8, bg8;
	attr_t attribute, plain;
} styles[TUI_NSTYLES] = {
#define TUI_X(name, fg, bg, fg8, bg8, attr, mono) {fg, bg, fg8, bg8, attr, mono},
    TUI_STYLES(TUI_X) TUI_FLAME_STYLES(TUI_X)
#undef TUI_X
};

void tui_style_init(bool colour)
{
	bool many, some = colour && has_colors() && start_color() == OK;

	if (some)
		use_default_colors();
	many = some && COLORS >= 256;
	coloured = some;
	for (int i = 0; i < TUI_NSTYLES; i++) {
		short fg = many ? styles[i].fg : styles[i].fg8;
		short bg = many ? styles[i].bg : styles[i].bg8;

		attribute[i] = some ? styles[i].attribute : styles[i].plain;
		pair[i] = 0;
		if (!some || (fg < 0 && bg < 0))
			continue;
		if (init_pair((short)(i + 1), fg, bg) == OK)
			pair[i] = (short)(i + 1);
	}
}

void tui_style_set(enum tui_style style)
{
	attr_set(attribute[style], pair[style], NULL);
}

bool tui_style_coloured(void)
{
	return coloured;
}
