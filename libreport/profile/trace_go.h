/* The profiles that `go tool trace -pprof=KIND` makes of a trace; private to libreport/profile.
 *
 * The rule is that of Go 1.27 (cmd/trace/pprof.go, makeComputePprofFunc), event by event: a wait
 * begins with the goroutine's transition into the state, for a reason of the kind, and has that
 * event's stack; it ends with its next transition into another state. One that does not end is not
 * counted. Only the part counts that lies between the goroutine's first run and its end (so `sched`
 * never has the latency before the first run) or, with regions, inside the outermost matching
 * regions. If a goroutine id was used several times, only the last goroutine counts, as in Go's
 * summary, unless one is picked; `p` gets a notice. Stacks are compared and kept by their innermost
 * 128 frames. */
#ifndef REP_PROFILE_TRACE_GO_H
#define REP_PROFILE_TRACE_GO_H

#include "profile/trace.h"
#include "task/inside.h"

/* Fills the empty profile `p`. `in` (may be NULL) limits it to tasks and regions. */
int rep_trace_go_profile(struct rep_view *v, enum rep_trace_go kind, const struct rep_inside *in,
			 struct tp_profile *p, struct tp_err *err);

#endif
