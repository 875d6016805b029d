/* Blocks of a store taken apart: what is compressed in them is unpacked, so that a change reaches
 * the decoders behind the compression, and put together again with sizes that agree. */
#ifndef FUZZ_BLOB_H
#define FUZZ_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define BLOB_COLUMNS 64

/* LIST: which entries of a pool a run has (store/pool.h). */
enum blob_kind { BLOB_EVENTS, BLOB_ROWS, BLOB_STRINGS, BLOB_LIST };

struct blob {
	enum blob_kind kind;
	struct tp_buf head; /* up to the first column's */
	unsigned ncolumns;
	struct blob_column {
		uint8_t tag; /* form and compression, as the stream has them */
		struct tp_buf bytes;
	} column[BLOB_COLUMNS]; /* one, without a tag: but for events and rows */
};

/* False where it is none. To be released in every case. */
bool blob_init(struct blob *b, enum blob_kind kind, const uint8_t *data, size_t size);
/* Appends it to out. */
void blob_put(const struct blob *b, struct tp_buf *out);
void blob_release(struct blob *b);

#endif
