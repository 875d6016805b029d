/* Views of an execution trace in the shape of a profile: what makes tprof-top's profile reports,
 * tprof-diff, tprof-flame and the export of profile.proto work on traces. */
#ifndef REP_PROFILE_TRACE_H
#define REP_PROFILE_TRACE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/profile.h"
#include "run.h"
#include "spans/view.h"
#include "store/store.h"

/* What to count, by stack. Sample types: `events` (count; `samples` for cpu, as in a CPU profile of
 * Go's) and one named like the view, in nanoseconds (in ticks where the run has no clock; cpu has
 * no time then). A table owned here, for options, help and completions: name, doc. Ends with a NULL
 * name.
 *
 * Stacks begin at the root with the entry function of the goroutine (put there where the stack is
 * another goroutine's, or cut off), and every sample has its name as the label `goroutine`. */
enum rep_trace_view {
	/* CPU samples; time is their number times 10 ms, the period of runtime/pprof */
	REP_TRACE_CPU,
	/* time on a P, by the stack at which it ended; --focus and --ignore look at that stack.
	 * Reads all events of the time range, the other views do not. */
	REP_TRACE_RUNNING,
	/* blocked, by where; the leaf says why: "[chan receive]", "[blocked]" where it is unknown
	 */
	REP_TRACE_OFFCPU,
	/* runnable: scheduling latency, by the stack that made it runnable (the waker's, if woken)
	 */
	REP_TRACE_SCHED,
	/* in system calls, with a P or without, by where they were entered */
	REP_TRACE_SYSCALL,
	/* all of it, the leaf says in what state: "[running]" (no stack but the entry function),
	 * "[runnable]", "[syscall]", "[lost]", or the reason of blocking as in offcpu */
	REP_TRACE_WALL,
	REP_NTRACE_VIEWS
};

/* Why there are no samples where the whole of a trace has none. */
#define REP_NOTE_NO_SAMPLES                                                                        \
	"there are no CPU samples in the trace, as no CPU profile ran beside it; --view=running "  \
	"counts time on a P"

extern const struct rep_trace_view_desc {
	const char *name, *doc;
} rep_trace_views[];

/* The profiles of `go tool trace -pprof=KIND`, made by Go's rule and with equal values
 * (profile/trace_go.h says which waits count): sample types contentions (count) and delay
 * (nanoseconds), no labels, nothing put on stacks. A table like the one above; [REP_GO_NONE] is "".
 */
enum rep_trace_go {
	REP_GO_NONE,
	REP_GO_NET,
	REP_GO_SYNC,
	REP_GO_SYSCALL,
	REP_GO_SCHED,
	REP_NTRACE_GO
};
extern const struct rep_trace_view_desc rep_trace_go[];

struct rep_trace_profile_options {
	enum rep_trace_view view;
	enum rep_trace_go go;	       /* this instead of the view */
	struct rep_filter_text filter; /* time range, goroutines, states, reasons, frames */
	const char *task, *region;     /* only inside tasks or regions of these types (regular
					  expressions); NULL: everywhere */
	const atomic_bool *stop;       /* NULL: none; else TP_ECANCEL once it is true */
	struct rep_members *members;   /* NULL, or what --task counts is added to it */
};

/* Do the options make sense, as far as can be said without a run? 0, or TP_EFORMAT with a sentence.
 */
int rep_trace_profile_check(const struct rep_trace_profile_options *opt, struct tp_err *err);

/* The view of one run; exact, as tprof-top's tables are: its sums equal theirs. *p is the caller's.
 */
int rep_trace_profile(struct tp_store *store, const struct rep_run *run,
		      const struct rep_trace_profile_options *opt, struct tp_profile **p,
		      struct tp_err *err);

#endif
