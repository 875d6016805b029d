#include "profile/writer/quote.h"

#include <string.h>

static int put_quoted(struct tp_buf *to, const char *text, size_t size, bool joined)
{
	int code = 0;

	for (size_t i = 0; i < size && !code; i++) {
		if (joined && text[i] == '\\' && i + 1 < size && text[i + 1] == 'n') {
			code = tp_buf_put(to, "\\n", 2);
			i++;
			continue;
		}
		if (text[i] == '\\' || text[i] == '"')
			code = tp_buf_put(to, "\\", 1);
		if (!code)
			code = tp_buf_put(to, text + i, 1);
	}
	return code;
}

static int quote(struct tp_buf *to, const char *text, size_t size, bool joined)
{
	struct tp_buf shown = {0};
	int code = 0;

	for (size_t at = 0; at < size && !code;) {
		const char *stop = memchr(text + at, '\n', size - at);
		size_t n = (stop ? (size_t)(stop - text) : size) - at;

		shown.size = 0;
		code = rep_escape(&shown, text + at, n, REP_ESCAPE_SHOWN);
		if (!code)
			code = put_quoted(to, (char *)shown.data, shown.size, joined);
		if (!code && stop)
			code = tp_buf_put(to, "\\l", 2);
		at += n + (stop != NULL);
	}
	tp_buf_release(&shown);
	return code;
}

/* Graphviz takes no quoted text of more than 16 kB, and a text holds up to two names. */
#define LONGEST 4096

static int shorten(struct tp_buf *b, size_t from)
{
	size_t n = b->size, slashes = 0;

	if (n - from <= LONGEST)
		return 0;
	/* Neither within a character nor between a backslash and what it is for. */
	for (n = from + LONGEST; n > from && (b->data[n] & 0xc0) == 0x80; n--)
		;
	while (n - slashes > from && b->data[n - slashes - 1] == '\\')
		slashes++;
	b->size = n - slashes % 2;
	return tp_buf_put(b, "…", strlen("…"));
}

int rep_quote_dot_into(struct tp_buf *to, const char *text, size_t size)
{
	size_t from = to->size;
	int code = quote(to, text, size, false);

	return code ? code : shorten(to, from);
}

static void quote_onto(struct rep_writer *out, const char *text, size_t size, bool joined)
{
	struct tp_buf quoted = {0};

	rep_writer_fail(out, quote(&quoted, text, size, joined));
	rep_writer_fail(out, shorten(&quoted, 0));
	rep_writer_raw(out, quoted.data, quoted.size);
	tp_buf_release(&quoted);
}

void rep_quote_dot(struct rep_writer *out, const char *text, size_t size)
{
	quote_onto(out, text, size, false);
}

void rep_quote_joined(struct rep_writer *out, const char *text, size_t size)
{
	quote_onto(out, text, size, true);
}

void rep_quote_value(struct rep_writer *out, const struct rep_profile_view *v, int64_t value)
{
	char text[REP_MEASURE_SIZE];

	rep_view_label(v, value, text);
	rep_quote_dot(out, text, strlen(text));
}

struct tp_text rep_base_name(struct tp_text path)
{
	size_t end = path.size, begin;

	while (end > 1 && path.text[end - 1] == '/')
		end--;
	for (begin = end; begin && path.text[begin - 1] != '/'; begin--)
		;
	if (begin == end && end) /* nothing but slashes */
		begin = 0;
	return (struct tp_text){path.text + begin, (uint32_t)(end - begin)};
}
