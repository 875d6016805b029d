/* The stacks of a dictionary. */
#include <stdlib.h>
#include <string.h>
/* So that the recorder does not load the library for a few hashes. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/many.h"
#include "base/big.h"
#include "decode/dict_tables.h"

#define WIDE 8 /* longest list of children */

static struct tp_stack_node *nodes_of(const struct tp_dict *d)
{
	return d->stacks.entry;
}

static bool same_stack(const struct tp_dict_set *s, uint32_t id, const void *key)
{
	const struct tp_stack_node *a = (const struct tp_stack_node *)s->entry + id, *b = key;

	return a->parent == b->parent && a->frame == b->frame;
}

static uint64_t hash_stack(uint32_t parent, uint32_t frame)
{
	return tp_mix64(2, (uint64_t)parent << 32 | frame);
}

/* Grows the links to the room for stacks. */
static int grow_links(struct tp_dict *d)
{
	struct tp_dict_links *p;

	if (d->links_room >= d->stacks.room)
		return 0;
	p = tp_big_many(d->stacks.room, sizeof(*p));
	if (!p)
		return TP_ENOMEM;
	if (d->stacks.indexed)
		memcpy(p, d->links, d->stacks.indexed * sizeof(*p));
	free(d->links);
	d->links = p;
	d->links_room = d->stacks.room;
	return 0;
}

/* Returns the child of `parent` with this frame, or 0 with *narrow telling whether it goes into the
 * list, not the hash table. A child that is found moves to the front: calls mostly repeat. */
static inline uint32_t find_child(struct tp_dict *d, uint32_t parent, uint32_t frame, bool *narrow)
{
	uint32_t at = d->links[parent].child, before = 0, n = 0;

	for (; at; before = at, at = d->links[at].next, n++) {
		if (d->links[at].frame != frame)
			continue;
		if (before) {
			d->links[before].next = d->links[at].next;
			d->links[at].next = d->links[parent].child;
			d->links[parent].child = at;
		}
		return at;
	}
	*narrow = n < WIDE;
	if (*narrow || !d->stacks.slots)
		return 0;
	return tp_dict_find(&d->stacks, hash_stack(parent, frame), same_stack,
			    &(struct tp_stack_node){parent, frame, 0}, &at);
}

/* Makes the node `id` findable; all nodes before it must be. */
static int link_node(struct tp_dict *d, uint32_t id, bool narrow)
{
	struct tp_stack_node n = nodes_of(d)[id];
	uint64_t hash = hash_stack(n.parent, n.frame);
	uint32_t at;

	if (!narrow) {
		if (tp_dict_slot_room(&d->stacks, 0))
			return TP_ENOMEM;
		tp_dict_find(&d->stacks, hash, same_stack, &n, &at);
		d->stacks.slots[at] = (struct tp_dict_slot){tp_dict_tag(&d->stacks, hash), id};
		d->stacks.used++;
	}
	d->links[id] = (struct tp_dict_links){0, narrow ? d->links[n.parent].child : 0, n.frame};
	if (narrow)
		d->links[n.parent].child = id;
	d->stacks.indexed = id + 1;
	return 0;
}

static int index_stacks(struct tp_dict *d)
{
	int code = grow_links(d);

	if (!code && !d->stacks.indexed) {
		d->links[0] = (struct tp_dict_links){0};
		d->stacks.indexed = 1;
	}
	while (!code && d->stacks.indexed < d->stacks.n) {
		const struct tp_stack_node *n = &nodes_of(d)[d->stacks.indexed];
		bool narrow;

		if (find_child(d, n->parent, n->frame, &narrow))
			d->links[d->stacks.indexed++] = (struct tp_dict_links){0};
		else
			code = link_node(d, d->stacks.indexed, narrow);
	}
	return code;
}

int tp_dict_stack(struct tp_dict *d, uint32_t parent, uint32_t frame, uint32_t *id)
{
	bool narrow;
	int code;

	/* Ids out of range count as 0, as in every look-up. */
	if (parent >= d->stacks.n)
		parent = 0;
	if (frame >= d->frames.n)
		frame = 0;
	if (d->stacks.indexed < d->stacks.n && index_stacks(d))
		return TP_ENOMEM;
	*id = find_child(d, parent, frame, &narrow);
	if (*id)
		return 0;
	code = tp_dict_room(&d->stacks, 1, sizeof(struct tp_stack_node));
	if (!code)
		code = grow_links(d);
	if (code)
		return code;
	nodes_of(d)[d->stacks.n] =
	    (struct tp_stack_node){parent, frame, nodes_of(d)[parent].depth + 1};
	code = link_node(d, d->stacks.n, narrow);
	if (!code)
		*id = d->stacks.n++;
	return code;
}

int tp_dict_append_path(struct tp_dict *d, uint32_t parent, const uint32_t *frame, size_t n,
			uint32_t *node)
{
	struct tp_stack_node *nodes;
	uint32_t depth;
	int code = tp_dict_room(&d->stacks, n, sizeof(*nodes));

	if (code)
		return code;
	if (parent >= d->stacks.n)
		parent = 0;
	nodes = nodes_of(d);
	depth = nodes[parent].depth;
	for (size_t i = 0; i < n; i++) {
		uint32_t id = d->stacks.n++;

		nodes[id] =
		    (struct tp_stack_node){parent, frame[i] < d->frames.n ? frame[i] : 0, ++depth};
		parent = node[i] = id;
	}
	return 0;
}

int tp_dict_append_stacks(struct tp_dict *d, const int64_t *parent, const int64_t *frame, size_t n)
{
	struct tp_stack_node *node;
	uint32_t first = d->stacks.n;
	int code = tp_dict_room(&d->stacks, n, sizeof(*node));

	if (code)
		return code;
	node = nodes_of(d);
	for (size_t i = 0; i < n; i++) {
		if ((uint64_t)parent[i] >= first + i || (uint64_t)frame[i] >= d->frames.n)
			return TP_EFORMAT;
		node[first + i] = (struct tp_stack_node){(uint32_t)parent[i], (uint32_t)frame[i],
							 node[parent[i]].depth + 1};
	}
	d->stacks.n = first + (uint32_t)n;
	return 0;
}

uint32_t tp_dict_stacks(const struct tp_dict *d)
{
	return d->stacks.n;
}

struct tp_stack_node tp_dict_stack_at(const struct tp_dict *d, uint32_t id)
{
	return nodes_of(d)[id < d->stacks.n ? id : 0];
}

const struct tp_stack_node *tp_dict_stack_nodes(const struct tp_dict *d)
{
	return nodes_of(d);
}

uint32_t tp_dict_stack_root(const struct tp_dict *d, uint32_t stack)
{
	const struct tp_stack_node *nodes = nodes_of(d);

	if (stack >= d->stacks.n)
		stack = 0;
	while (nodes[stack].parent)
		stack = nodes[stack].parent;
	return nodes[stack].frame;
}

/* ---- content hashes: XXH3 over little-endian bytes, the same on every machine ---- */

static uint64_t hash_words(const uint64_t *words, size_t n)
{
	uint8_t bytes[4 * 8];

	for (size_t i = 0; i < n * 8; i++)
		bytes[i] = (uint8_t)(words[i / 8] >> (i % 8 * 8));
	return XXH3_64bits(bytes, n * 8);
}

/* Hashes only name, file and line, so the hashes of a rebuilt program stay the same. A frame
 * without a function is identified by its address. */
static uint64_t hash_frame(const struct tp_dict *d, uint32_t frame)
{
	struct tp_frame f = tp_dict_frame_at(d, frame);
	struct tp_function fn = tp_dict_function_at(d, f.function);
	uint64_t words[4] = {tp_dict_string_hash(d, fn.name), tp_dict_string_hash(d, fn.file),
			     (uint64_t)f.line, 0};

	if (!f.function)
		words[3] = tp_dict_location_at(d, f.location).address;
	return hash_words(words, 4);
}

/* Computes all missing hashes; a node's needs that of its parent, whose id is smaller. */
static int hash_stacks(const struct tp_dict *d)
{
	struct tp_dict_hashes *h = d->hashes;
	uint64_t *frames = tp_many(d->frames.n, sizeof(*frames));
	uint64_t *p = frames ? tp_more(h->of, d->stacks.n, sizeof(*p)) : NULL;

	if (p)
		h->of = p;
	for (uint32_t f = 0; p && f < d->frames.n; f++)
		frames[f] = hash_frame(d, f);
	for (; p && h->n < d->stacks.n; h->n++) {
		struct tp_stack_node n = nodes_of(d)[h->n];

		p[h->n] = h->n ? hash_words((uint64_t[]){p[n.parent], frames[n.frame]}, 2) : 0;
	}
	free(frames);
	return p ? 0 : TP_ENOMEM;
}

uint64_t tp_dict_stack_hash(const struct tp_dict *d, uint32_t stack)
{
	if (stack >= d->stacks.n)
		stack = 0;
	if (stack >= d->hashes->n && hash_stacks(d))
		return 0;
	return d->hashes->of[stack];
}
