/* Chooses the nodes and edges that are shown (pprof: report.newTrimmedGraph and its callees). */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/graph/build.h"

#define MAX_TAGS 4 /* tags that a picture shows per node (pprof: maxNodelets) */

static bool negative(const struct rep_draft *d)
{
	return d->flat < 0 || (!d->flat && d->cum < 0);
}

/* Lists the drafts that are not 0. Returns their number; *total is the sum of their flat values. */
static size_t list(struct rep_build *b, int64_t *total)
{
	size_t n = 0;

	*total = 0;
	for (uint32_t i = 0; i < b->ndrafts; i++) {
		struct rep_draft *d = &b->draft[i];

		d->listed = (d->flat || d->cum) && !(b->v->opt.drop_negative && negative(d));
		n += d->listed;
		if (d->listed)
			rep_add(total, d->flat);
	}
	return n;
}

static int64_t cutoff(int64_t total, double fraction)
{
	return rep_abs(rep_truncate((double)total * fraction));
}

/* Removes unlisted drafts: all of them in a graph, only those listed before in a call tree. */
static void keep_listed(struct rep_build *b, const bool *was)
{
	for (uint32_t i = 0; i < b->ndrafts; i++) {
		struct rep_draft *d = &b->draft[i];

		if (b->stack_draft)
			d->kept = d->kept && (d->listed || !was[i]);
		else
			d->kept = d->listed;
	}
}

static int drop_light_nodes(struct rep_build *b, struct rep_graph *g, int64_t least, size_t *n)
{
	bool *was = malloc((size_t)b->ndrafts + 1);
	size_t before = *n;

	if (!was)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < b->ndrafts && least > 0; i++) {
		was[i] = b->draft[i].listed;
		if (was[i] && rep_abs(b->draft[i].cum) < least) {
			b->draft[i].listed = false;
			--*n;
		}
	}
	g->dropped_nodes = before - *n;
	if (g->dropped_nodes)
		keep_listed(b, was);
	free(was);
	return 0;
}

/* Removes edges into listed nodes that are lighter than `least`. Returns their number. */
static size_t drop_light_edges(struct rep_build *b, struct rep_graph *g, int64_t least)
{
	size_t dropped = 0;

	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; k < g->node[i]->nin; k++) {
			struct rep_edge *e = g->node[i]->in[k];

			if (rep_abs(e->weight) >= least)
				continue;
			e->gone = true;
			b->draft[e->dest->id].cut = true;
			dropped++;
		}
	}
	if (dropped)
		rep_build_unlink(b);
	return dropped;
}

static size_t keep_tags(struct rep_tag *tag, size_t n, int64_t least)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (rep_abs(tag[i].flat) >= least || rep_abs(tag[i].cum) >= least)
			tag[kept++] = tag[i];
	return kept;
}

static void drop_light_tags(struct rep_graph *g, int64_t least)
{
	for (size_t i = 0; i < g->n; i++) {
		struct rep_node *n = g->node[i];

		n->tags.n = keep_tags(n->tags.tag, n->tags.n, least);
		for (size_t k = 0; k < n->nnumeric; k++)
			n->numeric[k].n = keep_tags(n->numeric[k].tag, n->numeric[k].n, least);
	}
}

/* Returns the number of nodes to show. In pictures, tags take room, too (graph.selectTopNodes). */
static size_t count_top(const struct rep_build *b, const struct rep_graph *g)
{
	size_t most = (size_t)b->v->opt.node_count, count = 0;

	for (size_t i = 0; i < g->n && b->v->traits.visual; i++) {
		const struct rep_node *n = g->node[i];
		size_t tags = 0;

		for (size_t k = 0; k < n->tags.n; k++)
			tags += n->tags.tag[k].flat != 0;
		for (size_t k = 0; k < n->nnumeric; k++)
			for (size_t t = 0; t < n->numeric[k].n; t++)
				tags += n->numeric[k].tag[t].flat != 0;
		count += (tags < MAX_TAGS ? tags : MAX_TAGS) + 1;
		if (count >= most) {
			most = i + 1;
			break;
		}
	}
	return most < g->n ? most : g->n;
}

/* Returns whether another path leads from e->src to e->dest. `seen` and `queue` have room for all
 * nodes. */
static bool redundant(const struct rep_edge *e, uint32_t *seen, uint32_t stamp,
		      struct rep_node **queue)
{
	size_t head = 0, tail = 0;

	queue[tail++] = e->dest;
	seen[e->dest->id] = stamp;
	while (head < tail) {
		const struct rep_node *n = queue[head++];

		for (size_t i = 0; i < n->nin; i++) {
			struct rep_edge *in = n->in[i];

			if (in == e || in->gone || seen[in->src->id] == stamp)
				continue;
			if (in->src == e->src)
				return true;
			seen[in->src->id] = stamp;
			queue[tail++] = in->src;
		}
	}
	return false;
}

/* graph.RemoveRedundantEdges */
static int drop_redundant_edges(struct rep_build *b, struct rep_graph *g)
{
	uint32_t *seen = calloc((size_t)b->ndrafts + 1, sizeof(*seen)), stamp = 0;
	struct rep_node **queue = tp_many((size_t)b->ngiven + 1, sizeof(*queue));
	int code = seen && queue ? 0 : TP_ENOMEM;

	for (size_t i = g->n; i-- > 0 && !code;) {
		const struct rep_node *n = g->node[i];

		for (size_t k = n->nin; k-- > 0;) {
			if (!n->in[k]->residual)
				break;
			if (redundant(n->in[k], seen, ++stamp, queue))
				n->in[k]->gone = true;
		}
	}
	free(seen);
	free(queue);
	if (!code)
		rep_build_unlink(b);
	return code;
}

static int sort(struct rep_build *b, struct rep_graph *g)
{
	return rep_nodes_sort(g->node, g->n,
			      b->v->traits.visual ? REP_ORDER_ENTROPY
			      : b->v->opt.cum	  ? REP_ORDER_CUM
						  : REP_ORDER_FLAT);
}

/* Keeps only the first n nodes of the list. */
static int cut_list(struct rep_build *b, struct rep_graph *g, size_t n)
{
	bool *was = malloc((size_t)b->ndrafts + 1);

	if (!was)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < b->ndrafts; i++) {
		was[i] = b->draft[i].listed;
		b->draft[i].listed = false;
	}
	for (size_t i = 0; i < n; i++)
		b->draft[g->node[i]->id].listed = true;
	g->n = n;
	keep_listed(b, was);
	free(was);
	return 0;
}

static int relink(struct rep_build *b, struct rep_graph *g)
{
	int code = rep_build_links(b, g);

	return !code && b->v->traits.visual ? rep_build_tags(b, g) : code;
}

static bool any_inlined(const struct rep_build *b)
{
	for (uint32_t i = 0; i < b->ndrafts; i++)
		if (b->draft[i].listed && b->draft[i].inlined)
			return true;
	return false;
}

/* Pictures choose nodes by their edges, which must therefore exist before nodes are left out. */
static int trim(struct rep_build *b, struct rep_graph *g, int64_t least_node, int64_t least_edge)
{
	const struct rep_profile_traits *t = &b->v->traits;
	/* The edges say whether a shown node is inlined. */
	bool edges = t->edges || any_inlined(b), early = t->visual || b->stack_draft;
	size_t top;
	int code = early ? relink(b, g) : 0;

	if (!code)
		code = sort(b, g);
	if (!code && b->v->opt.node_count > 0) {
		drop_light_tags(g, least_node);
		if (early)
			drop_light_edges(b, g, least_edge);
		top = count_top(b, g);
		if (top < g->n) {
			code = cut_list(b, g, top);
			if (!code && early)
				code = relink(b, g);
			if (!code && early)
				code = sort(b, g);
		}
	}
	if (!code && !early && (edges || t->visual))
		code = relink(b, g);
	if (code)
		return code;
	drop_light_tags(g, least_node);
	if (edges)
		g->dropped_edges = drop_light_edges(b, g, least_edge);
	return t->visual ? drop_redundant_edges(b, g) : 0;
}

int rep_build_trimmed(struct rep_build *b, struct rep_graph *g)
{
	const struct rep_profile_options *o = &b->v->opt;
	int64_t total, least_node, least_edge;
	size_t n = list(b, &total);
	int code;

	least_node = cutoff(total, o->node_fraction);
	least_edge = cutoff(total, o->edge_fraction);
	code = drop_light_nodes(b, g, least_node, &n);
	g->orig_count = n;
	if (!code)
		code = rep_build_nodes(b, g);
	return code ? code : trim(b, g, least_node, least_edge);
}

int rep_build_whole(struct rep_build *b, struct rep_graph *g)
{
	int64_t total;
	int code;

	g->orig_count = list(b, &total);
	code = rep_build_nodes(b, g);
	return !code && (b->v->traits.edges || b->v->traits.visual) ? relink(b, g) : code;
}
