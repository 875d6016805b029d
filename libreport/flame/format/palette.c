/* The colours of frames, as rules of CSS.
 *
 * There are sixteen hues in three shades each, and grey, all of even lightness (OKLCH: lightness
 * 0.82, 0.855, 0.885 and chroma 0.095 for light pages, 0.39, 0.43, 0.47 and 0.075 for dark ones;
 * grey has almost no chroma), so no package stands out by chance, and text on them has a contrast
 * of at least 5.8. Differences go from white to red (hue 27) and to blue (hue 255), both on light
 * and on dark pages. */
#include "flame/format/format.h"

#include <string.h>

/* clang-format off */
static const char *const light[][REP_FLAME_SHADES] = {
    {"fcabab", "ffb7b6", "ffc0bf"}, {"faaf97", "ffbaa2", "ffc4ac"}, {"f4b488", "ffc093", "ffc99c"},
    {"e9bb7d", "f5c688", "ffd092"}, {"dac37b", "e6ce86", "f0d88f"}, {"c5cb82", "d0d68d", "dae096"},
    {"abd293", "b6de9e", "c0e7a7"}, {"90d7aa", "9be2b5", "a5ecbf"}, {"7bd9c4", "86e4cf", "90eed9"},
    {"72d7dc", "7de2e8", "88ecf2"}, {"7ad2f0", "85defc", "8fe8ff"}, {"8ecbfe", "99d7ff", "a3e1ff"},
    {"a5c4ff", "b0cfff", "b9d9ff"}, {"bcbcff", "c7c8ff", "d1d1ff"}, {"d3b5f5", "dfc0ff", "e9c9ff"},
    {"e9aee0", "f5b9eb", "ffc2f5"}, {"c2c4c8", "cbced2", "d5d8db"},
};
static const char *const dark[][REP_FLAME_SHADES] = {
    {"673334", "733e3e", "804949"}, {"673526", "734031", "7f4b3b"}, {"633919", "6f4424", "7b4f2f"},
    {"5d3e0d", "68491a", "745426"}, {"534308", "5f4e17", "6a5924"}, {"464912", "51541e", "5c5f2a"},
    {"344e22", "3e592d", "496438"}, {"1c5134", "285c3e", "346749"}, {"005245", "0d5d50", "1e685b"},
    {"005155", "005c60", "12676b"}, {"004d62", "0d596d", "1e6479"}, {"1c496a", "275476", "335f82"},
    {"30446d", "3b4f79", "455a85"}, {"403f6c", "4b4a77", "565584"}, {"4f3a65", "5a4470", "654f7c"},
    {"5c3557", "684062", "744b6e"}, {"3b3d41", "45484c", "4d5054"},
};
static const char *const more[REP_FLAME_STEPS] = {"ffe0db", "ffbfb7", "fb988d", "f46f64", "ec574d"};
static const char *const less[REP_FLAME_STEPS] = {"dbe9fc", "b5d4fc", "8cbaf7", "64a1ee", "4b91e8"};
/* clang-format on */

unsigned rep_flame_colour(struct rep_flame_name name)
{
	return (unsigned)name.hue * REP_FLAME_SHADES + name.shade;
}

static void put_theme(struct tp_buf *css, const char *const theme[][REP_FLAME_SHADES],
		      const char *scope, const char *within)
{
	for (int hue = 0; hue <= REP_FLAME_HUES; hue++)
		for (int shade = 0; shade < REP_FLAME_SHADES; shade++)
			tp_buf_printf(css, "%s%s.c%d>rect{fill:#%s}\n", scope, within,
				      hue * REP_FLAME_SHADES + shade, theme[hue][shade]);
}

/* Writes the colours of differences, the same on white and on black, with dark text. */
static void put_differences(struct tp_buf *css, const char *in)
{
	tp_buf_printf(css,
		      "%s.d0>rect{fill:#fff}\n%s.frames .d0>rect{stroke:#c4c8cf;stroke-width:.5}\n"
		      "%s.frames g>text{fill:#1b1d22!important}\n"
		      "%s.frames .fold>text{fill:#868c97!important}\n",
		      in, in, in, in);
	for (int i = 0; i < REP_FLAME_STEPS; i++)
		tp_buf_printf(css, "%s.p%d>rect{fill:#%s}\n%s.m%d>rect{fill:#%s}\n", in, i + 1,
			      more[i], in, i + 1, less[i]);
}

/* Writes the rules of dark.css, one per line, for one of the two places that may be dark: `scope`,
 * followed by a blank. */
static void put_dark(struct tp_buf *css, const char *scope, const char *within, bool compared)
{
	struct tp_text rules = rep_flame_asset(REP_FLAME_DARK_STYLE);

	for (size_t at = 0, end; at < rules.size; at = end) {
		for (end = at; end < rules.size && rules.text[end] != '\n'; end++)
			;
		end += end < rules.size;
		tp_buf_printf(css, "%s%s", scope, within);
		tp_buf_put(css, rules.text + at, end - at);
	}
	tp_buf_printf(css, "%s%s", scope, within);
	tp_buf_text(css, "{--fg:#f1f1f3;--bg:#17191d;--pop:#24272c;--soft:#9da3ae;--line:#40444c;"
			 "--field:#2a2d33;color-scheme:dark}\n");
	/* The theme is an attribute below the root, which in an SVG file is the picture itself. */
	if (!compared)
		put_theme(css, dark, scope, within);
}

void rep_flame_put_colours(struct tp_buf *css, bool compared, const char *within)
{
	tp_buf_printf(css,
		      "%s{--fg:#1b1d22;--bg:#fff;--soft:#646973;--line:#ccd0d7;--field:#f4f5f7;"
		      "--pop:#fff}\n",
		      *within ? within : ":root");
	if (!compared)
		put_theme(css, light, "", within);
	/* Dark is used on screens if the system prefers it, or if the user selects it in the
	 * page. */
	tp_buf_text(css, "@media screen and (prefers-color-scheme:dark){\n");
	put_dark(css, ":root:not([data-theme=light]) ", within, compared);
	tp_buf_text(css, "}\n@media screen{\n");
	put_dark(css, "[data-theme=dark] ", within, compared);
	tp_buf_text(css, "}\n");
	if (compared)
		put_differences(css, within);
}
