/* What building a tree (tree.c) and adding to it (add.c) share; private to this folder. */
#ifndef REP_FLAME_INSIDE_H
#define REP_FLAME_INSIDE_H

#include "flame/tree.h"

/* "out of memory" */
int rep_flame_tree_no_memory(struct tp_err *err);
/* Room for `more` nodes. TP_ELIMIT, TP_ENOMEM. */
int rep_flame_tree_reserve(struct rep_flame_tree *t, uint32_t more);
/* The child of this name, made where there is none. TP_ELIMIT, TP_ENOMEM. */
int rep_flame_tree_child(struct rep_flame_tree *t, uint32_t parent, uint32_t name, uint32_t *id);
/* Values for all nodes there are; new ones are 0. TP_ENOMEM. */
int rep_flame_tree_values(struct rep_flame_tree *t);

#define REP_FLAME_MAX_NODES (UINT32_C(1) << 30)

static inline int64_t rep_flame_magnitude(int64_t v)
{
	return v >= 0 ? v : v == INT64_MIN ? INT64_MAX : -v;
}

#endif
