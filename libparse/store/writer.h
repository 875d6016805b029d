/* The inside of a run that is being written, and of temporary stores, for files of store/. */
#ifndef TP_STORE_WRITER_H
#define TP_STORE_WRITER_H

#include <pthread.h>
#include <sqlite3.h>

#include "base/buf.h"
#include "store/block.h"
#include "store/codec.h"
#include "store/rowqueue.h"
#include "store/store.h"

/* Rows of a packed table that wait until their chunk is full. */
struct tp_pending_rows {
	int64_t *values; /* column by column, `stride` of them each */
	size_t rows, room, stride;
	int64_t part; /* of the next chunk */
};

/* Dumps of at least as many bytes are large. */
#define TP_LARGE_DUMP ((uint64_t)8 << 20)

/* Events may come from one thread while rows come from another and are packed on a third. Each of them has its
 * own encoder; only the connection and its statements are shared, under `lock`. */
struct tp_store_run {
	struct tp_temp_store own;   /* where the caller has given none */
	struct tp_temp_store *temp; /* where the run is collected */
	int64_t number;		    /* of the run in it */
	bool begun;		    /* it may have rows of the run */
	struct tp_store_options opt;
	enum tp_codec codec;
	pthread_mutex_t lock;

	struct tp_block_encoder *encoder;
	struct tp_buf event_blob;
	size_t nevents; /* in the block being built */
	int64_t block_first_ns, block_last_ns;
	int64_t event_part;
	bool started;
	int64_t start_ns; /* trace clock of the first event */

	struct tp_pending_rows tables[TP_NTABLES];
	struct tp_row_queue queue;
	struct tp_packer string_packer;
	struct tp_buf string_blob;
	uint64_t unsynced; /* bytes put since the system was told to write */
};

/* Writes a row of table `block`; first_ts and last_ts are TP_NULL where they mean nothing. */
int tp_run_put_block(struct tp_store_run *run, const char *stream, int64_t part, size_t rows,
		     int64_t first_ts, int64_t last_ts, size_t raw_size, const struct tp_buf *data,
		     struct tp_err *err);

/* Writes the rows of loss and notice. */
int tp_run_put_ledger(struct tp_store_run *run, const struct tp_loss *losses, size_t nlosses,
		      const struct tp_notice *notices, size_t nnotices, struct tp_err *err);

/* The steps of tp_temp_store_open: a connection, and on it an empty store within a transaction, for dumps of
 * so many bytes. tp_temp_store_commit ends the transaction and the connection; tp_temp_store_disconnect only
 * the connection, if there is one. */
int tp_temp_store_connect(struct tp_temp_store *t, struct tp_err *err);
int tp_temp_store_begin(struct tp_temp_store *t, uint64_t dump_size, struct tp_err *err);
/* Inserts a block of a run. Times may be TP_NULL. Returns an SQLite code. */
int tp_temp_put_block(struct tp_temp_store *t, int64_t run, const char *stream, int64_t part,
		      size_t rows, int64_t first_ts, int64_t last_ts, int codec, size_t raw_size,
		      const struct tp_buf *data);
int tp_temp_store_commit(struct tp_temp_store *t, struct tp_err *err);
void tp_temp_store_disconnect(struct tp_temp_store *t);

/* Removes the rows of an unfinished run. If that fails, t->err says why, and the file cannot be used any
 * more. */
void tp_temp_store_take_back(struct tp_temp_store *t, int64_t run);

/* Makes the file, which is complete and closed, the store at t->path, whose lock is held: it is synced and
 * renamed, over one that is there. Then t->file is NULL. */
int tp_publish_file(struct tp_temp_store *t, struct tp_err *err);

#endif
