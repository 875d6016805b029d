/* All parts of a trace into the run that one import of it makes: events in their order, by way of
 * the timeline, as if they came from a decoder. */
#ifndef TP_STORE_MERGE_STITCH_H
#define TP_STORE_MERGE_STITCH_H

#include "store/store.h"

struct stitch_options {
	struct tp_store_options store; /* with a draft */
	const char *path;	       /* the store that the draft is for */
	int threads;		       /* beside this one */
	/* The store of part i, and its run there; open until the next call. 0 or an error code. */
	int (*part)(void *ctx, size_t i, struct tp_store **store, int64_t *run, struct tp_err *err);
	int (*progress)(void *ctx, uint64_t done, uint64_t total); /* events; nonzero: TP_ECANCEL */
	uint64_t events;					   /* of all parts, for that */
	void *ctx;
};

/* Of the run that was made. */
struct stitched {
	int64_t wall_ns, generations;
};

/* Joins n parts, in their order. occupancy: as of the timeline. Errors of join_begin (join.h),
 * which name the part, and of the store. */
int tp_stitch(size_t n, bool occupancy, const struct stitch_options *opt, struct stitched *made,
	      struct tp_err *err);

#endif
