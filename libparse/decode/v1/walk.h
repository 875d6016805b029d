/* The state of the first pass. Private to decode/v1: index.c walks, recover.c finds the way again.
 */
#ifndef TP_DECODE_V1_WALK_H
#define TP_DECODE_V1_WALK_H

#include "decode/v1/index.h"
#include "decode/v1/tables.h"

/* More Ps than any machine has; each costs memory for its cursor. */
#define TP_V1_MAX_CHAINS 65536

struct tp_v1_walk {
	struct tp_v1_index *ix;
	struct tp_input *in;
	const struct tp_trace_options *opt;
	struct tp_trace *trace;
	struct tp_err *err;
	struct tp_v1_tables tables;
	const uint8_t *end;
	const uint8_t *given_back, *next_progress;
	struct tp_v1_batch *batch; /* the current one; NULL before the first */
	uint64_t searched;	   /* what has been looked at behind losses, see recover.c */
	int64_t likely_frequency;  /* the first one that a clock may have, 0 before it */
	bool doubtful;		   /* a frequency was none at all */
	bool gap;		   /* the next batch of any lane follows a loss */
	int code;		   /* an error that no salvage helps */
	char why[128];		   /* what is wrong here */
	uint64_t tally[256];	   /* by type byte: events and bytes, see walk_plain() */
};

/* Leaves out what is damaged around `at`, notes it as a loss, and returns where to go on (w->end
 * when nothing sound follows). w->code is set when memory is out. */
const uint8_t *tp_v1_recover(struct tp_v1_walk *w, const uint8_t *at);
/* The current batch, if any, ends here. */
void tp_v1_end_batch(struct tp_v1_walk *w, const uint8_t *at);

#endif
