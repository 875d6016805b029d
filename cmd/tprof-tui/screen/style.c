#include "tprof-tui/screen/style.h"

#include <curses.h>

static attr_t attribute[TUI_NSTYLES];
static short pair[TUI_NSTYLES];
static bool coloured;

struct style {
	short fg, bg, fg8, bg8;
	attr_t attribute, plain;
};

static const struct style styles[] = {
#define TUI_X(name, fg, bg, fg8, bg8, attr, mono) {fg, bg, fg8, bg8, attr, mono},
    TUI_STYLES(TUI_X)
#undef TUI_X
};

/* Backgrounds of bars on terminals with 256 colours: two for each hue, then the steps of differences. */
static const short shades[TUI_NSTYLES - TUI_STYLE_HUE0] = {
    217, 210, 216, 223, 215, 222, 180, 187, 179, 186, 185, 192, 150, 151, 115,
    157, 116, 122, 80,	123, 117, 159, 110, 153, 111, 147, 146, 189, 183, 177,
    182, 219, 250, 252, 224, 217, 210, 203, 167, 189, 153, 111, 75,  68,
};

static struct style style_of(int i)
{
	static const short hues[] = {2, 3, 6}; /* of eight colours */
	int bar = i - TUI_STYLE_HUE0;
	bool step = i >= TUI_STYLE_MORE1;

	if (bar < 0)
		return styles[i];
	return (struct style){.fg = 16,
			      .bg = shades[bar],
			      .fg8 = step ? 7 : 0,
			      .bg8 = i >= TUI_STYLE_LESS1	 ? 4
				     : step			 ? 1
				     : bar / 2 == REP_FLAME_GREY ? 7
								 : hues[bar / 2 % 3],
			      .attribute = A_NORMAL,
			      .plain = A_NORMAL};
}

void tui_style_init(bool colour)
{
	bool many, some = colour && has_colors() && start_color() == OK;

	if (some)
		use_default_colors();
	many = some && COLORS >= 256;
	coloured = some;
	for (int i = 0; i < TUI_NSTYLES; i++) {
		const struct style s = style_of(i);
		short fg = many ? s.fg : s.fg8, bg = many ? s.bg : s.bg8;

		attribute[i] = some ? s.attribute : s.plain;
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
