/* What every page has: head, heading, navigation, sections one after the other. */
#include "page/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chart/chart.h"
#include "flame/flame.h"
#include "output/policy.h"

/* ---- commands ---- */

static int put(struct tp_buf *b, const char *text)
{
	return tp_buf_put(b, text, strlen(text));
}

int page_command_text(struct page *p, struct tp_buf *b, const char *command, const char *more)
{
	const struct rep_page_options *opt = p->opt;
	const char *files = opt->target;
	bool diff = !strncmp(command, "tprof-diff", 10);
	int code = put(b, command);

	if (diff && opt->diff)
		files = opt->diff;
	else if (opt->flame && !strncmp(command, "tprof-flame", 11))
		files = opt->flame;
	/* Behind "--", which is between the sides, options would be names of files. */
	if (diff && *more)
		code |= put(b, " ") | put(b, more);
	code |= put(b, " ") | put(b, files);
	if (!diff && *more)
		code |= put(b, " ") | put(b, more);
	return code ? TP_ENOMEM : 0;
}

void page_command(struct page *p, struct html *h, const char *command, const char *more)
{
	struct tp_buf b = {0};

	if (page_command_text(p, &b, command, more))
		h->code = TP_ENOMEM;
	html_put(h, "<code class=\"cmd\">");
	html_text(h, b.data ? (char *)b.data : "", b.size);
	html_put(h, "</code>");
	tp_buf_release(&b);
}

void page_name(struct page *p, struct html *h, uint32_t string)
{
	struct tp_text t = tp_dict_text(p->view.dict, string);

	if (t.size)
		html_text(h, t.text, t.size);
	else
		html_put(h, "(unknown)");
}

void page_time_value(struct page *p, struct html *h, int64_t ns)
{
	if (p->run && p->run->row.ticks) {
		html_count(h, ns);
		html_put(h, " ticks");
	} else {
		html_ns(h, ns);
	}
}

/* ---- facts ---- */

void page_fact(struct html *h, const char *name)
{
	html_f(h, "<div><dt>%s</dt><dd>", name);
}

void page_fact_end(struct html *h)
{
	html_put(h, "</dd></div>\n");
}

/* In UTC: the same page wherever it is made. */
void page_fact_when(struct html *h, int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / 1000000000);
	struct tm tm;
	char text[64];

	if (!gmtime_r(&s, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return;
	page_fact(h, "When");
	html_str(h, text);
	page_fact_end(h);
}

void page_trace_facts(struct page *p, struct html *h)
{
	const struct tp_run *r = &p->run->row;

	page_fact(h, "Format");
	html_str(h, r->format);
	page_fact_end(h);
	if (r->wall_ns != TP_NULL && r->wall_ns > 0)
		page_fact_when(h, r->wall_ns);
	page_fact(h, "Length");
	page_time_value(p, h, r->duration_ns);
	page_fact_end(h);
	page_fact(h, "Goroutines");
	html_count(h, r->goroutines);
	page_fact_end(h);
	page_fact(h, "Ps");
	html_count(h, (int64_t)p->time.nprocs);
	page_fact_end(h);
	page_fact(h, "Events");
	html_count(h, r->events);
	page_fact_end(h);
}

/* ---- the frame ---- */

static void write_head(struct page *p, struct html *h)
{
	struct tp_text style = page_style();

	html_put(h,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"" REP_PAGE_POLICY "\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		 "<meta name=\"color-scheme\" content=\"light dark\">\n"
		 "<meta name=\"referrer\" content=\"no-referrer\">\n"
		 "<meta name=\"generator\"");
	html_attribute(h, "content", p->opt->version ? p->opt->version : "tprof");
	html_put(h, ">\n<title>");
	html_str(h, p->title);
	html_put(h, "</title>\n<style>\n");
	if (!h->code)
		h->code = tp_buf_put(&h->buf, style.text, style.size);
	html_put(h, rep_chart_style);
	html_put(h, "\n</style>\n</head>\n");
}

static void write_navigation(struct html *h, const struct page_section *sections, size_t n,
			     const struct html *parts)
{
	html_put(h, "<nav aria-label=\"Sections\"><ul>\n");
	for (size_t i = 0; i < n; i++) {
		if (parts[i].buf.size)
			html_f(h, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id,
			       sections[i].title);
	}
	html_put(h, "</ul></nav>\n");
}

static void write_body(struct page *p, struct html *h, const struct page_section *sections,
		       size_t n, const struct html *parts,
		       void (*facts)(struct page *p, struct html *h))
{
	struct tp_text script = page_script();

	html_put(h, "<body>\n<a class=\"skip\" href=\"#main\">To the content</a>\n<header>\n<h1>");
	html_str(h, p->title);
	html_put(h, "</h1>\n");
	facts(p, h);
	html_put(h, "</header>\n");
	write_navigation(h, sections, n, parts);
	html_put(h, "<main id=\"main\">\n");
	for (size_t i = 0; i < n; i++) {
		if (!parts[i].buf.size)
			continue;
		html_f(h, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n",
		       sections[i].id, sections[i].id, sections[i].id, sections[i].title);
		html_append(h, &parts[i]);
		html_put(h, "</section>\n");
	}
	html_put(h, "</main>\n<script>\n");
	if (!h->code)
		h->code = tp_buf_put(&h->buf, script.text, script.size);
	html_put(h, "</script>\n</body>\n</html>\n");
}

int page_write(struct page *p, const struct page_section *sections, size_t n,
	       void (*facts)(struct page *p, struct html *h), const struct rep_sink *sink,
	       struct tp_err *err)
{
	struct html *parts = calloc(n + 1, sizeof(*parts));
	struct html h = {0};
	int code = parts ? 0 : tp_nomem(err);

	/* First what does not need the reports, while they are made. */
	for (int reads = 0; reads < 2 && !code; reads++) {
		if (reads)
			code = page_reports_wait(p, err);
		for (size_t i = 0; i < n && !code; i++) {
			if (sections[i].reads != reads)
				continue;
			code = sections[i].write(p, &parts[i], err);
			if (!code && parts[i].code)
				code = tp_nomem(err);
		}
	}
	if (!code) {
		write_head(p, &h);
		write_body(p, &h, sections, n, parts, facts);
		code = h.code ? tp_nomem(err) : sink->write(sink->ctx, h.buf.data, h.buf.size, err);
	}
	for (size_t i = 0; parts && i < n; i++)
		html_release(&parts[i]);
	free(parts);
	html_release(&h);
	return code;
}
