#include "base/many.h"
#include "profile/graph/build.h"

#include <stdlib.h>
#include <string.h>

struct way {
	struct rep_step *step;
	size_t n, room;
};

static int down(struct rep_build *b, struct way *w, uint32_t stack,
		const struct rep_visitor *visitor)
{
	struct rep_step *s;

	if (w->n == w->room) {
		size_t room = w->room ? w->room * 2 : 256;

		s = tp_more(w->step, room, sizeof(*s));
		if (!s)
			return TP_ENOMEM;
		w->step = s;
		w->room = room;
	}
	s = &w->step[w->n];
	*s = (struct rep_step){.stack = stack};
	if (w->n) {
		const struct rep_step *up = &w->step[w->n - 1];

		s->above = up->draft ? up->draft : up->above;
		s->residual = !up->draft && up->residual;
	}
	w->n++;
	return visitor->enter(b, s);
}

int rep_build_walk(struct rep_build *b, const struct rep_visitor *visitor)
{
	struct way w = {0};
	int code = rep_build_lists(b);
	uint32_t root = code ? 0 : b->child[0];

	while (root && !code) {
		uint32_t at = root;

		/* Down to a leaf, then up to where there is a sibling. */
		while (at && !code) {
			code = down(b, &w, at, visitor);
			at = b->child[at];
			while (!code && !at && w.n) {
				const struct rep_step *s = &w.step[--w.n];

				visitor->leave(b, s);
				at = w.n ? b->next[s->stack] : 0;
			}
		}
		root = b->next[root];
	}
	free(w.step);
	return code;
}

static void add(int64_t *to, int64_t value)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)value);
}

/* ---- edges ---- */

static uint32_t edge_hash(uint32_t src, uint32_t dest)
{
	uint64_t h = ((uint64_t)src << 32 | dest) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32);
}

static int grow_edges(struct rep_build *b)
{
	if (b->nedges == b->edge_room) {
		size_t room = b->edge_room ? (size_t)b->edge_room * 2 : 256;
		struct rep_draft_edge *p = NULL;

		if (room <= (size_t)1 << 30)
			p = tp_more(b->edge, room, sizeof(*p));
		if (!p)
			return room <= (size_t)1 << 30 ? TP_ENOMEM : TP_ELIMIT;
		b->edge = p;
		b->edge_room = (uint32_t)room;
	}
	if (b->nedges * 2 >= b->nedge_slots) {
		uint32_t n = b->nedge_slots ? b->nedge_slots * 2 : 1024;
		uint32_t *slot = calloc(n, sizeof(*slot));

		if (!slot)
			return TP_ENOMEM;
		for (uint32_t i = 0; i < b->nedges; i++) {
			uint32_t at = edge_hash(b->edge[i].src, b->edge[i].dest) & (n - 1);

			for (; slot[at]; at = (at + 1) & (n - 1))
				;
			slot[at] = i + 1;
		}
		free(b->edge_slot);
		b->edge_slot = slot;
		b->nedge_slots = n;
	}
	return 0;
}

static int edge_between(struct rep_build *b, uint32_t src, uint32_t dest,
			struct rep_draft_edge **edge)
{
	int code = grow_edges(b);
	uint32_t at;

	if (code)
		return code;
	at = edge_hash(src, dest) & (b->nedge_slots - 1);
	for (; b->edge_slot[at]; at = (at + 1) & (b->nedge_slots - 1)) {
		*edge = &b->edge[b->edge_slot[at] - 1];
		if ((*edge)->src == src && (*edge)->dest == dest)
			return 0;
	}
	*edge = &b->edge[b->nedges++];
	**edge = (struct rep_draft_edge){.src = src, .dest = dest, .inlined = true};
	b->edge_slot[at] = b->nedges;
	return 0;
}

/* The draft of a step; or that it was left out. */
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
	/* Without edges being asked for, only those are looked at that tell what is inlined. */
	if (!b->v->traits.edges && !b->draft[s->draft - 1].inlined)
		return 0;
	code = edge_between(b, s->above - 1, s->draft - 1, &e);
	if (code)
		return code;
	s->edge = (uint32_t)(e - b->edge) + 1;
	if (e->on_path++)
		return 0;
	add(&e->weight, b->sum[s->stack]);
	if (b->sum_div)
		add(&e->weight_div, b->sum_div[s->stack]);
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
	if (b->edge_slot)
		memset(b->edge_slot, 0, b->nedge_slots * sizeof(*b->edge_slot));
	return rep_build_walk(b, &visitor);
}
