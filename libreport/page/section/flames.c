/* Flame graphs: of views of a trace. Each is a small document of its own in an <iframe>, so that
 * styles and names of one do not meet those of the page; the script is on the page once. */
#include <stdio.h>
#include <string.h>

#include "flame/flame.h"
#include "flame/part.h"
#include "page/inside.h"
#include "profile/trace.h"

#define BUDGET ((size_t)320 << 10) /* of a graph's frames; the still picture takes half of that */

struct graph {
	struct tp_profile *profile;
	struct rep_profile_view view;
	struct rep_flame_tree tree;
	struct rep_flame_heading heading;
};

static void release(struct graph *g)
{
	rep_flame_heading_release(&g->heading);
	rep_flame_tree_release(&g->tree);
	rep_profile_view_release(&g->view);
	tp_profile_free(g->profile);
}

int page_flame_write(struct html *h, const struct rep_flame_tree *tree,
		     const struct rep_flame_heading *words, size_t budget, const char *title,
		     struct tp_err *err)
{
	struct rep_flame_options opt = REP_FLAME_OPTIONS_INIT;
	uint32_t levels = tree->deepest < 40 ? tree->deepest + 1 : 40;
	struct tp_buf document = {0};
	struct rep_sink sink = rep_sink_buf(&document);
	int code;

	opt.title = words->title;
	opt.subtitle = words->subtitle;
	opt.type = words->type;
	opt.unit = words->unit;
	opt.budget = budget;
	opt.inside = true;
	code = rep_flame_write(tree, REP_FLAME_HTML, &opt, &sink, err);
	if (!code) {
		html_f(h, "<iframe class=\"flame\" height=\"%u\"", 130 + 18 * levels);
		html_attribute(h, "title", title);
		html_put(h, " srcdoc=\"");
		html_document(h, document.data, document.size);
		html_put(h, "\"></iframe>\n");
	}
	tp_buf_release(&document);
	return code;
}

void page_flame_script(struct html *h)
{
	html_put(h, "<script type=\"text/plain\" id=\"flame-script\">\n");
	if (!h->code)
		h->code = rep_flame_script(&h->buf);
	html_put(h, "</script>\n");
}

/* 1: there is nothing to see. */
static int make(struct page *p, enum rep_trace_view which, struct graph *g, struct tp_err *err)
{
	struct rep_trace_profile_options opt = {.view = which};
	struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	struct rep_flame_tree_options tree = {.compared = false};
	struct rep_flame_part part = {.view = &g->view, .name = p->run->row.name, .trace = true};
	int code = rep_trace_profile(p->store, p->run, &opt, &g->profile, err);

	if (!code)
		code = rep_profile_view_init(&g->view, g->profile, &plain, &rep_flame_traits, err);
	if (!code)
		code = rep_flame_tree_init(&g->tree, &tree, err);
	if (!code)
		code = rep_flame_parts_add(&g->tree, &part, 1, false, err);
	if (!code)
		code = rep_flame_tree_sum(&g->tree, err);
	if (!code && !rep_flame_weight(&g->tree, 0))
		return 1;
	return code ? code : rep_flame_heading(&g->heading, &g->tree, &part, 1, "", err);
}

static int write_graph(struct page *p, struct html *h, enum rep_trace_view which,
		       struct tp_err *err)
{
	const struct rep_trace_view_desc *desc = &rep_trace_views[which];
	struct graph g = {0};
	char text[200];
	int code = make(p, which, &g, err);

	if (!code) {
		html_f(h, "<h3>%s <small>%s</small></h3>\n", desc->name, desc->doc);
		snprintf(text, sizeof(text), "Flame graph: %s", desc->name);
		code = page_flame_write(h, &g.tree, &g.heading, BUDGET, text, err);
	}
	if (!code) {
		html_put(h, "<p class=\"more\">");
		snprintf(text, sizeof(text), "tprof-flame -o %s.html --view=%s", desc->name,
			 desc->name);
		page_command(p, h, text, "");
		html_put(h, "</p>\n");
	}
	release(&g);
	return code > 0 ? 0 : code;
}

int page_flames(struct page *p, struct html *h, struct tp_err *err)
{
	static const enum rep_trace_view views[] = {
	    REP_TRACE_CPU, REP_TRACE_RUNNING, REP_TRACE_OFFCPU, REP_TRACE_SCHED, REP_TRACE_SYSCALL};
	int code = 0;

	page_flame_script(h);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && !code; i++) {
		/* It reads all events. */
		if (views[i] == REP_TRACE_RUNNING && p->run->row.events > REP_TIME_EVENTS)
			continue;
		code = write_graph(p, h, views[i], err);
	}
	if (!code && p->run->row.events > REP_TIME_EVENTS) {
		html_put(h,
			 "<p class=\"note\">Where goroutines ran is not drawn of a run as large as "
			 "this one: ");
		page_command(p, h, "tprof-flame -o running.html --view=running", "");
		html_put(h, "</p>\n");
	}
	return code;
}
