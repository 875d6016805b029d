/* Chunks of packed tables: up to TP_CHUNK_ROWS rows of int64 columns as bytes, and back.
 *
 * A chunk is encoded column by column and decoded likewise, only those columns asked for. The bytes
 * of a chunk are not trusted when it is decoded. */
#ifndef TP_STORE_ROWS_H
#define TP_STORE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/codec.h"
#include "store/tables.h"

#define TP_CHUNK_ROWS 32768

struct tp_rows_encoder {
	struct tp_packer packer;
	struct tp_packer dense; /* in place of lz4 for all but small columns */
	struct tp_buf scratch, bodies;
	size_t raw_size; /* of the last chunk: bytes before compression */
};

/* Appends the chunk of nrows rows (1 … TP_CHUNK_ROWS) of ncolumns values each to out; 0 or
 * TP_ENOMEM. Column c begins at values[c * stride]. */
int tp_rows_encode(struct tp_rows_encoder *e, struct tp_buf *out, const int64_t *values,
		   size_t stride, size_t nrows, unsigned ncolumns);
void tp_rows_encoder_release(struct tp_rows_encoder *e);

struct tp_rows_decoder {
	struct tp_unpacker unpacker;
	struct tp_buf scratch, values;
};

/* Decodes a chunk of exactly nrows rows (as the block table says) into col[c][0 … nrows), for the
 * columns c < ncolumns with col[c] != NULL. A column the chunk does not have (it was written by an
 * older program) is all TP_NULL. TP_ESTORE: the chunk is damaged; TP_EVERSION; TP_ENOMEM. */
int tp_rows_decode(struct tp_rows_decoder *d, const void *data, size_t size, size_t nrows,
		   int64_t *const *col, unsigned ncolumns, struct tp_err *err);
/* The same for a chunk of that table, whose columns can stand for others where they are TP_NULL:
 * goroutine.goid for the id and goroutine.life for 1, as it is with most, and in older stores. */
int tp_rows_decode_table(struct tp_rows_decoder *d, const void *data, size_t size, size_t nrows,
			 enum tp_table_id table, int64_t *const *col, struct tp_err *err);
/* How many columns a chunk has; 0 where that cannot be read. */
unsigned tp_rows_width(const void *data, size_t size);
void tp_rows_decoder_release(struct tp_rows_decoder *d);

#endif
