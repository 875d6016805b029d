#include "open/otlp.h"

#include "base/many.h"
#include "base/wire.h"
#include "open/lines.h"

#define ENOUGH 64 /* fields of a message that are looked at */

/* Reads the next field. One that is cut off has the bytes that are there. */
static bool next_field(struct tp_cursor *c, struct tp_field *f)
{
	struct tp_cursor rest;
	uint64_t tag;

	if (tp_field_next(c, f))
		return true;
	if (c->failed != TP_CURSOR_END)
		return false;
	rest = tp_cursor(c->at, (size_t)(c->end - c->at));
	tag = tp_cursor_uvarint(&rest);
	tp_cursor_uvarint(&rest);
	if (rest.failed || (tag & 7) != TP_WIRE_BYTES)
		return false;
	*f = (struct tp_field){.number = (uint32_t)(tag >> 3),
			       .wire = TP_WIRE_BYTES,
			       .bytes = {rest.at, (size_t)(rest.end - rest.at)}};
	c->at = c->end;
	return true;
}

/* Returns whether all fields of a message are messages or texts, of the numbers up to `last`; sets *found
 * to the first one with the number `number`. Fields after those that are looked at, and what is cut off,
 * count as right. */
static bool is_of_bytes(struct tp_slice message, uint32_t last, uint32_t number,
			struct tp_slice *found)
{
	struct tp_cursor c = tp_cursor(message.data, message.size);
	struct tp_field f;

	*found = (struct tp_slice){0};
	for (int i = 0; i < ENOUGH && next_field(&c, &f); i++) {
		if (f.wire != TP_WIRE_BYTES || f.number > last)
			return false;
		if (f.number == number && !found->data)
			*found = f.bytes;
	}
	return !c.failed || c.failed == TP_CURSOR_END;
}

/* Returns whether ResourceProfiles and ScopeProfiles are nested as they are there, with a profile, or with
 * an attribute of the resource if the data end before the profile. Spans, metrics and logs look the same
 * down to here. */
static bool is_resource(struct tp_slice message)
{
	struct tp_slice resource, scope, inner, key;

	if (!is_of_bytes(message, 3, 2, &scope) || !is_of_bytes(message, 3, 1, &resource))
		return false;
	if (scope.data && is_of_bytes(scope, 3, 2, &inner) && inner.data)
		return true;
	return resource.data && is_of_bytes(resource, 3, 1, &inner) && inner.data &&
	       is_of_bytes(inner, 3, 1, &key) && key.size && *key.data > ' ';
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

	for (int i = 0; i < ENOUGH && next_field(&c, &f); i++) {
		if (f.wire != TP_WIRE_BYTES || f.number > 2)
			return false;
		telling |= f.number == 1 ? is_resource(f.bytes) : is_dictionary(f.bytes);
	}
	return telling && (!c.failed || c.failed == TP_CURSOR_END);
}

bool tp_otlp_is_json(const void *data, size_t size)
{
	static const char *const tables[] = {"mapping", "location",  "function", "link",
					     "string",	"attribute", "stack"};
	static const char *const before[] = {"\"dictionary\"", ":", "{", "\""};
	struct tp_scan s = {data, (const char *)data + size};

	tp_scan_text(&s, "\xef\xbb\xbf");
	tp_scan_blanks(&s);
	if (!tp_scan_text(&s, "{"))
		return false;
	tp_scan_blanks(&s);
	if (tp_scan_begins(s, "\"resourceProfiles\""))
		return true;
	/* Other objects may have a dictionary, too. */
	for (size_t i = 0; i < TP_COUNT_OF(before); i++) {
		if (!tp_scan_text(&s, before[i]))
			return false;
		tp_scan_blanks(&s);
	}
	for (size_t i = 0; i < TP_COUNT_OF(tables); i++)
		if (tp_scan_begins(s, tables[i]))
			return tp_scan_text(&s, tables[i]) && tp_scan_begins(s, "Table\"");
	return false;
}

bool tp_otlp_is_packed(struct tp_slice message)
{
	return message.size > 4 && !memcmp(message.data, "\x28\xb5\x2f\xfd", 4);
}

bool tp_otlp_prefixed(const void *data, size_t size, struct tp_slice *message)
{
	const uint8_t *at = data;
	size_t want, left;

	for (; size > TP_OTLP_SIZE_BYTES && !tp_otlp_size(at); size -= TP_OTLP_SIZE_BYTES)
		at += TP_OTLP_SIZE_BYTES; /* empty messages */
	/* A short message may look like a part of one behind a size. */
	if (size <= TP_OTLP_SIZE_BYTES || is_message((struct tp_slice){at, size}))
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
