/* A pass over the stacks of a profile that gives its samples other ones, location by location from
 * the root to the leaf; private to the filters.
 *
 * What a filter makes of a stack is decided by a step: from the state at the caller and the
 * location called, the state at the callee. Stacks share their callers, so each step is taken once.
 * (A node may end a location on one stack and be in the middle of it, as a caller of inlined lines,
 * on another: the state at a node is that of a location that ends there.) */
#ifndef REP_PROFILE_FOLD_H
#define REP_PROFILE_FOLD_H

#include "decode/profile.h"

struct rep_fold_state {
	uint32_t node;	/* the new stack so far */
	uint32_t other; /* the step's */
	uint32_t bits;	/* the step's */
	uint32_t era;	/* the fold's: known since its last reset */
};

struct rep_fold {
	struct tp_profile *p;
	/* Moves *s over a location: frame[0 … n) from the root towards the leaf, `end` its last
	 * node. 0 or an error code. */
	int (*step)(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame, size_t n,
		    uint32_t end);
	void *ctx;
	struct rep_fold_state start; /* above the roots */

	/* private */
	struct rep_fold_state *memo;
	uint32_t era;
	uint32_t nnodes;
	uint32_t *pending, *frame;
	size_t pending_room, frame_room;
};

/* TP_ENOMEM. To be released in every case. Stacks that are added later are not known to it. */
int rep_fold_init(struct rep_fold *f, struct tp_profile *p);
/* The state at the leaf of a stack; errors of the steps, TP_ENOMEM. */
int rep_fold_stack(struct rep_fold *f, uint32_t stack, struct rep_fold_state *s);
/* Forgets all states: `start` has changed. */
void rep_fold_reset(struct rep_fold *f);
void rep_fold_release(struct rep_fold *f);

/* For steps: puts frames (from the root) on the stack of *s as one location whose last node was
 * `end`, of which `n` is all there was where `all`; the outermost is made not inlined. */
int rep_fold_push(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame, size_t n,
		  uint32_t end, bool all);

#endif
