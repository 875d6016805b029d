/* Reads and writes the head of a block of events: the number and times of its events, and how each
 * column is packed (block_model.h has the format). Private to block_*.c. */
#ifndef TP_STORE_BLOCK_HEAD_H
#define TP_STORE_BLOCK_HEAD_H

#include "base/cursor.h"
#include "store/block_model.h"
#include "store/codec.h"

struct block_column_head {
	enum tp_codec codec;
	size_t raw;		/* bytes, unpacked */
	struct tp_slice stored; /* its bytes in the block; when writing, only the size */
};

struct block_head {
	uint32_t n;	  /* events */
	int64_t first;	  /* ns, of the first event */
	uint32_t unit;	  /* unit of times, in ns; 0: times are ticks */
	double tick;	  /* then: ns per tick, */
	int64_t start_ns; /* and the time that event times are relative to */
	struct block_column_head column[BLOCK_COLUMNS];
};

#define BLOCK_HEAD_MOST (2 + 4 * 10 + 18 + BLOCK_COLUMNS * (1 + 2 * 10)) /* bytes */

/* Reads the head of a block of `rows` events. Returns 0, TP_ESTORE if it is damaged, or
 * TP_EVERSION. */
int tp_block_read_head(struct block_head *h, const void *data, size_t size, int64_t rows,
		       struct tp_err *err);
/* Writes the head at p, which has room for BLOCK_HEAD_MOST bytes, and returns the position after
 * it. `most` is the codec of most columns. */
uint8_t *tp_block_put_head(const struct block_head *h, enum tp_codec most, uint8_t *p);

/* Returns the largest size in bytes, unpacked, of a column of n events. */
size_t tp_block_column_most(enum block_column c, size_t n);
/* Fills in err: "a block of events is damaged: WHAT". Returns TP_ESTORE. */
int tp_block_damaged(struct tp_err *err, const char *what);

#endif
