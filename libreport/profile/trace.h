/* Turns an execution trace into a profile, so that tprof-top's profile reports, tprof-diff,
 * tprof-flame and the export of profile.proto work on traces. */
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

/* The time that is counted, and its stacks. The sample types are `events` (count; `samples` for
 * cpu, as in Go's CPU profiles) and one named like the view, in nanoseconds (in ticks if the run
 * has no clock; cpu has no time then). rep_trace_views[] has their names for options, help and
 * completions; it ends with a NULL name.
 *
 * The root of each stack is the entry function of the goroutine, which is added where the stack is
 * another goroutine's or cut off. Every sample has its name as the label `goroutine`. */
enum rep_trace_view {
	/* CPU samples; time is their number times their period, 10 ms (runtime/pprof) if the trace does not say it */
	REP_TRACE_CPU,
	/* time on a P, by the stack at which it ended; --focus and --ignore match that stack.
	 * Only this view reads all events of the time range. */
	REP_TRACE_RUNNING,
	/* time blocked, by stack; the leaf is the reason, "[chan receive]", or "[blocked]" */
	REP_TRACE_OFFCPU,
	/* time runnable (scheduling latency), by the waker's stack */
	REP_TRACE_SCHED,
	/* time in system calls, with a P or without, by the stack at which they began */
	REP_TRACE_SYSCALL,
	/* all time; the leaf is the state: "[running]" (whose only frame is the entry function),
	 * "[runnable]", "[syscall]", "[lost]", or the reason of blocking as in offcpu */
	REP_TRACE_WALL,
	REP_NTRACE_VIEWS
};

/* Explains why a trace has no CPU samples. */
#define REP_NOTE_NO_SAMPLES                                                                        \
	"there are no CPU samples in the trace, as no CPU profile ran beside it; --view=running "  \
	"counts time on a P"

extern const struct rep_trace_view_desc {
	const char *name, *doc;
} rep_trace_views[];

/* The profiles of `go tool trace -pprof=KIND`, with equal values (profile/trace_go.h says which
 * waits count): sample types contentions (count) and delay (nanoseconds), no labels, stacks as they
 * are. rep_trace_go[] is a table like the one above; the name of [REP_GO_NONE] is "". */
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
	enum rep_trace_go go;	       /* in place of the view, unless REP_GO_NONE */
	struct rep_filter_text filter; /* time range, goroutines, states, reasons, frames */
	const char *task, *region;     /* only inside tasks or regions of these types (regular
					  expressions); NULL: everywhere */
	const atomic_bool *stop;       /* may be NULL; TP_ECANCEL once it is true */
	struct rep_members *members;   /* may be NULL; receives the sums of the tasks that --task
					  selects */
};

/* Checks the options as far as possible without a run. Returns 0, or TP_EFORMAT with a sentence. */
int rep_trace_profile_check(const struct rep_trace_profile_options *opt, struct tp_err *err);

/* Makes the profile of one run. Its sums equal those of tprof-top's tables. *p belongs to the
 * caller. */
int rep_trace_profile(struct tp_store *store, const struct rep_run *run,
		      const struct rep_trace_profile_options *opt, struct tp_profile **p,
		      struct tp_err *err);

#endif
