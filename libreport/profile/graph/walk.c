#include "base/many.h"
#include "base/random.h"
#include "profile/graph/build.h"

#include <stdlib.h>
#include <string.h>

struct way {
	struct rep_build *b;
	const struct rep_visitor *visitor;
	struct rep_step *step;
	size_t n, room;
};

static int enter(void *ctx, uint32_t stack)
{
	struct way *w = ctx;
	struct rep_step *s;

	if (tp_grow_raw(&w->step, &w->room, w->n, sizeof(*w->step)))
		return TP_ENOMEM;
	s = &w->step[w->n];
	*s = (struct rep_step){.stack = stack};
	if (w->n) {
		const struct rep_step *up = &w->step[w->n - 1];

		s->above = up->draft ? up->draft : up->above;
		s->residual = !up->draft && up->residual;
	}
	w->n++;
	return w->visitor->enter(w->b, s);
}

static void leave(void *ctx, uint32_t stack)
{
	struct way *w = ctx;

	(void)stack;
	w->n--;
	if (w->visitor->leave)
		w->visitor->leave(w->b, &w->step[w->n]);
}

int rep_build_visit(struct rep_build *b, const struct rep_visitor *visitor)
{
	struct way w = {.b = b, .visitor = visitor};
	int code = rep_build_walk(b, enter, leave, &w);

	free(w.step);
	return code;
}

/* ---- edges ---- */

static int edge_between(struct rep_build *b, uint32_t src, uint32_t dest,
			struct rep_draft_edge **edge)
{
	uint64_t hash = tp_mix64(0, (uint64_t)src << 32 | dest);
	int code;

	for (struct tp_probe p = {0}; tp_table_next(&b->by_ends, hash, &p);) {
		*edge = &b->edge[p.row];
		if ((*edge)->src == src && (*edge)->dest == dest)
			return 0;
	}
	code = tp_grow_raw(&b->edge, &b->edge_room, b->nedges, sizeof(*b->edge));
	if (!code)
		code = tp_table_add(&b->by_ends, hash, b->nedges);
	if (code)
		return code;
	*edge = &b->edge[b->nedges++];
	**edge = (struct rep_draft_edge){.src = src, .dest = dest, .inlined = true};
	return 0;
}

/* Finds the draft of a step, or marks the step as left out. */
static void find_draft(const struct rep_build *b, struct rep_step *s)
{
	uint32_t node = b->frame_node[b->stack[s->stack].frame];

	if (node < REP_NODE_FIRST)
		return;
	if (b->draft[node - REP_NODE_FIRST].kept)
		s->draft = node - REP_NODE_FIRST + 1;
	else
		s->residual = true;
}

static int enter_edges(struct rep_build *b, struct rep_step *s)
{
	struct rep_draft_edge *e;
	int code;

	find_draft(b, s);
	if (!s->draft || !s->above || s->above == s->draft)
		return 0;
	/* If the report has no edges, only those to inlined nodes are needed. */
	if (!b->v->traits.edges && !b->draft[s->draft - 1].inlined)
		return 0;
	code = edge_between(b, s->above - 1, s->draft - 1, &e);
	if (code)
		return code;
	s->edge = (uint32_t)(e - b->edge) + 1;
	if (e->on_path++)
		return 0;
	rep_add(&e->weight, b->sum[s->stack]);
	if (b->sum_div)
		rep_add(&e->weight_div, b->sum_div[s->stack]);
	e->residual |= s->residual;
	e->inlined &= tp_dict_frame_at(b->v->profile->dict, b->stack[s->stack].frame).inlined;
	return 0;
}

static void leave_edges(struct rep_build *b, const struct rep_step *s)
{
	if (s->edge)
		b->edge[s->edge - 1].on_path--;
}

int rep_build_edges(struct rep_build *b)
{
	static const struct rep_visitor visitor = {enter_edges, leave_edges};

	b->nedges = 0;
	tp_table_clear(&b->by_ends);
	return rep_build_visit(b, &visitor);
}
