/* Ordered events as `go tool trace -d=parsed` writes them: what Go's reader makes of a trace, with
 * whole stacks (Go: internal/trace/event.go, Event.String). Wall-clock times are in UTC. */
#ifndef REP_EXPORT_PARSED_H
#define REP_EXPORT_PARSED_H

#include "base/buf.h"
#include "order/listing.h"
#include "store/store.h"

/* A reading of the clocks, as Sync events show one. */
struct rep_parsed_clock {
	int64_t ts; /* on the trace's clock */
	int64_t mono_ns, wall_sec, wall_nsec;
};

struct rep_parsed {
	struct tp_listing l;		/* the caller's */
	struct rep_parsed_clock *clock; /* nclocks, one for each Sync but the last */
	size_t nclocks;
	size_t syncs; /* events shown */

	/* private */
	struct tp_buf *stack; /* by stack: its text, made when first needed */
	uint32_t nstacks;
	size_t kept; /* bytes of them */
};

/* Loads what is not in `l`. To be released in every case. */
int rep_parsed_init(struct rep_parsed *p, struct tp_store *store, const struct tp_run *run,
		    const struct tp_listing *l, struct tp_err *err);
/* Appends the lines of an event; events come in order. 0 or TP_ENOMEM, TP_EFORMAT. */
int rep_parsed_event(struct rep_parsed *p, const struct tp_event *ev, struct tp_buf *out);
void rep_parsed_release(struct rep_parsed *p);

#endif
