/* Call trees (pprof: graph.newTree): a node for every path. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/graph/build.h"

/* The edge into a draft has the draft's number. */
static int enter_tree(struct rep_build *b, struct rep_step *s)
{
	uint32_t frame = b->stack[s->stack].frame, node = b->frame_node[frame], draft;
	struct rep_draft_edge *e;
	struct rep_node_key key;
	struct rep_draft *d;
	int code;

	if (node < REP_NODE_FIRST) /* inlined: part of its caller's node */
		return 0;
	key = b->base[node - REP_NODE_FIRST];
	key.context = s->above;
	code = rep_build_draft(b, &key, &draft);
	if (!code)
		code = tp_grow_raw(&b->edge, &b->edge_room, draft, sizeof(*b->edge));
	if (code)
		return code;
	d = &b->draft[draft];
	e = &b->edge[draft];
	if (draft == b->nedges) {
		*e = (struct rep_draft_edge){
		    .src = s->above ? s->above - 1 : draft, .dest = draft, .inlined = true};
		b->nedges++;
	}
	rep_add(&d->cum, b->sum[s->stack]);
	rep_add(&e->weight, b->sum[s->stack]);
	if (b->sum_div) {
		rep_add(&d->cum_div, b->sum_div[s->stack]);
		rep_add(&e->weight_div, b->sum_div[s->stack]);
	}
	e->inlined &= tp_dict_frame_at(b->v->profile->dict, frame).inlined;
	s->draft = draft + 1;
	b->stack_draft[s->stack] = s->draft;
	return 0;
}

int rep_build_tree(struct rep_build *b)
{
	static const struct rep_visitor visitor = {.enter = enter_tree};
	int code = rep_build_lists(b);

	if (code)
		return code;
	/* Up to here drafts were nodes of frames; from now on they are nodes of paths. */
	b->base = b->key;
	tp_table_release(&b->by_key);
	free(b->draft);
	b->draft = NULL;
	b->key = NULL;
	b->ndrafts = 0;
	b->draft_room = b->key_room = 0;
	b->stack_draft = calloc(b->nstacks, sizeof(*b->stack_draft));
	return b->stack_draft ? rep_build_visit(b, &visitor) : TP_ENOMEM;
}

uint32_t rep_build_draft_at(const struct rep_build *b, uint32_t stack)
{
	uint32_t node;

	if (b->stack_draft)
		return b->stack_draft[stack];
	node = b->frame_node[b->stack[stack].frame];
	return node < REP_NODE_FIRST ? 0 : node - REP_NODE_FIRST + 1;
}
