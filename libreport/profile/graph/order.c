/* Orders of nodes and tags (pprof: graph.Nodes.Sort, graph.SortTags). */
#include <math.h>
#include <stdlib.h>

#include "base/many.h"
#include "profile/graph/build.h"

static int by_size(int64_t a, int64_t b)
{
	return (rep_abs(a) < rep_abs(b)) - (rep_abs(a) > rep_abs(b));
}

struct place {
	struct rep_node *node;
	int64_t score;
};

static int by_name(const struct rep_node *a, const struct rep_node *b)
{
	return rep_node_names_compare(&a->info, a->name, &b->info, b->name);
}

static int by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct rep_node *x = ((const struct place *)a)->node;
	const struct rep_node *y = ((const struct place *)b)->node;
	int64_t sx = ((const struct place *)a)->score, sy = ((const struct place *)b)->score;
	int c = 0;

	switch (*(const enum rep_node_order *)ctx) {
	case REP_ORDER_FLAT:
		c = by_size(x->flat, y->flat);
		c = c ? c : by_name(x, y);
		c = c ? c : by_size(x->cum, y->cum);
		break;
	case REP_ORDER_FLAT_CUM:
		c = by_size(x->flat, y->flat);
		c = c ? c : by_size(x->cum, y->cum);
		c = c ? c : by_name(x, y);
		break;
	case REP_ORDER_CUM:
	case REP_ORDER_ENTROPY:
		c = by_size(sx, sy);
		c = c ? c : by_name(x, y);
		c = c ? c : by_size(x->flat, y->flat);
		break;
	case REP_ORDER_NAME:
		c = rep_text_compare(x->info.name, y->info.name);
		break;
	case REP_ORDER_FILE:
		c = rep_text_compare(x->info.file, y->info.file);
		c = c ? c : by_number(x->info.start_line, y->info.start_line);
		break;
	case REP_ORDER_ADDRESS:
		c = (x->info.address > y->info.address) - (x->info.address < y->info.address);
		break;
	}
	c = c ? c : rep_node_infos_compare(&x->info, &y->info);
	return c ? c : by_number(x->id, y->id);
}

/* Returns the entropy of a node's edges, in the sense of information theory: low for a node that
 * only passes everything on (graph.entropyScore). */
static double edge_entropy(struct rep_edge *const *edge, size_t n, int64_t self)
{
	uint64_t total = (uint64_t)self;
	double score = 0;

	for (size_t i = 0; i < n; i++)
		if (edge[i]->weight > 0)
			total += (uint64_t)edge[i]->weight;
	if (!total)
		return 0;
	for (size_t i = 0; i < n; i++) {
		double share = (double)rep_abs(edge[i]->weight) / (double)(int64_t)total;

		score += -share * log2(share);
	}
	if (self > 0) {
		double share = (double)self / (double)(int64_t)total;

		score += -share * log2(share);
	}
	return score;
}

static int64_t entropy(const struct rep_node *n)
{
	double score = n->nin ? edge_entropy(n->in, n->nin, 0) : 1;

	score += n->nout ? edge_entropy(n->out, n->nout, n->flat) : 1;
	return tp_plus(rep_truncate(score * (double)n->cum), n->flat);
}

int rep_nodes_sort(struct rep_node **nodes, size_t n, enum rep_node_order order)
{
	struct place *place = tp_many(n + 1, sizeof(*place));

	if (!place)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		place[i].node = nodes[i];
		place[i].score = order == REP_ORDER_ENTROPY ? entropy(nodes[i]) : nodes[i]->cum;
	}
	qsort_r(place, n, sizeof(*place), compare, &order);
	for (size_t i = 0; i < n; i++)
		nodes[i] = place[i].node;
	free(place);
	return 0;
}

static int compare_tags(const void *a, const void *b, void *ctx)
{
	const struct rep_tag *x = a, *y = b;
	int c = *(const bool *)ctx ? 0 : by_size(x->cum, y->cum);

	c = c ? c : by_size(x->flat, y->flat);
	return c ? c : rep_text_compare(x->name, y->name);
}

void rep_tags_sort(struct rep_tag *tags, size_t n, bool flat)
{
	qsort_r(tags, n, sizeof(*tags), compare_tags, &flat);
}
