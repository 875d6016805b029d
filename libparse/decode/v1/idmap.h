/* Ids of a trace to 32-bit numbers. Small ids, which is nearly all of them, are a plain array; the
 * array grows only in proportion to the number of ids, so that huge or hostile ids go to a hash
 * table and memory stays bounded by what is in the input. Zero-initialised is valid and empty. */
#ifndef TP_DECODE_V1_IDMAP_H
#define TP_DECODE_V1_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define TP_V1_NO_ID UINT32_MAX

struct tp_v1_idslot {
	uint64_t id;
	uint32_t value; /* + 1; 0: free */
};

struct tp_v1_idmap {
	uint32_t *dense; /* value + 1 by id */
	uint64_t ndense;
	struct tp_v1_idslot *hash; /* open addressing, a power of two */
	size_t room, used;
	uint64_t count; /* ids put in, ever */
	unsigned shift; /* 64 - log2(room) */
	uint64_t seed;	/* any number, best one that depends on the whole input */
};

uint32_t tp_v1_idmap_find_slow(const struct tp_v1_idmap *m, uint64_t id);

/* The number of an id, or TP_V1_NO_ID. */
static inline uint32_t tp_v1_idmap_find(const struct tp_v1_idmap *m, uint64_t id)
{
	if (id < m->ndense && m->dense[id])
		return m->dense[id] - 1;
	return m->used ? tp_v1_idmap_find_slow(m, id) : TP_V1_NO_ID;
}

/* Sets or replaces; value < TP_V1_NO_ID. 0 or TP_ENOMEM. */
int tp_v1_idmap_put(struct tp_v1_idmap *m, uint64_t id, uint32_t value);
void tp_v1_idmap_release(struct tp_v1_idmap *m);

#endif
