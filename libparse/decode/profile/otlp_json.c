/* OpenTelemetry's profiles as JSON, as the Collector's file exporter writes them: a message on each line.
 * Each becomes the message of protocol buffers that says the same, by the schema, so that there is one
 * reader. Names are those of the schema in camel case, 64-bit numbers are strings or numbers, ids are
 * hexadecimal and other bytes are base64 (opentelemetry.io/docs/specs/otlp, JSON Protobuf Encoding). */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "decode/profile/otlp.h"

#define SIZE_ROOM 5 /* bytes of a size that is not known yet: a varint of 35 bits */

/* A message or a list being written. */
struct level {
	struct tp_json_walk w;
	enum tp_otlp_message message;
	const struct tp_otlp_field *items; /* of a list */
	uint32_t number;		   /* of the list's field */
	size_t at; /* where the message begins in the output, 0: it has no size */
};

struct json {
	struct tp_otlp *o;
	struct tp_buf *out;
	struct level levels[TP_OTLP_DEPTH];
	size_t depth;
};

/* ---- fields ---- */

/* Returns whether a key is the name of a field in camel case. */
static bool is_name(struct tp_json key, const char *name)
{
	const char *at = key.at;

	for (; *name; name++, at++) {
		char c = *name;

		if (c == '_' && name[1] >= 'a' && name[1] <= 'z')
			c = (char)(*++name - 'a' + 'A');
		if (at == key.end || *at != c)
			return false;
	}
	return at == key.end;
}

static const struct tp_otlp_field *find_field(enum tp_otlp_message message, struct tp_json key,
					      uint32_t *number)
{
	for (*number = 1; *number < TP_OTLP_FIELDS; ++*number) {
		const struct tp_otlp_field *f = tp_otlp_field(message, *number);

		if (f && is_name(key, f->name))
			return f;
	}
	return NULL;
}

static int misfit(struct json *j, const struct tp_otlp_field *f, const char *what)
{
	return tp_otlp_refuse(j->o, NULL, j->levels[j->depth - 1].message, f->name, "%s", what);
}

/* ---- output; out of memory is found at the end ---- */

static void put_tag(struct json *j, uint32_t number, enum tp_wire wire)
{
	tp_buf_put_uvarint(j->out, (uint64_t)number << 3 | wire);
}

/* Begins bytes whose size put_size() fills in. Returns where they begin. */
static size_t begin_bytes(struct json *j, uint32_t number)
{
	put_tag(j, number, TP_WIRE_BYTES);
	tp_buf_put(j->out, "\x80\x80\x80\x80\x00", SIZE_ROOM);
	return j->out->size;
}

static void end_bytes(struct json *j, size_t at)
{
	size_t n = j->out->size - at;

	if (j->out->failed)
		return;
	for (size_t i = 0; i < SIZE_ROOM; i++, n >>= 7)
		j->out->data[at - SIZE_ROOM + i] =
		    (uint8_t)((n & 127) | (i + 1 < SIZE_ROOM ? 128 : 0));
}

/* ---- values ---- */

static struct tp_json unquoted(struct tp_json value)
{
	if (value.end - value.at >= 2 && *value.at == '"')
		return (struct tp_json){value.at + 1, value.end - 1};
	return value;
}

/* Reads a number of 64 bits, which may be in quotes. */
static bool number_of(struct tp_json value, enum tp_otlp_type type, uint64_t *v)
{
	bool is_signed = type != TP_OTLP_UINT && type != TP_OTLP_FIXED64;
	struct tp_json text = unquoted(value);
	const char *at = text.at;
	bool rounded;
	int64_t n;

	if (tp_json_scaled(text, 0, &n, &rounded) && !rounded) {
		*v = (uint64_t)n;
		return is_signed || n >= 0;
	}
	if (is_signed)
		return false;
	for (*v = 0; at < text.end; at++)
		if (*at < '0' || *at > '9' || __builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*at - '0'), v))
			return false;
	return text.at < text.end;
}

static bool bool_of(struct tp_json value, uint64_t *v)
{
	*v = tp_json_is(value, "true");
	return *v || tp_json_is(value, "false");
}

static bool double_of(struct tp_json value, uint64_t *v)
{
	struct tp_json text = unquoted(value);
	char number[64] = "", *end;
	size_t n = (size_t)(text.end - text.at);
	double d;

	if (!n || n >= sizeof(number))
		return false;
	memcpy(number, text.at, n);
	d = strtod(number, &end);
	memcpy(v, &d, sizeof(d));
	return !*end;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static bool put_hex(struct json *j, struct tp_json text)
{
	if ((text.end - text.at) % 2)
		return false;
	for (; text.at < text.end; text.at += 2) {
		int high = hex_digit(text.at[0]), low = hex_digit(text.at[1]);
		uint8_t byte;

		if (high < 0 || low < 0)
			return false;
		byte = (uint8_t)(high << 4 | low);
		tp_buf_put(j->out, &byte, 1);
	}
	return true;
}

/* RFC 4648, of either alphabet, with or without padding. */
static bool put_base64(struct json *j, struct tp_json text)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
	uint32_t bits = 0;
	unsigned n = 0;

	while (text.end > text.at && text.end[-1] == '=')
		text.end--;
	for (; text.at < text.end; text.at++) {
		const char *digit = *text.at ? strchr(digits, *text.at) : NULL;
		uint32_t v = digit ? (uint32_t)(digit - digits) : 0;

		if (!digit)
			return false;
		bits = bits << 6 | (v < 64 ? v : v - 2);
		n += 6;
		if (n >= 8) {
			uint8_t byte = (uint8_t)(bits >> (n -= 8));

			tp_buf_put(j->out, &byte, 1);
		}
	}
	return true;
}

static int put_bytes(struct json *j, const struct tp_otlp_field *f, uint32_t number,
		     struct tp_json value)
{
	size_t at = begin_bytes(j, number);
	int code = 0;

	if (*value.at != '"')
		return misfit(j, f, "is not a string");
	if (f->type == TP_OTLP_TEXT)
		code = tp_json_text(value, j->out, j->o->err);
	else if (f->type == TP_OTLP_ID && !put_hex(j, unquoted(value)))
		code = misfit(j, f, "is not hexadecimal");
	else if (f->type == TP_OTLP_BYTES && !put_base64(j, unquoted(value)))
		code = misfit(j, f, "is not base64");
	end_bytes(j, at);
	return code;
}

/* Writes a number, without its tag. */
static int put_number(struct json *j, const struct tp_otlp_field *f, struct tp_json value)
{
	uint8_t bytes[8];
	uint64_t v;

	if (!(f->type == TP_OTLP_BOOL	  ? bool_of(value, &v)
	      : f->type == TP_OTLP_DOUBLE ? double_of(value, &v)
					  : number_of(value, f->type, &v)))
		return misfit(j, f,
			      f->type == TP_OTLP_BOOL ? "is neither true nor false"
						      : "is not a number of 64 bits");
	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	if (tp_otlp_wire(f->type) == TP_WIRE_VARINT)
		tp_buf_put_uvarint(j->out, v);
	else
		tp_buf_put(j->out, bytes, sizeof(bytes));
	return 0;
}

static int put_numbers(struct json *j, const struct tp_otlp_field *f, uint32_t number,
		       struct tp_json value)
{
	struct tp_json_walk w = tp_json_walk(value);
	size_t at = begin_bytes(j, number);
	int code = 0;

	while (!code && tp_json_next(&w))
		code = put_number(j, f, w.value);
	end_bytes(j, at);
	return code;
}

/* ---- messages ---- */

static int open_level(struct json *j, const struct tp_otlp_field *f, struct level level)
{
	if (j->depth == TP_OTLP_DEPTH)
		return misfit(j, f, "is too deep in other messages");
	j->levels[j->depth++] = level;
	return 0;
}

/* Writes the value of a field, or of an item of its list; opens a message or list. */
static int put_value(struct json *j, const struct tp_otlp_field *f, uint32_t number,
		     struct tp_json value, bool item)
{
	struct level in = {
	    .w = tp_json_walk(value), .message = j->levels[j->depth - 1].message, .number = number};
	bool list = f->many && !item;
	enum tp_wire wire = tp_otlp_wire(f->type);

	if (tp_json_is(value, "null"))
		return 0;
	if (list && *value.at != '[')
		return misfit(j, f, "is not a list");
	if (list && wire != TP_WIRE_BYTES)
		return put_numbers(j, f, number, value);
	if (list) {
		in.items = f;
		return open_level(j, f, in);
	}
	if (f->type == TP_OTLP_WITHIN) {
		if (*value.at != '{')
			return misfit(j, f, "is not an object");
		in.message = (enum tp_otlp_message)f->of;
		in.at = begin_bytes(j, number);
		/* Names tell the layout, so a sample without values is not of the one
		 * that otlp_sample.c refuses. */
		if (in.message == TP_OTLP_SAMPLE)
			tp_buf_put(j->out, "\x22\0", 2);
		return open_level(j, f, in);
	}
	if (wire == TP_WIRE_BYTES)
		return put_bytes(j, f, number, value);
	put_tag(j, number, wire);
	return put_number(j, f, value);
}

static int put_member(struct json *j, struct level *l)
{
	uint32_t number;
	const struct tp_otlp_field *f = find_field(l->message, l->w.key, &number);
	int n = l->w.key.end - l->w.key.at < 40 ? (int)(l->w.key.end - l->w.key.at) : 40;

	if (f)
		return put_value(j, f, number, l->w.value, false);
	if (tp_otlp_is_core(l->message))
		return tp_otlp_refuse(j->o, NULL, l->message, NULL,
				      "has the unknown field \"%.*s\"", n, l->w.key.at);
	tp_otlp_pass_over(j->o, l->message, "\"%.*s\"", n, l->w.key.at);
	return 0;
}

int tp_otlp_of_json(struct tp_otlp *o, const char *text, size_t size, struct tp_buf *out,
		    const char **wrong)
{
	struct json j = {.o = o, .out = out, .depth = 1};
	struct tp_json rest;
	int code = 0;

	*wrong = NULL;
	j.levels[0] =
	    (struct level){.w = tp_json_walk(tp_json(text, size)), .message = TP_OTLP_DATA};
	while (j.depth && !code && !*wrong) {
		struct level *l = &j.levels[j.depth - 1];

		if (tp_json_next(&l->w) && !l->w.wrong) {
			code = l->items ? put_value(&j, l->items, l->number, l->w.value, true)
					: put_member(&j, l);
			continue;
		}
		*wrong = l->w.wrong;
		if (l->at)
			end_bytes(&j, l->at);
		j.depth--;
	}
	if (!code && !*wrong) { /* the walk has ended at the last bracket */
		rest.at = j.levels[0].w.at + 1;
		rest = tp_json(rest.at, (size_t)(text + size - rest.at));
		*wrong = rest.at < rest.end ? "has text behind its end" : NULL;
	}
	if (!code && out->failed)
		code = tp_nomem(o->err);
	return code;
}
