/* Stacks of profiles merged into one tree of named frames: what every picture and listing of this
 * folder is made of.
 *
 * A node is a path of names from the root (or, reversed, from the leaf); samples whose frames have
 * the same names at the chosen granularity meet in one node. Two sides are kept apart: new (the
 *only one where nothing is compared) and old.
 *
 *	rep_flame_tree_init, rep_flame_tree_add for each profile, rep_flame_tree_sum, then read;
 *	rep_flame_tree_release in every case.
 *
 * Nodes are numbered in order of first appearance, parents before their children; node 0 is the
 *root, which stands for everything. Errors: TP_ENOMEM, TP_ELIMIT (more than 2^30 nodes). */
#ifndef REP_FLAME_TREE_H
#define REP_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/table.h"
#include "decode/profile.h"

enum rep_flame_side { REP_FLAME_NEW, REP_FLAME_OLD, REP_FLAME_SIDES };

/* Which width a frame gets where two sides are compared. */
enum rep_flame_width {
	REP_FLAME_WIDTH_BOTH, /* the larger of both, stack by stack: what is gone stays visible */
	REP_FLAME_WIDTH_NEW,
	REP_FLAME_WIDTH_OLD,
};

#define REP_FLAME_MAX_DEPTH 512 /* levels, unless told otherwise */

struct rep_flame_tree_options {
	enum rep_flame_width width;
	bool compared;	    /* there is an old side */
	bool reverse;	    /* by leaf: the root's children are the functions that were running */
	uint32_t max_depth; /* 0: REP_FLAME_MAX_DEPTH; what is deeper counts for its last frame */
	bool frames;	    /* nodes know a frame of their profile, of one profile for each side */
};

struct rep_flame_node {
	uint32_t parent;      /* the root's is 0 */
	uint32_t child, next; /* first child, next sibling; 0 ends */
	uint32_t nchildren;
	uint32_t name;	/* string of tree->names, 0 is unknown */
	uint32_t depth; /* 0: the root */
};

/* Of a node alone, and with all below it. Sums stop at the ends of 64 bits. */
struct rep_flame_value {
	int64_t self, total;
};

struct rep_flame_tree {
	struct rep_flame_tree_options opt;
	struct rep_flame_node *node;
	uint32_t n;
	struct tp_dict *names;
	/* By node, to be read through the functions below; NULL where they say nothing. */
	struct rep_flame_value *value[REP_FLAME_SIDES];
	double *events[REP_FLAME_SIDES];
	int64_t *weight;
	size_t samples[REP_FLAME_SIDES], stacks[REP_FLAME_SIDES];
	uint32_t deepest; /* frames of the deepest stack */
	size_t cut;	  /* stacks that were deeper than max_depth */

	uint32_t *frame[REP_FLAME_SIDES], nframes[REP_FLAME_SIDES]; /* rep_flame_frame_of */
	uint32_t room, valued;	  /* private: allocated */
	struct tp_table by_name;  /* of children of nodes that have many: by parent and name */
	uint64_t seed;
};

/* What is added to a tree. */
struct rep_flame_source {
	const struct tp_profile *profile;
	size_t type;	 /* index of the sample type */
	double ratio;	 /* values are multiplied by it, and truncated; 1: as they are */
	bool no_inlines; /* inlined calls count as the function they are part of */
	/* Appends what a frame is called, 0 or TP_ENOMEM; called once for each. NULL: the function,
	 * or where there is none, the address and the object file. */
	int (*name)(void *ctx, uint32_t frame, struct tp_buf *name);
	void *ctx;
};

int rep_flame_tree_init(struct rep_flame_tree *t, const struct rep_flame_tree_options *opt,
			struct tp_err *err);
void rep_flame_tree_release(struct rep_flame_tree *t);

int rep_flame_tree_add(struct rep_flame_tree *t, const struct rep_flame_source *source,
		       enum rep_flame_side side, struct tp_err *err);
/* Fills in totals and weights. TP_ENOMEM. */
int rep_flame_tree_sum(struct rep_flame_tree *t, struct tp_err *err);

static inline int64_t rep_flame_self(const struct rep_flame_tree *t, uint32_t node, int side)
{
	return t->value[side] ? t->value[side][node].self : 0;
}
static inline int64_t rep_flame_total(const struct rep_flame_tree *t, uint32_t node, int side)
{
	return t->value[side] ? t->value[side][node].total : 0;
}
/* Samples behind the totals, for the error of their sum (change.h); of compared trees only. */
static inline double rep_flame_events(const struct rep_flame_tree *t, uint32_t node, int side)
{
	return t->events[side] ? t->events[side][node] : 0;
}
/* What widths are made of, never negative: that of a node is its own and that of its children. */
static inline int64_t rep_flame_weight(const struct rep_flame_tree *t, uint32_t node)
{
	return t->weight ? t->weight[node] : rep_flame_total(t, node, REP_FLAME_NEW);
}
/* Where the tree knows frames: of those of the side's profile that met in a node, the one that most
 * came by; 0: none. */
static inline uint32_t rep_flame_frame_of(const struct rep_flame_tree *t, uint32_t node, int side)
{
	return node < t->nframes[side] ? t->frame[side][node] : 0;
}
int64_t rep_flame_own_weight(const struct rep_flame_tree *t, uint32_t node);

/* Per name (string of names): self and total over the tree, each stack counted once however often a
 * name is on it. `sums` has tp_dict_strings(t->names) entries, zeroed. TP_ENOMEM. */
struct rep_flame_sum {
	int64_t self[REP_FLAME_SIDES], total[REP_FLAME_SIDES];
};
int rep_flame_tree_by_name(const struct rep_flame_tree *t, struct rep_flame_sum *sums,
			   struct tp_err *err);

/* Nodes in depth-first order, for loops without recursion: the next one after `node` that is not
 * below it when `skip`; 0 when there is none. */
uint32_t rep_flame_tree_next(const struct rep_flame_tree *t, uint32_t node, bool skip);

#endif
