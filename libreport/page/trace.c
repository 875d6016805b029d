/* The page of a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/inside.h"
#include "top/top.h"

static const struct page_section sections[] = {
    {"findings", "What costs most", page_findings, PAGE_READS},
    {"losses", "What is missing", page_losses, PAGE_TEXT},
    {"charts", "Over time", page_charts, PAGE_PICTURE},
    {"heat", "Utilisation of Ps", page_heat, PAGE_PICTURE},
    {"strips", "Timeline of goroutines", page_strips, PAGE_PICTURE},
    {"flames", "Flame graphs", page_flames, PAGE_PICTURE},
    {"histograms", "Durations", page_histograms, PAGE_PICTURE},
    {"tasks", "Tasks and regions", page_latencies, PAGE_PICTURE},
    {"reports", "Reports", page_reports, PAGE_READS},
    {"commands", "Commands", page_commands, PAGE_READS},
};

static void write_facts(struct page *p, struct tp_buf *h)
{
	const struct tp_run *r = &p->run->row;

	tp_buf_text(h, "<dl class=\"facts\">\n");
	page_fact(h, "Trace", REP_TEXT, rep_str(r->name));
	page_trace_facts(p, h);
	page_fact(h, "Size", REP_BYTES, rep_int(r->size_in));
	for (size_t i = 0; i < p->run->nlabels && i < 20; i++)
		page_fact(h, "Label", REP_TEXT, rep_str(p->run->labels[i]));
	tp_buf_printf(h, "<div><dt>Lost</dt><dd>%s</dd></div>\n</dl>\n",
		      p->run->losses
			  ? "<a href=\"#losses\"><strong>some data, see below</strong></a>"
			  : "nothing");
}

int page_begin_trace(struct page *p, struct tp_err *err)
{
	const struct rep_filter_text text = {.own = p->opt->own};
	int code = rep_filter_init(&p->filter, &text, err);

	if (!code)
		code = rep_view_init(&p->view, p->store, p->run, &p->filter, NULL, err);
	if (!code)
		code = rep_time_load(&p->time, &p->view, err);
	/* Of a long run it is large, and only the histograms need it again, later. */
	rep_view_unload(&p->view, TP_TABLE_SITE);
	return code;
}

void page_end_trace(struct page *p)
{
	rep_time_release(&p->time);
	page_reports_free(p);
	rep_view_release(&p->view);
	rep_filter_release(&p->filter);
}

int rep_page_trace(struct tp_store *store, const struct rep_run *run,
		   const struct rep_page_options *opt, const struct rep_sink *sink,
		   struct tp_err *err)
{
	struct page p = {.opt = opt, .store = store, .run = run};
	int code;

	p.title = opt->title ? opt->title : run->row.name;
	p.rows = rep_page_rows(opt);
	code = page_reports_begin(&p, err);
	if (!code)
		code = page_begin_trace(&p, err);
	if (!code)
		code = page_write(&p, sections, sizeof(sections) / sizeof(sections[0]), write_facts,
				  sink, err);
	page_end_trace(&p);
	return code;
}
