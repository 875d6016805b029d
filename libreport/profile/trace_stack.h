/* Copies stacks of a run into the dictionary of a profile made of it; private to libreport/profile.
 *
 * A copied stack consists, from the root, of the entry function of the goroutine (unless the stack
 * begins with it; it may be another goroutine's, or cut off), the frames of the run's stack, and at
 * most one frame that is an explanation, such as "[chan receive]". */
#ifndef REP_PROFILE_TRACE_STACK_H
#define REP_PROFILE_TRACE_STACK_H

#include <stdint.h>

#include "decode/dict.h"
#include "decode/profile.h"
#include "keys.h"

/* Set `from` and `to`, and zero the rest. */
struct rep_trace_stacks {
	const struct tp_dict *from; /* the run's */
	struct tp_profile *to;
	int code; /* first error, TP_ENOMEM or TP_ELIMIT; all results are 0 from then on */

	/* private */
	struct rep_keys known; /* added entry function or 0, stack of the run */
	uint32_t *node;	       /* by key: stack of the profile */
	size_t node_room;
	uint32_t *frame;     /* by frame of the run: frame of the profile + 1 */
	uint32_t *string;    /* likewise */
	uint32_t *function;  /* by string: function of the run with this name … */
	uint32_t nfunctions; /* … among this many first functions */
	uint32_t *path;
	size_t path_room;
	uint32_t mapping; /* of all frames with an address */
};

/* The frame that explains a stack, at its leaf. */
struct rep_trace_leaf {
	const char *text; /* "[runnable]"; NULL: the reason, if there is one */
	uint32_t reason;  /* string of the run, shown in brackets; 0: none */
};

/* Copies a stack of goroutines with this entry function (string of the run, 0 unknown). */
uint32_t rep_trace_stack(struct rep_trace_stacks *s, uint32_t entry, uint32_t stack,
			 const struct rep_trace_leaf *leaf);
/* Copies the innermost `most` frames of a stack as they are. */
uint32_t rep_trace_stack_top(struct rep_trace_stacks *s, uint32_t stack, size_t most);
/* Copies a string of the run. */
uint32_t rep_trace_string(struct rep_trace_stacks *s, uint32_t id);
void rep_trace_stacks_release(struct rep_trace_stacks *s);

/* Adds a sample type to a profile that is made of a run. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int rep_trace_add_type(struct tp_profile *p, const char *type, const char *unit);

#endif
