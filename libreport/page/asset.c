/* Style and script of the page, from assets/; the Makefile turns them into lists of bytes. */
#include "page/inside.h"

static const unsigned char style[] = {
#include <report.css.inc>
    0};
static const unsigned char script[] = {
#include <report.js.inc>
    0};

struct tp_text page_style(void)
{
	return (struct tp_text){(const char *)style, sizeof(style) - 1};
}

struct tp_text page_script(void)
{
	return (struct tp_text){(const char *)script, sizeof(script) - 1};
}
