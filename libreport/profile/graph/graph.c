#include "profile/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "profile/graph/build.h"

/* ---- values ---- */

int64_t rep_node_flat(const struct rep_node *n)
{
	return rep_mean(n->flat, n->flat_div);
}

int64_t rep_node_cum(const struct rep_node *n)
{
	return rep_mean(n->cum, n->cum_div);
}

int64_t rep_edge_weight(const struct rep_edge *e)
{
	return rep_mean(e->weight, e->weight_div);
}

/* ---- the common unit (report.selectOutputUnit) ---- */

/* Picks the unit that suits the smallest value; or, if the total is more than a hundred times as
 * large, the unit that suits a hundred times the smallest. */
static void pick_unit(const struct rep_graph *g, struct rep_profile_view *v)
{
	const char *min_unit, *max_unit, *unit;
	int64_t least = 0, most = v->total;

	double counts = (double)v->total * v->opt.unit_fraction;

	if (strcmp(v->output_unit, "minimum") != 0 || !g->n)
		return;
	for (size_t i = 0; i < g->n; i++) {
		int64_t value = rep_abs(rep_node_flat(g->node[i]));

		if ((double)rep_abs(g->node[i]->cum) < counts)
			continue;
		if (!value)
			value = rep_abs(rep_node_cum(g->node[i]));
		if (value > 0 && (!least || value < least))
			least = value;
	}
	if (!least)
		least = most;
	if (v->ratio > 0 && v->ratio != 1) {
		least = tp_whole((double)least * v->ratio);
		most = tp_whole((double)most * v->ratio);
	}
	rep_scale(least, v->unit, "minimum", &min_unit);
	rep_scale(most, v->unit, "minimum", &max_unit);
	unit = min_unit;
	if (strcmp(min_unit, max_unit) != 0 && (int64_t)((uint64_t)least * 100) < most &&
	    !v->traits.integers)
		rep_scale((int64_t)((uint64_t)least * 100), v->unit, "minimum", &unit);
	snprintf(v->output_unit, sizeof(v->output_unit), "%s", *unit ? unit : v->unit);
}

/* ---- making a graph ---- */

void rep_build_release(struct rep_build *b)
{
	free(b->frame_node);
	free(b->draft);
	free(b->key);
	tp_table_release(&b->by_key);
	free(b->block);
	free(b->child);
	free(b->by_name);
	free(b->frame_name);
	free(b->edge);
	tp_table_release(&b->by_ends);
	free(b->stack_draft);
	free(b->base);
	free(b->given);
}

static int build(struct rep_graph *g, struct rep_profile_view *v)
{
	struct rep_build *b = g->build;
	int code;

	b->v = v;
	code = rep_build_sums(b);
	if (!code)
		code = v->opt.call_tree ? rep_build_tree(b) : rep_build_cum(b);
	if (!code)
		code = rep_build_flat(b);
	if (!code)
		code = v->traits.whole ? rep_build_whole(b, g) : rep_build_trimmed(b, g);
	/* The nodes are in the arena; everything else can go. */
	rep_build_release(b);
	*b = (struct rep_build){.arena = b->arena};
	for (size_t i = 0; i < g->n && !code; i++) {
		g->node[i]->id = (uint32_t)i;
		rep_add(&g->shown_total, rep_node_flat(g->node[i]));
	}
	return code;
}

int rep_graph_new(struct rep_graph **g, struct rep_profile_view *v, struct tp_err *err)
{
	int code;

	*g = calloc(1, sizeof(**g));
	if (*g)
		(*g)->build = calloc(1, sizeof(*(*g)->build));
	code = *g && (*g)->build ? build(*g, v) : TP_ENOMEM;
	if (code) {
		rep_graph_free(*g);
		*g = NULL;
		return tp_err_full(err, code, REP_GRAPH_FULL);
	}
	/* Beside source or code (`whole`), each value has its own unit. */
	if (!v->traits.whole)
		pick_unit(*g, v);
	return 0;
}

void rep_graph_free(struct rep_graph *g)
{
	if (!g)
		return;
	if (g->build)
		tp_arena_clear(&g->build->arena);
	free(g->build);
	free(g->node);
	free(g);
}

/* ---- the heading (report.reportLabels) ---- */

struct lines {
	rep_line_fn line;
	void *ctx;
	struct tp_err *err;
	int code;
};

static void put(struct lines *l, const char *text)
{
	if (!l->code)
		l->code = l->line(l->ctx, text, strlen(text), l->err);
}

static void put_filters(const struct rep_profile_options *o, struct lines *l)
{
	const struct {
		const char *name, *text;
	} filters[] = {
	    {"focus", o->focus},
	    {"ignore", o->ignore},
	    {"hide", o->hide},
	    {"show", o->show},
	    {"show_from", o->show_from},
	    {"tagfocus", o->tag_focus},
	    {"tagignore", o->tag_ignore},
	    {"tagshow", o->tag_show},
	    {"taghide", o->tag_hide},
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		char text[120];
		int n;

		if (!filters[i].text)
			continue;
		if (!any)
			put(l, "Active filters:");
		any = true;
		/* Eighty bytes of "name=text" are enough to recognise a filter. */
		n = (int)(strlen(filters[i].name) + 1 + strlen(filters[i].text));
		snprintf(text, sizeof(text), "   %s=%.*s%s", filters[i].name,
			 (int)(79 - strlen(filters[i].name)), filters[i].text, n > 80 ? "…" : "");
		put(l, text);
	}
}

static void put_dropped(const struct rep_profile_view *v, struct lines *l, size_t n,
			const char *what, const char *by, double fraction)
{
	char text[200], value[REP_MEASURE_SIZE];

	if (!n)
		return;
	rep_view_label(v, rep_abs(tp_whole((double)v->total * fraction)), value);
	snprintf(text, sizeof(text), "Dropped %zu %s%s (%s <= %s)", n, what, n > 1 ? "s" : "", by,
		 value);
	put(l, text);
}

int rep_graph_heading(const struct rep_graph *g, const struct rep_profile_view *v, bool full,
		      rep_line_fn line, void *ctx, struct tp_err *err)
{
	struct lines l = {.line = line, .ctx = ctx, .err = err};
	char shown[REP_MEASURE_SIZE], total[REP_MEASURE_SIZE], share[REP_PERCENTAGE_SIZE];
	char text[3 * REP_MEASURE_SIZE];

	if (full || !v->opt.compact_labels)
		l.code = rep_view_heading(v, line, ctx, err);
	put_filters(&v->opt, &l);
	snprintf(text, sizeof(text), "Showing nodes accounting for %s, %s of %s total",
		 rep_view_label(v, g->shown_total, shown),
		 rep_percentage_trimmed(share, g->shown_total, v->total),
		 rep_view_label(v, v->total, total));
	put(&l, text);
	if (v->total) {
		put_dropped(v, &l, g->dropped_nodes, "node", "cum", v->opt.node_fraction);
		if (full)
			put_dropped(v, &l, g->dropped_edges, "edge", "freq", v->opt.edge_fraction);
		if (g->n && g->n < g->orig_count) {
			snprintf(text, sizeof(text), "Showing top %zu nodes out of %zu", g->n,
				 g->orig_count);
			put(&l, text);
		}
	}
	if (full)
		put(&l, "\nSee https://git.io/JfYMW for how to read the graph");
	return l.code;
}
