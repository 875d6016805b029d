#include "profile/writer/quote.h"

#include <string.h>

static void put_quoted(struct tp_buf *to, const char *text, size_t size, bool joined)
{
	for (size_t i = 0; i < size; i++) {
		bool line = joined && text[i] == '\\' && i + 1 < size && text[i + 1] == 'n';

		if (!line && (text[i] == '\\' || text[i] == '"'))
			tp_buf_text(to, "\\");
		tp_buf_put(to, text + i, line ? 2 : 1);
		i += line;
	}
}

static void quote(struct tp_buf *to, const char *text, size_t size, bool joined)
{
	struct tp_buf shown = {0};

	for (size_t at = 0; at < size;) {
		const char *stop = memchr(text + at, '\n', size - at);
		size_t n = (stop ? (size_t)(stop - text) : size) - at;

		shown.size = 0;
		if (rep_escape(&shown, text + at, n, REP_ESCAPE_SHOWN))
			tp_buf_fail(to);
		put_quoted(to, (char *)shown.data, shown.size, joined);
		if (stop)
			tp_buf_text(to, "\\l");
		at += n + (stop != NULL);
	}
	tp_buf_release(&shown);
}

/* Graphviz limits quoted texts to 16 kB, and a text contains up to two names. */
#define LONGEST 4096

static int shorten(struct tp_buf *b, size_t from)
{
	size_t n = b->size, slashes = 0;

	if (n - from <= LONGEST || tp_buf_text(b, ""))
		return tp_buf_text(b, "");
	/* Do not cut within a character, or between a backslash and the character that it escapes.
	 */
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

	quote(to, text, size, false);
	return shorten(to, from);
}

static void quote_onto(struct rep_writer *out, const char *text, size_t size, bool joined)
{
	struct tp_buf quoted = {0};

	quote(&quoted, text, size, joined);
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
