/* Writes ordered events as `go tool trace -d=parsed` does: as Go's reader presents them, with whole
 * stacks (Go: internal/trace/event.go, Event.String). Wall-clock times are in UTC. */
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
	size_t kept; /* bytes of these texts */
};

/* Loads the parts that `l` lacks. *p must be released in every case. */
int rep_parsed_init(struct rep_parsed *p, struct tp_store *store, const struct tp_run *run,
		    const struct tp_listing *l, struct tp_err *err);
/* Appends the lines of an event; events come in order. Returns 0, TP_ENOMEM or TP_EFORMAT. */
int rep_parsed_event(struct rep_parsed *p, const struct tp_event *ev, struct tp_buf *out);
void rep_parsed_release(struct rep_parsed *p);

#endif
