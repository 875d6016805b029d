/* The command that made the page, and commands that show more. */
#include "page/inside.h"

#include <string.h>

static void line(struct page *p, struct tp_buf *h, const char *command, const char *more,
		 const char *what)
{
	tp_buf_text(h, "<tr><td>");
	page_command(p, h, command, more);
	tp_buf_text(h, "<td>");
	tp_buf_text(h, what);
	tp_buf_text(h, "\n");
}

static void begin(struct page *p, struct tp_buf *h)
{
	if (p->opt->command) {
		tp_buf_text(h, "<p>This command made the page:</p>\n<p><code class=\"cmd\">");
		html_str(h, p->opt->command);
		tp_buf_text(h, "</code></p>\n");
	}
	tp_buf_text(
	    h, "<p>These commands show more:</p>\n<div class=\"scroll\"><table class=\"plain\">\n"
	       "<tbody>\n");
}

static void end(struct tp_buf *h)
{
	tp_buf_text(h, "</tbody></table></div>\n");
}

/* Returns whether the run has tasks whose types are known. */
static bool has_types(const struct page *p)
{
	struct rep_value v = page_cell(page_report(p, "tasks"), 0, "name");

	return v.type == REP_TYPE_TEXT && v.text.size && v.text.data[0] != '(';
}

int page_commands(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	(void)err;
	begin(p, h);
	line(p, h, "tprof-top", "overview", "shows the first rows of all reports");
	line(p, h, "tprof-top", "block --from=25% --to=50%", "shows a report on a part of the run");
	line(p, h, "tprof-top", "groups --focus=REGEX",
	     "keeps only stacks that have such a function");
	line(p, h, "tprof-flame -o waits.html --view=offcpu", "", "draws a flame graph");
	if (has_types(p) && page_report(p, "outliers") && page_report(p, "outliers")->nrows)
		line(p, h, "tprof-path --task=.", "blame",
		     "says what makes slow tasks slow, always or by chance");
	if (has_types(p))
		line(p, h, "tprof-path --task=. --slowest", "what-if",
		     "says what the slowest task would gain if something took no time");
	line(p, h, "tprof-query", "", "answers any question in SQL");
	line(p, h, "tprof-diff", "", "compares with another run");
	end(h);
	return 0;
}

int page_profile_commands(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	(void)err;
	begin(p, h);
	line(p, h, "tprof-top --cum", "", "ranks functions by their time with callees");
	line(p, h, "tprof-top --peek=REGEX", "", "shows the callers and callees of a function");
	line(p, h, "tprof-top --list=REGEX", "", "shows a function line by line");
	line(p, h, "tprof-flame -o flame.html", "", "draws a flame graph");
	line(p, h, "tprof-diff", "", "compares with another profile");
	end(h);
	return 0;
}

int page_diff_commands(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	(void)err;
	begin(p, h);
	line(p, h, "tprof-diff", "", "shows the same as a table");
	if (!p->sides)
		line(p, h, "tprof-diff --view=offcpu", "",
		     "shows where goroutines wait, by function");
	line(p, h,
	     p->sides ? "tprof-flame -o flame.html" : "tprof-flame -o flame.html --view=offcpu", "",
	     "draws a flame graph");
	/* A page about one side shows one trace only. */
	if (p->sides || p->runs->nnew == 1)
		line(p, h, "tprof-report -o report.html", "", "makes a page of the new side alone");
	end(h);
	return 0;
}
