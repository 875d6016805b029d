/* Style and script of the pages, from viewer/; the Makefile turns them into lists of bytes. */
#include "flame/format/format.h"

static const unsigned char style[] = {
#include <viewer.css.inc>
    0};
static const unsigned char dark_style[] = {
#include <dark.css.inc>
    0};
static const unsigned char page_style[] = {
#include <page.css.inc>
    0};
static const unsigned char script[] = {
#include <viewer.js.inc>
    0};
static const unsigned char page_script[] = {
#include <page.js.inc>
    0};

struct tp_text rep_flame_asset(enum rep_flame_asset which)
{
	static const struct tp_text assets[] = {
	    [REP_FLAME_STYLE] = {(const char *)style, sizeof(style) - 1},
	    [REP_FLAME_DARK_STYLE] = {(const char *)dark_style, sizeof(dark_style) - 1},
	    [REP_FLAME_PAGE_STYLE] = {(const char *)page_style, sizeof(page_style) - 1},
	    [REP_FLAME_SCRIPT] = {(const char *)script, sizeof(script) - 1},
	    [REP_FLAME_PAGE_SCRIPT] = {(const char *)page_script, sizeof(page_script) - 1},
	};

	return assets[which];
}
