#include "base/wire.h"

#define MAX_NUMBER (((uint32_t)1 << 29) - 1)

/* Reads the value after a tag. */
static void read_value(struct tp_cursor *c, struct tp_field *f)
{
	switch (f->wire) {
	case TP_WIRE_VARINT:
		f->value = tp_cursor_uvarint(c);
		break;
	case TP_WIRE_FIXED64:
		f->bytes = tp_cursor_bytes(c, 8);
		break;
	case TP_WIRE_BYTES:
		f->bytes = tp_cursor_bytes(c, tp_cursor_uvarint(c));
		break;
	case TP_WIRE_FIXED32:
		f->bytes = tp_cursor_bytes(c, 4);
		break;
	case TP_WIRE_GROUP:
	case TP_WIRE_GROUP_END:
		break;
	}
}

static void read_tag(struct tp_cursor *c, struct tp_field *f)
{
	uint64_t tag = tp_cursor_uvarint(c);

	*f = (struct tp_field){.number = (uint32_t)(tag >> 3), .wire = (enum tp_wire)(tag & 7)};
	if (!c->failed && (tag >> 3 < 1 || tag >> 3 > MAX_NUMBER || (tag & 7) > TP_WIRE_FIXED32))
		c->failed = TP_CURSOR_MALFORMED;
}

/* Skips a group. Groups may contain groups, so it only counts how many are open. */
static void skip_group(struct tp_cursor *c)
{
	uint64_t open = 1;

	while (open && !c->failed) {
		struct tp_field f;

		read_tag(c, &f);
		if (f.wire == TP_WIRE_GROUP)
			open++;
		else if (f.wire == TP_WIRE_GROUP_END)
			open--;
		else if (!c->failed)
			read_value(c, &f);
	}
}

bool tp_field_next_slow(struct tp_cursor *c, struct tp_field *f)
{
	const uint8_t *start = c->at;

	if (c->failed || c->at == c->end)
		return false;
	read_tag(c, f);
	if (!c->failed && f->wire == TP_WIRE_GROUP_END)
		c->failed = TP_CURSOR_MALFORMED; /* the end of a group that never began */
	if (!c->failed && f->wire == TP_WIRE_GROUP)
		skip_group(c);
	else if (!c->failed)
		read_value(c, f);
	if (c->failed)
		c->at = start;
	return !c->failed;
}

bool tp_wire_numbers(struct tp_slice message, uint64_t *value, uint32_t size)
{
	struct tp_cursor c = tp_cursor(message.data, message.size);
	struct tp_field f;

	while (tp_field_next(&c, &f)) {
		if (f.number >= size)
			continue;
		if (f.wire != TP_WIRE_VARINT)
			return false;
		value[f.number] = f.value;
	}
	return !c.failed;
}

int tp_wire_put_number(struct tp_buf *b, uint32_t number, uint64_t value)
{
	int code;

	if (!value)
		return 0;
	code = tp_buf_put_uvarint(b, (uint64_t)number << 3 | TP_WIRE_VARINT);
	return code ? code : tp_buf_put_uvarint(b, value);
}

int tp_wire_put_bytes(struct tp_buf *b, uint32_t number, const void *data, size_t size)
{
	int code = tp_buf_put_uvarint(b, (uint64_t)number << 3 | TP_WIRE_BYTES);

	if (!code)
		code = tp_buf_put_uvarint(b, size);
	return code ? code : tp_buf_put(b, data, size);
}
