/* Functions of tree.c for add.c; private to this folder. */
#ifndef REP_FLAME_INSIDE_H
#define REP_FLAME_INSIDE_H

#include "flame/tree.h"

/* Makes room for `more` nodes. TP_ELIMIT, TP_ENOMEM. */
int rep_flame_tree_reserve(struct rep_flame_tree *t, uint32_t more);
/* Finds the child of this name, or adds it. TP_ELIMIT, TP_ENOMEM. */
int rep_flame_tree_child(struct rep_flame_tree *t, uint32_t parent, uint32_t name, uint32_t *id);
/* Gives all nodes values; those of new nodes are 0. Returns 0 or TP_ENOMEM. */
int rep_flame_tree_values(struct rep_flame_tree *t);

#define REP_FLAME_MAX_NODES (UINT32_C(1) << 30)

#endif
