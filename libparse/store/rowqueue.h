/* Packs chunks of rows and puts them into the store, on a thread of its own if one was started, so that the producer
 * of rows does not wait for it.
 *
 * Life: zero-initialised, tp_row_queue_start or not, tp_row_queue_put, tp_row_queue_finish (once or more),
 * tp_row_queue_release. */
#ifndef TP_STORE_ROWQUEUE_H
#define TP_STORE_ROWQUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/rows.h"
#include "store/tables.h"

#define TP_ROW_QUEUE 4 /* chunks that may wait */

struct tp_store_run;

struct tp_row_chunk {
	enum tp_table_id table;
	int64_t part;
	int64_t *values; /* column by column, `stride` of them each */
	size_t stride, rows;
};

struct tp_row_queue {
	struct tp_rows_encoder encoder; /* only the thread uses it, while it runs */
	struct tp_buf blob;
	pthread_t thread;
	bool running;
	/* The lock protects the rest. */
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	struct tp_row_chunk chunks[TP_ROW_QUEUE];
	size_t first, n;
	bool closed;
	int code; /* of the first chunk that failed */
	struct tp_err err;
};

/* Starts the thread. If the system has none, chunks are packed at once. */
void tp_row_queue_start(struct tp_store_run *run);
/* Puts a chunk into the store. With a thread, *taken is set and the queue frees the values; the error that is returned
 * may be of an earlier chunk. */
int tp_row_queue_put(struct tp_store_run *run, const struct tp_row_chunk *chunk, bool *taken,
		     struct tp_err *err);
/* Waits until all chunks are in the store, and ends the thread. Returns 0 or the first error. */
int tp_row_queue_finish(struct tp_store_run *run, struct tp_err *err);
/* Finishes first if that has not been done. */
void tp_row_queue_release(struct tp_store_run *run);

#endif
