/* Views of an execution trace in the shape of a profile: what makes tprof-top's profile reports,
 * tprof-diff, tprof-flame and the export of profile.proto work on traces. */
#ifndef REP_PROFILE_TRACE_H
#define REP_PROFILE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/profile.h"
#include "run.h"
#include "store/store.h"
#include "top/filter.h"

/* What to count, by stack; each has sample types count and, but for cpu, time in ns. A table owned
 * here, for options, help and completions: name, doc. Ends with a NULL name. */
enum rep_trace_view {
	REP_TRACE_CPU,	   /* CPU samples; time is their number times the period where it is known */
	REP_TRACE_RUNNING, /* time on a P, by the stack at which it ended */
	REP_TRACE_OFFCPU,  /* blocked, by reason (a frame at the leaf says which) */
	REP_TRACE_SCHED,   /* runnable: scheduling latency */
	REP_TRACE_SYSCALL, /* in system calls */
	REP_TRACE_WALL,	   /* all of it: on and off the CPU; a frame at the leaf names the state */
	REP_NTRACE_VIEWS
};

extern const struct rep_trace_view_desc {
	const char *name, *doc;
} rep_trace_views[];

struct rep_trace_profile_options {
	enum rep_trace_view view;
	struct rep_filter_text filter; /* time range, goroutines, states, reasons, frames */
	const char *task, *region;     /* only inside tasks or regions of these types (regular
					  expressions); NULL: everywhere */
};

/* The view of one run; exact, as tprof-top's tables are: its sums equal theirs. *p is the caller's. */
int rep_trace_profile(struct tp_store *store, const struct rep_run *run,
		      const struct rep_trace_profile_options *opt, struct tp_profile **p,
		      struct tp_err *err);

#endif
