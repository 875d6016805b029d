/* Tables that find an entry of the arena by a hash. They are open-addressed and have levels. The first level is
 * enough for most programs, and each further one is four times as large. So a short program does not pay for
 * memory that it will not use, and nothing ever moves: lookups take no lock. Only adding an entry does (the
 * caller's), once in its life.
 *
 * A place (0: free) has the entry's number, above 0, in its lower bits and a part of its hash in the others, so
 * that other entries are rarely looked at. */
#ifndef RECORD_CORE_TABLE_H
#define RECORD_CORE_TABLE_H

#include "tprof-record/core/inside.h"

enum { REC_ENTRY_BITS = 23, REC_PROBES = 64 };

struct rec_table {
	_Atomic uint32_t *place;
	struct rec_levels *levels;
	uint32_t most; /* levels */
};

typedef bool rec_is_entry(uint32_t entry, const void *key);

/* Returns the entry of the key, or 0, and the place where it would go (NULL: that part of the last level is
 * crowded). */
static inline __attribute__((always_inline)) uint32_t
rec_table_find(const struct rec_table *t, uint64_t hash, rec_is_entry *is, const void *key,
	       _Atomic uint32_t **free)
{
	uint32_t levels = atomic_load_explicit(&t->levels->n, memory_order_acquire), level;

	hash *= 0x9e3779b97f4a7c15u;
	*free = NULL;
	for (level = 0; level < levels; level++) {
		_Atomic uint32_t *place = t->place + REC_LEVELS_SIZE(level);
		uint32_t mask = (1u << (14 + 2 * level)) - 1, i = (uint32_t)(hash >> 28), tries;

		*free = NULL;
		for (tries = 0; tries < REC_PROBES; tries++, i++) {
			uint32_t there =
			    atomic_load_explicit(&place[i & mask], memory_order_acquire);
			uint32_t entry = there & ((1u << REC_ENTRY_BITS) - 1);

			if (!there) {
				*free = &place[i & mask];
				break;
			}
			if ((there ^ hash >> 32) >> REC_ENTRY_BITS == 0 && is(entry, key))
				return entry;
		}
	}
	return 0;
}

/* Adds a level when the last one is half full, if memory can be reserved. Expects the lock; `used` is the number
 * of entries. */
static inline void rec_table_grow(const struct rec_table *t, uint32_t used)
{
	uint32_t n = atomic_load_explicit(&t->levels->n, memory_order_relaxed);

	if ((!n || (n < t->most && used >= REC_LEVELS_SIZE(n) / 2)) &&
	    rec_reserve_at(&t->levels->wary, t->place + REC_LEVELS_SIZE(n),
			   sizeof(*t->place) << (14 + 2 * n)))
		atomic_store_explicit(&t->levels->n, n + 1, memory_order_release);
}

/* Makes a complete entry visible. */
static inline void rec_table_put(_Atomic uint32_t *free, uint64_t hash, uint32_t entry)
{
	uint32_t tag = (uint32_t)(hash * 0x9e3779b97f4a7c15u >> 32) & ~0u << REC_ENTRY_BITS;

	atomic_store_explicit(free, tag | entry, memory_order_release);
}

#endif
