/* Finds the messages of a file of OpenTelemetry's profiles (open/otlp.h): one, several that were joined,
 * several behind their sizes, or lines of JSON. What the Collector's file exporter writes behind a size may
 * be JSON, and may be compressed (zstd), each message by itself. */
#include <zstd.h>

#include "base/many.h"
#include "decode/profile/otlp.h"
#include "open/otlp.h"
#include "open/unpack.h"

struct file {
	struct tp_otlp *o;
	const uint8_t *data, *end;
	struct tp_otlp_list *messages;
	struct tp_buf *made;
	uint64_t unpacked_left;
};

static int lose_rest(struct file *f, const uint8_t *at, const char *why)
{
	struct tp_loss loss = {.offset = (uint64_t)(at - f->data),
			       .bytes = (uint64_t)(f->end - at)};

	return tp_profile_lose(f->o->p, f->o->err, f->o->strict ? TP_ETRUNC : 0, loss, "%s", why);
}

static int add_message(struct file *f, const uint8_t *from, const uint8_t *to)
{
	struct tp_otlp_list *m = f->messages;

	if (from == to)
		return 0;
	if (tp_grow_raw(&m->item, &m->room, m->n, sizeof(*m->item)))
		return tp_nomem(f->o->err);
	m->item[m->n++] = (struct tp_slice){from, (size_t)(to - from)};
	return 0;
}

/* Finds messages without sizes, as of files that were joined: a message has one dictionary, so another
 * message begins with the field that follows it, or that it began with. */
static int find_joined(struct file *f)
{
	struct tp_cursor c = tp_cursor(f->data, (size_t)(f->end - f->data));
	const uint8_t *from = c.at;
	bool dictionary = false, resources = false;
	struct tp_field field;
	int code = 0;

	for (const uint8_t *at = c.at; !code && tp_field_next(&c, &field); at = c.at) {
		if (dictionary && (field.number == 2 || (field.number == 1 && resources))) {
			code = add_message(f, from, at);
			from = at;
			dictionary = resources = false;
		}
		resources |= field.number == 1 && !dictionary;
		dictionary |= field.number == 2;
	}
	if (code)
		return code;
	if (c.failed && !dictionary)
		return lose_rest(f, from,
				 "the profile is cut off before its dictionary, which has its "
				 "stacks and names");
	if (c.failed)
		code = lose_rest(f, c.at, "the profile is cut off or damaged");
	return code ? code : add_message(f, from, c.at);
}

/* ---- messages that are made ---- */

/* Unpacks a message. Sets *wrong if it is damaged. */
static int unpack(struct file *f, struct tp_slice packed, struct tp_buf *out, const char **wrong)
{
	unsigned long long n = ZSTD_getFrameContentSize(packed.data, packed.size);

	if (n == ZSTD_CONTENTSIZE_UNKNOWN || n == ZSTD_CONTENTSIZE_ERROR) {
		*wrong = "is compressed, but does not say its size, or is damaged";
		return 0;
	}
	if (n > f->unpacked_left)
		return tp_err_set(f->o->err, TP_ELIMIT, TP_OFFSET_NONE,
				  "its messages unpack to more than %u times its size, as a "
				  "decompression bomb does",
				  TP_UNPACK_RATIO);
	f->unpacked_left -= n;
	if (tp_buf_reserve(out, (size_t)n + 1))
		return tp_nomem(f->o->err);
	if (ZSTD_decompress(out->data, (size_t)n, packed.data, packed.size) != n)
		*wrong = "is compressed and damaged";
	out->size = (size_t)n;
	return 0;
}

/* Returns whether a message is JSON. '{' begins none of protocol buffers: it is a group. */
static bool is_json(struct tp_slice message)
{
	return message.size &&
	       (*message.data == '{' || tp_otlp_is_json(message.data, message.size));
}

/* Returns whether a message of JSON begins like one of profiles, or is empty. */
static bool is_profiles(struct tp_slice message)
{
	struct tp_scan s = {(const char *)message.data, (const char *)message.data + message.size};

	if (tp_otlp_is_json(message.data, message.size))
		return true;
	tp_scan_text(&s, "{");
	tp_scan_blanks(&s);
	return tp_scan_begins(s, "}") || tp_scan_begins(s, "\"dictionary\"");
}

/* Appends a message to f->made, behind its size. If it is damaged, sets *wrong to a sentence without its
 * subject, and appends nothing. */
static int make_message(struct file *f, struct tp_slice message, const char **wrong)
{
	struct tp_buf plain = {0}, *out = f->made;
	size_t at = out->size, n;
	int code = 0;

	*wrong = NULL;
	tp_buf_put(out, "\0\0\0\0", TP_OTLP_SIZE_BYTES);
	if (tp_otlp_is_packed(message)) {
		code = unpack(f, message, &plain, wrong);
		message = (struct tp_slice){plain.data, plain.size};
	}
	if (!code && !*wrong && is_json(message) && !is_profiles(message))
		*wrong = "is not OpenTelemetry's profiles";
	else if (!code && !*wrong && is_json(message))
		code = tp_otlp_of_json(f->o, (const char *)message.data, message.size, out, wrong);
	else if (!code && !*wrong)
		tp_buf_put(out, message.data, message.size);
	tp_buf_release(&plain);
	if (code || out->failed)
		return code ? code : tp_nomem(f->o->err);
	if (*wrong)
		out->size = at;
	n = out->size - at - TP_OTLP_SIZE_BYTES;
	for (size_t i = 0; i < TP_OTLP_SIZE_BYTES && !*wrong; i++)
		out->data[at + i] = (uint8_t)(n >> 8 * (TP_OTLP_SIZE_BYTES - 1 - i));
	return 0;
}

/* Makes messages of lines of JSON. A text whose first line is no whole object is one message. */
static int make_of_lines(struct file *f)
{
	struct tp_lines lines = tp_lines(f->data, (size_t)(f->end - f->data));
	bool first = true;
	int code = 0;

	while (!code && tp_lines_next(&lines)) {
		struct tp_scan line = lines.line;
		const char *wrong = "is not JSON";

		if (lines.number == 1)
			tp_scan_text(&line, "\xef\xbb\xbf");
		line = tp_scan_trim(line);
		if (line.at == line.end)
			continue;
		if (first && line.end[-1] != '}') {
			line.end = lines.end;
			lines.next = lines.end;
		}
		first = false;
		if (*line.at == '{')
			code = make_message(
			    f, (struct tp_slice){(const uint8_t *)line.at, tp_scan_left(&line)},
			    &wrong);
		if (code)
			tp_err_prefix(f->o->err, "line %llu", (unsigned long long)lines.number);
		else if (wrong)
			code = tp_profile_lose_line(f->o->p, f->o->err, f->o->strict, &lines, 0,
						    wrong);
	}
	return code;
}

/* ---- messages behind their sizes ---- */

/* Adds a message, or makes one of it. */
static int take_sized(struct file *f, struct tp_slice message, bool make)
{
	struct tp_loss loss = {.offset = (uint64_t)(message.data - f->data), .bytes = message.size};
	const char *wrong;
	int code;

	if (!make)
		return add_message(f, message.data, message.data + message.size);
	code = make_message(f, message, &wrong);
	if (code || !wrong)
		return code;
	return tp_profile_lose(f->o->p, f->o->err, f->o->strict ? TP_EFORMAT : 0, loss,
			       "a message %s", wrong);
}

/* Finds messages in data. */
static int find_sized(struct file *f, struct tp_slice data, bool make)
{
	struct tp_cursor c = tp_cursor(data.data, data.size);
	int code = 0;

	while (!code && c.at < c.end) {
		const uint8_t *from = c.at;
		struct tp_slice n = tp_cursor_bytes(&c, TP_OTLP_SIZE_BYTES), message = {0};

		if (n.size)
			message = tp_cursor_bytes(&c, tp_otlp_size(n.data));
		if (c.failed)
			return lose_rest(f, from, "the last message is cut off");
		code = take_sized(f, message, make);
	}
	return code;
}

/* Returns whether a message is JSON or compressed. */
static bool any_is_made(struct tp_slice data)
{
	struct tp_cursor c = tp_cursor(data.data, data.size);

	while (!c.failed && c.at < c.end) {
		struct tp_slice n = tp_cursor_bytes(&c, TP_OTLP_SIZE_BYTES), message = {0};

		if (n.size)
			message = tp_cursor_bytes(&c, tp_otlp_size(n.data));
		if (is_json(message) || tp_otlp_is_packed(message))
			return true;
	}
	return false;
}

int tp_otlp_find_messages(struct tp_otlp *o, const uint8_t *data, size_t size,
			  struct tp_otlp_list *messages, struct tp_buf *made)
{
	struct file f = {.o = o,
			 .data = data,
			 .end = data + size,
			 .messages = messages,
			 .made = made,
			 .unpacked_left = (uint64_t)size * TP_UNPACK_RATIO};
	bool lines = tp_otlp_is_json(data, size);
	struct tp_slice all = {data, size}, first = {0};
	int code;

	if (!lines && !tp_otlp_prefixed(data, size, &first))
		return find_joined(&f);
	if (f.unpacked_left < TP_UNPACK_FREE)
		f.unpacked_left = TP_UNPACK_FREE;
	if (!lines && !any_is_made(all))
		return find_sized(&f, all, false);
	code = lines ? make_of_lines(&f) : find_sized(&f, all, true);
	o->data = NULL;
	return code ? code : find_sized(&f, (struct tp_slice){made->data, made->size}, false);
}
