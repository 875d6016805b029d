/* The tree of stacks. A node is found by its parent and PC in `edges` (open addressing); insertion
 * is one exchange of a free edge for a node that is complete. Nodes below `used` whose depth is 0
 * belong to nobody: somebody is about to fill them, or lost a race and will use them next time. */
#include "tprof-record/core/tree.h"

enum { PROBES = 512 };

static uint32_t spare_node(void)
{
	_Atomic uint32_t *next = &rec_state()->next_node;
	uint32_t n = rec_self.spare_node;

	if (n) {
		rec_self.spare_node = 0;
		return n;
	}
	n = atomic_load_explicit(next, memory_order_relaxed);
	do {
		if (n >= REC_NNODES || !rec_reserve(REC_PART_NODES, n + 1))
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(next, &n, n + 1, memory_order_relaxed,
							memory_order_relaxed));
	return n;
}

static inline bool is_node(const struct rec_node *node, uint32_t parent, uint64_t pc)
{
	return node->pc == pc && node->parent == parent;
}

static uint32_t insert(uint32_t parent, uint64_t pc, uint32_t depth, uint32_t i, uint32_t tries)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t n = spare_node();

	if (!n)
		return 0;
	a->nodes[n] = (struct rec_node){.pc = pc, .parent = parent, .depth = depth};
	for (; tries < PROBES; tries++, i = (i + 1) & (REC_NEDGES - 1)) {
		uint32_t there = 0;

		if (atomic_compare_exchange_strong_explicit(
			&a->edges[i], &there, n, memory_order_acq_rel, memory_order_acquire)) {
			rec_raise(&a->header->nodes.used, n + 1);
			return n;
		}
		if (is_node(&a->nodes[there % REC_NNODES], parent, pc)) {
			a->nodes[n].depth = 0;
			rec_self.spare_node = n;
			return there;
		}
	}
	a->nodes[n].depth = 0;
	rec_self.spare_node = n;
	return 0;
}

uint32_t rec_tree_child(uint32_t parent, uint64_t pc, uint32_t depth)
{
	struct rec_arena *a = &rec_core->arena;
	uint64_t hash = (pc ^ (uint64_t)parent << 40 ^ parent) * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(hash >> 45), tries;

	_Static_assert(REC_NEDGES == 1 << 19, "the hash has as many bits");
	for (tries = 0; tries < PROBES; tries++, i = (i + 1) & (REC_NEDGES - 1)) {
		uint32_t there = atomic_load_explicit(&a->edges[i], memory_order_acquire);

		if (!there)
			return insert(parent, pc, depth, i, tries);
		if (is_node(&a->nodes[there % REC_NNODES], parent, pc))
			return there;
	}
	return 0;
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

uint32_t rec_stack_of(const uint64_t *pcs, size_t n)
{
	uint32_t node;

	if (!n || !rec_enter())
		return 0;
	node = rec_tree_add(pcs, n < REC_MAX_DEPTH ? n : REC_MAX_DEPTH);
	rec_leave();
	return node;
}

size_t rec_stack_pcs(uint32_t stack, uint64_t *pcs, size_t room)
{
	size_t n = 0;

	if (!rec_alive())
		return 0;
	while (stack && stack < REC_NNODES && n < room && n < REC_MAX_DEPTH) {
		const struct rec_node *node = &rec_core->arena.nodes[stack];

		pcs[n++] = node->pc;
		stack = node->parent;
	}
	return n;
}
