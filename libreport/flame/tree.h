/* The stacks of profiles merged into one tree of named frames. All flame graphs are made from it.
 *
 * A node is a path of names from the root (or from the leaf, if reversed); samples whose frames
 * have the same names at the chosen granularity share a node. There are two sides: new, and old if
 * profiles are compared.
 *
 *	rep_flame_tree_init, rep_flame_tree_add for each profile, rep_flame_tree_sum, then read;
 *	rep_flame_tree_release in every case.
 *
 * Nodes are numbered in order of first appearance, parents before children; node 0 is the root,
 * which stands for everything. Errors: TP_ENOMEM, TP_ELIMIT (more than 2^30 nodes). */
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

/* The width of frames of a comparison. */
enum rep_flame_width {
	REP_FLAME_WIDTH_BOTH, /* the larger value, stack by stack: what has gone stays visible */
	REP_FLAME_WIDTH_NEW,
	REP_FLAME_WIDTH_OLD,
};

#define REP_FLAME_MAX_DEPTH 512 /* levels, by default */

struct rep_flame_tree_options {
	enum rep_flame_width width;
	bool compared;	    /* has an old side */
	bool reverse;	    /* by leaf: the root's children are the functions that were running */
	uint32_t max_depth; /* 0: REP_FLAME_MAX_DEPTH; deeper frames count for the last one */
	bool frames;	    /* record a frame for each node; with one profile per side */
};

struct rep_flame_node {
	uint32_t parent;      /* 0 for the root */
	uint32_t child, next; /* first child, next sibling; 0 ends */
	uint32_t nchildren;
	uint32_t name;	/* string of tree->names, 0 is unknown */
	uint32_t depth; /* 0: the root */
};

/* Values of a node alone, and with all nodes below it. Sums saturate at 64 bits. */
struct rep_flame_value {
	int64_t self, total;
};

struct rep_flame_tree {
	struct rep_flame_tree_options opt;
	struct rep_flame_node *node;
	uint32_t n;
	struct tp_dict *names;
	/* By node, read through the functions below; may be NULL. */
	struct rep_flame_value *value[REP_FLAME_SIDES];
	double *variance; /* of both sides */
	int64_t *weight;
	size_t samples[REP_FLAME_SIDES], stacks[REP_FLAME_SIDES];
	uint32_t deepest; /* frames of the deepest stack */
	size_t cut;	  /* stacks deeper than max_depth */

	uint32_t *frame[REP_FLAME_SIDES], nframes[REP_FLAME_SIDES]; /* rep_flame_frame_of */
	uint32_t room, valued;					    /* private: allocated */
	struct tp_table by_name; /* of children of nodes that have many: by parent and name */
	uint64_t seed;
};

/* A profile that is added to a tree. */
struct rep_flame_source {
	const struct tp_profile *profile;
	size_t type;	 /* index of the sample type */
	double ratio;	 /* values are multiplied by it and truncated; 1: unchanged */
	bool no_inlines; /* inlined calls count as the function they are part of */
	/* Appends the name of a frame; returns 0 or TP_ENOMEM; called once for each. NULL: the
	 * function or, if it is unknown, the address and the object file. */
	int (*name)(void *ctx, uint32_t frame, struct tp_buf *name);
	void *ctx;
};

int rep_flame_tree_init(struct rep_flame_tree *t, const struct rep_flame_tree_options *opt,
			struct tp_err *err);
void rep_flame_tree_release(struct rep_flame_tree *t);

int rep_flame_tree_add(struct rep_flame_tree *t, const struct rep_flame_source *source,
		       enum rep_flame_side side, struct tp_err *err);
/* Computes totals and weights. Returns 0 or TP_ENOMEM. */
int rep_flame_tree_sum(struct rep_flame_tree *t, struct tp_err *err);

static inline int64_t rep_flame_self(const struct rep_flame_tree *t, uint32_t node, int side)
{
	return t->value[side] ? t->value[side][node].self : 0;
}
static inline int64_t rep_flame_total(const struct rep_flame_tree *t, uint32_t node, int side)
{
	return t->value[side] ? t->value[side][node].total : 0;
}
/* The variance of a total's change (profile/noise.h); in comparisons only. */
static inline double rep_flame_variance(const struct rep_flame_tree *t, uint32_t node)
{
	return t->variance ? t->variance[node] : 0;
}
/* Returns whether a value of the new side is negative, as in the difference of two profiles. */
bool rep_flame_has_negative(const struct rep_flame_tree *t);
/* Returns the value without its sign; the smallest number becomes the largest. */
static inline int64_t rep_flame_magnitude(int64_t v)
{
	return v >= 0 ? v : v == INT64_MIN ? INT64_MAX : -v;
}
/* Returns the weight that widths are computed from, which is never negative: a node's own and that
 * of its children. */
static inline int64_t rep_flame_weight(const struct rep_flame_tree *t, uint32_t node)
{
	return t->weight ? t->weight[node] : rep_flame_total(t, node, REP_FLAME_NEW);
}
/* Returns the frame with the largest value among the frames of the side's profile that share a
 * node; 0 if unknown. */
static inline uint32_t rep_flame_frame_of(const struct rep_flame_tree *t, uint32_t node, int side)
{
	return node < t->nframes[side] ? t->frame[side][node] : 0;
}
int64_t rep_flame_own_weight(const struct rep_flame_tree *t, uint32_t node);

/* Sums up self and total by name (string of names); each stack counts once, however often the name
 * is on it. `sums` has tp_dict_strings(t->names) entries, zeroed. Returns 0 or
 * TP_ENOMEM. */
struct rep_flame_sum {
	int64_t self[REP_FLAME_SIDES], total[REP_FLAME_SIDES];
};
int rep_flame_tree_by_name(const struct rep_flame_tree *t, struct rep_flame_sum *sums,
			   struct tp_err *err);

/* Returns the next node after `node` in depth-first order, for loops without recursion; 0 at the
 * end. `skip`: not one below it. */
uint32_t rep_flame_tree_next(const struct rep_flame_tree *t, uint32_t node, bool skip);

#endif
