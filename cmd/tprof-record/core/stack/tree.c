/* The tree of stacks. A node is found by its parent and PC in `edges`, which is open-addressed and has
 * levels. The first level is enough for most programs, and each further one doubles the table. So a short
 * program does not pay for memory that it will not use, and nothing ever moves: lookups take no lock. Only an
 * insertion does, once in the life of a stack. */
#include "tprof-record/core/inside.h"

enum { FIRST_BITS = 14, LEVELS = 6, PROBES = 64 };
_Static_assert(1 << (FIRST_BITS + LEVELS - 1) == REC_NEDGES, "the levels fill the table");

static inline uint64_t hash_of(uint32_t parent, uint64_t pc)
{
	uint64_t h = (pc ^ (uint64_t)parent << 40 ^ parent) * 0x9e3779b97f4a7c15u;

	return h ^ h >> 32;
}

/* Level 0 is [0, 16384), level 1 [16384, 32768), level 2 [32768, 65536) … */
static inline uint32_t level_start(uint32_t level)
{
	return level ? 1u << (FIRST_BITS - 1 + level) : 0;
}

static inline uint32_t level_mask(uint32_t level)
{
	return (1u << (FIRST_BITS - 1 + (level ? level : 1))) - 1;
}

/* Returns the node, or 0 and the place where it would go (NULL: this part of the level is crowded). */
static inline uint32_t find(uint32_t level, uint64_t hash, uint32_t parent, uint64_t pc,
			    _Atomic uint32_t **place)
{
	struct rec_arena *a = &rec_core->arena;
	_Atomic uint32_t *edges = a->edges + level_start(level);
	uint32_t mask = level_mask(level), i = (uint32_t)hash, tries;

	for (tries = 0; tries < PROBES; tries++, i++) {
		uint32_t there = atomic_load_explicit(&edges[i & mask], memory_order_acquire);
		const struct rec_node *node;

		if (!there) {
			*place = &edges[i & mask];
			return 0;
		}
		node = &a->nodes[there & (REC_NNODES - 1)];
		if (node->pc == pc && node->parent == parent)
			return there;
	}
	*place = NULL;
	return 0;
}

/* Appends a complete node. Expects the lock. */
static uint32_t append(uint32_t parent, uint64_t pc, uint32_t depth)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t n = atomic_load_explicit(&a->header->nodes.used, memory_order_relaxed);

	if (n >= REC_NNODES || !rec_reserve(REC_PART_nodes, n + 1))
		return 0;
	a->nodes[n] = (struct rec_node){.pc = pc, .parent = parent, .depth = depth};
	atomic_store_explicit(&a->header->nodes.used, n + 1, memory_order_release);
	return n;
}

/* Returns the number of levels to use. Adds one when the last is half full and memory can be reserved. */
static uint32_t levels_for(uint32_t nodes)
{
	_Atomic uint32_t *levels = &rec_state()->levels;
	uint32_t n = atomic_load_explicit(levels, memory_order_relaxed);

	if ((!n || (n < LEVELS && nodes >= level_start(n) / 2)) &&
	    rec_reserve_at(REC_AT_edges + 4 * (uint64_t)level_start(n),
			   4 * ((uint64_t)level_mask(n) + 1)))
		atomic_store_explicit(levels, ++n, memory_order_release);
	return n;
}

static uint32_t insert(uint64_t hash, uint32_t parent, uint64_t pc, uint32_t depth)
{
	_Atomic uint32_t *place = NULL;
	uint32_t level, levels, there = 0, n;

	rec_lock(&rec_state()->tree_lock);
	levels = levels_for(
	    atomic_load_explicit(&rec_core->arena.header->nodes.used, memory_order_relaxed));
	for (level = 0; level < levels && !there; level++)
		there = find(level, hash, parent, pc, &place);
	if (!there && place) {
		n = append(parent, pc, depth);
		if (n)
			atomic_store_explicit(place, n, memory_order_release);
		there = n;
	}
	rec_unlock(&rec_state()->tree_lock);
	return there;
}

uint32_t rec_tree_child(uint32_t parent, uint64_t pc, uint32_t depth)
{
	uint64_t hash = hash_of(parent, pc);
	uint32_t levels = atomic_load_explicit(&rec_state()->levels, memory_order_acquire), level;
	_Atomic uint32_t *place;

	for (level = 0; level < levels; level++) {
		uint32_t there = find(level, hash, parent, pc, &place);

		if (there)
			return there;
	}
	return insert(hash, parent, pc, depth);
}

uint32_t rec_tree_add(const uint64_t *pcs, size_t n)
{
	uint32_t node = 0, depth = 0;

	while (n-- > 0) {
		node = rec_tree_child(node, pcs[n], ++depth);
		if (!node) {
			rec_lose(REC_LOST_STACKS, 1);
			return 0;
		}
	}
	return node;
}
