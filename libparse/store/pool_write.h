/* Writes the dictionaries of many runs as few pools (store/pool.h).
 *
 * Runs come one after the other. Entries of a run that the pool does not have are appended, so they are in the order of
 * their first use. A chunk is written when it is full. When a pool reaches its limit, a new one begins: memory is bounded
 * by that limit and the dictionary of one run. The result depends only on the runs and their order. */
#ifndef TP_STORE_POOL_WRITE_H
#define TP_STORE_POOL_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "decode/dict.h"

/* Limits of a pool: entries of all kinds, and bytes of text. */
#define TP_POOL_ENTRIES ((uint32_t)1 << 20)
#define TP_POOL_TEXT	((size_t)32 << 20)
/* Limits of a dictionary that is put into a pool. A larger one would gain little and fill the pool alone. */
#define TP_POOL_RUN_ENTRIES (TP_POOL_ENTRIES / 8)
#define TP_POOL_RUN_TEXT    (TP_POOL_TEXT / 4)

struct tp_pool_writer;

/* Where rows of table `block` go. The parameters are its columns; the codec is the first byte of data. Returns 0 or an
 * error code. */
struct tp_pool_sink {
	int (*put)(void *ctx, int64_t run, const char *stream, int64_t part, size_t rows,
		   size_t raw_size, const struct tp_buf *data, struct tp_err *err);
	void *ctx;
};

/* Returns 0 or TP_ENOMEM. */
int tp_pool_writer_new(struct tp_pool_writer **w, const struct tp_pool_sink *sink,
		       struct tp_err *err);
void tp_pool_writer_free(struct tp_pool_writer *w);

/* Adds the dictionary to the pool, writes the run's list, and returns 1. Returns 0, and writes nothing of it, if the
 * dictionary cannot be shared: it is large, or has an entry twice (it is damaged, or its texts were replaced). Or
 * returns an error code: the sink's, or TP_ENOMEM. */
int tp_pool_writer_add(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		       struct tp_err *err);
/* Writes a dictionary as the run's own, in chunks like those of a pool. */
int tp_pool_writer_own(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		       struct tp_err *err);
/* Writes the rest of the last pool. Sets *pools to the number of pools. */
int tp_pool_writer_finish(struct tp_pool_writer *w, int64_t *pools, struct tp_err *err);

#endif
