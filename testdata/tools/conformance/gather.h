/* What we found in a stored run, as facts in the words of an expectation. */
#ifndef CONFORMANCE_GATHER_H
#define CONFORMANCE_GATHER_H

#include "conformance/facts.h"
#include "conformance/strict.h"
#include "conformance/view.h"

#define GATHER_NO_FLIP UINT64_MAX

struct gathered {
	int64_t events, goroutines;
	uint64_t listing_bytes;
	char note[120]; /* shown behind the numbers, "" for nothing */
};

/* Facts for Go 1.27's reader (formats 11 and later): counts, goroutines, tasks, and for formats 22
 * and later the hash of the listing, as if its byte at `flip` were another one (GATHER_NO_FLIP: as
 * it is). */
int gather(struct view *v, struct facts *f, uint64_t flip, struct gathered *out,
	   struct tp_err *err);

/* Facts about minimum mutator utilisation, where the expectation has some. */
int gather_mmu(struct view *v, struct facts *f, int64_t duration_ns, struct tp_err *err);

/* Facts for Go 1.19's reader (formats 5 to 10). What a store does not keep, the size of the stack
 * table and the time of the last event on the wire, comes from a strict reading. */
int gather_legacy(struct view *v, struct facts *f, const struct strict *strict,
		  struct gathered *out, struct tp_err *err);

#endif
