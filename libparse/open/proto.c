#include "open/proto.h"

#include "base/wire.h"

#define ENOUGH 256 /* fields that are looked at when they tell already */
#define FEW    4   /* whole ones before a cut */

/* Does a field of this number and wire type occur in profile.proto, or not clash with it? */
static bool fits(const struct tp_field *f)
{
	/* By number; 15 (doc_url) is the last. */
	static const uint8_t wire[16] = {
	    [1] = TP_WIRE_BYTES, TP_WIRE_BYTES,	 TP_WIRE_BYTES,	 TP_WIRE_BYTES,	 TP_WIRE_BYTES,
	    TP_WIRE_BYTES,	 TP_WIRE_VARINT, TP_WIRE_VARINT, TP_WIRE_VARINT, TP_WIRE_VARINT,
	    TP_WIRE_BYTES,	 TP_WIRE_VARINT, TP_WIRE_BYTES,	 TP_WIRE_VARINT, TP_WIRE_VARINT,
	};

	if (f->number >= sizeof(wire) || f->wire == wire[f->number])
		return true;
	/* Comments are repeated numbers, packed or not. */
	return f->number == 13 && f->wire == TP_WIRE_VARINT;
}

bool tp_input_is_proto(const uint8_t *data, size_t size)
{
	struct tp_cursor c = tp_cursor(data, size);
	struct tp_field f = {0};
	bool telling = false;
	size_t n = 0;

	for (; (!telling || n < ENOUGH) && tp_field_next(&c, &f); n++) {
		uint64_t numbers[3];

		if (!fits(&f))
			return false;
		if (f.number == 1 && !tp_wire_numbers(f.bytes, numbers, 3))
			return false;
		telling |= f.number == 1 || f.number == 6;
	}
	return telling && (c.failed == TP_CURSOR_OK || (c.failed == TP_CURSOR_END && n >= FEW));
}
