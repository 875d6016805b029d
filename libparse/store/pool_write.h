/* Dictionaries of many runs into few pools (store/pool.h).
 *
 * Runs come one after the other; what a run's dictionary has and the pool has not is put behind the
 * rest, so a pool's entries lie in the order of their first use. A chunk is written as soon as it
 * is full. Where a pool would grow over its bound a new one begins: memory is bounded by that, and
 * by the dictionary of one run. What comes out depends on nothing but the runs and their order. */
#ifndef TP_STORE_POOL_WRITE_H
#define TP_STORE_POOL_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "decode/dict.h"

/* How much a pool may have: entries of all kinds, bytes of text. */
#define TP_POOL_ENTRIES ((uint32_t)1 << 20)
#define TP_POOL_TEXT	((size_t)32 << 20)
/* A dictionary that is larger than this gains too little by being shared, and would fill the pool
 * alone: it stays its run's own. */
#define TP_POOL_RUN_ENTRIES (TP_POOL_ENTRIES / 8)
#define TP_POOL_RUN_TEXT    (TP_POOL_TEXT / 4)

struct tp_pool_writer;

/* Where rows of table `block` go; their columns as there (codec is that of data's first byte). 0 or
 * an error code. */
struct tp_pool_sink {
	int (*put)(void *ctx, int64_t run, const char *stream, int64_t part, size_t rows,
		   size_t raw_size, const struct tp_buf *data, struct tp_err *err);
	void *ctx;
};

/* TP_ENOMEM. */
int tp_pool_writer_new(struct tp_pool_writer **w, const struct tp_pool_sink *sink,
		       struct tp_err *err);
void tp_pool_writer_free(struct tp_pool_writer *w);

/* Puts the list of the run, 1; or nothing of it, 0, where its dictionary has to be its own: it is
 * large, or has an entry twice (as a damaged one, or one whose texts were replaced), which a pool
 * could not tell apart. Or an error code, of the sink or TP_ENOMEM. */
int tp_pool_writer_add(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		       struct tp_err *err);
/* Puts a dictionary as the run's own, in chunks like those of a pool. */
int tp_pool_writer_own(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		       struct tp_err *err);
/* Puts what is left of the last pool. *pools: how many there are. */
int tp_pool_writer_finish(struct tp_pool_writer *w, int64_t *pools, struct tp_err *err);

#endif
