/* The call graph of a profile: functions (or files, lines, addresses) with flat and cum values, and
 * the calls between them. Values, choice and order of nodes are pprof's (internal/graph,
 * report.newTrimmedGraph).
 *
 * A node's cum counts a sample once, however often the node is on its stack. A residual edge skips
 * nodes that were left out; an inlined edge is a call that was inlined wherever it occurs. */
#ifndef REP_PROFILE_GRAPH_H
#define REP_PROFILE_GRAPH_H

#include "base/arena.h"
#include "profile/view.h"

struct rep_edge {
	struct rep_node *src, *dest;
	int64_t weight, weight_div;
	bool residual, inlined;
	bool gone; /* private */
};

/* The values of those samples of a node that have the same labels. */
struct rep_tag {
	struct tp_text name; /* "key:value\nkey:value" with "\n" as two characters; "32kB" */
	struct tp_text unit; /* of numeric ones */
	int64_t value;	     /* of numeric ones */
	int64_t flat, flat_div, cum, cum_div;
};

/* Numeric tags of samples that have the same text labels. */
struct rep_tags {
	struct tp_text labels; /* name of the tag in node->tags, "" for samples without any */
	struct rep_tag *tag;
	size_t n;
};

struct rep_node {
	struct rep_node_info info;
	struct tp_text name; /* as rep_node_info_name writes it */
	uint32_t function;   /* the same for all nodes of one function */
	int64_t flat, flat_div, cum, cum_div;
	struct rep_edge **in, **out; /* heaviest first (pprof: EdgeMap.Sort) */
	size_t nin, nout;
	struct rep_tags tags;	  /* text labels; only with traits.visual */
	struct rep_tags *numeric; /* "bytes" only, as pprof does it */
	size_t nnumeric;
	uint32_t id; /* its place in graph->node (private while the graph is made) */
};

struct rep_graph {
	struct rep_node **node; /* in the order of the report */
	size_t n;
	size_t orig_count;		     /* nodes before node_count was applied */
	size_t dropped_nodes, dropped_edges; /* by the fractions */
	int64_t shown_total;		     /* sum of the flat values of `node` */
	struct rep_build *build;	     /* private */
};

/* Makes the graph of a view, trimmed or whole as v->traits say. For a trimmed graph it also picks
 * v->output_unit (pprof: selectOutputUnit). The view and its profile must outlive the graph.
 * Errors: TP_ENOMEM, TP_ELIMIT. */
int rep_graph_new(struct rep_graph **g, struct rep_profile_view *v, struct tp_err *err);
void rep_graph_free(struct rep_graph *g);

/* Return values of nodes and edges; means if the view has means. */
int64_t rep_node_flat(const struct rep_node *n);
int64_t rep_node_cum(const struct rep_node *n);
int64_t rep_edge_weight(const struct rep_edge *e);

enum rep_node_order {
	REP_ORDER_FLAT,	    /* flat, name, cum */
	REP_ORDER_FLAT_CUM, /* flat, cum, name */
	REP_ORDER_CUM,
	REP_ORDER_NAME,
	REP_ORDER_FILE,
	REP_ORDER_ADDRESS,
	REP_ORDER_ENTROPY,
};
/* Sorts nodes: largest absolute value first; texts and addresses ascending. Returns 0 or
 * TP_ENOMEM. */
int rep_nodes_sort(struct rep_node **nodes, size_t n, enum rep_node_order order);
/* Sorts tags by cum (unless `flat`), then flat, then name. */
void rep_tags_sort(struct rep_tag *tags, size_t n, bool flat);

/* Appends pprof's short name of a function for pictures: without folders of packages, module
 * versions, Java packages, C++ namespaces. Returns 0 or TP_ENOMEM. */
int rep_function_short(const char *name, size_t size, struct tp_buf *out);

/* Calls `line` for each line of the heading of a graph's report (pprof: reportLabels): the heading
 * of the view, the active filters, "Showing nodes accounting for …", how much was dropped. `full`
 * adds dropped edges, and ignores compact_labels. */
int rep_graph_heading(const struct rep_graph *g, const struct rep_profile_view *v, bool full,
		      rep_line_fn line, void *ctx, struct tp_err *err);

#endif
