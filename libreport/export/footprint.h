/* The composition of a trace: events, and bytes of its file, by type. */
#ifndef REP_EXPORT_FOOTPRINT_H
#define REP_EXPORT_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "output/output.h"
#include "store/store.h"

struct rep_footprint_row {
	char name[32];
	uint64_t events;
	/* As `go tool trace -d=footprint` counts them (`least` in struct tp_raw_event). */
	uint64_t bytes;
};

struct rep_footprint {
	struct rep_footprint_row *row; /* n of them, by bytes, then by events and name */
	size_t n, room;
	uint64_t events, bytes; /* of all rows */
	uint64_t size;		/* of the file; the bytes beyond `bytes` are padding and header */
	bool measured;		/* bytes are known (not for a store) */
};

/* Measures a dump. Damage ends it: rows are filled in up to there, and the error is returned. *f
 * must be released in every case. */
int rep_footprint_of_dump(struct rep_footprint *f, const void *data, size_t size,
			  struct tp_err *err);
/* Measures a run of a store, which has the number of events of each type, but not their bytes. */
int rep_footprint_of_run(struct rep_footprint *f, struct tp_store *store, const struct tp_run *run,
			 struct tp_err *err);
void rep_footprint_release(struct rep_footprint *f);

/* Prints a table: begin, rows, end, and a line for people. */
int rep_footprint_print(const struct rep_footprint *f, struct rep_output *out, struct tp_err *err);

#endif
