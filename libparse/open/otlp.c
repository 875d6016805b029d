#include "open/otlp.h"

#include "base/wire.h"
#include "open/lines.h"

#define ENOUGH 64 /* fields of a message that are looked at */

/* Returns whether all fields of a message are messages or texts, of the numbers up to `last`; sets *found
 * to the first one with the number `number`. Fields after those that are looked at, and what is cut off,
 * count as right. */
static bool is_of_bytes(struct tp_slice message, uint32_t last, uint32_t number,
			struct tp_slice *found)
{
	struct tp_cursor c = tp_cursor(message.data, message.size);
	struct tp_field f;

	*found = (struct tp_slice){0};
	for (int i = 0; i < ENOUGH && tp_field_next(&c, &f); i++) {
		if (f.wire != TP_WIRE_BYTES || f.number > last)
			return false;
		if (f.number == number && !found->data)
			*found = f.bytes;
	}
	return !c.failed || c.failed == TP_CURSOR_END;
}

/* Returns whether ResourceProfiles and ScopeProfiles are nested as they are there, with a profile. Spans,
 * metrics and logs look the same down to here. */
static bool is_resource(struct tp_slice message)
{
	struct tp_slice scope, profile;

	return is_of_bytes(message, 3, 2, &scope) && scope.data &&
	       is_of_bytes(scope, 3, 2, &profile) && profile.data;
}

/* Returns whether the message has tables, and strings that begin with the empty one. */
static bool is_dictionary(struct tp_slice message)
{
	struct tp_cursor c = tp_cursor(message.data, message.size);
	struct tp_field f;

	while (tp_field_next(&c, &f)) {
		if (f.wire != TP_WIRE_BYTES || f.number > 7)
			return false;
		if (f.number == 5)
			return !f.bytes.size;
	}
	return false;
}

static bool is_message(struct tp_slice message)
{
	struct tp_cursor c = tp_cursor(message.data, message.size);
	bool telling = false;
	struct tp_field f;

	for (int i = 0; i < ENOUGH && tp_field_next(&c, &f); i++) {
		if (f.wire != TP_WIRE_BYTES || f.number > 2)
			return false;
		telling |= f.number == 1 ? is_resource(f.bytes) : is_dictionary(f.bytes);
	}
	return telling && (!c.failed || c.failed == TP_CURSOR_END);
}

bool tp_otlp_is_json(const void *data, size_t size)
{
	static const char *const first[] = {"\"resourceProfiles\"", "\"dictionary\""};
	struct tp_scan s = {data, (const char *)data + size};

	tp_scan_text(&s, "\xef\xbb\xbf");
	tp_scan_blanks(&s);
	if (!tp_scan_text(&s, "{"))
		return false;
	tp_scan_blanks(&s);
	return tp_scan_begins(s, first[0]) || tp_scan_begins(s, first[1]);
}

bool tp_otlp_is_packed(struct tp_slice message)
{
	return message.size > 4 && !memcmp(message.data, "\x28\xb5\x2f\xfd", 4);
}

bool tp_otlp_prefixed(const void *data, size_t size, struct tp_slice *message)
{
	const uint8_t *at = data;
	size_t want, left;

	/* A short message may look like a part of one behind a size. */
	if (size <= TP_OTLP_SIZE_BYTES || is_message((struct tp_slice){data, size}))
		return false;
	want = tp_otlp_size(at);
	left = size - TP_OTLP_SIZE_BYTES;
	*message = (struct tp_slice){at + TP_OTLP_SIZE_BYTES, want < left ? want : left};
	return want && (is_message(*message) || tp_otlp_is_packed(*message) ||
			tp_otlp_is_json(message->data, message->size));
}

bool tp_otlp_is(const void *data, size_t size)
{
	struct tp_slice message;

	return is_message((struct tp_slice){data, size}) || tp_otlp_prefixed(data, size, &message);
}
