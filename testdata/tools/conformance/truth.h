/* How much of a damaged dump was kept, and whether what was kept is true. */
#ifndef CONFORMANCE_TRUTH_H
#define CONFORMANCE_TRUTH_H

#include "conformance/facts.h"
#include "conformance/view.h"

struct truth {
	int64_t kept;	 /* events that are in the file, not inferred */
	int64_t matched; /* of them, those that the whole trace has, too */
	int64_t checked; /* goroutines whose running time was compared */
};

/* Compares a salvaged run with the whole one: every kept event should be in the whole trace with
 * the same M, P, G and kind at that time, and no goroutine may have run longer than in truth by
 * more than what is marked lost or inferred (each that did is a check that fails). ns_per_tick: of
 * the whole trace, for a run that has ticks for times. */
int truth_compare(struct view *kept, struct view *whole, double ns_per_tick, struct facts *f,
		  struct truth *out, struct tp_err *err);

/* Events of a run that are in the file. */
static inline int64_t truth_kept(const struct view *v)
{
	return v->events - v->inferred;
}

#endif
