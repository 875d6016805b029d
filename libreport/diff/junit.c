/* JUnit's XML, as CI systems read it (the schema of Ant's JUnit task, which names testsuites,
 * testsuite, testcase, failure and skipped). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diff/show.h"
#include "output/text.h"

/* Markup and texts by turns, up to NULL: texts are escaped. */
static int put(struct tp_buf *b, ...)
{
	const char *text;
	bool ours = true;
	va_list ap;
	int code = 0;

	va_start(ap, b);
	while (!code && (text = va_arg(ap, const char *))) {
		code = ours ? tp_buf_put(b, text, strlen(text))
			    : rep_escape(b, text, strlen(text), REP_ESCAPE_XML);
		ours = !ours;
	}
	va_end(ap);
	return code;
}

/* Lines as the text of an element: what is escaped in them does not end one. */
static int put_lines(struct tp_buf *b, const char *lines)
{
	int code = 0;

	while (!code && *lines) {
		size_t n = strcspn(lines, "\n");

		code = rep_escape(b, lines, n, REP_ESCAPE_XML);
		if (!code)
			code = tp_buf_put(b, "\n", 1);
		lines += n + (lines[n] == '\n');
	}
	return code;
}

static int put_case(struct tp_buf *b, const char *suite, const struct rep_gate *g,
		    const struct rep_gate_result *r)
{
	const char *why = (const char *)r->why.data, *note = (const char *)r->note.data;
	const char *element = r->blind ? "error" : r->fails ? "failure" : "skipped";
	bool names = r->exceeded > 1 && r->each.size > 1;
	int code = put(b, "  <testcase classname=\"", suite, "\" name=\"", g->text, "\">\n", NULL);

	if (!code && (r->fails || r->outcome == REP_OUTCOME_UNDECIDED)) {
		code = put(b, "   <", element, NULL);
		if (!code && r->fails)
			code = put(b, " type=\"", rep_outcomes[r->outcome], "\"", NULL);
		if (!code)
			code = put(b, " message=\"", why, names ? "\">" : "\"/>\n", NULL);
		if (!code && names)
			code = put_lines(b, (const char *)r->each.data);
		if (!code && names)
			code = put(b, "</", element, ">\n", NULL);
	} else if (!code) {
		code = put(b, "   <system-out>", why, "</system-out>\n", NULL);
	}
	if (!code && *note)
		code = put(b, "   <system-err>", note, "</system-err>\n", NULL);
	return code ? code : put(b, "  </testcase>\n", NULL);
}

static int put_suite(struct tp_buf *b, const struct rep_gate *gate,
		     const struct rep_gate_result *result, size_t n, const char *name)
{
	size_t failures = 0, errors = 0, skipped = 0;
	char counts[200];
	int code;

	for (size_t i = 0; i < n; i++) {
		failures += result[i].fails && !result[i].blind;
		errors += result[i].blind;
		skipped += !result[i].fails && result[i].outcome == REP_OUTCOME_UNDECIDED;
	}
	snprintf(counts, sizeof(counts),
		 "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", n, failures,
		 errors, skipped);
	code =
	    put(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"",
		name, counts, NULL);
	for (size_t i = 0; !code && i < n; i++)
		code = put_case(b, name, &gate[i], &result[i]);
	return code ? code : put(b, " </testsuite>\n</testsuites>\n", NULL);
}

int rep_gate_junit(const struct rep_gate *gate, const struct rep_gate_result *result, size_t n,
		   const char *name, const struct rep_sink *sink, struct tp_err *err)
{
	struct tp_buf b = {0};
	int code = put_suite(&b, gate, result, n, name)
		       ? tp_nomem(err)
		       : sink->write(sink->ctx, b.data, b.size, err);

	tp_buf_release(&b);
	return code;
}
