/* A map from 64-bit ids of a trace to pointers.
 *
 * Open addressing with linear probing; four neighbouring ids share a cache line, because the ids
 * that are alive together are mostly neighbours. The multiplier is drawn by lot, so that no input can be
 * made whose ids all collide: the order of the slots is another one each time. Zero-initialised it
 * is valid and empty; `seed` is set before the first insertion. */
#ifndef TP_DECODE_V2_IDMAP_H
#define TP_DECODE_V2_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct tp_idmap_slot {
	uint64_t id;
	void *value; /* NULL: free */
};

struct tp_idmap {
	struct tp_idmap_slot *slots;
	size_t mask; /* slots - 1, 0 while there are none */
	size_t used;
	unsigned shift;
	uint64_t seed; /* any odd number */
};

static inline size_t tp_idmap_home(const struct tp_idmap *m, uint64_t id)
{
	return ((size_t)(((id >> 2) * m->seed) >> m->shift) << 2 | (size_t)(id & 3)) & m->mask;
}

/* The value of id, or NULL. */
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

/* Adds id, which must not be in the map, with a value other than NULL; 0 or TP_ENOMEM. */
int tp_idmap_add(struct tp_idmap *m, uint64_t id, void *value);
/* Removes id if it is there. */
void tp_idmap_remove(struct tp_idmap *m, uint64_t id);
/* Empties the map; the memory is kept unless it is large. */
void tp_idmap_clear(struct tp_idmap *m);
void tp_idmap_release(struct tp_idmap *m);

#endif
