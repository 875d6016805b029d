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

static void begin(struct page *p, struct html *h)
{
	if (p->opt->command) {
		html_put(h, "<p>This page was made by</p>\n<p><code class=\"cmd\">");
		html_str(h, p->opt->command);
		html_put(h, "</code></p>\n");
	}
	html_put(h, "<p>To look further:</p>\n<div class=\"scroll\"><table class=\"plain\">\n"
		    "<tbody>\n");
}

static void end(struct html *h)
{
	html_put(h, "</tbody></table></div>\n");
}

int page_commands(struct page *p, struct html *h, struct tp_err *err)
{
	(void)err;
	begin(p, h);
	line(p, h, "tprof-top", "overview", "the first rows of all reports");
	line(p, h, "tprof-top", "block --from=25% --to=50%", "a report on a part of the time");
	line(p, h, "tprof-top", "groups --focus=REGEX",
	     "only what has such a function on its stack");
	line(p, h, "tprof-flame -o waits.html --view=offcpu", "", "a flame graph of its own");
	line(p, h, "tprof-query", "", "anything, in SQL");
	line(p, h, "tprof-diff", "", "against another run");
	end(h);
	return 0;
}

int page_profile_commands(struct page *p, struct html *h, struct tp_err *err)
{
	(void)err;
	begin(p, h);
	line(p, h, "tprof-top --cum", "", "functions with all they call");
	line(p, h, "tprof-top --peek=REGEX", "", "who calls a function, and what it calls");
	line(p, h, "tprof-top --list=REGEX", "", "a function line by line");
	line(p, h, "tprof-flame -o flame.html", "", "a flame graph of its own");
	line(p, h, "tprof-diff", "", "against another one");
	end(h);
	return 0;
}

int page_diff_commands(struct page *p, struct html *h, struct tp_err *err)
{
	(void)err;
	begin(p, h);
	line(p, h, "tprof-diff", "", "the same as a table");
	if (!p->sides)
		line(p, h, "tprof-diff --view=offcpu", "", "where goroutines wait, by function");
	line(p, h,
	     p->sides ? "tprof-flame -o flame.html" : "tprof-flame -o flame.html --view=offcpu", "",
	     "a flame graph of its own");
	/* A page has one trace. */
	if (p->sides || p->runs->nnew == 1)
		line(p, h, "tprof-report -o report.html", "", "a page of the new side alone");
	end(h);
	return 0;
}
