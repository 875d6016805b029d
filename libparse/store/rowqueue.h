/* Chunks of rows on their way into the store. They are packed on a thread of their own where there
 * is one, so that whoever makes rows need not wait for it; else at once.
 *
 * Life: zero-initialised, tp_row_queue_start or not, tp_row_queue_put, tp_row_queue_finish (once or
 * more), tp_row_queue_release. */
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
	struct tp_rows_encoder encoder; /* of the thread, while it runs */
	struct tp_buf blob;
	pthread_t thread;
	bool running;
	/* What follows is shared, under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	struct tp_row_chunk chunks[TP_ROW_QUEUE];
	size_t first, n;
	bool closed;
	int code; /* of the first chunk that failed */
	struct tp_err err;
};

/* Starts the thread; where the system gives none, everything works without. */
void tp_row_queue_start(struct tp_store_run *run);
/* Puts a chunk into the store. With a thread the values become the queue's, which frees them, and
 * *taken is set; it may be the error of an earlier chunk that is told. */
int tp_row_queue_put(struct tp_store_run *run, const struct tp_row_chunk *chunk, bool *taken,
		     struct tp_err *err);
/* Waits until all chunks are in the store, and ends the thread: 0 or the first error. */
int tp_row_queue_finish(struct tp_store_run *run, struct tp_err *err);
/* Finishes first if that has not been done. */
void tp_row_queue_release(struct tp_store_run *run);

#endif
