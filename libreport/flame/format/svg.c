/* --format=svg: the picture as a file of its own. */
#include "flame/format/format.h"

#include <stdlib.h>
#include <string.h>

#include "output/xml.h"

/* What all frames with their names may take; the script and the still picture come on top. */
#define DATA_BUDGET ((size_t)1600 << 10)
#define DATA_FRAME  14
#define DIFF_FRAME  30

/* ---- libxml2's writer on a sink ---- */

static int on_write(void *ctx, const char *data, int size)
{
	struct rep_flame_xml *x = ctx;

	/* An error stays with us: libxml2 would print it. */
	if (!x->code)
		x->code = x->job->sink->write(x->job->sink->ctx, data, (size_t)size, x->job->err);
	return size;
}

int rep_flame_begin_xml(struct rep_flame_xml *x, struct rep_flame_job *job)
{
	xmlOutputBufferPtr out;

	x->job = job;
	x->code = 0;
	x->writer = NULL;
	rep_xml_begin();
	out = xmlOutputBufferCreateIO(on_write, NULL, x, NULL);
	if (out)
		x->writer = xmlNewTextWriter(out);
	if (out && !x->writer)
		xmlOutputBufferClose(out);
	return x->writer ? 0 : tp_nomem(job->err);
}

int rep_flame_end_xml(struct rep_flame_xml *x, int code)
{
	if (!code && xmlTextWriterEndDocument(x->writer) < 0 && !x->code)
		code = tp_nomem(x->job->err);
	xmlFreeTextWriter(x->writer);
	if (!code && !x->code && rep_xml_out_of_memory())
		code = tp_nomem(x->job->err);
	return x->code ? x->code : code;
}

int rep_flame_put_text(xmlTextWriterPtr w, const char *text)
{
	struct tp_buf shown = {0};
	int code =
	    rep_escape(&shown, text, strlen(text), REP_ESCAPE_SHOWN) | tp_buf_put(&shown, "", 1);

	if (!code)
		xmlTextWriterWriteString(w, shown.data);
	tp_buf_release(&shown);
	return code;
}

/* ---- the file ---- */

int rep_flame_layout_all(struct rep_flame_job *job, struct rep_flame_layout *all)
{
	struct rep_flame_layout_options opt = {
	    .by_name = job->opt->by_name,
	    .every_fold = true,
	    .min_width = job->opt->min_width,
	    .noise = job->opt->noise,
	    .budget = job->opt->budget ? job->opt->budget : DATA_BUDGET,
	    .per_frame = job->tree->opt.compared ? DIFF_FRAME : DATA_FRAME,
	};

	/* A limit that was asked for is kept, whatever the size. */
	if (opt.min_width >= 0)
		opt.budget = 0;
	else
		opt.min_width = 0;
	return rep_flame_layout(job->tree, &opt, all, job->err);
}

int rep_flame_put_style(struct rep_flame_job *job, xmlTextWriterPtr w, bool page)
{
	struct tp_text style = rep_flame_asset(REP_FLAME_STYLE);
	struct tp_text more = rep_flame_asset(REP_FLAME_PAGE_STYLE);
	struct tp_buf css = {0};
	int code = tp_buf_put(&css, "\n", 1);

	code |= tp_buf_put(&css, style.text, style.size);
	code |= rep_flame_put_colours(&css, job->tree->opt.compared);
	if (page)
		code |= tp_buf_put(&css, more.text, more.size);
	code |= tp_buf_put(&css, "", 1);
	if (!code) {
		xmlTextWriterStartElement(w, BAD_CAST "style");
		xmlTextWriterWriteRaw(w, css.data);
		xmlTextWriterFullEndElement(w);
	}
	tp_buf_release(&css);
	return code;
}

/* Several pictures on one page have their script from there. */
static const char borrowed[] =
    "const s=document.createElement('script');"
    "s.textContent=parent.document.getElementById('flame-script').textContent;"
    "document.body.append(s);";

int rep_flame_script(struct tp_buf *out)
{
	struct tp_text script = rep_flame_asset(REP_FLAME_SCRIPT);
	struct tp_text more = rep_flame_asset(REP_FLAME_PAGE_SCRIPT);
	int code = tp_buf_put(out, script.text, script.size);

	code |= tp_buf_put(out, more.text, more.size);
	return code | tp_buf_put(out, "start();\n", 9);
}

/* A script is text in HTML and markup in XML; hidden in comments of its own, the CDATA section is
 * both. */
int rep_flame_put_script(struct rep_flame_job *job, xmlTextWriterPtr w, bool page)
{
	struct tp_text script = rep_flame_asset(REP_FLAME_SCRIPT);
	struct tp_text more = rep_flame_asset(REP_FLAME_PAGE_SCRIPT);

	xmlTextWriterStartElement(w, BAD_CAST "script");
	if (job->opt->inside) {
		xmlTextWriterWriteRaw(w, BAD_CAST borrowed);
		xmlTextWriterFullEndElement(w);
		return 0;
	}
	xmlTextWriterWriteRaw(w, BAD_CAST "//<![CDATA[\n");
	xmlTextWriterWriteRawLen(w, BAD_CAST script.text, (int)script.size);
	if (page)
		xmlTextWriterWriteRawLen(w, BAD_CAST more.text, (int)more.size);
	xmlTextWriterWriteRaw(w, BAD_CAST "start();\n//]]>");
	xmlTextWriterFullEndElement(w);
	return 0;
}

int rep_flame_write_svg(struct rep_flame_job *job)
{
	struct rep_flame_layout all = {0};
	struct rep_flame_xml x;
	int code = rep_flame_begin_xml(&x, job);

	if (code)
		return code;
	code = rep_flame_layout_all(job, &all);
	if (!code) {
		xmlTextWriterStartDocument(x.writer, NULL, NULL, NULL);
		code = rep_flame_put_picture(job, x.writer, true, &all);
	}
	if (!code)
		code = rep_flame_put_data(job, x.writer, &all, false);
	if (!code)
		code = rep_flame_put_script(job, x.writer, false);
	code = rep_flame_end_xml(&x, code);
	rep_flame_layout_release(&all);
	return code;
}
