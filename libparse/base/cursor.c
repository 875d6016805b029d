#include "base/cursor.h"

uint64_t tp_cursor_uvarint_slow(struct tp_cursor *c)
{
	uint64_t v = 0;
	const uint8_t *p = c->at;

	if (c->failed)
		return 0;
	for (unsigned shift = 0; shift < 64; shift += 7, p++) {
		if (p == c->end) {
			c->failed = TP_CURSOR_END;
			return 0;
		}
		/* The tenth byte has room for one bit. */
		if (shift == 63 && *p > 1)
			break;
		v |= (uint64_t)(*p & 0x7f) << shift;
		if (*p < 0x80) {
			c->at = p + 1;
			return v;
		}
	}
	c->failed = TP_CURSOR_OVERFLOW;
	return 0;
}

const char *tp_cursor_fault_text(enum tp_cursor_fault fault)
{
	switch (fault) {
	case TP_CURSOR_OK:
		return "no fault";
	case TP_CURSOR_END:
		return "ends in the middle of a value";
	case TP_CURSOR_OVERFLOW:
		return "varint overflow";
	case TP_CURSOR_MALFORMED:
		return "breaks the rules of its format";
	}
	return "unknown fault";
}
