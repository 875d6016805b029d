/* The commands that made the page, and those that go on from it. */
#include "page/inside.h"

#include <string.h>

static void line(struct page *p, struct html *h, const char *command, const char *more,
		 const char *what)
{
	html_put(h, "<tr><td>");
	page_command(p, h, command, more);
	html_put(h, "<td>");
	html_put(h, what);
	html_put(h, "\n");
}

int page_commands(struct page *p, struct html *h, struct tp_err *err)
{
	(void)err;
	if (p->opt->command) {
		html_put(h, "<p>This page was made by</p>\n<p><code class=\"cmd\">");
		html_str(h, p->opt->command);
		html_put(h, "</code></p>\n");
	}
	html_put(
	    h, "<p>To look further:</p>\n<div class=\"scroll\"><table class=\"plain\">\n<tbody>\n");
	line(p, h, "tprof-top", "overview", "the first rows of all reports");
	line(p, h, "tprof-top", "block --from=25% --to=50%", "a report on a part of the time");
	line(p, h, "tprof-top", "groups --focus=REGEX",
	     "only what has such a function on its stack");
	line(p, h, "tprof-flame -o waits.html --view=offcpu", "", "a flame graph of its own");
	line(p, h, "tprof-query", "", "anything, in SQL");
	line(p, h, "tprof-diff OLD", "", "against another run");
	html_put(h, "</tbody></table></div>\n");
	return 0;
}
