#include "profile/graph/build.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/big.h"

int rep_fail(struct tp_err *err, int code)
{
	return tp_err_set(err, code, TP_OFFSET_NONE,
			  code == TP_ELIMIT ? "the profile is too large to be drawn up"
					    : "out of memory");
}

uint64_t rep_hash(const void *data, size_t size)
{
	return XXH3_64bits(data, size);
}

/* ---- drafts by key ---- */

static int grow_slots(struct rep_build *b)
{
	uint32_t n = b->nslots ? b->nslots * 2 : 1024, *slot;

	if (b->ndrafts * 2 < b->nslots)
		return 0;
	slot = calloc(n, sizeof(*slot));
	if (!slot)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < b->ndrafts; i++) {
		uint32_t at = (uint32_t)rep_hash(&b->key[i], sizeof(b->key[i]));

		for (at &= n - 1; slot[at]; at = (at + 1) & (n - 1))
			;
		slot[at] = i + 1;
	}
	free(b->slot);
	b->slot = slot;
	b->nslots = n;
	return 0;
}

static int grow_drafts(struct rep_build *b)
{
	size_t room = b->draft_room ? (size_t)b->draft_room * 2 : 256;
	struct rep_node_key *key;
	struct rep_draft *p;

	if (b->ndrafts < b->draft_room)
		return 0;
	if (room > (size_t)1 << 30)
		return TP_ELIMIT;
	p = realloc(b->draft, room * sizeof(*p));
	if (!p)
		return TP_ENOMEM;
	b->draft = p;
	key = realloc(b->key, room * sizeof(*key));
	if (!key)
		return TP_ENOMEM;
	b->key = key;
	b->draft_room = (uint32_t)room;
	return 0;
}

int rep_build_draft(struct rep_build *b, const struct rep_node_key *key, uint32_t *draft)
{
	int code = grow_slots(b);
	uint32_t at;

	if (!code)
		code = grow_drafts(b);
	if (code)
		return code;
	at = (uint32_t)rep_hash(key, sizeof(*key)) & (b->nslots - 1);
	for (; b->slot[at]; at = (at + 1) & (b->nslots - 1)) {
		*draft = b->slot[at] - 1;
		if (!memcmp(&b->key[*draft], key, sizeof(*key)))
			return 0;
	}
	*draft = b->ndrafts++;
	b->slot[at] = *draft + 1;
	b->draft[*draft] = (struct rep_draft){.kept = true};
	b->key[*draft] = *key;
	return 0;
}

/* ---- sums over the prefix tree ---- */

static void add(int64_t *to, int64_t value)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)value);
}

/* Marks the way from a stack to the root as used; `next` is 1 where it is, until the lists are
 * made.
 */
static void touch(struct rep_build *b, uint32_t stack)
{
	for (; stack && !b->next[stack]; stack = b->stack[stack].parent)
		b->next[stack] = 1;
}

static int allocate(struct rep_build *b)
{
	bool mean = b->v->opt.mean;
	size_t each = sizeof(*b->sum) * (mean ? 2 : 1) + sizeof(*b->child) + sizeof(*b->next);

	b->block = tp_big_alloc(b->nstacks * each);
	b->frame_node = calloc(b->nframes, sizeof(*b->frame_node));
	if (!b->block || !b->frame_node)
		return TP_ENOMEM;
	memset(b->block, 0, b->nstacks * each);
	b->sum = b->block;
	b->sum_div = mean ? b->sum + b->nstacks : NULL;
	b->child = (uint32_t *)(void *)(b->sum + b->nstacks * (mean ? 2 : 1));
	b->next = b->child + b->nstacks;
	return 0;
}

static void add_samples(struct rep_build *b)
{
	const struct tp_profile *p = b->v->profile;

	for (size_t i = 0; i < p->nsamples; i++) {
		int64_t value = rep_view_value(b->v, i), div = rep_view_divisor(b->v, i);
		uint32_t stack = p->stack[i];

		if ((!value && !div) || stack >= b->nstacks)
			continue;
		add(&b->sum[stack], value);
		if (b->sum_div)
			add(&b->sum_div[stack], div);
		touch(b, stack);
	}
}

/* A parent's number is smaller than its children's. */
static void add_up(struct rep_build *b)
{
	for (uint32_t i = b->nstacks - 1; i; i--) {
		uint32_t parent = b->stack[i].parent;

		if (!b->next[i])
			continue;
		add(&b->sum[parent], b->sum[i]);
		if (b->sum_div)
			add(&b->sum_div[parent], b->sum_div[i]);
		b->next[i] = b->child[parent];
		b->child[parent] = i;
	}
}

static int resolve(struct rep_build *b, uint32_t frame, uint32_t *node)
{
	struct tp_frame f = tp_dict_frame_at(b->v->profile->dict, frame);
	struct rep_node_key key;
	uint32_t draft;
	int code;

	if (rep_frame_skipped(b->v, &f)) {
		*node = REP_NODE_SKIPPED;
		return 0;
	}
	code = rep_node_key(b->v, frame, &key);
	if (!code)
		code = rep_build_draft(b, &key, &draft);
	if (code)
		return code;
	b->draft[draft].inlined |= f.inlined;
	*node = draft + REP_NODE_FIRST;
	return 0;
}

int rep_build_sums(struct rep_build *b)
{
	int code;

	b->nstacks = tp_dict_stacks(b->v->profile->dict);
	b->stack = tp_dict_stack_nodes(b->v->profile->dict);
	b->nframes = tp_dict_frames(b->v->profile->dict);
	code = allocate(b);
	if (code)
		return code;
	add_samples(b);
	for (uint32_t i = 1; i < b->nstacks && !code; i++) {
		uint32_t frame = b->stack[i].frame;

		if (b->next[i] && !b->frame_node[frame])
			code = resolve(b, frame, &b->frame_node[frame]);
	}
	if (!code)
		add_up(b);
	return code;
}
