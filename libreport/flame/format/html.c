/* --format=html: the picture, a table that sorts, and callers and callees of a function, on one
 * page.
 *
 * The text is well-formed XML and valid HTML at once: elements with content are closed by tags of
 * their own, and style, data and script hold nothing that either of them would take for markup. */
#include "flame/format/format.h"

#include "output/policy.h"

static void element(xmlTextWriterPtr w, const char *name, const char *attribute, const char *value)
{
	xmlTextWriterStartElement(w, BAD_CAST name);
	if (attribute)
		xmlTextWriterWriteAttribute(w, BAD_CAST attribute, BAD_CAST value);
}

static void leaf(xmlTextWriterPtr w, const char *name, const char *attribute, const char *value)
{
	element(w, name, attribute, value);
	xmlTextWriterFullEndElement(w);
}

static int text(xmlTextWriterPtr w, const char *name, const char *s)
{
	int code;

	xmlTextWriterStartElement(w, BAD_CAST name);
	code = rep_flame_put_text(w, s);
	xmlTextWriterFullEndElement(w);
	return code;
}

static int put_head(struct rep_flame_job *job, xmlTextWriterPtr w)
{
	int code;

	element(w, "head", NULL, NULL);
	element(w, "meta", "charset", "utf-8");
	xmlTextWriterEndElement(w);
	element(w, "meta", "http-equiv", "Content-Security-Policy");
	xmlTextWriterWriteAttribute(w, BAD_CAST "content", BAD_CAST REP_PAGE_POLICY);
	xmlTextWriterEndElement(w);
	element(w, "meta", "name", "viewport");
	xmlTextWriterWriteAttribute(w, BAD_CAST "content",
				    BAD_CAST "width=device-width, initial-scale=1");
	xmlTextWriterEndElement(w);
	code = text(w, "title", *job->opt->title ? job->opt->title : "flame graph");
	code |= rep_flame_put_style(job, w, true);
	xmlTextWriterFullEndElement(w);
	return code;
}

static int put_body(struct rep_flame_job *job, xmlTextWriterPtr w,
		    const struct rep_flame_layout *all)
{
	int code;

	element(w, "body", NULL, NULL);
	element(w, "header", NULL, NULL);
	element(w, "div", "id", "heading");
	code = text(w, "h1", job->opt->title);
	code |= text(w, "p", job->opt->subtitle);
	xmlTextWriterFullEndElement(w);
	leaf(w, "div", "id", "tools");
	leaf(w, "nav", "id", "tabs");
	xmlTextWriterFullEndElement(w);
	element(w, "main", NULL, NULL);
	element(w, "section", "id", "graph");
	if (!code)
		code = rep_flame_put_picture(job, w, false, all);
	else
		code = tp_nomem(job->err);
	xmlTextWriterFullEndElement(w); /* svg */
	xmlTextWriterFullEndElement(w);
	leaf(w, "section", "id", "table");
	leaf(w, "section", "id", "sandwich");
	xmlTextWriterFullEndElement(w);
	if (!code)
		code = rep_flame_put_data(job, w, all, true);
	if (!code)
		code = rep_flame_put_script(job, w, true);
	return code;
}

int rep_flame_write_html(struct rep_flame_job *job)
{
	struct rep_flame_layout all = {0};
	struct rep_flame_xml x;
	int code = rep_flame_begin_xml(&x, job);

	if (code)
		return code;
	code = rep_flame_layout_all(job, &all);
	if (!code) {
		xmlTextWriterWriteRaw(x.writer, BAD_CAST "<!DOCTYPE html>\n");
		element(x.writer, "html", "lang", "en");
		xmlTextWriterWriteAttribute(x.writer, BAD_CAST "xmlns",
					    BAD_CAST "http://www.w3.org/1999/xhtml");
		code = put_head(job, x.writer) ? tp_nomem(job->err) : 0;
	}
	if (!code)
		code = put_body(job, x.writer, &all);
	code = rep_flame_end_xml(&x, code);
	rep_flame_layout_release(&all);
	return code;
}
