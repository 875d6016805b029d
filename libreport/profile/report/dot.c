/* dot: the call graph in graphviz's language, as pprof draws it (internal/graph/dotgraph.go):
 * functions are boxes, with larger letters for more flat and a deeper colour for more cum; calls
 * are arrows, wider for a larger weight; labels are small boxes beside the functions.
 *
 * pprof copies some names and labels into quoted texts without escaping; here everything is
 * escaped. Texts without quotes, backslashes and control characters are the same as pprof's. */
#include "profile/report/dot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/report/nodelet.h"
#include "profile/writer/quote.h"
#include "profile/report/reports.h"
#include "sourcepath.h"

struct dot {
	struct rep_writer *out;
	const struct rep_graph *g;
	const struct rep_profile_view *v;
	double max_flat;
	bool *boxes; /* by node: it has labels beside it */
	struct tp_buf name, short_name;
};

static double magnitude(int64_t value)
{
	return fabs((double)value);
}

/* ---- heading ---- */

struct legend {
	struct rep_writer *out;
	size_t lines, size;
};

#define LEGEND_SIZE 10000 /* bytes; further comments are left out */

/* Writes a line of the legend; the first one also names its box. */
static int put_legend_line(void *ctx, const char *text, size_t size, struct tp_err *err)
{
	struct legend *l = ctx;

	(void)err;
	if (l->lines && (size > LEGEND_SIZE || l->size + size > LEGEND_SIZE))
		return 0;
	l->size += size;
	if (!l->lines++) {
		rep_writer_put(l->out, "subgraph cluster_L { \"");
		rep_quote_dot(l->out, text, size);
		rep_writer_put(l->out, "\" [shape=box fontsize=16 label=\"");
	} else {
		rep_writer_put(l->out, "\\l");
	}
	rep_quote_dot(l->out, text, size);
	return 0;
}

static void put_heading(struct dot *d)
{
	const struct tp_profile *p = d->v->profile;
	struct legend legend = {.out = d->out};
	struct tp_text file = {"", 0}, title;

	if (p->nmappings)
		file = tp_dict_text(p->dict, p->mappings[0].file);
	title = rep_path_base(file);
	rep_writer_put(d->out, "digraph \"");
	if (file.size)
		rep_quote_dot(d->out, title.text, title.size);
	else
		rep_writer_put(d->out, "unnamed");
	rep_writer_put(d->out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n");
	rep_writer_fail(d->out,
			rep_graph_heading(d->g, d->v, true, put_legend_line, &legend, NULL));
	if (!legend.lines)
		return;
	rep_writer_put(d->out, "\\l\"");
	if (file.size) {
		rep_writer_put(d->out, " tooltip=\"");
		rep_quote_dot(d->out, title.text, title.size);
		rep_writer_put(d->out, "\"");
	}
	rep_writer_put(d->out, "] }\n");
}

/* ---- colours ---- */

/* Writes the colour of a score, from green (-1) through grey (0) to red (1). The power 0.3 moves
 * scores away from grey, where signs are hard to distinguish; below 0.2 colours fade. */
static void put_color(struct rep_writer *out, double score, bool background)
{
	double saturation = background ? 0.1 : 1.0, value = background ? 0.93 : 0.7, r, g, b;

	score = isnan(score) ? 0 : fmax(-1.0, fmin(1.0, score));
	if (fabs(score) < 0.2)
		saturation *= fabs(score) / 0.2;
	score = copysign(pow(fabs(score), 0.3), score);
	if (score < 0) {
		g = value;
		r = value * (1 + saturation * score);
	} else {
		r = value;
		g = value * (1 - saturation * score);
	}
	b = value * (1 - saturation);
	rep_writer_printf(out, "#%02x%02x%02x", (unsigned)(r * 255.0), (unsigned)(g * 255.0),
			  (unsigned)(b * 255.0));
}

static double score(const struct dot *d, int64_t value)
{
	return (double)value / magnitude(d->v->total);
}

/* ---- nodes ---- */

/* Writes a name with line breaks in place of "::" and ".". "[...]", which Go writes for type
 * arguments, becomes "[…]". */
static void put_broken(struct rep_writer *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *put = s + i;
		size_t take = 1, size = 1;

		if (n - i >= 5 && !memcmp(s + i, "[...]", 5)) {
			put = "[…]";
			take = 5;
			size = strlen(put);
		} else if (n - i >= 2 && !memcmp(s + i, "::", 2)) {
			put = "\\n";
			take = size = 2;
		} else if (s[i] == '.') {
			put = "\\n";
			size = 2;
		}
		rep_writer_raw(out, put, size);
		i += take;
	}
}

static void put_label_name(struct dot *d, const struct rep_node_info *info)
{
	struct rep_writer *out = d->out;
	struct tp_text file = rep_path_base(info->file), object = rep_path_base(info->object);

	if (info->address)
		rep_writer_printf(out, "%016" PRIx64 "\\n", info->address);
	if (info->name.size) {
		d->short_name.size = d->name.size = 0;
		rep_writer_fail(
		    out, rep_function_short(info->name.text, info->name.size, &d->short_name));
		rep_writer_fail(out, rep_quote_dot_into(&d->name, (char *)d->short_name.data,
							d->short_name.size));
		/* The name is already quoted. */
		put_broken(out, (char *)d->name.data, d->name.size);
		rep_writer_put(out, "\\n");
	}
	if (info->line) {
		if (info->file.size)
			rep_quote_dot(out, file.text, file.size);
		rep_writer_printf(out, ":%" PRId64, info->line);
		if (info->column)
			rep_writer_printf(out, ":%" PRId64, info->column);
		rep_writer_put(out, "\\n");
	} else if (info->file.size) {
		rep_quote_dot(out, file.text, file.size);
		rep_writer_put(out, "\\n");
	} else if (info->name.size) {
		return;
	} else if (info->object.size) {
		rep_writer_put(out, "[");
		rep_quote_dot(out, object.text, object.size);
		rep_writer_put(out, "]\\n");
	} else {
		rep_writer_put(out, "<unknown>\\n");
	}
}

static void put_percentage(struct dot *d, int64_t value)
{
	char text[REP_PERCENTAGE_SIZE];

	rep_writer_put(d->out, rep_percentage_trimmed(text, value, d->v->total));
}

static int font_size(const struct dot *d, int64_t flat)
{
	if (!flat || d->max_flat == 0)
		return 8;
	return 8 + (int)ceil(16.0 * sqrt(magnitude(flat) / d->max_flat));
}

static void put_node(struct dot *d, size_t i)
{
	const struct rep_node *n = d->g->node[i];
	int64_t flat = rep_node_flat(n), cum = rep_node_cum(n);
	struct rep_writer *out = d->out;

	rep_writer_printf(out, "N%zu [label=\"", i + 1);
	put_label_name(d, &n->info);
	if (flat) {
		rep_quote_value(out, d->v, flat);
		rep_writer_put(out, " (");
		put_percentage(d, flat);
		rep_writer_put(out, ")");
	} else {
		rep_writer_put(out, "0");
	}
	if (cum != flat) {
		rep_writer_put(out, flat ? "\\nof " : " of ");
		rep_quote_value(out, d->v, cum);
		rep_writer_put(out, " (");
		put_percentage(d, cum);
		rep_writer_put(out, ")");
	}
	rep_writer_printf(out, "\" id=\"node%zu\" fontsize=%d shape=box tooltip=\"", i + 1,
			  font_size(d, flat));
	rep_quote_dot(out, n->name.text, n->name.size);
	rep_writer_put(out, " (");
	rep_quote_value(out, d->v, cum);
	rep_writer_put(out, ")\" color=\"");
	put_color(out, score(d, cum), false);
	rep_writer_put(out, "\" fillcolor=\"");
	put_color(out, score(d, cum), true);
	rep_writer_put(out, "\"]\n");
}

/* ---- edges ---- */

/* Returns an edge's share of the total in steps of 1 / `of`. Multiplies in 64 bits, as pprof does.
 */
static int steps(const struct dot *d, int64_t weight, int64_t of)
{
	int64_t product = (int64_t)((uint64_t)weight * (uint64_t)of), n;

	if (d->v->total == -1)
		n = product;
	else
		n = product / d->v->total;
	if (n == INT64_MIN)
		return (int)of;
	n = n < 0 ? -n : n;
	return (int)(n < of ? n : of);
}

static void put_edge(struct dot *d, const struct rep_edge *e)
{
	int64_t weight = rep_edge_weight(e);
	struct rep_writer *out = d->out;

	rep_writer_printf(out, "N%" PRIu32 " -> N%" PRIu32 " [label=\" ", e->src->id + 1,
			  e->dest->id + 1);
	rep_quote_value(out, d->v, weight);
	rep_writer_put(out, e->inlined ? "\\n (inline)\"" : "\"");
	if (d->v->total) {
		if (steps(d, weight, 100))
			rep_writer_printf(out, " weight=%d", 1 + steps(d, weight, 100));
		if (steps(d, weight, 5))
			rep_writer_printf(out, " penwidth=%d", 1 + steps(d, weight, 5));
		rep_writer_put(out, " color=\"");
		put_color(out, score(d, weight), false);
		rep_writer_put(out, "\"");
	}
	for (int twice = 0; twice < 2; twice++) {
		rep_writer_put(out, twice ? " labeltooltip=\"" : " tooltip=\"");
		rep_quote_dot(out, e->src->name.text, e->src->name.size);
		rep_writer_put(out, e->residual ? " ... " : " -> ");
		rep_quote_dot(out, e->dest->name.text, e->dest->name.size);
		rep_writer_put(out, " (");
		rep_quote_value(out, d->v, weight);
		rep_writer_put(out, ")\"");
	}
	if (e->residual)
		rep_writer_put(out, " style=\"dotted\"");
	if (d->boxes[e->src->id])
		rep_writer_put(out, " minlen=2");
	rep_writer_put(out, "]\n");
}

/* Puts the heaviest first, as a hint to graphviz. */
static int by_weight(const void *a, const void *b)
{
	const struct rep_edge *x = *(struct rep_edge *const *)a, *y = *(struct rep_edge *const *)b;
	int64_t p = rep_abs(x->weight), q = rep_abs(y->weight);
	int c;

	if (p != q)
		return p < q ? 1 : -1;
	c = rep_text_compare(x->src->name, y->src->name);
	if (!c)
		c = rep_text_compare(x->dest->name, y->dest->name);
	if (!c)
		c = (x->src->id > y->src->id) - (x->src->id < y->src->id);
	return c ? c : (x->dest->id > y->dest->id) - (x->dest->id < y->dest->id);
}

static void put_edges(struct dot *d)
{
	struct rep_edge **edge;
	size_t n = 0;

	for (size_t i = 0; i < d->g->n; i++)
		n += d->g->node[i]->nout;
	edge = calloc(n + 1, sizeof(*edge));
	if (!edge) {
		rep_writer_fail(d->out, TP_ENOMEM);
		return;
	}
	n = 0;
	for (size_t i = 0; i < d->g->n; i++)
		for (size_t k = 0; k < d->g->node[i]->nout; k++)
			if (rep_node_shown(d->g, d->g->node[i]->out[k]->dest))
				edge[n++] = d->g->node[i]->out[k];
	if (n > 1)
		qsort(edge, n, sizeof(*edge), by_weight);
	for (size_t i = 0; i < n && !rep_writer_failed(d->out); i++)
		put_edge(d, edge[i]);
	free(edge);
}

void rep_dot_put(struct rep_writer *out, const struct rep_graph *g,
		 const struct rep_profile_view *v)
{
	struct dot d = {.out = out, .g = g, .v = v};

	put_heading(&d);
	for (size_t i = 0; i < g->n; i++)
		d.max_flat = fmax(d.max_flat, magnitude(rep_node_flat(g->node[i])));
	d.boxes = calloc(g->n + 1, sizeof(*d.boxes));
	if (!d.boxes)
		rep_writer_fail(out, TP_ENOMEM);
	for (size_t i = 0; i < g->n && d.boxes && !rep_writer_failed(out); i++) {
		put_node(&d, i);
		d.boxes[i] = rep_nodelets_put(out, g->node[i], i + 1, v);
	}
	if (d.boxes)
		put_edges(&d);
	rep_writer_put(out, "}\n");
	free(d.boxes);
	tp_buf_release(&d.name);
	tp_buf_release(&d.short_name);
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	struct rep_graph *g = NULL;
	struct rep_writer out;
	int code = rep_graph_new(&g, v, err);

	(void)arg;
	if (!code) {
		rep_writer_init(&out, sink);
		rep_dot_put(&out, g, v);
		code = rep_writer_finish(&out, err);
	}
	rep_graph_free(g);
	return code;
}

const struct rep_profile_report rep_profile_report_dot = {
    .name = "dot",
    .doc = "The call graph for graphviz",
    .format = true,
    .traits = {.visual = true, .call_tree = true, .edges = true},
    .print = print,
};
