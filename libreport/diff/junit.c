/* JUnit's XML, as CI systems read it (the schema of Ant's JUnit task, which names testsuites,
 * testsuite, testcase, failure and skipped). Written by libxml2, which escapes; what XML cannot
 * hold at all is escaped before. */
#include <libxml/xmlwriter.h>
#include <stdio.h>
#include <string.h>

#include "diff/show.h"
#include "output/text.h"
#include "output/xml.h"

static int attribute(xmlTextWriter *w, const char *name, const char *value)
{
	struct tp_buf text = {0};
	int code = rep_escape(&text, value, strlen(value), REP_ESCAPE_SHOWN);

	if (!code)
		code = tp_buf_put(&text, "", 1);
	if (!code && xmlTextWriterWriteAttribute(w, BAD_CAST name, BAD_CAST text.data) < 0)
		code = TP_ENOMEM;
	tp_buf_release(&text);
	return code;
}

static int count(xmlTextWriter *w, const char *name, size_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", n);
	return attribute(w, name, text);
}

static int start(xmlTextWriter *w, const char *name)
{
	return xmlTextWriterStartElement(w, BAD_CAST name) < 0 ? TP_ENOMEM : 0;
}

static int end(xmlTextWriter *w)
{
	return xmlTextWriterEndElement(w) < 0 ? TP_ENOMEM : 0;
}

static int put_text(xmlTextWriter *w, const char *element, const char *value)
{
	struct tp_buf text = {0};
	int code = rep_escape(&text, value, strlen(value), REP_ESCAPE_SHOWN);

	if (!code)
		code = tp_buf_put(&text, "", 1);
	if (!code && xmlTextWriterWriteElement(w, BAD_CAST element, BAD_CAST text.data) < 0)
		code = TP_ENOMEM;
	tp_buf_release(&text);
	return code;
}

/* Lines as the text of an element: what is escaped in them does not end one. */
static int put_lines(xmlTextWriter *w, const char *lines)
{
	struct tp_buf text = {0};
	int code = 0;

	while (!code && *lines) {
		size_t n = strcspn(lines, "\n");

		code = rep_escape(&text, lines, n, REP_ESCAPE_SHOWN);
		if (!code)
			code = tp_buf_put(&text, "\n", 1);
		lines += n + (lines[n] == '\n');
	}
	if (!code)
		code = tp_buf_put(&text, "", 1);
	if (!code && xmlTextWriterWriteString(w, BAD_CAST text.data) < 0)
		code = TP_ENOMEM;
	tp_buf_release(&text);
	return code;
}

static int put_case(xmlTextWriter *w, const char *suite, const struct rep_gate *g,
		    const struct rep_gate_result *r)
{
	const char *why = (const char *)r->why.data, *note = (const char *)r->note.data;
	int code = start(w, "testcase");

	if (!code)
		code = attribute(w, "classname", suite);
	if (!code)
		code = attribute(w, "name", g->text);
	if (!code && (r->fails || r->outcome == REP_OUTCOME_UNDECIDED)) {
		code = start(w, r->blind ? "error" : r->fails ? "failure" : "skipped");
		if (!code && r->fails)
			code = attribute(w, "type", rep_outcomes[r->outcome]);
		if (!code)
			code = attribute(w, "message", why);
		if (!code && r->exceeded > 1 && r->each.size > 1)
			code = put_lines(w, (const char *)r->each.data);
		if (!code)
			code = end(w);
	} else if (!code) {
		code = put_text(w, "system-out", why);
	}
	if (!code && *note)
		code = put_text(w, "system-err", note);
	return code ? code : end(w);
}

static int put_suite(xmlTextWriter *w, const struct rep_gate *gate,
		     const struct rep_gate_result *result, size_t n, const char *name)
{
	size_t failures = 0, errors = 0, skipped = 0;
	int code;

	for (size_t i = 0; i < n; i++) {
		failures += result[i].fails && !result[i].blind;
		errors += result[i].blind;
		skipped += !result[i].fails && result[i].outcome == REP_OUTCOME_UNDECIDED;
	}
	if (xmlTextWriterSetIndent(w, 1) < 0 ||
	    xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL) < 0)
		return TP_ENOMEM;
	code = start(w, "testsuites");
	if (!code)
		code = start(w, "testsuite");
	if (!code)
		code = attribute(w, "name", name);
	if (!code)
		code = count(w, "tests", n);
	if (!code)
		code = count(w, "failures", failures);
	if (!code)
		code = count(w, "errors", errors);
	if (!code)
		code = count(w, "skipped", skipped);
	for (size_t i = 0; !code && i < n; i++)
		code = put_case(w, name, &gate[i], &result[i]);
	return code || xmlTextWriterEndDocument(w) >= 0 ? code : TP_ENOMEM;
}

int rep_gate_junit(const struct rep_gate *gate, const struct rep_gate_result *result, size_t n,
		   const char *name, const struct rep_sink *sink, struct tp_err *err)
{
	xmlBuffer *buffer;
	xmlTextWriter *w;
	int code;

	rep_xml_begin();
	buffer = xmlBufferCreate();
	w = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
	code = w ? put_suite(w, gate, result, n, name) : TP_ENOMEM;
	if (w)
		xmlFreeTextWriter(w); /* flushes */
	if (!code && rep_xml_out_of_memory())
		code = TP_ENOMEM;
	if (code)
		tp_nomem(err);
	else
		code = sink->write(sink->ctx, xmlBufferContent(buffer),
				   (size_t)xmlBufferLength(buffer), err);
	if (buffer)
		xmlBufferFree(buffer);
	return code;
}
