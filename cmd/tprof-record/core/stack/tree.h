/* The tree of stacks in the arena, for the files of core/. */
#ifndef RECORD_CORE_TREE_H
#define RECORD_CORE_TREE_H

#include "tprof-record/core/inside.h"

/* The node below `parent` with that PC; 0 when there is none and no room. */
uint32_t rec_tree_child(uint32_t parent, uint64_t pc, uint32_t depth);
/* n PCs, innermost first; 0 when there is no room (counted). */
uint32_t rec_tree_add(const uint64_t *pcs, size_t n);

#endif
