/* The size of runs in a store, in all and by stream (the event blocks, the dictionary's strings,
 * each packed table). */
#ifndef REP_INVENTORY_H
#define REP_INVENTORY_H

#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

/* Returns the packed bytes of a run; rows of ordinary tables, which are few, are not counted. */
int rep_run_bytes(struct tp_store *store, int64_t run, int64_t *bytes, struct tp_err *err);

struct rep_stream {
	const char *name; /* needed during the call only */
	int64_t rows, blocks;
	int64_t bytes, raw; /* as stored, and unpacked */
};

/* Lists the streams of a run, the largest first. */
int rep_run_streams(struct tp_store *store, int64_t run,
		    int (*visit)(void *ctx, const struct rep_stream *s, struct tp_err *err),
		    void *ctx, struct tp_err *err);

#endif
