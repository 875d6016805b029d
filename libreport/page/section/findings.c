/* The largest costs, in sentences, each with a command that shows more: the findings of tprof-top's overview. */
#include <stdio.h>
#include <string.h>

#include "page/inside.h"

/* Writes the sentence, with the first name in it in bold. */
static void put_sentence(struct tp_buf *h, struct rep_value text, struct rep_value name)
{
	const char *data = text.text.data;
	size_t size = text.text.size, n = name.type == REP_TYPE_TEXT ? name.text.size : 0, at = 0;

	while (n && at + n <= size && memcmp(data + at, name.text.data, n) != 0)
		at++;
	if (!n || at + n > size) {
		html_text(h, data, size);
		return;
	}
	html_text(h, data, at);
	tp_buf_text(h, "<b>");
	html_text(h, data + at, n);
	tp_buf_text(h, "</b>");
	html_text(h, data + at + n, size - at - n);
}

static const char *text_of(const struct rep_sheet *t, size_t row, const char *column, int *n)
{
	struct rep_value v = page_cell(t, row, column);

	*n = v.type == REP_TYPE_TEXT ? (int)v.text.size : 0;
	return *n ? v.text.data : "";
}

int page_findings(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	const struct rep_sheet *t = page_report(p, "findings");

	(void)err;
	tp_buf_text(h, "<ul class=\"findings\">\n");
	for (size_t row = 0; t && row < t->nrows; row++) {
		int nreport, noptions;
		const char *report = text_of(t, row, "report", &nreport);
		const char *options = text_of(t, row, "options", &noptions);
		char command[100];

		snprintf(command, sizeof(command), "%.*s%s%.*s", nreport, report,
			 noptions ? " " : "", noptions, options);
		tp_buf_text(h, "<li><p>");
		put_sentence(h, page_cell(t, row, "finding"), page_cell(t, row, "name"));
		tp_buf_text(h, "</p><p class=\"more\">");
		page_command(p, h, "tprof-top", command);
		tp_buf_text(h, "</p></li>\n");
	}
	tp_buf_text(h, "</ul>\n");
	return 0;
}
