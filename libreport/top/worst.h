/* The longest spans of a run: which goroutine waited longest, when, for what, and its waker.
 *
 * The result is exact and the same as SQL's on the table span: spans that overlap the view's range
 * and pass its filter, clipped to the range; with tasks or regions those that overlap the time in
 * them (task/inside.h). Only segments that may hold one of the longest are read, as the store keeps
 * the longest span of each site in each segment; with tasks or regions all that have some of them. */
#ifndef REP_TOP_WORST_H
#define REP_TOP_WORST_H

#include <stdatomic.h>

#include "output/output.h"
#include "spans/view.h"
#include "timeline/span.h"

struct rep_worst_options {
	uint32_t states; /* a bit per enum tp_state */
	size_t n;	 /* at most */
	/* Leaves out spans in which no work waits: those with a reason to rest (rep_reason_rests),
	 * and those of the runtime's own goroutines unless the filter names one. */
	bool no_rest;
	const atomic_bool *stop; /* ends the search with TP_ECANCEL once it is true; may be NULL */
};

struct rep_worst {
	struct tp_span span;   /* times in ns since the run began, not clipped */
	int64_t at_ns, dur_ns; /* start and length, clipped to the range */
};

/* Finds the longest spans and writes *found of them to out[], which has room for options->n: the
 * longest first, equal ones by time. Errors: those of rep_inside_init, TP_ESTORE, TP_ENOMEM,
 * TP_ECANCEL. */
int rep_worst(struct rep_view *v, const struct rep_worst_options *options, struct rep_worst *out,
	      size_t *found, struct tp_err *err);

/* Finds for each of n spans the wait of its goroutine that ended when it began. The state of
 * before[i] is TP_ST_UNDETERMINED if there is no such wait. Errors: TP_ESTORE, TP_ENOMEM,
 * TP_ECANCEL. */
int rep_worst_before(struct rep_view *v, const struct rep_worst *worst, size_t n,
		     struct tp_span *before, const atomic_bool *stop, struct tp_err *err);

/* Writes the longest spans as a table of this name: duration, moment, goroutine, reason, place and
 * waker. */
int rep_worst_print(struct rep_view *v, const struct rep_worst_options *options, const char *name,
		    struct rep_output *out, struct tp_err *err);

/* Returns whether a goroutine that blocks for this reason rests: a clock ends the wait, or the
 * runtime's own goroutines have it. */
bool rep_reason_rests(struct tp_text reason);

#endif
