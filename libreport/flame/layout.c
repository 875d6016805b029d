#include "flame/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "flame/change.h"
#include "flame/order.h"

/* Weights are counted by size: four buckets for each power of two. */
#define BUCKETS 256

static unsigned bucket_of(int64_t weight)
{
	unsigned top;

	if (weight < 4)
		return (unsigned)weight;
	top = 63u - (unsigned)__builtin_clzll((unsigned long long)weight);
	return 4 * (top - 1) + (unsigned)(weight >> (top - 2) & 3);
}

/* Returns the least weight in a bucket. */
static int64_t bucket_floor(unsigned bucket)
{
	return bucket < 4 ? bucket : (int64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

/* Selects the shown frames: all of weight `least` or more, and those of weight `ties` or more down
 * to level `depth`. A parent weighs at least as much as its child, so all frames above a shown one
 * are shown. */
struct choice {
	int64_t least, ties;
	uint32_t depth;
};

static bool chosen(const struct choice *c, const struct rep_flame_tree *t, uint32_t node)
{
	int64_t weight = rep_flame_weight(t, node);

	return weight >= c->least || (weight >= c->ties && t->node[node].depth <= c->depth);
}

/* Many frames have the same weight (one sample). Shows the upper levels of the first bucket that
 * exceeds the budget. */
static int afford_ties(const struct rep_flame_tree *t, const struct rep_flame_layout_options *opt,
		       const uint8_t *widest, unsigned b, size_t left, struct choice *choice)
{
	uint32_t nnames = tp_dict_strings(t->names), levels = t->opt.max_depth + 1;
	uint32_t *highest = tp_many(nnames, sizeof(*highest)); /* per name, in this bucket */
	size_t *cost = calloc((size_t)levels + 1, sizeof(*cost));
	uint32_t d = 0;

	if (!highest || !cost) {
		free(highest);
		free(cost);
		return TP_ENOMEM;
	}
	memset(highest, 0xff, nnames * sizeof(*highest));
	for (uint32_t i = 1; i < t->n; i++) {
		const struct rep_flame_node *n = &t->node[i];

		if (bucket_of(rep_flame_weight(t, i)) != b)
			continue;
		cost[n->depth] += opt->per_frame;
		if (opt->repeated)
			cost[n->depth] += tp_dict_text(t->names, n->name).size;
		else if (n->depth < highest[n->name])
			highest[n->name] = n->depth;
	}
	for (uint32_t i = 0; i < nnames && !opt->repeated; i++)
		if (widest[i] == b && highest[i] <= levels)
			cost[highest[i]] += tp_dict_text(t->names, i).size;
	for (; d < levels && cost[d + 1] <= left; d++)
		left -= cost[d + 1];
	choice->ties = bucket_floor(b);
	choice->depth = d;
	free(highest);
	free(cost);
	return 0;
}

/* Chooses the frames that fit into the budget. */
static int afford(const struct rep_flame_tree *t, const struct rep_flame_layout_options *opt,
		  struct choice *choice)
{
	size_t cost[BUCKETS] = {0}, sum = 0;
	uint32_t nnames = tp_dict_strings(t->names);
	uint8_t *widest = calloc(nnames, 1); /* per name: the largest bucket of its frames */
	int code = 0;
	unsigned b;

	if (!widest)
		return TP_ENOMEM;
	for (uint32_t i = 1; i < t->n; i++) {
		const struct rep_flame_node *n = &t->node[i];

		b = bucket_of(rep_flame_weight(t, i));
		cost[b] += opt->per_frame;
		if (opt->repeated)
			cost[b] += tp_dict_text(t->names, n->name).size;
		else if (widest[n->name] < b)
			widest[n->name] = (uint8_t)b;
	}
	for (uint32_t i = 0; i < nnames && !opt->repeated; i++)
		cost[widest[i]] += widest[i] ? tp_dict_text(t->names, i).size : 0;
	for (b = BUCKETS; b > 1 && sum + cost[b - 1] <= opt->budget; b--)
		sum += cost[b - 1];
	if (b > 1 && (b == BUCKETS || bucket_floor(b) > choice->least)) {
		if (bucket_floor(b - 1) >= choice->least)
			code = afford_ties(t, opt, widest, b - 1, opt->budget - sum, choice);
		choice->least = b == BUCKETS ? INT64_MAX : bucket_floor(b);
	}
	free(widest);
	return code;
}

/* ---- frames, depth first ---- */

struct laying {
	const struct rep_flame_tree *tree;
	const struct rep_flame_layout_options *opt;
	struct rep_flame_layout *out;
	struct choice choice;
	struct rep_flame_ranked *sibling;
	size_t nsiblings, sibling_room;
	struct rep_flame_frame *todo; /* a stack: the next frame on top */
	size_t ntodo, todo_room, frame_room;
};

static int push(struct laying *l, const struct rep_flame_frame *f)
{
	int code = tp_grow_raw(&l->todo, &l->todo_room, l->ntodo, sizeof(*f));

	if (!code)
		l->todo[l->ntodo++] = *f;
	return code;
}

/* Lists the shown children in order, and adds up the others in `fold`. */
static int gather(struct laying *l, uint32_t parent, struct rep_flame_frame *fold,
		  double *variance)
{
	const struct rep_flame_tree *t = l->tree;

	l->nsiblings = 0;
	for (uint32_t c = t->node[parent].child; c; c = t->node[c].next) {
		const struct rep_flame_node *n = &t->node[c];
		struct tp_text name = tp_dict_text(t->names, n->name);

		if (!chosen(&l->choice, t, c)) {
			tp_sum(&fold->own, rep_flame_weight(t, c));
			for (int side = 0; side < REP_FLAME_SIDES; side++)
				tp_sum(&fold->value[side], rep_flame_total(t, c, side));
			*variance += rep_flame_variance(t, c);
			continue;
		}
		if (tp_grow_raw(&l->sibling, &l->sibling_room, l->nsiblings, sizeof(*l->sibling)))
			return TP_ENOMEM;
		l->sibling[l->nsiblings++] =
		    (struct rep_flame_ranked){rep_flame_weight(t, c), name, c};
	}
	if (l->nsiblings > 1)
		qsort(l->sibling, l->nsiblings, sizeof(*l->sibling),
		      l->opt->by_name ? rep_flame_by_name : rep_flame_by_weight);
	return 0;
}

static struct rep_flame_frame frame_of(const struct rep_flame_tree *t, uint32_t node, double noise)
{
	int64_t whole = rep_flame_weight(t, 0);
	struct rep_flame_frame f = {
	    .node = node,
	    .depth = t->node[node].depth,
	    .own = rep_flame_own_weight(t, node),
	    .width = node && whole ? (double)rep_flame_weight(t, node) / (double)whole : 1,
	};

	for (int side = 0; side < REP_FLAME_SIDES; side++) {
		f.value[side] = rep_flame_total(t, node, side);
		f.rest[side] = rep_flame_self(t, node, side);
	}
	if (t->opt.compared)
		f.step = rep_flame_change_step(f.value, rep_flame_variance(t, node), noise);
	return f;
}

/* Adds the frame to the list, and pushes its children, the leftmost last. */
static int lay(struct laying *l, const struct rep_flame_frame *f)
{
	const struct rep_flame_tree *t = l->tree;
	struct rep_flame_layout *out = l->out;
	int64_t weight = rep_flame_weight(t, 0);
	double whole = weight ? (double)weight : 1, x = f->x;
	struct rep_flame_frame fold = {.node = f->node, .depth = f->depth + 1, .fold = true};
	double variance = 0;
	size_t bottom = l->ntodo;

	if (tp_grow_raw(&out->frame, &l->frame_room, out->n, sizeof(*f)))
		return TP_ENOMEM;
	out->frame[out->n++] = *f;
	if (out->levels < f->depth + 1)
		out->levels = f->depth + 1;
	if (f->fold)
		return 0;
	if (gather(l, f->node, &fold, &variance))
		return TP_ENOMEM;
	tp_sum(&out->hidden, fold.own);
	for (size_t i = 0; i < l->nsiblings; i++) {
		struct rep_flame_frame child = frame_of(t, l->sibling[i].id, l->opt->noise);

		child.x = x;
		x += child.width;
		if (push(l, &child))
			return TP_ENOMEM;
	}
	if ((fold.own && fold.own >= l->choice.least) ||
	    (l->opt->every_fold &&
	     (fold.own || fold.value[REP_FLAME_NEW] || fold.value[REP_FLAME_OLD]))) {
		fold.x = x;
		memcpy(fold.rest, fold.value, sizeof(fold.rest));
		fold.width = (double)fold.own / whole;
		if (t->opt.compared)
			fold.step = rep_flame_change_step(fold.value, variance, l->opt->noise);
		if (push(l, &fold))
			return TP_ENOMEM;
	} else {
		struct rep_flame_frame *self = &out->frame[out->n - 1];

		tp_sum(&self->own, fold.own);
		for (int side = 0; side < REP_FLAME_SIDES; side++)
			tp_sum(&self->rest[side], fold.value[side]);
	}
	for (size_t a = bottom, b = l->ntodo; a + 1 < b; a++, b--) {
		struct rep_flame_frame swap = l->todo[a];

		l->todo[a] = l->todo[b - 1];
		l->todo[b - 1] = swap;
	}
	return 0;
}

int rep_flame_layout(const struct rep_flame_tree *t, const struct rep_flame_layout_options *opt,
		     struct rep_flame_layout *out, struct tp_err *err)
{
	int64_t whole = rep_flame_weight(t, 0);
	double share = opt->min_width * (double)whole;
	struct laying l = {.tree = t, .opt = opt, .out = out, .choice = {1, 1, UINT32_MAX}};
	struct rep_flame_frame first = frame_of(t, 0, opt->noise);
	size_t nodes = 0;
	int code = 0;

	memset(out, 0, sizeof(*out));
	if (share > 1)
		l.choice.least =
		    share >= 0x1p63 ? INT64_MAX : (int64_t)share + (share > (double)(int64_t)share);
	if (opt->everything)
		l.choice.least = 0;
	l.choice.ties = l.choice.least;
	if (opt->budget)
		code = afford(t, opt, &l.choice);
	if (!code)
		code = push(&l, &first);
	while (!code && l.ntodo) {
		struct rep_flame_frame f = l.todo[--l.ntodo];

		nodes += !f.fold;
		code = lay(&l, &f);
	}
	free(l.todo);
	free(l.sibling);
	if (code)
		return tp_nomem(err);
	out->folded = t->n - nodes;
	if (whole) {
		out->limit = (double)l.choice.least / (double)whole;
		out->hidden_share = (double)out->hidden / (double)whole;
	}
	return 0;
}

void rep_flame_layout_release(struct rep_flame_layout *l)
{
	free(l->frame);
	memset(l, 0, sizeof(*l));
}
