/* The tables of tprof-top. */
#include <stdio.h>

#include "page/inside.h"
#include "top/top.h"

/* Returns the table's caption for readers who cannot see where it stands. */
static const char *describe(const struct rep_report *r, char text[300])
{
	snprintf(text, 300, "%s: %s", r->name, r->doc);
	return text;
}

int page_reports(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	(void)err;
	tp_buf_text(h, "<p class=\"note\">Each table has the first ");
	html_count(h, p->rows);
	tp_buf_text(h, p->opt->markdown
			   ? " rows, the largest first.</p>\n"
			   : " rows, the largest first. Click a heading to sort; type in a field "
			     "to filter (both need scripts).</p>\n");
	for (size_t i = 0; rep_reports[i]; i++) {
		const struct rep_report *r = rep_reports[i];
		const struct rep_cells *cells;
		const struct rep_sheet *t = page_report_of(p, r->name, &cells);
		char text[300];

		if (!t || !t->nrows)
			continue;
		tp_buf_printf(
		    h, "<div class=\"report\" id=\"report-%s\">\n<h3>%s <small>%s</small></h3>\n",
		    r->name, r->name, r->doc);
		page_table_write(h, cells, t, describe(r, text));
		snprintf(text, sizeof(text), "%s -n 0", r->name);
		page_more(p, h, "tprof-top", text);
		tp_buf_text(h, "</div>\n");
	}
	return 0;
}
