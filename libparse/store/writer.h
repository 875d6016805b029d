/* Inside of a run being written, for the files of store/ that add to it. */
#ifndef TP_STORE_WRITER_H
#define TP_STORE_WRITER_H

#include <pthread.h>
#include <sqlite3.h>

#include "base/buf.h"
#include "store/block.h"
#include "store/codec.h"
#include "store/rowqueue.h"
#include "store/store.h"

/* Rows of a packed table that wait for their chunk to be full. */
struct tp_pending_rows {
	int64_t *values; /* column by column, `stride` of them each */
	size_t rows, room, stride;
	int64_t part; /* of the next chunk */
};

/* The connection to a file that runs are collected in. */
struct tp_temp {
	struct sqlite3 *db;
	sqlite3_stmt *put_block;
};

/* Runs that are collected one after the other in one file. */
struct tp_several {
	struct tp_temp file;
	int64_t runs; /* that are complete: their numbers are 1, 2, … */
};

/* Events may come from one thread while rows come from another and are packed on a third: what each
 * of them encodes with is its own, and only `db` and its statements are shared, under `lock`. */
struct tp_store_run {
	char *path;	/* of the store; symbolic links resolved */
	char *temp;	/* where the run is collected: a whole store of this run, or of several */
	int64_t number; /* of the run in it */
	int temp_fd;
	struct tp_draft *draft; /* who made temp and publishes it; NULL: this run does */
	int wait_ms;
	bool materialize;
	bool materialized; /* that is done already, in temp */
	enum tp_codec codec;
	pthread_mutex_t lock;
	struct tp_temp file; /* temp */
	bool lent;	     /* … by the draft, which has more runs */
	bool begun;	     /* rows of it may be there */

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

/* One row of table `block`; first_ts and last_ts TP_NULL where they mean nothing. */
int tp_run_put_block(struct tp_store_run *run, const char *stream, int64_t part, size_t rows,
		     int64_t first_ts, int64_t last_ts, size_t raw_size, const struct tp_buf *data,
		     struct tp_err *err);

/* The rows of loss and notice. */
int tp_run_put_ledger(struct tp_store_run *run, const struct tp_loss *losses, size_t nlosses,
		      const struct tp_notice *notices, size_t nnotices, struct tp_err *err);

/* The file that a run for the store at run->path is collected in: run->temp, which is resolved from
 * `path` with links, and run->temp_fd (writer.c). */
int tp_run_create(struct tp_store_run *run, const char *path, struct tp_err *err);

/* An empty store in the file temp, for rows of the store at `path`, within a transaction; its end;
 * and what is left to do where that was not reached. */
int tp_temp_open(const char *temp, const char *path, uint64_t dump_size, struct tp_temp *t,
		 struct tp_err *err);
int tp_temp_close(struct tp_temp *t, const char *path, struct tp_err *err);
void tp_temp_drop(struct tp_temp *t);

/* Removes the rows of a run that does not come to its end from what it shares with others. Where
 * they cannot be removed, the draft cannot be used any more, and says why (draft.c). */
void tp_draft_take_back(struct tp_store_run *run);

/* Instead of tp_publish where another process does that (draft.c). */
int tp_draft_complete(struct tp_store_run *run, struct tp_run *r, struct tp_err *err);

/* Makes what is collected (all of it written, its transaction ended and its connection closed) part
 * of the store at run->path: by renaming where there is no store yet, else in one transaction.
 * r->id becomes the number of the run, also when the store held a run of this hash already. Where
 * r->hash is NULL there are several, and *added says how many of them the store did not hold. */
int tp_publish(struct tp_store_run *run, struct tp_run *r, size_t *added, struct tp_err *err);
/* The file run->temp, complete and closed, becomes the store at run->path, whose lock is held:
 * safe on the disk, and in place of one that is there. Then run->temp is NULL. */
int tp_publish_file(struct tp_store_run *run, struct tp_err *err);

#endif
