/* Chunks of packed tables: encodes up to TP_CHUNK_ROWS rows of int64 columns as bytes, and decodes them.
 *
 * A chunk is encoded column by column, so only the columns asked for are decoded. Its bytes are not trusted. */
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
	struct tp_packer dense; /* replaces lz4 for all but small columns */
	struct tp_buf scratch, bodies;
	size_t raw_size; /* bytes of the last chunk before compression */
};

/* Appends a chunk of nrows rows (1 … TP_CHUNK_ROWS) of ncolumns values each to out. Column c begins at
 * values[c * stride]. Returns 0 or TP_ENOMEM. */
int tp_rows_encode(struct tp_rows_encoder *e, struct tp_buf *out, const int64_t *values,
		   size_t stride, size_t nrows, unsigned ncolumns);
void tp_rows_encoder_release(struct tp_rows_encoder *e);

struct tp_rows_decoder {
	struct tp_unpacker unpacker;
	struct tp_buf scratch, values;
};

/* Decodes a chunk of exactly nrows rows (as the block table says) into col[c][0 … nrows), for the columns c <
 * ncolumns with col[c] != NULL. Columns that the chunk does not have, as an older program wrote it, become
 * TP_NULL. Returns 0, TP_ESTORE (the chunk is damaged), TP_EVERSION or TP_ENOMEM. */
int tp_rows_decode(struct tp_rows_decoder *d, const void *data, size_t size, size_t nrows,
		   int64_t *const *col, unsigned ncolumns, struct tp_err *err);
/* The same for a chunk of this table. In the table goroutine, TP_NULL stands for the id in the column goid and for
 * 1 in the column life, as it does for most goroutines, and in older stores. */
int tp_rows_decode_table(struct tp_rows_decoder *d, const void *data, size_t size, size_t nrows,
			 enum tp_table_id table, int64_t *const *col, struct tp_err *err);
/* Returns the number of columns of a chunk; 0 if it cannot be read. */
unsigned tp_rows_width(const void *data, size_t size);
void tp_rows_decoder_release(struct tp_rows_decoder *d);

#endif
