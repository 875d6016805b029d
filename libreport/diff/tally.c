#include "diff/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums may exceed 64 bits in profiles made up to do so; they wrap, as in pprof. */
static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t scaled(int64_t v, double ratio)
{
	double d;

	if (ratio == 1)
		return v;
	d = round((double)v * ratio);
	return d >= 9223372036854775807.0    ? INT64_MAX
	       : d <= -9223372036854775808.0 ? INT64_MIN
					     : (int64_t)d;
}

int64_t rep_tally_value(const struct tp_profile *p, size_t sample, size_t index,
			const double *ratio, bool *keep)
{
	const int64_t *value = &p->value[sample * p->ntypes];
	bool ones = true;

	*keep = true;
	if (!ratio)
		return value[index];
	*keep = false;
	for (size_t i = 0; i < p->ntypes; i++) {
		ones = ones && ratio[i] == 1;
		/* As pprof has it: a type that stays as it is keeps no sample. */
		*keep = *keep || (ratio[i] != 1 && scaled(value[i], ratio[i]));
	}
	*keep = *keep || ones;
	return scaled(value[index], ratio[index]);
}

/* ---- labels and stacks: a sample is of its keys and nothing else ---- */

static void add(int64_t *flat, uint32_t key, int64_t v)
{
	flat[key] = plus(flat[key], v);
}

static void add_sample(const struct tp_profile *p, const struct rep_key_map *map, size_t sample,
		       int64_t v, int64_t *flat)
{
	uint32_t set;

	if (map->stack) {
		add(flat, map->stack[p->stack[sample]], v);
		return;
	}
	set = p->label_set[sample];
	for (uint32_t i = map->labels[set]; i < map->labels[set + 1]; i++)
		add(flat, map->label[i], v);
}

/* ---- frames: flat at the leaf, cum over each stack, or over the tree of all ---- */

struct tree {
	uint32_t nodes;
	int64_t *sum; /* of the samples at a node, then of its whole subtree */
	uint8_t *used;
	uint32_t *key, *parent, *child, *sibling;
	uint32_t *open; /* by key: how often it is on the path that is being walked */
};

static void tree_release(struct tree *t)
{
	free(t->sum);
	free(t->used);
	free(t->key);
	free(t->parent);
	free(t->child);
	free(t->sibling);
	free(t->open);
}

static int tree_init(struct tree *t, const struct tp_profile *p, const struct rep_key_map *map,
		     uint32_t keys)
{
	uint32_t n = t->nodes = tp_dict_stacks(p->dict);

	t->sum = calloc(n, sizeof(*t->sum));
	t->used = calloc(n, sizeof(*t->used));
	t->key = malloc(n * sizeof(*t->key));
	t->parent = malloc(n * sizeof(*t->parent));
	t->child = calloc(n, sizeof(*t->child));
	t->sibling = malloc(n * sizeof(*t->sibling));
	t->open = calloc(keys, sizeof(*t->open));
	if (!t->sum || !t->used || !t->key || !t->parent || !t->child || !t->sibling || !t->open)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct tp_stack_node s = tp_dict_stack_at(p->dict, i);

		t->key[i] = map->frame[s.frame];
		t->parent[i] = s.parent;
	}
	return 0;
}

/* The node nearest to the leaf that has a key: inlined frames may have none. */
static uint32_t leaf_key(const struct tree *t, uint32_t node)
{
	while (node && !t->key[node])
		node = t->parent[node];
	return t->key[node];
}

/* Subtrees are added up from the leaves (a parent's number is smaller than its children's), and
 * lists of children are made; then one walk over the tree, which counts a subtree for its key where
 * the key is not on the path already. No recursion: stacks may be deep. */
static void walk(struct tree *t, int64_t *cum)
{
	uint32_t node = 0;

	for (uint32_t i = t->nodes; i-- > 1;) {
		uint32_t parent = t->parent[i];

		if (!t->used[i])
			continue;
		t->used[parent] = 1;
		t->sum[parent] = plus(t->sum[parent], t->sum[i]);
		t->sibling[i] = t->child[parent];
		t->child[parent] = i;
	}
	for (;;) {
		uint32_t next = t->child[node];

		while (!next && node) {
			t->open[t->key[node]]--;
			next = t->sibling[node];
			node = t->parent[node];
		}
		if (!next)
			break;
		node = next;
		if (!t->open[t->key[node]]++ && t->key[node])
			add(cum, t->key[node], t->sum[node]);
	}
}

/* Counts a value for every key on the stack; `seen` has for each key the last sample (from 1) that
 * it was counted for. */
static void climb(const struct tp_stack_node *nodes, const struct rep_key_map *map, uint32_t node,
		  uint32_t sample, int64_t v, uint32_t *seen, int64_t *flat, int64_t *cum)
{
	bool leaf = true;

	while (node) {
		uint32_t key = map->frame[nodes[node].frame];

		if (key && leaf)
			add(flat, key, v);
		leaf = leaf && !key;
		if (key && seen[key] != sample) {
			seen[key] = sample;
			add(cum, key, v);
		}
		node = nodes[node].parent;
	}
}

/* Are the stacks, one by one, not much more than the tree of all of them? They may be much more:
 * many samples below one deep stack. */
static bool stacks_are_short(const struct tp_profile *p)
{
	uint64_t limit = 8 * (uint64_t)tp_dict_stacks(p->dict), frames = 0;

	for (size_t i = 0; i < p->nsamples && frames <= limit; i++)
		frames += tp_dict_stack_at(p->dict, p->stack[i]).depth;
	return frames <= limit && p->nsamples < UINT32_MAX;
}

/* Sums of one type by key. flat and cum have room for `keys`. */
static int sum_type(const struct tp_profile *p, const struct rep_key_map *map, uint32_t keys,
		    size_t index, const double *ratio, int64_t *flat, int64_t *cum, int64_t *total,
		    int64_t *weight)
{
	bool is_short = map->frame && stacks_are_short(p);
	uint32_t *seen = is_short ? calloc(keys, sizeof(*seen)) : NULL;
	struct tree t = {0};
	int code = is_short && !seen ? TP_ENOMEM : 0;

	if (!code && map->frame && !is_short)
		code = tree_init(&t, p, map, keys);
	for (size_t i = 0; !code && i < p->nsamples; i++) {
		bool keep;
		int64_t v = rep_tally_value(p, i, index, ratio, &keep);

		if (!keep || !v)
			continue;
		*total = plus(*total, v);
		*weight = plus(*weight, v < 0 ? (int64_t)(0 - (uint64_t)v) : v);
		if (!map->frame) {
			add_sample(p, map, i, v, flat);
		} else if (is_short) {
			climb(tp_dict_stack_nodes(p->dict), map, p->stack[i], (uint32_t)i + 1, v,
			      seen, flat, cum);
		} else {
			add(flat, leaf_key(&t, p->stack[i]), v);
			t.sum[p->stack[i]] = plus(t.sum[p->stack[i]], v);
			t.used[p->stack[i]] = 1;
		}
	}
	if (!code && t.sum)
		walk(&t, cum);
	else if (!code && !map->frame)
		memcpy(cum, flat, keys * sizeof(*cum));
	tree_release(&t);
	free(seen);
	return code;
}

static int64_t divided(int64_t v, int64_t by)
{
	return by ? (by == -1 ? (int64_t)(0 - (uint64_t)v) : v / by) : v;
}

static int collect(struct rep_tally *t, const int64_t *flat, const int64_t *cum, uint32_t keys)
{
	size_t n = 0;

	for (uint32_t i = 1; i < keys; i++)
		n += flat[i] || cum[i];
	t->entry = malloc((n ? n : 1) * sizeof(*t->entry));
	if (!t->entry)
		return TP_ENOMEM;
	for (uint32_t i = 1; i < keys; i++)
		if (flat[i] || cum[i])
			t->entry[t->n++] = (struct rep_tally_entry){i, flat[i], cum[i]};
	return 0;
}

int rep_tally(const struct tp_profile *p, const struct rep_key_map *map, uint32_t keys,
	      const struct rep_tally_how *how, struct rep_tally *t, struct tp_err *err)
{
	/* flat and cum of the type, then of what it is divided by */
	int64_t *sums = calloc((size_t)keys * 4, sizeof(*sums));
	int64_t total[2] = {0}, weight[2] = {0};
	int code = 0;

	memset(t, 0, sizeof(*t));
	for (int i = 0; sums && !code && i <= how->mean; i++)
		code = sum_type(p, map, keys, i ? 0 : how->index, how->ratio,
				sums + (size_t)i * 2 * keys, sums + ((size_t)i * 2 + 1) * keys,
				&total[i], &weight[i]);
	if (!sums)
		code = TP_ENOMEM;
	for (size_t i = 0; !code && how->mean && i < (size_t)keys * 2; i++)
		sums[i] = divided(sums[i], sums[i + (size_t)keys * 2]);
	t->total = divided(total[0], total[1]);
	t->weight = divided(weight[0], total[1]);
	if (!code)
		code = collect(t, sums, sums + keys, keys);
	free(sums);
	return code ? tp_err_set(err, code, TP_OFFSET_NONE, "out of memory") : 0;
}

void rep_tally_release(struct rep_tally *t)
{
	free(t->entry);
	memset(t, 0, sizeof(*t));
}
