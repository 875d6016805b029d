/* Writes and reads rows in ClickHouse's format RowBinary.
 *
 *   integers     little-endian, of their width       String         size (uvarint), bytes
 *   Nullable     u8 1, or u8 0 and the value         Array          n (uvarint), n values
 *   Date         u16, days since 1970-01-01          FixedString(n) n bytes */
#ifndef REP_ENGINE_BINARY_H
#define REP_ENGINE_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "base/err.h"

/* ---- writing: 0 or TP_ENOMEM ---- */

int rep_row_put(struct tp_buf *b, uint64_t value, unsigned bytes);
int rep_row_put_int(struct tp_buf *b, int64_t value); /* Nullable(Int64); TP_NULL is NULL */
int rep_row_put_text(struct tp_buf *b, const void *data, size_t size);	       /* String */
int rep_row_put_text_or_null(struct tp_buf *b, const void *data, size_t size); /* data NULL */

/* ---- reading: errors are sticky, as of all cursors ---- */

uint64_t rep_row_get(struct tp_cursor *c, unsigned bytes);
int64_t rep_row_get_int(struct tp_cursor *c);		       /* Nullable(Int64) */
struct tp_slice rep_row_get_text(struct tp_cursor *c);	       /* String */
struct tp_slice rep_row_get_text_or_null(struct tp_cursor *c); /* data NULL: NULL */
bool rep_row_text_is(struct tp_slice s, const char *text);
/* Reads the size of an array whose values take at least `least` bytes each. */
size_t rep_row_get_count(struct tp_cursor *c, unsigned least);

/* Reads one row of an answer from the cursor. If the cursor has failed, the row is incomplete and
 * must be ignored; it is passed again with more bytes. */
typedef int rep_engine_row(void *ctx, struct tp_cursor *c, struct tp_err *err);

#define REP_ANSWER_MOST	    ((uint64_t)8 << 30) /* bytes of one answer … */
#define REP_ANSWER_ROW_MOST ((size_t)16 << 20)	/* … and of one row */

struct rep_answer {
	rep_engine_row *row;
	void *ctx;
	/* private */
	struct tp_buf left; /* an incomplete row */
	size_t wait;	    /* size it must reach before it is parsed again */
	uint64_t total;
};

/* Takes a piece of an answer; an on_data of rep_engine_link.ask. */
int rep_answer_data(void *answer, const void *data, size_t size, struct tp_err *err);
/* Ends an answer after its last piece. Returns `code` if that is an error, TP_ETRUNC if it ends
 * within a row. Releases the memory in every case. */
int rep_answer_end(struct rep_answer *a, int code, struct tp_err *err);

#endif
