#include "base/many.h"
#include "profile/graph/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/big.h"

/* ---- drafts by key ---- */

/* Adds a draft, but to none of the tables. */
static int append(struct rep_build *b, const struct rep_node_key *key, uint32_t *draft)
{
	if (b->ndrafts >= TP_TABLE_ROWS)
		return TP_ELIMIT;
	if (tp_grow_raw(&b->draft, &b->draft_room, b->ndrafts, sizeof(*b->draft)) ||
	    tp_grow_raw(&b->key, &b->key_room, b->ndrafts, sizeof(*b->key)))
		return TP_ENOMEM;
	*draft = b->ndrafts++;
	b->draft[*draft] = (struct rep_draft){.kept = true};
	b->key[*draft] = *key;
	return 0;
}

int rep_build_draft(struct rep_build *b, const struct rep_node_key *key, uint32_t *draft)
{
	uint64_t hash = tp_hash_bytes(0, key, sizeof(*key));
	int code;

	for (struct tp_probe p = {0}; tp_table_next(&b->by_key, hash, &p);) {
		if (!memcmp(&b->key[p.row], key, sizeof(*key))) {
			*draft = p.row;
			return 0;
		}
	}
	code = append(b, key, draft);
	return code ? code : tp_table_add(&b->by_key, hash, *draft);
}

/* ---- sums over the prefix tree ---- */

static int allocate(struct rep_build *b)
{
	bool mean = b->v->opt.mean;
	size_t size = b->nstacks * sizeof(*b->sum) * (mean ? 2 : 1);

	b->block = tp_big_alloc(size);
	b->frame_node = calloc(b->nframes, sizeof(*b->frame_node));
	if (!b->block || !b->frame_node)
		return TP_ENOMEM;
	memset(b->block, 0, size);
	b->sum = b->block;
	b->sum_div = mean ? b->sum + b->nstacks : NULL;
	if (b->v->opt.granularity != REP_FUNCTIONS || b->v->traits.object_names)
		return 0;
	b->nnames = tp_dict_strings(b->v->profile->dict);
	b->by_name = calloc(b->nnames, sizeof(*b->by_name));
	b->frame_name = tp_many(b->nframes, sizeof(*b->frame_name));
	return b->by_name && b->frame_name ? 0 : TP_ENOMEM;
}

/* Reads what resolving needs of each frame. The tree has frames in any order; reading them in
 * sequence costs far less memory traffic. */
static void read_frames(struct rep_build *b)
{
	const struct tp_dict *d = b->v->profile->dict;

	for (uint32_t i = 0; b->frame_name && i < b->nframes; i++) {
		struct tp_frame f = tp_dict_frame_at(d, i);
		uint32_t name = tp_dict_function_at(d, f.function).name;

		b->frame_name[i] = rep_frame_skipped(b->v, &f) || name >= b->nnames
				       ? 0
				       : name << 1 | (f.inlined != 0);
	}
}

int rep_build_sums(struct rep_build *b)
{
	const struct tp_profile *p = b->v->profile;
	int code;

	b->nstacks = tp_dict_stacks(p->dict);
	b->stack = tp_dict_stack_nodes(p->dict);
	b->nframes = tp_dict_frames(p->dict);
	code = allocate(b);
	if (code)
		return code;
	read_frames(b);
	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t stack = p->stack[i] < b->nstacks ? p->stack[i] : 0;

		rep_add(&b->sum[stack], rep_view_value(b->v, i));
		if (b->sum_div)
			rep_add(&b->sum_div[stack], rep_view_divisor(b->v, i));
	}
	/* A parent's number is smaller than its children's. */
	for (uint32_t i = b->nstacks - 1; i; i--) {
		rep_add(&b->sum[b->stack[i].parent], b->sum[i]);
		if (b->sum_div)
			rep_add(&b->sum_div[b->stack[i].parent], b->sum_div[i]);
	}
	return 0;
}

/* Functions with a name are distinguished by the name alone, which saves a search by key. */
static int resolve_name(struct rep_build *b, uint32_t name, uint32_t *draft)
{
	struct rep_node_key key = {.name = name};
	int code = 0;

	*draft = b->by_name[name] - 1;
	if (!b->by_name[name])
		code = append(b, &key, draft);
	if (!code)
		b->by_name[name] = *draft + 1;
	return code;
}

static int resolve_key(struct rep_build *b, uint32_t frame)
{
	struct tp_frame f = tp_dict_frame_at(b->v->profile->dict, frame);
	struct rep_node_key key;
	uint32_t draft;
	int code;

	if (rep_frame_skipped(b->v, &f)) {
		b->frame_node[frame] = REP_NODE_SKIPPED;
		return 0;
	}
	code = rep_node_key(b->v, frame, &key);
	if (!code)
		code = rep_build_draft(b, &key, &draft);
	if (code)
		return code;
	b->draft[draft].inlined |= f.inlined;
	b->frame_node[frame] = draft + REP_NODE_FIRST;
	return 0;
}

int rep_build_resolve(struct rep_build *b, uint32_t frame)
{
	uint32_t name = b->frame_name ? b->frame_name[frame] : 0, draft;
	int code;

	if (!(name >> 1))
		return resolve_key(b, frame);
	code = resolve_name(b, name >> 1, &draft);
	if (code)
		return code;
	b->draft[draft].inlined |= name & 1;
	b->frame_node[frame] = draft + REP_NODE_FIRST;
	return 0;
}

/* ---- the tree downwards ---- */

/* Marks the path from a stack to the root as used. Until the lists are made, `next` is 1 for used
 * nodes. */
static void touch(struct rep_build *b, uint32_t stack)
{
	for (; stack && !b->next[stack]; stack = b->stack[stack].parent)
		b->next[stack] = 1;
}

int rep_build_lists(struct rep_build *b)
{
	const struct tp_profile *p = b->v->profile;
	int code = 0;

	if (b->child)
		return 0;
	b->child = calloc((size_t)b->nstacks * 2, sizeof(*b->child));
	if (!b->child)
		return TP_ENOMEM;
	b->next = b->child + b->nstacks;
	for (size_t i = 0; i < p->nsamples; i++)
		if (p->stack[i] < b->nstacks &&
		    (rep_view_value(b->v, i) || rep_view_divisor(b->v, i)))
			touch(b, p->stack[i]);
	for (uint32_t i = b->nstacks - 1; i && !code; i--) {
		uint32_t parent = b->stack[i].parent;

		if (!b->next[i])
			continue;
		b->next[i] = b->child[parent];
		b->child[parent] = i;
		if (!b->frame_node[b->stack[i].frame])
			code = rep_build_resolve(b, b->stack[i].frame);
	}
	return code;
}
