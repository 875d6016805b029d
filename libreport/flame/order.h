/* The children of every node in the order in which they are shown: the widest first, equal ones by
 * name. They are sorted once, so that a picture of any part of a large tree only takes time for its
 * widest frames. */
#ifndef REP_FLAME_ORDER_H
#define REP_FLAME_ORDER_H

#include "flame/tree.h"

struct rep_flame_order {
	/* By node: its children are child[first[node]] … child[first[node + 1] - 1]. */
	uint32_t *first;
	uint32_t *child;
};

/* Sorts a tree that is summed up. Returns 0 or TP_ENOMEM. Release the order in every case. */
int rep_flame_order(const struct rep_flame_tree *t, struct rep_flame_order *o, struct tp_err *err);
void rep_flame_order_release(struct rep_flame_order *o);

static inline uint32_t rep_flame_nchildren(const struct rep_flame_order *o, uint32_t node)
{
	return o->first[node + 1] - o->first[node];
}

/* A node to be sorted with qsort: by name; or the heaviest first, equal ones by name. */
struct rep_flame_ranked {
	int64_t weight;
	struct tp_text name;
	uint32_t id;
};
int rep_flame_by_name(const void *a, const void *b);
int rep_flame_by_weight(const void *a, const void *b);

#endif
