/* Rewrites the stacks of a profile, location by location from the root to the leaf; private to the
 * filters.
 *
 * A filter supplies a step: given the state at the caller and the location called, it computes the
 * state at the callee. Stacks share their callers, so each step is taken once. A stack node may end
 * a location on one stack and be in the middle of it (as a caller of inlined lines) on another: the
 * state at a node is that of the location that ends there. */
#ifndef REP_PROFILE_FOLD_H
#define REP_PROFILE_FOLD_H

#include "decode/profile.h"

struct rep_fold_state {
	uint32_t node;	/* the new stack so far */
	uint32_t other; /* the step's */
	uint32_t bits;	/* the step's */
	uint32_t era;	/* of the fold: valid if equal to the fold's era */
};

struct rep_fold {
	struct tp_profile *p;
	/* Takes *s over a location: its frames frame[0 … n), caller first, and its last stack node
	 * `end`. Returns 0 or an error code. */
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

/* Prepares to fold the stacks that the profile has now. Returns 0 or TP_ENOMEM. Release it in every
 * case. */
int rep_fold_init(struct rep_fold *f, struct tp_profile *p);
/* Computes the state at the leaf of a stack. Returns 0, the error of a step, or TP_ENOMEM. */
int rep_fold_stack(struct rep_fold *f, uint32_t stack, struct rep_fold_state *s);
/* Forgets all states, after `start` has changed. */
void rep_fold_reset(struct rep_fold *f);
void rep_fold_release(struct rep_fold *f);

/* For steps: pushes frames, caller first, on the stack of *s as one location. `end` was the
 * location's last stack node, and `all` says that none of its frames is missing. The first frame is
 * no longer inlined. */
int rep_fold_push(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame, size_t n,
		  uint32_t end, bool all);

#endif
