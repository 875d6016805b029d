/* tree: each node between its callers and its callees; peek: the same for nodes that match
 * (pprof: printTree).
 *
 *	                                            10ms   100% |   main.main
 *	     0     0%     0%       10ms   100%                | main.work
 *	                                            10ms   100% |   runtime.mallocgc (inline)
 *	----------------------------------------------------------+-------------
 */
#include <stdio.h>

#include "profile/writer/heading.h"
#include "profile/writer/writer.h"
#include "profile/report/reports.h"

#define SEPARATOR "----------------------------------------------------------+-------------\n"
#define LEGEND	  "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t \n"

static void put_edge(struct rep_writer *out, const struct rep_profile_view *v,
		     const struct rep_edge *e, const struct rep_node *other, int64_t cum)
{
	rep_put_value(out, v, 50, e->weight);
	rep_writer_put(out, " ");
	rep_put_share(out, e->weight, cum);
	rep_writer_put(out, " |   ");
	rep_writer_string(out, other->name);
	rep_writer_put(out, e->inlined ? " (inline)\n" : "\n");
}

static void put_node(struct rep_writer *out, const struct rep_profile_view *v,
		     const struct rep_node *n, int64_t *sum)
{
	int64_t flat = rep_node_flat(n), cum = rep_node_cum(n);

	rep_writer_put(out, SEPARATOR);
	for (size_t i = 0; i < n->nin; i++)
		put_edge(out, v, n->in[i], n->in[i]->src, cum);
	rep_add(sum, flat);
	rep_put_value(out, v, 10, flat);
	rep_writer_put(out, " ");
	rep_put_share(out, flat, v->total);
	rep_writer_put(out, " ");
	rep_put_share(out, *sum, v->total);
	rep_writer_put(out, " ");
	rep_put_value(out, v, 10, cum);
	rep_writer_put(out, " ");
	rep_put_share(out, cum, v->total);
	rep_writer_put(out, "                | ");
	rep_writer_string(out, n->name);
	rep_writer_put(out, "\n");
	for (size_t i = 0; i < n->nout; i++)
		put_edge(out, v, n->out[i], n->out[i]->dest, cum);
}

static bool shown(const struct tp_regex *only, const struct rep_node *n)
{
	return !only || tp_regex_match(only, n->name.text, n->name.size);
}

static int put_graph(const struct rep_graph *g, const struct rep_profile_view *v,
		     const struct tp_regex *only, const struct rep_sink *sink, struct tp_err *err)
{
	struct rep_writer out;
	int64_t sum = 0;

	rep_writer_init(&out, sink);
	rep_writer_fail(&out, rep_graph_heading(g, v, false, rep_heading_line, &out, NULL));
	rep_writer_put(&out, SEPARATOR LEGEND);
	for (size_t i = 0; i < g->n && !rep_writer_failed(&out); i++)
		if (shown(only, g->node[i]))
			put_node(&out, v, g->node[i], &sum);
	if (g->n)
		rep_writer_put(&out, SEPARATOR);
	return rep_writer_finish(&out, err);
}

static int print_tree(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		      struct tp_err *err)
{
	struct rep_graph *g = NULL;
	int code = rep_graph_new(&g, v, err);

	(void)arg;
	if (!code)
		code = put_graph(g, v, NULL, sink, err);
	rep_graph_free(g);
	return code;
}

static int print_peek(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		      struct tp_err *err)
{
	struct rep_graph *g = NULL;
	struct tp_regex only = {0};
	size_t matched = 0;
	int code = tp_regex_init(&only, arg, "--peek", err);

	if (!code)
		code = rep_graph_new(&g, v, err);
	if (!code) {
		for (size_t i = 0; i < g->n; i++)
			matched += shown(&only, g->node[i]);
		code = tp_regex_settle(&only, err);
	}
	if (!code) {
		if (matched)
			code = put_graph(g, v, &only, sink, err);
		else
			code = rep_profile_no_function(v, arg, err);
	}
	if (!code)
		code = tp_regex_settle(&only, err);
	rep_graph_free(g);
	tp_regex_release(&only);
	return code;
}

const struct rep_profile_report rep_profile_report_tree = {
    .name = "tree",
    .doc = "Each function between its callers and its callees",
    .traits = {.edges = true},
    .print = print_tree,
};

const struct rep_profile_report rep_profile_report_peek = {
    .name = "peek",
    .arg = "REGEX",
    .doc = "Callers and callees of the functions that match REGEX",
    .traits = {.no_trim = true, .edges = true},
    .print = print_peek,
};
