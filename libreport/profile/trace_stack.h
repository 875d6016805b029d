/* Stacks of a run in the dictionary of a view of it; private to libreport/profile.
 *
 * A stack of the view is, from the root: the entry function of the goroutine (where the stack,
 * which may be that of another goroutine or cut off, does not begin with it), the frames of the
 * run's stack, and at most one frame that only says something, such as "[chan receive]". */
#ifndef REP_PROFILE_TRACE_STACK_H
#define REP_PROFILE_TRACE_STACK_H

#include <stdint.h>

#include "decode/dict.h"
#include "decode/profile.h"
#include "keys.h"

/* Zero-initialised but for `from` and `to`. */
struct rep_trace_stacks {
	const struct tp_dict *from; /* the run's */
	struct tp_profile *to;

	/* private */
	struct rep_keys known; /* entry that was put at the root or 0; stack */
	uint32_t *node;	       /* by key: stack of the view */
	size_t node_room;
	uint32_t *frame;  /* by frame of the run: frame of the view + 1 */
	uint32_t *string; /* likewise */
	uint32_t
	    *function; /* by string: function of the run with this name; nfunctions looked at */
	uint32_t nfunctions;
	uint32_t *path;
	size_t path_room;
	uint32_t mapping; /* of all frames with an address */
};

/* What to say at the leaf. */
struct rep_trace_leaf {
	const char *text; /* "[runnable]"; NULL: nothing, or what reason says */
	uint32_t reason;  /* string of the run, put into brackets; 0 none */
};

/* The view's stack of goroutines with this entry function (string of the run, 0 unknown); 0 or
 * TP_ENOMEM, TP_ELIMIT. */
int rep_trace_stack(struct rep_trace_stacks *s, uint32_t entry, uint32_t stack,
		    const struct rep_trace_leaf *leaf, uint32_t *out);
/* The stack as it is, or the `most` frames next to its leaf. */
int rep_trace_stack_top(struct rep_trace_stacks *s, uint32_t stack, size_t most, uint32_t *out);
/* A string of the run in the view. */
int rep_trace_string(struct rep_trace_stacks *s, uint32_t id, uint32_t *out);
void rep_trace_stacks_release(struct rep_trace_stacks *s);

#endif
