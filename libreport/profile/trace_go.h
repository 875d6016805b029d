/* The profiles that `go tool trace -pprof=KIND` makes of a trace; private to libreport/profile.
 *
 * The rule is that of Go 1.27 (cmd/trace/pprof.go, makeComputePprofFunc), event by event: a wait
 * begins with the goroutine's transition into the state, for a reason of the kind, and has that
 * event's stack; it ends with its next transition into another state. One that does not end is not
 * counted, nor is one of which no time lies inside: within the time from the goroutine's first run
 * to its end (so the latency of its first run is never part of `sched`); or, of regions, within the
 * outermost ones that match. Of an id with several lives only the last one counts, as Go's summary
 * has no other, unless a life is picked; `p` gets a notice. Only the innermost 128 frames tell stacks apart and are kept. */
#ifndef REP_PROFILE_TRACE_GO_H
#define REP_PROFILE_TRACE_GO_H

#include "profile/trace.h"
#include "task/inside.h"

/* Fills the empty profile `p`. `in`: only inside these; NULL: everywhere. */
int rep_trace_go_profile(struct rep_view *v, enum rep_trace_go kind, const struct rep_inside *in,
			 struct tp_profile *p, struct tp_err *err);

#endif
