#include "tprof-mcp/cut.h"

#include <stdio.h>
#include <xxhash.h>

#define NOTE 140 /* bytes of the line about what was cut */

static void make_cursor(const struct tp_buf *text, size_t at, char cursor[40])
{
	snprintf(cursor, 40, "%zu-%08x", at, (unsigned)XXH3_64bits(text->data, at));
}

static int read_cursor(const struct tp_buf *text, const char *cursor, size_t *at,
		       struct tp_err *err)
{
	unsigned long long place;
	char own[40] = "";

	if (sscanf(cursor, "%20llu-", &place) == 1 && place < text->size) {
		*at = (size_t)place;
		make_cursor(text, *at, own);
	}
	if (!strcmp(own, cursor))
		return 0;
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the cursor is not of this answer: the arguments differ from those of "
			  "the call that gave it, or the file has changed; call without a cursor");
}

static size_t count_lines(const uint8_t *at, const uint8_t *end)
{
	size_t n = 0;

	for (; at < end; at++)
		n += *at == '\n' || at + 1 == end;
	return n;
}

/* Returns where the page that begins at `from` ends. */
static size_t find_end(const struct tp_buf *text, size_t from, size_t budget)
{
	size_t end, left = text->size - from;

	if (left <= budget)
		return text->size;
	end = from + (budget > 2 * NOTE ? budget - NOTE : budget / 2);
	for (size_t at = end + 1; at > from; at--)
		if (text->data[at - 1] == '\n')
			return at;
	/* One long line: between characters. */
	while (end > from + 1 && (text->data[end] & 0xc0) == 0x80)
		end--;
	return end;
}

int mcp_cut(const struct tp_buf *text, const char *cursor, size_t budget, struct tp_buf *page,
	    struct tp_err *err)
{
	size_t from = 0, end, first;
	char next[40];
	int code = cursor ? read_cursor(text, cursor, &from, err) : 0;

	if (code)
		return code;
	end = find_end(text, from, budget);
	code = tp_buf_put(page, text->data + from, end - from);
	if (end < text->size) {
		make_cursor(text, end, next);
		first = count_lines(text->data, text->data + from) + 1;
		code = tp_buf_printf(page,
				     "%s[lines %zu to %zu of %zu; for more make the same call with "
				     "\"cursor\": \"%s\", or narrow it]\n",
				     text->data[end - 1] == '\n' ? "" : "\n", first,
				     first + count_lines(text->data + from, text->data + end) - 1,
				     count_lines(text->data, text->data + text->size), next);
	}
	return code ? tp_nomem(err) : 0;
}
