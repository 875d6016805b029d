/* JUnit's XML, as CI systems read it (the schema of Ant's JUnit task, which names testsuites,
 * testsuite, testcase, failure and skipped). */
#include <string.h>

#include "diff/show.h"
#include "output/html.h"

/* Lines as the text of an element: what is escaped in them does not end one. */
static void put_lines(struct tp_buf *b, const char *lines)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");

		html_text(b, lines, n);
		tp_buf_text(b, "\n");
		lines += n + (lines[n] == '\n');
	}
}

static void put_element(struct tp_buf *b, const char *name, const char *text)
{
	tp_buf_printf(b, "   <%s>", name);
	html_str(b, text);
	tp_buf_printf(b, "</%s>\n", name);
}

static void put_case(struct tp_buf *b, const char *suite, const struct rep_gate *g,
		     const struct rep_gate_result *r)
{
	const char *why = (const char *)r->why.data, *note = (const char *)r->note.data;
	const char *element = r->unjudged ? "error" : r->fails ? "failure" : "skipped";

	tp_buf_text(b, "  <testcase");
	html_attribute(b, "classname", suite);
	html_attribute(b, "name", g->text);
	tp_buf_text(b, ">\n");
	if (r->fails || r->outcome == REP_OUTCOME_UNDECIDED) {
		tp_buf_printf(b, "   <%s", element);
		if (r->fails)
			html_attribute(b, "type", rep_outcomes[r->outcome]);
		html_attribute(b, "message", why);
		if (r->exceeded > 1 && r->each.size > 1) {
			tp_buf_text(b, ">");
			put_lines(b, (const char *)r->each.data);
			tp_buf_printf(b, "</%s>\n", element);
		} else {
			tp_buf_text(b, "/>\n");
		}
	} else {
		put_element(b, "system-out", why);
	}
	if (*note)
		put_element(b, "system-err", note);
	tp_buf_text(b, "  </testcase>\n");
}

int rep_gate_junit(const struct rep_gate *gate, const struct rep_gate_result *result, size_t n,
		   const char *name, const struct rep_sink *sink, struct tp_err *err)
{
	size_t failures = 0, errors = 0, skipped = 0;
	struct tp_buf b = {0};
	int code;

	for (size_t i = 0; i < n; i++) {
		failures += result[i].fails && !result[i].unjudged;
		errors += result[i].unjudged;
		skipped += !result[i].fails && result[i].outcome == REP_OUTCOME_UNDECIDED;
	}
	tp_buf_text(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite");
	html_attribute(&b, "name", name);
	tp_buf_printf(&b, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", n,
		      failures, errors, skipped);
	for (size_t i = 0; i < n; i++)
		put_case(&b, name, &gate[i], &result[i]);
	code = tp_buf_text(&b, " </testsuite>\n</testsuites>\n")
		   ? tp_nomem(err)
		   : sink->write(sink->ctx, b.data, b.size, err);
	tp_buf_release(&b);
	return code;
}
