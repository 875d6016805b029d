/* Computes flat and cum of all drafts from the sums on the prefix tree. */
#include <stdlib.h>

#include "base/many.h"
#include "profile/graph/build.h"

#define AHEAD 8 /* stacks to prefetch ahead */

/* The path that leads to a stack, with the number of times each draft is on it. Counts by draft are
 * small and lie close together, because drafts are far fewer than stack nodes. */
struct path {
	struct rep_build *b;
	uint32_t end; /* stack node */
	struct count {
		int64_t cum, cum_div;
		uint32_t on_path;
	} * count; /* by draft */
	size_t room;
	uint64_t steps;
};

static int make_room(struct path *w)
{
	return tp_grow(&w->count, &w->room, w->b->ndrafts, sizeof(*w->count));
}

static void leave(void *ctx, uint32_t stack)
{
	struct path *w = ctx;
	uint32_t node = w->b->frame_node[w->b->stack[stack].frame];

	if (node >= REP_NODE_FIRST)
		w->count[node - REP_NODE_FIRST].on_path--;
}

static void enter(struct path *w, uint32_t stack)
{
	uint32_t node = w->b->frame_node[w->b->stack[stack].frame];

	if (node >= REP_NODE_FIRST)
		w->count[node - REP_NODE_FIRST].on_path++;
}

/* Moves the path to another stack: up to the common caller, and down again. */
static void turn_to(struct path *w, uint32_t to)
{
	const struct tp_stack_node *stack = w->b->stack;
	uint32_t from = w->end;

	w->end = to;
	while (from != to) {
		w->steps++;
		if (stack[from].depth >= stack[to].depth) {
			leave(w, from);
			from = stack[from].parent;
		} else {
			enter(w, to);
			to = stack[to].parent;
		}
	}
}

static int put(void *ctx, uint32_t stack)
{
	struct path *w = ctx;
	struct rep_build *b = w->b;
	uint32_t frame = b->stack[stack].frame, node = b->frame_node[frame];
	struct count *c;

	w->end = stack;
	if (!node) {
		int code = rep_build_resolve(b, frame);

		if (!code)
			code = make_room(w);
		if (code)
			return code;
		node = b->frame_node[frame];
	}
	if (node == REP_NODE_SKIPPED)
		return 0;
	c = &w->count[node - REP_NODE_FIRST];
	if (c->on_path++)
		return 0;
	rep_add(&c->cum, b->sum[stack]);
	if (b->sum_div)
		rep_add(&c->cum_div, b->sum_div[stack]);
	return 0;
}

/* Prefetches the counts of a stack that comes soon. */
static void ask_for(const struct path *w, uint32_t stack)
{
	uint32_t node = stack < w->b->nstacks ? w->b->frame_node[w->b->stack[stack].frame] : 0;

	if (node >= REP_NODE_FIRST)
		__builtin_prefetch(&w->count[node - REP_NODE_FIRST], 1);
}

/* Computes cum stack by stack, in the order of the dictionary: mostly a stack follows its parent,
 * and the path hardly changes. Sets *slow, and stops, if it changes so much that a walk down the
 * tree is faster. */
static int cum_in_order(struct path *w, bool *slow)
{
	struct rep_build *b = w->b;
	uint64_t most = 8 * (uint64_t)b->nstacks + 1000;
	int code = 0;

	for (uint32_t i = 1; i < b->nstacks && !code && !*slow; i++) {
		ask_for(w, i + AHEAD);
		if (b->stack[i].parent != w->end)
			turn_to(w, b->stack[i].parent);
		code = put(w, i);
		*slow = w->steps > most;
	}
	return code;
}

static int cum_downwards(struct path *w)
{
	int code = rep_build_lists(w->b);

	if (!code)
		code = make_room(w);
	for (size_t i = 0; i < w->room; i++)
		w->count[i] = (struct count){0};
	return code ? code : rep_build_walk(w->b, put, leave, w);
}

int rep_build_cum(struct rep_build *b)
{
	struct path w = {.b = b};
	bool slow = false;
	int code = make_room(&w);

	if (!code)
		code = cum_in_order(&w, &slow);
	if (!code && slow)
		code = cum_downwards(&w);
	for (uint32_t i = 0; i < b->ndrafts && !code; i++) {
		b->draft[i].cum = w.count[i].cum;
		b->draft[i].cum_div = w.count[i].cum_div;
	}
	free(w.count);
	return code;
}

/* Returns, by stack node, the draft + 1 for which it counts: its own, or, for skipped lines, that
 * of the nearest caller. */
static uint32_t *nearest(const struct rep_build *b)
{
	uint32_t *near = tp_many(b->nstacks, sizeof(*near));

	if (!near)
		return NULL;
	near[0] = 0;
	for (uint32_t i = 1; i < b->nstacks; i++) {
		near[i] = rep_build_draft_at(b, i);
		if (!near[i])
			near[i] = near[b->stack[i].parent];
	}
	return near;
}

int rep_build_flat(struct rep_build *b)
{
	const struct tp_profile *p = b->v->profile;
	uint32_t *near = b->v->opt.no_inlines ? nearest(b) : NULL;

	if (b->v->opt.no_inlines && !near)
		return TP_ENOMEM;
	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t stack = p->stack[i] < b->nstacks ? p->stack[i] : 0, draft;

		if (!stack || (!rep_view_value(b->v, i) && !rep_view_divisor(b->v, i)))
			continue;
		draft = near ? near[stack] : rep_build_draft_at(b, stack);
		if (!draft)
			continue;
		rep_add(&b->draft[draft - 1].flat, rep_view_value(b->v, i));
		rep_add(&b->draft[draft - 1].flat_div, rep_view_divisor(b->v, i));
	}
	free(near);
	return 0;
}
