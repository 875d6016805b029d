/* The longest spans of a run: which goroutine waited longest, when, for what, and who woke it.
 *
 * Exact, and as SQL has it on the table span: of those that overlap the view's range and pass its
 * filter, each clipped to the range. Only segments that may hold one of them are read: the store
 * knows the longest of each place in each segment. */
#ifndef REP_TOP_WORST_H
#define REP_TOP_WORST_H

#include <stdatomic.h>

#include "output/output.h"
#include "spans/view.h"
#include "timeline/span.h"

struct rep_worst_options {
	uint32_t states; /* a bit per enum tp_state */
	size_t n;	 /* at most so many */
	/* Without those in which nobody is kept waiting: by their reason (rep_reason_rests), and of
	 * goroutines of the runtime's own unless the filter names one. */
	bool no_rest;
	const atomic_bool *stop; /* NULL: none; else TP_ECANCEL once it is true */
};

struct rep_worst {
	struct tp_span span;   /* in ns since the run began; start and end as they were */
	int64_t at_ns, dur_ns; /* clipped to the range */
};

/* The longest first; of equal ones the earliest. *found of them, in out[options->n]. A filter on
 * tasks or regions is TP_EFORMAT with a sentence. TP_ESTORE, TP_ENOMEM. */
int rep_worst(struct rep_view *v, const struct rep_worst_options *options, struct rep_worst *out,
	      size_t *found, struct tp_err *err);

/* For each of the n spans the wait of its goroutine that it ended, at the moment it began; state is
 * TP_ST_UNDETERMINED where it ended none. TP_ESTORE, TP_ENOMEM, TP_ECANCEL. */
int rep_worst_before(struct rep_view *v, const struct rep_worst *worst, size_t n,
		     struct tp_span *before, const atomic_bool *stop, struct tp_err *err);

/* The same as a table of this name: duration, moment, goroutine, reason, where, who woke it. */
int rep_worst_print(struct rep_view *v, const struct rep_worst_options *options, const char *name,
		    struct rep_output *out, struct tp_err *err);

/* Is it a way to rest: ended by a clock, or the runtime's own? */
bool rep_reason_rests(struct tp_text reason);
/* Is it the entry function of a goroutine of the runtime's own? */
bool rep_entry_is_system(struct tp_text entry);

#endif
