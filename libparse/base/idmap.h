/* Maps from the 64-bit ids of a trace. Both are valid and empty when zero-initialised.
 *
 * tp_idmap has pointers as values and can remove ids. It uses open addressing with linear probing.
 * Four neighbouring ids share a cache line, because ids that are alive together are mostly
 * neighbours. The hash has a random multiplier (base/seed.h), so no input can be made whose ids all
 * collide, and the order of the slots differs from run to run.
 *
 * tp_ids has 32-bit numbers as values. Small ids, which are nearly all, are an index into an array.
 * The array grows only in proportion to the number of ids; other ids go to a tp_idmap, so hostile
 * ids cannot make it huge. */
#ifndef TP_BASE_IDMAP_H
#define TP_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct tp_idmap_slot {
	uint64_t id;
	void *value; /* NULL: free */
};

struct tp_idmap {
	struct tp_idmap_slot *slots;
	size_t mask; /* slots - 1; 0 without slots */
	size_t used;
	unsigned shift;
	uint64_t seed; /* an odd number; 0: drawn when the first id is added */
};

static inline size_t tp_idmap_home(const struct tp_idmap *m, uint64_t id)
{
	return ((size_t)(((id >> 2) * m->seed) >> m->shift) << 2 | (size_t)(id & 3)) & m->mask;
}

/* Returns the value of an id, or NULL. */
static inline void *tp_idmap_get(const struct tp_idmap *m, uint64_t id)
{
	if (!m->used)
		return NULL;
	for (size_t i = tp_idmap_home(m, id);; i = (i + 1) & m->mask) {
		const struct tp_idmap_slot *s = &m->slots[i];

		if (!s->value)
			return NULL;
		if (s->id == id)
			return s->value;
	}
}

/* Adds an id that is not in the map. The value must not be NULL. Returns 0 or TP_ENOMEM. */
int tp_idmap_add(struct tp_idmap *m, uint64_t id, void *value);
/* Removes an id if it is in the map. */
void tp_idmap_remove(struct tp_idmap *m, uint64_t id);
/* Empties the map. Keeps its memory unless it is large. */
void tp_idmap_clear(struct tp_idmap *m);
/* Frees the memory; the map is empty then and can be used again. */
void tp_idmap_release(struct tp_idmap *m);

#define TP_NO_ID UINT32_MAX

struct tp_ids {
	uint32_t *dense;     /* values by id, TP_NO_ID for ids without one */
	size_t ndense, room; /* items in use, allocated */
	uint64_t count;	     /* ids in the map */
	struct tp_idmap far; /* ids beyond `dense`: value + 1 */
};

/* Returns the value of an id, or TP_NO_ID. */
static inline uint32_t tp_ids_get(const struct tp_ids *m, uint64_t id)
{
	uintptr_t value;

	if (id < m->ndense)
		return m->dense[id];
	value = (uintptr_t)tp_idmap_get(&m->far, id);
	return value ? (uint32_t)(value - 1) : TP_NO_ID;
}

/* Adds an id or replaces its value, which is less than TP_NO_ID. Returns 0 or TP_ENOMEM; replacing
 * cannot fail. */
int tp_ids_put(struct tp_ids *m, uint64_t id, uint32_t value);
/* Empties the map but keeps its array. */
void tp_ids_clear(struct tp_ids *m);
/* Frees the memory; the map is empty then and can be used again. */
void tp_ids_release(struct tp_ids *m);

#endif
