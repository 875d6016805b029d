/* Flame graphs of one run or profile, or of the difference of two. Each is a separate document in
 * an <iframe>, which keeps its styles and names apart from the page's. The page contains their
 * script once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flame/flame.h"
#include "flame/part.h"
#include "page/inside.h"
#include "profile/trace.h"

/* Bytes for a graph's frames; its static picture may take half as many. The page of a trace has
 * more graphs, with less for each. */
#define BUDGET(trace) ((size_t)((trace) ? 320 : 400) << 10)

static int write_tree(struct tp_buf *h, const struct rep_flame_tree *tree,
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
		tp_buf_printf(h, "<iframe class=\"flame\" height=\"%u\"", 130 + 18 * levels);
		html_attribute(h, "title", title);
		tp_buf_text(h, " srcdoc=\"");
		html_document(h, document.data, document.size);
		tp_buf_text(h, "\"></iframe>\n");
	}
	tp_buf_release(&document);
	return code;
}

/* Writes the graph of n profiles by a sample type (NULL: their default). Its heading, already
 * written, begins at `heading` in h. If the graph is empty, removes the heading and returns 1. */
static int write_graph(struct tp_buf *h, struct rep_flame_part *parts, size_t n, const char *type,
		       bool normalize, const char *title, size_t heading, struct tp_err *err)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_flame_tree_options how = {.compared = n > 1};
	const struct rep_flame_build_options build = {.normalize = normalize};
	struct rep_flame_heading words = {0};
	struct rep_flame_tree tree = {0};
	size_t failed;
	int code;

	opt.sample_index = type;
	code = rep_flame_parts_view(parts, n, &opt, &failed, err);
	if (!code)
		code = rep_flame_build(&tree, &words, &how, parts, n, &build, err);
	if (!code && !rep_flame_weight(&tree, 0)) {
		h->size = heading;
		code = 1;
	}
	if (!code)
		code = write_tree(h, &tree, &words, BUDGET(parts->trace), title, err);
	rep_flame_heading_release(&words);
	rep_flame_tree_release(&tree);
	rep_flame_parts_release(parts, n);
	return code;
}

static void write_script(struct tp_buf *h)
{
	tp_buf_text(h, "<script type=\"text/plain\" id=\"flame-script\">\n");
	rep_flame_script(h);
	tp_buf_text(h, "</script>\n");
}

/* ---- of profiles ---- */

static int write_type(struct page *p, struct tp_buf *h, size_t type, struct tp_err *err)
{
	const struct rep_page_sides *s = p->sides;
	size_t n = s ? s->nold + s->nnew : 1, heading = h->size;
	struct rep_flame_part *in = calloc(n, sizeof(*in));
	const struct tp_profile *first = s ? s->new[0] : p->profile->profile;
	char number[24];
	int code;

	if (!in)
		return tp_nomem(err);
	in[0] = (struct rep_flame_part){.profile = (void *)(uintptr_t)first,
					.name = s ? NULL : p->profile->name};
	for (size_t i = 0; s && i < n; i++) {
		bool old = i < s->nold;

		in[i] = (struct rep_flame_part){
		    .profile = (void *)(uintptr_t)(old ? s->old[i] : s->new[i - s->nold]),
		    .name = old ? s->old_name : s->new_name,
		    .side = old ? REP_FLAME_OLD : REP_FLAME_NEW};
	}
	snprintf(number, sizeof(number), "%zu", type);
	page_type_heading(h, first, type);
	/* Sets of different sizes are scaled to the same total: a sum over more runs is not growth.
	 */
	code = write_graph(h, in, n,
			   s ? tp_dict_text(first->dict, first->types[type].type).text : number,
			   s && s->nold != s->nnew,
			   s ? "Flame graph of the difference" : "Flame graph", heading, err);
	if (!code)
		page_type_command(p, h, "tprof-flame -o flame.html", first, type);
	free(in);
	return code > 0 ? 0 : code;
}

int page_profile_flames(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	size_t index[PAGE_TYPES];
	size_t n =
	    p->sides ? page_common_types(p, index) : page_types(p, p->profile->profile, index);
	int code = 0;

	if (n)
		write_script(h);
	for (size_t i = 0; i < n && !code; i++)
		code = write_type(p, h, index[i], err);
	return code;
}

/* ---- of traces ---- */

static int load(struct page *p, enum rep_trace_view which, enum rep_flame_side side,
		struct tp_profile **profile, struct rep_flame_part *in, struct tp_err *err)
{
	struct rep_trace_profile_options opt = {.view = which};
	int code = rep_trace_profile(p->store, p->run, &opt, profile, err);

	*in = (struct rep_flame_part){
	    .profile = *profile, .name = p->run->row.name, .side = side, .trace = true};
	return code;
}

static int write_view(struct page *p, struct tp_buf *h, enum rep_trace_view which,
		      struct tp_err *err)
{
	const struct rep_trace_view_desc *desc = &rep_trace_views[which];
	struct tp_profile *profile[2] = {NULL, NULL};
	struct rep_flame_part in[2] = {0};
	size_t heading = h->size;
	char text[200];
	int code = load(p, which, REP_FLAME_NEW, &profile[0], &in[0], err);

	if (!code && p->old)
		code = load(p->old, which, REP_FLAME_OLD, &profile[1], &in[1], err);
	if (!code) {
		tp_buf_printf(h, "<h3>%s <small>%s</small></h3>\n", desc->name, desc->doc);
		snprintf(text, sizeof(text), "Flame graph%s: %s",
			 p->old ? " of the difference" : "", desc->name);
		code = write_graph(h, in, p->old ? 2 : 1, NULL, false, text, heading, err);
	}
	if (!code) {
		snprintf(text, sizeof(text), "tprof-flame -o %s.html --view=%s", desc->name,
			 desc->name);
		page_more(p, h, text, "");
	}
	tp_profile_free(profile[0]);
	tp_profile_free(profile[1]);
	return code > 0 ? 0 : code;
}

int page_flames(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	static const enum rep_trace_view views[] = {
	    REP_TRACE_CPU, REP_TRACE_RUNNING, REP_TRACE_OFFCPU, REP_TRACE_SCHED, REP_TRACE_SYSCALL};
	bool large = p->run->row.events > REP_TIME_EVENTS;
	int code = 0;

	write_script(h);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && !code; i++) {
		/* The running view reads all events. */
		if (views[i] == REP_TRACE_RUNNING && (p->old || large))
			continue;
		code = write_view(p, h, views[i], err);
	}
	if (!code && large && !p->old) {
		tp_buf_text(h,
			    "<p class=\"note\">This run is too large to draw where goroutines ran; "
			    "this command does it: ");
		page_command(p, h, "tprof-flame -o running.html --view=running", "");
		tp_buf_text(h, "</p>\n");
	}
	return code;
}
