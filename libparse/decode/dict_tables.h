/* What a dictionary is made of; private to dict*.c.
 *
 * Every kind of entry lives in one growing array, its id being its place. All but stacks are found
 * by an open-addressed hash table beside the array. A slot keeps a tag made from the hash: it finds
 * the slot, rejects most others without a look at the entry, and lets the table grow without
 * hashing anything again.
 *
 * Stacks are found through their parent: it begins a list of up to WIDE children, and only those of
 * parents with more are in a hash table. Most nodes are put on a parent that has just been made and
 * has no child yet, so that nothing is looked for at all.
 *
 * Entries that were appended get their slots and lists when something is first looked for. */
#ifndef TP_DECODE_DICT_TABLES_H
#define TP_DECODE_DICT_TABLES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/random.h"
#include "decode/dict.h"

struct tp_dict_slot {
	uint32_t tag; /* of the content */
	uint32_t id;  /* 0: free */
};

struct tp_dict_set {
	void *entry;
	uint32_t n;    /* entries, the empty one included */
	uint32_t room; /* for entries */
	struct tp_dict_slot *slots;
	uint32_t mask;	  /* slots - 1 */
	uint32_t used;	  /* slots */
	uint32_t indexed; /* entries below it can be found */
	uint64_t seed;	  /* of the tags */
};

struct tp_dict_string {
	const char *text;
	uint32_t size;
};

/* Of a stack's children, and its place among its parent's; its frame once more, so that looking for
 * a child stays within one array. */
struct tp_dict_links {
	uint32_t child, next, frame;
};

struct tp_dict {
	struct tp_dict_set strings, functions, locations, frames, stacks;
	struct tp_arena texts;
	struct tp_dict_links *links; /* of stacks.indexed of them */
	uint32_t links_room;
	/* Content hashes of the first n stacks: made when one is asked for, which changes nothing
	 * else. */
	struct tp_dict_hashes {
		uint64_t *of;
		uint32_t n;
	} * hashes;
};

static inline uint32_t tp_dict_tag(const struct tp_dict_set *s, uint64_t hash)
{
	return (uint32_t)(tp_mix64(s->seed, hash) >> 32);
}

/* Room for `more` entries of `size` bytes: TP_ENOMEM, TP_ELIMIT. */
int tp_dict_room(struct tp_dict_set *s, size_t more, size_t size);
/* Makes room for one more slot, so that at most half of them are taken. If the table grows, it grows
 * to the size that `entries` entries need. Returns 0 or TP_ENOMEM. */
int tp_dict_slot_room(struct tp_dict_set *s, uint32_t entries);

typedef bool (*tp_dict_same)(const struct tp_dict_set *s, uint32_t id, const void *key);

/* The id of the entry with this content, or 0; *at is then where its slot goes. */
static inline uint32_t tp_dict_find(const struct tp_dict_set *s, uint64_t hash, tp_dict_same same,
				    const void *key, uint32_t *at)
{
	uint32_t tag = tp_dict_tag(s, hash);

	for (*at = tag & s->mask; s->slots[*at].id; *at = (*at + 1) & s->mask)
		if (s->slots[*at].tag == tag && same(s, s->slots[*at].id, key))
			return s->slots[*at].id;
	return 0;
}

#endif
