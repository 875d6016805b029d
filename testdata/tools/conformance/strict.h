/* A strict reading of a dump, straight from the file: does it end where Go's reader ends? */
#ifndef CONFORMANCE_STRICT_H
#define CONFORMANCE_STRICT_H

#include <stdint.h>

#include "base/err.h"

struct strict {
	int version;	    /* minor version of the header */
	int64_t events;	    /* delivered, up to the error if there was one */
	uint64_t stacks;    /* entries of the stack table, go 1.5 – 1.21 */
	int64_t last_ts;    /* ns */
	double ns_per_tick; /* 0 unknown */
	int fault;	    /* what tp_trace_read said, 0 when it read all */
	char why[320];	    /* and its message */
	int64_t decodable;  /* see strict_read */
};

/* Reads path strictly, and counts the timed events that can be decoded one after the other from the
 * start of the file, until it ends or breaks (go 1.5 – 1.21: entries of tables, too), by a walk of
 * its own. 0, or an error code when the file cannot be opened. */
int strict_read(const char *path, struct strict *out, struct tp_err *err);

#endif
