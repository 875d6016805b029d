/* The state of the first pass. Private to decode/v1: index.c walks the input, recover.c finds the
 * next intact batch after damage. */
#ifndef TP_DECODE_V1_WALK_H
#define TP_DECODE_V1_WALK_H

#include "decode/v1/index.h"
#include "decode/v1/tables.h"

/* Limit on Ps, more than any machine has; each takes memory for its cursor. */
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
	uint64_t searched;	   /* bytes searched after losses, see recover.c */
	int64_t likely_frequency;  /* the first plausible one, 0 before it */
	bool doubtful;		   /* an implausible frequency was read */
	bool gap;		   /* the next batch of any lane follows a loss */
	int code;		   /* an error that ends the pass */
	char why[128];		   /* describes the last fault */
	uint64_t tally[256];	   /* by type byte: events and bytes, see walk_plain() */
};

/* Leaves out the damaged part around `at`, records it as a loss, and returns where to continue
 * (w->end if nothing intact follows). Sets w->code when memory is out. */
const uint8_t *tp_v1_recover(struct tp_v1_walk *w, const uint8_t *at);
/* Ends the current batch, if any, at `at`. */
void tp_v1_end_batch(struct tp_v1_walk *w, const uint8_t *at);

#endif
