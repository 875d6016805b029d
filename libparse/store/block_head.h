/* What a block of events begins with, read and written: how many there are and when, and of each
 * column how it is packed (block_model.h has the format). Private to block_*.c. */
#ifndef TP_STORE_BLOCK_HEAD_H
#define TP_STORE_BLOCK_HEAD_H

#include "base/cursor.h"
#include "store/block_model.h"
#include "store/codec.h"

struct block_column_head {
	enum tp_codec codec;
	size_t raw;		/* bytes, unpacked */
	struct tp_slice stored; /* of the block; only its size where it is written */
};

struct block_head {
	uint32_t n;	  /* events */
	int64_t first;	  /* ns, of the first one */
	uint32_t unit;	  /* of times, in ns; 0: they are ticks */
	double tick;	  /* then: ns each, */
	int64_t start_ns; /* and the moment that times are relative to */
	struct block_column_head column[BLOCK_COLUMNS];
};

#define BLOCK_HEAD_MOST (2 + 4 * 10 + 18 + BLOCK_COLUMNS * (1 + 2 * 10)) /* bytes */

/* Of a block that has so many rows. TP_ESTORE where it is damaged, TP_EVERSION. */
int tp_block_read_head(struct block_head *h, const void *data, size_t size, int64_t rows,
		       struct tp_err *err);
/* At p, which has room for BLOCK_HEAD_MOST bytes; returns what follows it. `most` is the codec of
 * most columns. */
uint8_t *tp_block_put_head(const struct block_head *h, enum tp_codec most, uint8_t *p);

/* The most bytes, unpacked, that a column of n events has. */
size_t tp_block_column_most(enum block_column c, size_t n);
/* TP_ESTORE: "a block of events is damaged: WHAT". */
int tp_block_damaged(struct tp_err *err, const char *what);

#endif
