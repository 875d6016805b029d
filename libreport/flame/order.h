/* The children of every node in the order in which they are shown: the widest first, equal ones by
 * name. Sorted once, so that pictures of any part of a large tree are made from its widest frames
 * alone. */
#ifndef REP_FLAME_ORDER_H
#define REP_FLAME_ORDER_H

#include "flame/tree.h"

struct rep_flame_order {
	uint32_t
	    *first; /* by node: its children are child[first[node]] … child[first[node + 1] - 1] */
	uint32_t *child;
};

/* Of a tree that is summed up. TP_ENOMEM. To be released in every case. */
int rep_flame_order(const struct rep_flame_tree *t, struct rep_flame_order *o, struct tp_err *err);
void rep_flame_order_release(struct rep_flame_order *o);

static inline uint32_t rep_flame_nchildren(const struct rep_flame_order *o, uint32_t node)
{
	return o->first[node + 1] - o->first[node];
}

#endif
