/* The parts common to all pages: head, heading, navigation, and the frame of the sections. */
#include "page/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chart/chart.h"
#include "flame/flame.h"
#include "output/policy.h"

/* ---- commands ---- */

int page_command_text(struct page *p, struct tp_buf *b, const char *command, const char *more)
{
	const struct rep_page_options *opt = p->opt;
	const char *files = opt->target;
	bool diff = !strncmp(command, "tprof-diff", 10);
	const char *space = *more ? " " : "";

	if (diff && opt->diff)
		files = opt->diff;
	else if (opt->flame && !strncmp(command, "tprof-flame", 11))
		files = opt->flame;
	/* The "--" between the sides would turn later options into names of files. */
	return diff ? tp_buf_printf(b, "%s%s%s %s", command, space, more, files)
		    : tp_buf_printf(b, "%s %s%s%s", command, files, space, more);
}

void page_command(struct page *p, struct tp_buf *h, const char *command, const char *more)
{
	struct tp_buf b = {0};

	if (page_command_text(p, &b, command, more))
		tp_buf_fail(h);
	tp_buf_text(h, "<code class=\"cmd\">");
	html_text(h, b.data ? (char *)b.data : "", b.size);
	tp_buf_text(h, "</code>");
	tp_buf_release(&b);
}

void page_name(struct page *p, struct tp_buf *h, uint32_t string)
{
	struct tp_text t = tp_dict_text(p->view.dict, string);

	if (t.size)
		html_text(h, t.text, t.size);
	else
		tp_buf_text(h, "(unknown)");
}

void page_time_value(struct page *p, struct tp_buf *h, int64_t ns)
{
	if (p->run && p->run->row.ticks) {
		html_count(h, ns);
		tp_buf_text(h, " ticks");
	} else {
		html_ns(h, ns);
	}
}

void page_more(struct page *p, struct tp_buf *h, const char *command, const char *more)
{
	tp_buf_text(h, "<p class=\"more\">");
	page_command(p, h, command, more);
	tp_buf_text(h, "</p>\n");
}

void page_note(struct tp_buf *h, const char *text, size_t size)
{
	tp_buf_text(h, "<p class=\"note\">");
	html_text(h, text, size);
	tp_buf_text(h, "</p>\n");
}

/* ---- facts ---- */

void page_fact(struct tp_buf *h, const char *name, enum rep_kind kind, struct rep_value value)
{
	tp_buf_text(h, "<div><dt>");
	html_str(h, name);
	tp_buf_text(h, "</dt><dd>");
	html_value(h, kind, &value);
	tp_buf_text(h, "</dd></div>\n");
}

/* UTC makes the page independent of the time zone. */
void page_fact_when(struct tp_buf *h, int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / 1000000000);
	struct tm tm;
	char text[64];

	if (!gmtime_r(&s, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return;
	page_fact(h, "When", REP_TEXT, rep_str(text));
}

void page_trace_facts(struct page *p, struct tp_buf *h)
{
	const struct tp_run *r = &p->run->row;

	page_fact(h, "Format", REP_TEXT, rep_str(r->format));
	if (r->wall_ns != TP_NULL && r->wall_ns > 0)
		page_fact_when(h, r->wall_ns);
	tp_buf_text(h, "<div><dt>Length</dt><dd>");
	page_time_value(p, h, r->duration_ns);
	tp_buf_text(h, "</dd></div>\n");
	page_fact(h, "Goroutines", REP_COUNT, rep_int(r->goroutines));
	page_fact(h, "Ps", REP_COUNT, rep_int((int64_t)p->time.nprocs));
	page_fact(h, "Events", REP_COUNT, rep_int(r->events));
}

/* ---- the frame ---- */

static void write_head(struct page *p, struct tp_buf *h)
{
	struct tp_text style = page_style();

	tp_buf_text(h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\"" REP_PAGE_POLICY
		       "\">\n"
		       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		       "<meta name=\"color-scheme\" content=\"light dark\">\n"
		       "<meta name=\"referrer\" content=\"no-referrer\">\n"
		       "<meta name=\"generator\"");
	html_attribute(h, "content", p->opt->version ? p->opt->version : "tprof");
	tp_buf_text(h, ">\n<title>");
	html_str(h, p->title);
	tp_buf_text(h, "</title>\n<style>\n");
	tp_buf_put(h, style.text, style.size);
	tp_buf_text(h, rep_chart_style);
	tp_buf_text(h, "\n</style>\n</head>\n");
}

static void write_navigation(struct tp_buf *h, const struct page_section *sections, size_t n,
			     const struct tp_buf *parts)
{
	tp_buf_text(h, "<nav aria-label=\"Sections\"><ul>\n");
	for (size_t i = 0; i < n; i++) {
		if (parts[i].size)
			tp_buf_printf(h, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id,
				      sections[i].title);
	}
	tp_buf_text(h, "</ul></nav>\n");
}

static void write_body(struct page *p, struct tp_buf *h, const struct page_section *sections,
		       size_t n, const struct tp_buf *parts,
		       void (*facts)(struct page *p, struct tp_buf *h))
{
	struct tp_text script = page_script();

	tp_buf_text(h,
		    "<body>\n<a class=\"skip\" href=\"#main\">To the content</a>\n<header>\n<h1>");
	html_str(h, p->title);
	tp_buf_text(h, "</h1>\n");
	facts(p, h);
	tp_buf_text(h, "</header>\n");
	write_navigation(h, sections, n, parts);
	tp_buf_text(h, "<main id=\"main\">\n");
	for (size_t i = 0; i < n; i++) {
		if (!parts[i].size)
			continue;
		tp_buf_printf(
		    h, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n",
		    sections[i].id, sections[i].id, sections[i].id, sections[i].title);
		tp_buf_put(h, parts[i].data, parts[i].size);
		tp_buf_text(h, "</section>\n");
	}
	tp_buf_text(h, "</main>\n<script>\n");
	tp_buf_put(h, script.text, script.size);
	tp_buf_text(h, "</script>\n</body>\n</html>\n");
}

int page_write(struct page *p, const struct page_section *sections, size_t n,
	       void (*facts)(struct page *p, struct tp_buf *h), const struct rep_sink *sink,
	       struct tp_err *err)
{
	struct tp_buf *parts = calloc(n + 1, sizeof(*parts));
	struct tp_buf h = {0};
	int code = parts ? 0 : tp_nomem(err);

	/* Write the sections that need no reports first, while the reports are made. */
	for (int reads = 0; reads < 2 && !code; reads++) {
		if (reads)
			code = page_reports_wait(p, err);
		for (size_t i = 0; i < n && !code; i++) {
			if ((sections[i].kind == PAGE_READS) != reads ||
			    (p->opt->markdown && sections[i].kind == PAGE_PICTURE))
				continue;
			code = sections[i].write(p, &parts[i], err);
			if (!code && tp_buf_text(&parts[i], ""))
				code = tp_nomem(err);
		}
	}
	if (!code && p->opt->markdown) {
		facts(p, &h);
		code = tp_buf_text(&h, "")
			   ? tp_nomem(err)
			   : page_write_markdown(p, sections, n, &h, parts, sink, err);
	} else if (!code) {
		write_head(p, &h);
		write_body(p, &h, sections, n, parts, facts);
		code = tp_buf_text(&h, "") ? tp_nomem(err)
					   : sink->write(sink->ctx, h.data, h.size, err);
	}
	for (size_t i = 0; parts && i < n; i++)
		tp_buf_release(&parts[i]);
	free(parts);
	tp_buf_release(&h);
	return code;
}
