/* Reads and writes the wire format of protocol buffers, field by field
 * (protobuf.dev/programming-guides/encoding).
 *
 *   message  field*
 *   field    tag = varint (number << 3 | wire type), then by wire type
 *     0 VARINT   varint of at most ten bytes
 *     1 FIXED64  8 bytes
 *     2 BYTES    varint size, then as many bytes: a string, a message, packed numbers
 *     3, 4       begin and end of a group (fields in between; long out of use)
 *     5 FIXED32  4 bytes
 *
 *	struct tp_field f;
 *	while (tp_field_next(&cursor, &f))
 *		switch (f.number) …
 *	if (cursor.failed) …
 */
#ifndef TP_BASE_WIRE_H
#define TP_BASE_WIRE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/cursor.h"

enum tp_wire {
	TP_WIRE_VARINT = 0,
	TP_WIRE_FIXED64 = 1,
	TP_WIRE_BYTES = 2,
	TP_WIRE_GROUP = 3,
	TP_WIRE_GROUP_END = 4,
	TP_WIRE_FIXED32 = 5,
};

struct tp_field {
	uint32_t number;
	enum tp_wire wire;
	uint64_t value;	       /* of VARINT */
	struct tp_slice bytes; /* of BYTES; content of other fields that are skipped */
};

bool tp_field_next_slow(struct tp_cursor *c, struct tp_field *f);

/* Reads the next field with its value. Returns false at the end, and at a fault (c->failed): a
 * field that exceeds the message, the number 0, or an unknown wire type; the cursor is then at the
 * field. */
static inline bool tp_field_next(struct tp_cursor *c, struct tp_field *f)
{
	const uint8_t *at = c->at;
	ptrdiff_t left = c->end - at;

	/* Most fields have one byte of tag, and one or two of value. */
	if (!c->failed && left >= 2 && at[0] < 0x80 && at[0] >= 8 &&
	    (at[1] < 0x80 || (left >= 3 && at[2] < 0x80))) {
		ptrdiff_t size = at[1] < 0x80 ? 2 : 3;
		unsigned value = size == 2 ? at[1] : (at[1] & 0x7fu) | (unsigned)at[2] << 7;

		f->number = at[0] >> 3;
		f->wire = (enum tp_wire)(at[0] & 7);
		if (f->wire == TP_WIRE_VARINT) {
			f->value = value;
			c->at = at + size;
			return true;
		}
		if (f->wire == TP_WIRE_BYTES && value <= left - size) {
			f->bytes = (struct tp_slice){at + size, value};
			c->at = at + size + value;
			return true;
		}
	}
	return tp_field_next_slow(c, f);
}

/* Reads a message of numbers: sets value[n] to field n (n < size; the last one counts, as usual in
 * protocol buffers), and leaves the others unchanged. Skips fields from `size` on. Returns false at
 * a fault, or if a field below `size` is not a varint. */
bool tp_wire_numbers(struct tp_slice message, uint64_t *value, uint32_t size);

/* ---- writing: 0 or TP_ENOMEM ---- */

/* Appends a number unless it is 0, which a missing field means. */
int tp_wire_put_number(struct tp_buf *b, uint32_t number, uint64_t value);
int tp_wire_put_bytes(struct tp_buf *b, uint32_t number, const void *data, size_t size);

#endif
