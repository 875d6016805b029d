#include "diff/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/big.h"
#include "profile/noise.h"

/* Sums may exceed 64 bits in profiles made up to do so; they wrap, as in pprof, and are marked. */
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

/* The value of a sample under `ratio`; *keep: something is left of it. */
static int64_t value_of(const struct tp_profile *p, size_t sample, size_t index,
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

/* ---- frames: flat at the leaf, cum from the tree of all stacks ---- */

struct tree {
	const struct tp_stack_node *node;
	uint32_t nodes;
	const uint32_t *key; /* by frame */
	int64_t *sum;	     /* of the samples at a node, then of its whole subtree */
	uint32_t *open;	     /* by key: how often it is on the path that is being walked */
	uint32_t *child, *sibling;
};

static void tree_release(struct tree *t)
{
	free(t->sum);
	free(t->open);
	free(t->child);
	free(t->sibling);
}

static int tree_init(struct tree *t, const struct tp_profile *p, const struct rep_key_map *map,
		     uint32_t keys)
{
	t->nodes = tp_dict_stacks(p->dict);
	t->node = tp_dict_stack_nodes(p->dict);
	t->key = map->frame;
	t->sum = tp_big_many(t->nodes, sizeof(*t->sum));
	t->open = calloc(keys, sizeof(*t->open));
	if (!t->sum || !t->open)
		return TP_ENOMEM;
	memset(t->sum, 0, t->nodes * sizeof(*t->sum));
	return 0;
}

static uint32_t key_of(const struct tree *t, uint32_t node)
{
	return t->key[t->node[node].frame];
}

/* The node nearest to the leaf that has a key: inlined frames may have none. */
static uint32_t leaf_key(const struct tree *t, uint32_t node)
{
	while (node && !key_of(t, node))
		node = t->node[node].parent;
	return node ? key_of(t, node) : 0;
}

/* A subtree counts for its key where the key is not on the path already. */
static void enter(struct tree *t, uint32_t node, int64_t *cum)
{
	uint32_t key = key_of(t, node);

	if (!t->open[key]++ && key)
		add(cum, key, t->sum[node]);
}

/* By lists of children; no recursion: stacks may be deep. */
static int walk_down(struct tree *t, int64_t *cum)
{
	uint32_t node = 0;

	t->child = calloc(t->nodes, sizeof(*t->child));
	t->sibling = calloc(t->nodes, sizeof(*t->sibling));
	if (!t->child || !t->sibling)
		return TP_ENOMEM;
	for (uint32_t i = t->nodes; i-- > 1;) {
		t->sibling[i] = t->child[t->node[i].parent];
		t->child[t->node[i].parent] = i;
	}
	for (;;) {
		uint32_t next = t->child[node];

		while (!next && node) {
			t->open[key_of(t, node)]--;
			next = t->sibling[node];
			node = t->node[node].parent;
		}
		if (!next)
			break;
		node = next;
		enter(t, node, cum);
	}
	return 0;
}

/* Changes t->open from the path to one node to that to another: up to the common caller, and down
 * again. Returns the number of steps. */
static uint64_t turn(struct tree *t, uint32_t from, uint32_t to)
{
	uint64_t steps = 0;

	for (; from != to; steps++) {
		if (t->node[from].depth >= t->node[to].depth) {
			t->open[key_of(t, from)]--;
			from = t->node[from].parent;
		} else {
			t->open[key_of(t, to)]++;
			to = t->node[to].parent;
		}
	}
	return steps;
}

/* Walks the nodes in their order: mostly a node follows its caller, and the path hardly changes.
 * Returns false if it changes so much that walking down by lists is faster. */
static bool walk_along(struct tree *t, int64_t *cum)
{
	uint64_t steps = 0, most = (uint64_t)t->nodes * 8 + 1000;

	for (uint32_t i = 1; i < t->nodes && steps <= most; i++) {
		steps += turn(t, i - 1, t->node[i].parent);
		enter(t, i, cum);
	}
	return steps <= most;
}

/* Subtrees are added up from the leaves (a parent's number is smaller than its children's), then
 * for their keys. */
static int walk(struct tree *t, uint32_t keys, int64_t *cum)
{
	for (uint32_t i = t->nodes; i-- > 1;)
		t->sum[t->node[i].parent] = plus(t->sum[t->node[i].parent], t->sum[i]);
	if (walk_along(t, cum))
		return 0;
	memset(t->open, 0, keys * sizeof(*t->open));
	memset(cum, 0, keys * sizeof(*cum));
	return walk_down(t, cum);
}

struct total {
	int64_t total, weight;
	bool large; /* a sum may have wrapped: no other is greater than the weight */
};

/* Values without their last bits: whatever is added up of them fits. */
#define ROUGHLY ((int64_t)1 << 32)

/* What is added up of each sample. */
struct addend {
	size_t index; /* of the type */
	const double *ratio;
	bool rough;
	/* By sample, its variance, in place of its value: as whole numbers of units. NULL: none. */
	const double *variance;
	double unit;
};

/* Sums by key. flat and cum have room for `keys` and are 0. */
static int sum_type(const struct tp_profile *p, const struct rep_key_map *map, uint32_t keys,
		    const struct addend *of, int64_t *flat, int64_t *cum, struct total *sum)
{
	struct tree t = {0};
	int code = map->frame ? tree_init(&t, p, map, keys) : 0;

	for (size_t i = 0; !code && i < p->nsamples; i++) {
		bool keep = true;
		int64_t v = of->variance ? (int64_t)ceil(of->variance[i] / of->unit)
					 : value_of(p, i, of->index, of->ratio, &keep);

		if (!keep || !v)
			continue;
		/* What scaling makes too large ends there. */
		sum->large |= v == INT64_MIN || (of->ratio && v == INT64_MAX);
		if (of->rough)
			v /= ROUGHLY;
		sum->total = plus(sum->total, v);
		sum->large |= __builtin_add_overflow(
		    sum->weight, v < 0 ? (int64_t)(0 - (uint64_t)v) : v, &sum->weight);
		if (!map->frame) {
			add_sample(p, map, i, v, flat);
		} else {
			add(flat, leaf_key(&t, p->stack[i]), v);
			t.sum[p->stack[i]] = plus(t.sum[p->stack[i]], v);
		}
	}
	if (!code && map->frame)
		code = walk(&t, keys, cum);
	else if (!code)
		memcpy(cum, flat, keys * sizeof(*cum));
	tree_release(&t);
	return code;
}

static int64_t divided(int64_t v, int64_t by)
{
	return by ? (by == -1 ? (int64_t)(0 - (uint64_t)v) : v / by) : v;
}

/* Sums of the type, then of what it is divided by: of each flat, then cum, by key. */
static int sum_all(const struct tp_profile *p, const struct rep_key_map *map, uint32_t keys,
		   const struct rep_tally_how *how, bool rough, int64_t *sums,
		   struct total total[2])
{
	int types = how->mean ? 2 : 1, code = 0;

	for (int i = 0; !code && i < types; i++)
		code = sum_type(
		    p, map, keys,
		    &(struct addend){
			.index = i ? 0 : how->index, .ratio = how->ratio, .rough = rough},
		    sums + (size_t)i * 2 * keys, sums + ((size_t)i * 2 + 1) * keys, &total[i]);
	return code;
}

/* All variances together, in whole numbers: they fit 64 bits however they are rounded up. */
#define UNITS 0x1p61

/* Adds up the variances, for the entries that there are. */
static int sum_variances(const struct tp_profile *p, const struct rep_key_map *map, uint32_t keys,
			 const struct rep_tally_how *how, struct rep_tally *t)
{
	const struct rep_noise noise = rep_noise_of(p, how->index);
	double *variance = tp_many(p->nsamples + 1, sizeof(*variance)), scale = 1;
	int64_t *sums = calloc((size_t)keys * 2, sizeof(*sums));
	int code = variance && sums ? 0 : TP_ENOMEM;

	if (how->ratio)
		scale = how->ratio[how->index] * how->ratio[how->index];
	for (size_t i = 0; !code && i < p->nsamples; i++) {
		variance[i] = rep_noise_variance(&noise, &p->value[i * p->ntypes]);
		t->variance += variance[i];
	}
	if (!code && t->variance > 0) {
		const struct addend of = {.variance = variance, .unit = t->variance / UNITS};
		struct total total = {0};

		code = sum_type(p, map, keys, &of, sums, sums + keys, &total);
		for (size_t i = 0; !code && i < t->n; i++)
			t->entry[i].variance =
			    (double)sums[(how->cum ? keys : 0) + t->entry[i].key] * of.unit * scale;
		t->variance *= scale;
	}
	free(variance);
	free(sums);
	return code;
}

/* A rough sum over n samples lacks less than 1 for each. */
static bool has_wrapped(int64_t rough, size_t n)
{
	uint64_t size = rough < 0 ? 0 - (uint64_t)rough : (uint64_t)rough;

	return size + n >= (uint64_t)(INT64_MAX / ROUGHLY);
}

/* By what sum_all found roughly; NULL: nothing can have wrapped. */
struct rough {
	const int64_t *sums;
	uint32_t keys;
	size_t samples;
};

static bool sum_wrapped(const struct rough *r, uint32_t key, int cum)
{
	const int64_t *at = r->sums ? r->sums + (size_t)cum * r->keys + key : NULL;

	return at &&
	       (has_wrapped(at[0], r->samples) || has_wrapped(at[(size_t)r->keys * 2], r->samples));
}

static int collect(struct rep_tally *t, const int64_t *flat, const int64_t *cum,
		   const struct rough *r, uint32_t keys)
{
	size_t n = 0;

	for (uint32_t i = 1; i < keys; i++)
		n += flat[i] || cum[i] || sum_wrapped(r, i, 0) || sum_wrapped(r, i, 1);
	t->entry = tp_many(n ? n : 1, sizeof(*t->entry));
	if (!t->entry)
		return TP_ENOMEM;
	for (uint32_t i = 1; i < keys; i++) {
		bool f = sum_wrapped(r, i, 0), c = sum_wrapped(r, i, 1);

		if (flat[i] || cum[i] || f || c)
			t->entry[t->n++] = (struct rep_tally_entry){.key = i,
								    .flat_wrapped = f,
								    .cum_wrapped = c,
								    .flat = flat[i],
								    .cum = cum[i]};
	}
	return 0;
}

int rep_tally(const struct tp_profile *p, const struct rep_key_map *map, uint32_t keys,
	      const struct rep_tally_how *how, struct rep_tally *t, struct tp_err *err)
{
	int64_t *sums = calloc((size_t)keys * 4, sizeof(*sums)), *roughly = NULL;
	struct total total[2] = {0}, about[2] = {0};
	int code = sums ? sum_all(p, map, keys, how, false, sums, total) : TP_ENOMEM;

	memset(t, 0, sizeof(*t));
	if (!code && (total[0].large || total[1].large)) {
		roughly = calloc((size_t)keys * 4, sizeof(*roughly));
		code = roughly ? sum_all(p, map, keys, how, true, roughly, about) : TP_ENOMEM;
		t->wrapped = has_wrapped(about[0].total, p->nsamples) ||
			     has_wrapped(about[1].total, p->nsamples);
	}
	for (size_t i = 0; !code && how->mean && i < (size_t)keys * 2; i++)
		sums[i] = divided(sums[i], sums[i + (size_t)keys * 2]);
	t->total = divided(total[0].total, total[1].total);
	t->weight = divided(total[0].weight, total[1].total);
	if (!code)
		code = collect(t, sums, sums + keys, &(struct rough){roughly, keys, p->nsamples},
			       keys);
	if (!code && how->noise && !how->mean)
		code = sum_variances(p, map, keys, how, t);
	free(sums);
	free(roughly);
	return code ? tp_nomem(err) : 0;
}

void rep_tally_release(struct rep_tally *t)
{
	free(t->entry);
	memset(t, 0, sizeof(*t));
}
