#include "flame/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "base/sum.h"
#include "flame/inside.h"

#define FEW 8 /* children that are searched one by one */

int rep_flame_tree_init(struct rep_flame_tree *t, const struct rep_flame_tree_options *opt,
			struct tp_err *err)
{
	memset(t, 0, sizeof(*t));
	t->opt = *opt;
	if (!t->opt.max_depth)
		t->opt.max_depth = REP_FLAME_MAX_DEPTH;
	t->seed = tp_seed();
	t->room = 1024;
	t->names = tp_dict_new();
	t->node = tp_many(t->room, sizeof(*t->node));
	if (!t->names || !t->node)
		return tp_nomem(err);
	memset(t->node, 0, sizeof(*t->node));
	t->n = 1;
	return 0;
}

void rep_flame_tree_release(struct rep_flame_tree *t)
{
	tp_dict_free(t->names);
	free(t->node);
	tp_table_release(&t->by_name);
	free(t->weight);
	free(t->variance);
	for (int side = 0; side < REP_FLAME_SIDES; side++) {
		free(t->value[side]);
		free(t->frame[side]);
	}
	memset(t, 0, sizeof(*t));
}

/* ---- nodes ---- */

static uint64_t hash(const struct rep_flame_tree *t, uint32_t parent, uint32_t name)
{
	return tp_mix64(t->seed, (uint64_t)parent << 32 | name);
}

int rep_flame_tree_reserve(struct rep_flame_tree *t, uint32_t more)
{
	uint64_t want = (uint64_t)t->n + more, room = t->room;
	struct rep_flame_node *node;

	if (want > REP_FLAME_MAX_NODES)
		return TP_ELIMIT;
	while (room < want)
		room *= 2;
	if (room == t->room)
		return 0;
	node =
	    room <= SIZE_MAX / sizeof(*node) ? tp_more(t->node, (size_t)room, sizeof(*node)) : NULL;
	if (!node)
		return TP_ENOMEM;
	t->node = node;
	t->room = (uint32_t)room;
	return 0;
}

/* Most nodes have few children, which are searched; children of other nodes are in a table. */
static uint32_t look_up(const struct rep_flame_tree *t, uint32_t parent, uint32_t name)
{
	uint64_t h;

	if (t->node[parent].nchildren <= FEW) {
		uint32_t c = t->node[parent].child;

		while (c && t->node[c].name != name)
			c = t->node[c].next;
		return c;
	}
	h = hash(t, parent, name);
	for (struct tp_probe p = {0}; tp_table_next(&t->by_name, h, &p);)
		if (t->node[p.row].parent == parent && t->node[p.row].name == name)
			return p.row;
	return 0;
}

/* Adds a new node to the table if its parent has many children, and its siblings when they become
 * many. */
static int enter(struct rep_flame_tree *t, uint32_t parent, uint32_t name, uint32_t node)
{
	int code = 0;

	if (t->node[parent].nchildren < FEW)
		return 0;
	if (t->node[parent].nchildren == FEW) {
		code = tp_table_reserve(&t->by_name, FEW + 1);
		for (uint32_t c = t->node[parent].child; c && !code; c = t->node[c].next)
			code = tp_table_add(&t->by_name, hash(t, parent, t->node[c].name), c);
	}
	return code ? code : tp_table_add(&t->by_name, hash(t, parent, name), node);
}

int rep_flame_tree_child(struct rep_flame_tree *t, uint32_t parent, uint32_t name, uint32_t *id)
{
	struct rep_flame_node *up;
	int code = 0;

	*id = look_up(t, parent, name);
	if (*id)
		return 0;
	if (t->n == t->room)
		code = rep_flame_tree_reserve(t, 1);
	if (!code)
		code = enter(t, parent, name, t->n);
	if (code)
		return code;
	up = &t->node[parent];
	*id = t->n++;
	t->node[*id] = (struct rep_flame_node){
	    .parent = parent, .next = up->child, .name = name, .depth = up->depth + 1};
	up->child = *id;
	up->nchildren++;
	return 0;
}

uint32_t rep_flame_tree_next(const struct rep_flame_tree *t, uint32_t node, bool skip)
{
	if (!skip && t->node[node].child)
		return t->node[node].child;
	while (node && !t->node[node].next)
		node = t->node[node].parent;
	return node ? t->node[node].next : 0;
}

/* ---- sums ---- */

int rep_flame_tree_values(struct rep_flame_tree *t)
{
	for (int side = 0; side < (t->opt.compared ? REP_FLAME_SIDES : 1); side++) {
		struct rep_flame_value *v = tp_more(t->value[side], t->n, sizeof(*v));

		if (!v)
			return TP_ENOMEM;
		t->value[side] = v;
		memset(v + t->valued, 0, (t->n - t->valued) * sizeof(*v));
	}
	if (t->opt.compared) {
		double *variance = tp_more(t->variance, t->n, sizeof(*variance));

		if (!variance)
			return TP_ENOMEM;
		t->variance = variance;
		for (uint32_t i = t->valued; i < t->n; i++)
			variance[i] = 0;
	}
	t->valued = t->n;
	return 0;
}

int64_t rep_flame_own_weight(const struct rep_flame_tree *t, uint32_t node)
{
	int64_t now = rep_flame_magnitude(rep_flame_self(t, node, REP_FLAME_NEW));
	int64_t old = rep_flame_magnitude(rep_flame_self(t, node, REP_FLAME_OLD));

	if (t->opt.width == REP_FLAME_WIDTH_NEW)
		return now;
	if (t->opt.width == REP_FLAME_WIDTH_OLD)
		return old;
	return now > old ? now : old;
}

bool rep_flame_has_negative(const struct rep_flame_tree *t)
{
	for (uint32_t i = 0; t->value[REP_FLAME_NEW] && i < t->n; i++)
		if (t->value[REP_FLAME_NEW][i].self < 0)
			return true;
	return false;
}

int rep_flame_tree_sum(struct rep_flame_tree *t, struct tp_err *err)
{
	if (rep_flame_tree_values(t))
		return tp_nomem(err);
	for (int side = 0; side < REP_FLAME_SIDES && t->value[side]; side++) {
		struct rep_flame_value *v = t->value[side];

		for (uint32_t i = 0; i < t->n; i++)
			v[i].total = v[i].self;
		for (uint32_t i = t->n - 1; i > 0; i--)
			tp_sum(&v[t->node[i].parent].total, v[i].total);
	}
	for (uint32_t i = t->n - 1; i > 0 && t->variance; i--)
		t->variance[t->node[i].parent] += t->variance[i];
	/* Weights are the totals if there is no comparison and no negative value. */
	if (!t->opt.compared && !rep_flame_has_negative(t))
		return 0;
	t->weight = tp_many(t->n, sizeof(*t->weight));
	if (!t->weight)
		return tp_nomem(err);
	for (uint32_t i = 0; i < t->n; i++)
		t->weight[i] = rep_flame_own_weight(t, i);
	for (uint32_t i = t->n - 1; i > 0; i--)
		tp_sum(&t->weight[t->node[i].parent], t->weight[i]);
	return 0;
}

int rep_flame_tree_by_name(const struct rep_flame_tree *t, struct rep_flame_sum *sums,
			   struct tp_err *err)
{
	/* Number of times a name is on the path to the current node. */
	uint32_t *on_path = calloc(tp_dict_strings(t->names), sizeof(*on_path));
	uint32_t at = 0, next;

	if (!on_path)
		return tp_nomem(err);
	for (; (next = rep_flame_tree_next(t, at, false)); at = next) {
		const struct rep_flame_node *n = &t->node[next];

		/* Leave the nodes in between. */
		for (; at != n->parent; at = t->node[at].parent)
			on_path[t->node[at].name]--;
		for (int side = 0; side < REP_FLAME_SIDES; side++) {
			tp_sum(&sums[n->name].self[side], rep_flame_self(t, next, side));
			if (!on_path[n->name])
				tp_sum(&sums[n->name].total[side], rep_flame_total(t, next, side));
		}
		on_path[n->name]++;
	}
	free(on_path);
	return 0;
}
