/* Turns drafts and their edges into the nodes and edges of the finished graph. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/graph/build.h"

/* ---- nodes ---- */

static int name_node(struct rep_build *b, struct rep_node *n)
{
	const struct rep_node_info *i = &n->info;
	struct tp_buf name = {0};
	int code;

	if (i->name.size && !i->address && !i->file.size && !i->line) {
		n->name = i->name;
		return 0;
	}
	code = rep_node_info_name(i, &name);
	n->name.text = code ? NULL : tp_arena_strndup(&b->arena, name.data, name.size);
	n->name.size = (uint32_t)name.size;
	tp_buf_release(&name);
	return n->name.text ? 0 : TP_ENOMEM;
}

/* Finds the number of the function: the draft with the same key without address, line and column.
 * As in pprof (Node.Function), a draft that is added for this has the values 0 and is never shown.
 */
static int function_of(struct rep_build *b, uint32_t draft, uint32_t *function)
{
	struct rep_node_key key = b->key[draft];
	uint32_t n = b->ndrafts;
	int code;

	*function = draft;
	if (!key.address && !key.line && !key.column)
		return 0;
	key.address = 0;
	key.line = key.column = 0;
	code = rep_build_draft(b, &key, function);
	if (!code && b->ndrafts > n)
		b->draft[*function].kept = b->draft[*function].listed = false;
	return code;
}

static int give_out(struct rep_build *b, uint32_t draft, struct rep_node **node)
{
	struct rep_node *n = b->draft[draft].node, **given;
	uint32_t function;
	int code;

	*node = n;
	if (n)
		return 0;
	code = function_of(b, draft, &function);
	if (code)
		return code;
	if (!(b->ngiven & (b->ngiven + 1))) { /* the array is full at 0, 1, 3, 7 … */
		given = tp_more(b->given, (size_t)b->ngiven * 2 + 1, sizeof(*given));
		if (!given)
			return TP_ENOMEM;
		b->given = given;
	}
	n = tp_arena_alloc(&b->arena, sizeof(*n));
	if (!n)
		return TP_ENOMEM;
	rep_node_info_of(b->v->profile, &b->key[draft], &n->info);
	n->flat = b->draft[draft].flat;
	n->flat_div = b->draft[draft].flat_div;
	n->cum = b->draft[draft].cum;
	n->cum_div = b->draft[draft].cum_div;
	n->function = function;
	n->id = draft;
	b->draft[draft].node = b->given[b->ngiven++] = *node = n;
	return name_node(b, n);
}

int rep_build_nodes(struct rep_build *b, struct rep_graph *g)
{
	uint32_t n = b->ndrafts; /* give_out adds drafts of functions */
	int code = 0;

	free(g->node);
	g->n = 0;
	g->node = tp_many((size_t)n + 1, sizeof(struct rep_node *));
	if (!g->node)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < n && !code; i++)
		if (b->draft[i].listed)
			code = give_out(b, i, &g->node[g->n++]);
	return code;
}

/* ---- edges ---- */

/* graph.EdgeMap.Sort */
static int by_weight(const void *a, const void *b)
{
	const struct rep_edge *x = *(struct rep_edge *const *)a, *y = *(struct rep_edge *const *)b;
	int c;

	if (rep_abs(x->weight) != rep_abs(y->weight))
		return rep_abs(x->weight) > rep_abs(y->weight) ? -1 : 1;
	c = rep_text_compare(x->src->name, y->src->name);
	if (!c)
		c = rep_text_compare(x->dest->name, y->dest->name);
	if (!c)
		c = (x->src->id > y->src->id) - (x->src->id < y->src->id);
	return c ? c : (x->dest->id > y->dest->id) - (x->dest->id < y->dest->id);
}

/* Allocates the edge lists of every node for nin and nout edges, and sets both to 0 for the caller
 * to fill the lists. */
static int make_room(struct rep_build *b)
{
	for (uint32_t i = 0; i < b->ngiven; i++) {
		struct rep_node *n = b->given[i];

		n->in = tp_arena_alloc(&b->arena, (n->nin + 1) * sizeof(*n->in));
		n->out = tp_arena_alloc(&b->arena, (n->nout + 1) * sizeof(*n->out));
		if (!n->in || !n->out)
			return TP_ENOMEM;
		n->nin = n->nout = 0;
	}
	return 0;
}

static int hang(struct rep_build *b, struct rep_edge *edge, size_t n)
{
	int code;

	for (size_t i = 0; i < n; i++) {
		edge[i].src->nout++;
		edge[i].dest->nin++;
	}
	code = make_room(b);
	for (size_t i = 0; i < n && !code; i++) {
		edge[i].src->out[edge[i].src->nout++] = &edge[i];
		edge[i].dest->in[edge[i].dest->nin++] = &edge[i];
	}
	for (uint32_t i = 0; i < b->ngiven && !code; i++) {
		struct rep_node *node = b->given[i];

		qsort(node->in, node->nin, sizeof(*node->in), by_weight);
		qsort(node->out, node->nout, sizeof(*node->out), by_weight);
	}
	return code;
}

/* Finds the edge into a draft of a call tree, which is b->edge[draft]. If its caller was left out,
 * the edge comes from the nearest caller that was kept. e->src is the draft itself at a root. */
static bool tree_edge(struct rep_build *b, uint32_t draft, struct rep_draft_edge *e)
{
	*e = b->edge[draft];
	if (!b->draft[draft].kept || b->draft[draft].cut || e->src == draft)
		return false;
	while (!b->draft[e->src].kept) {
		const struct rep_draft_edge *up = &b->edge[e->src];

		if (b->draft[e->src].cut || up->src == e->src)
			return false;
		e->residual = true;
		e->inlined &= up->inlined;
		e->src = up->src;
	}
	return true;
}

int rep_build_links(struct rep_build *b, struct rep_graph *g)
{
	bool tree = b->stack_draft != NULL;
	int code = tree ? 0 : rep_build_edges(b);
	uint32_t nedges = b->nedges; /* give_out adds drafts of functions */
	struct rep_edge *edge;
	size_t n = 0;

	(void)g;
	if (code)
		return code;
	edge = tp_arena_alloc(&b->arena, ((size_t)nedges + 1) * sizeof(*edge));
	if (!edge)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < b->ngiven; i++)
		b->given[i]->nin = b->given[i]->nout = 0;
	for (uint32_t i = 0; i < nedges && !code; i++) {
		struct rep_draft_edge e = b->edge[i];

		if (tree && !tree_edge(b, i, &e))
			continue;
		edge[n] = (struct rep_edge){
		    .weight = e.weight,
		    .weight_div = e.weight_div,
		    .residual = e.residual,
		    .inlined = e.inlined,
		};
		code = give_out(b, e.src, &edge[n].src);
		if (!code)
			code = give_out(b, e.dest, &edge[n].dest);
		n++;
	}
	return code ? code : hang(b, edge, n);
}

static size_t compact(struct rep_edge **edge, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!edge[i]->gone)
			edge[kept++] = edge[i];
	return kept;
}

void rep_build_unlink(struct rep_build *b)
{
	for (uint32_t i = 0; i < b->ngiven; i++) {
		struct rep_node *n = b->given[i];

		n->nin = compact(n->in, n->nin);
		n->nout = compact(n->out, n->nout);
	}
}
