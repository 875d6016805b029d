/* The tables of a dictionary; private to dict*.c.
 * Entries of each kind are in one growing array, indexed by id. All but stacks are found by an
 * open-addressed hash table beside the array. A slot keeps a tag made from the hash: it gives the
 * slot's position, rejects most other entries without comparing them, and lets the table grow
 * without hashing them again.
 * Stacks are found through their parent, which has a list of up to WIDE children; further children
 * are in a hash table. Most nodes are added to a parent that is new and has no children, so there
 * is nothing to search.
 * Appended entries get their slots and lists at the first look-up. */
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
	uint32_t n;    /* entries, including the empty one */
	uint32_t room; /* for entries */
	struct tp_dict_slot *slots;
	uint32_t mask;	  /* slots - 1 */
	uint32_t used;	  /* slots */
	uint32_t indexed; /* entries with smaller ids can be found */
	uint64_t seed;	  /* of the tags */
};

struct tp_dict_string {
	const char *text;
	uint32_t size;
};

/* A stack's first child, its next sibling, and its frame, which is copied here so that a search for
 * a child stays within one array. */
struct tp_dict_links {
	uint32_t child, next, frame;
};

struct tp_dict {
	struct tp_dict_set strings, functions, locations, frames, stacks;
	struct tp_arena texts;
	bool changed;		     /* entries have been renamed: look-ups no longer find them */
	struct tp_dict_links *links; /* of the first stacks.indexed stacks */
	uint32_t links_room;
	/* Content hashes of the first n stacks, made at the first request; behind a pointer
	 * because that takes a const dictionary. */
	struct tp_dict_hashes {
		uint64_t *of;
		uint32_t n;
	} * hashes;
};

static inline uint32_t tp_dict_tag(const struct tp_dict_set *s, uint64_t hash)
{
	return (uint32_t)(tp_mix64(s->seed, hash) >> 32);
}

int tp_dict_room_slow(struct tp_dict_set *s, size_t more, size_t size);
int tp_dict_slots_grow(struct tp_dict_set *s, uint32_t entries);

/* Makes room for `more` entries of `size` bytes. Returns 0, TP_ENOMEM or TP_ELIMIT. */
static inline int tp_dict_room(struct tp_dict_set *s, size_t more, size_t size)
{
	return more <= s->room - s->n ? 0 : tp_dict_room_slow(s, more, size);
}

/* Makes room for one more slot, with at most half of them taken; if the table grows, it becomes
 * large enough for `entries`. Returns 0 or TP_ENOMEM. */
static inline int tp_dict_slot_room(struct tp_dict_set *s, uint32_t entries)
{
	return s->slots && s->used < (s->mask + 1) / 2 ? 0 : tp_dict_slots_grow(s, entries);
}

typedef bool (*tp_dict_same)(const struct tp_dict_set *s, uint32_t id, const void *key);

/* Returns the id of the entry with this content, or 0 with *at set to the slot for it. */
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
