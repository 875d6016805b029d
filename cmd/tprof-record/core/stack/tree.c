/* The tree of stacks. A node is found by its parent and PC. */
#include "tprof-record/core/table.h"

static struct rec_table table(void)
{
	const struct rec_arena *a = &rec_core->arena;

	return (struct rec_table){.place = a->edges,
				  .levels = &rec_state()->edges,
				  .most = REC_EDGE_LEVELS(a->scale)};
}

static inline uint64_t hash_of(const struct rec_node *node)
{
	return (node->pc ^ (uint64_t)node->parent << 40 ^ node->parent) * 0xff51afd7ed558ccdu;
}

static inline bool is_node(uint32_t entry, const void *key)
{
	const struct rec_arena *a = &rec_core->arena;
	const struct rec_node *node = key, *there = &a->nodes[entry & (REC_NNODES(a->scale) - 1)];

	_Static_assert(REC_NNODES(REC_NSCALES - 1) <= 1u << REC_ENTRY_BITS, "a place names it");
	/* The program may have changed the place. */
	return entry < REC_NNODES(a->scale) && there->pc == node->pc &&
	       there->parent == node->parent;
}

/* Appends a complete node. Expects the lock. */
static uint32_t append(const struct rec_node *node)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t n = atomic_load_explicit(&a->header->nodes.used, memory_order_relaxed);

	if (n >= REC_NNODES(a->scale) || !rec_reserve(REC_PART_nodes, n + 1))
		return 0;
	a->nodes[n] = *node;
	atomic_store_explicit(&a->header->nodes.used, n + 1, memory_order_release);
	return n;
}

static uint32_t insert(const struct rec_table *t, uint64_t hash, const struct rec_node *node)
{
	_Atomic uint32_t *place;
	uint32_t there;

	rec_lock(&rec_state()->tree_lock);
	rec_table_grow(
	    t, atomic_load_explicit(&rec_core->arena.header->nodes.used, memory_order_relaxed));
	there = rec_table_find(t, hash, is_node, node, &place);
	if (!there && place && (there = append(node)))
		rec_table_put(place, hash, there);
	rec_unlock(&rec_state()->tree_lock);
	return there;
}

uint32_t rec_tree_child(uint32_t parent, uint64_t pc, uint32_t depth)
{
	struct rec_node node = {.pc = pc, .parent = parent, .depth = depth};
	struct rec_table t = table();
	uint64_t hash = hash_of(&node);
	_Atomic uint32_t *place;
	uint32_t there = rec_table_find(&t, hash, is_node, &node, &place);

	return there ? there : insert(&t, hash, &node);
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
