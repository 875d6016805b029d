#include "engine/binary.h"

#include <string.h>

#include "store/tables.h"

int rep_row_put(struct tp_buf *b, uint64_t value, unsigned bytes)
{
	uint8_t le[8];

	for (unsigned i = 0; i < bytes; i++)
		le[i] = (uint8_t)(value >> 8 * i);
	return tp_buf_put(b, le, bytes);
}

int rep_row_put_int(struct tp_buf *b, int64_t value)
{
	int code = rep_row_put(b, value == TP_NULL, 1);

	return value == TP_NULL ? code : rep_row_put(b, (uint64_t)value, 8);
}

int rep_row_put_text(struct tp_buf *b, const void *data, size_t size)
{
	tp_buf_put_uvarint(b, size);
	return tp_buf_put(b, data, size);
}

int rep_row_put_text_or_null(struct tp_buf *b, const void *data, size_t size)
{
	int code = rep_row_put(b, !data, 1);

	return data ? rep_row_put_text(b, data, size) : code;
}

uint64_t rep_row_get(struct tp_cursor *c, unsigned bytes)
{
	struct tp_slice s = tp_cursor_bytes(c, bytes);
	uint64_t value = 0;

	for (size_t i = 0; i < s.size; i++)
		value |= (uint64_t)s.data[i] << 8 * i;
	return value;
}

int64_t rep_row_get_int(struct tp_cursor *c)
{
	return tp_cursor_u8(c) ? TP_NULL : (int64_t)rep_row_get(c, 8);
}

struct tp_slice rep_row_get_text(struct tp_cursor *c)
{
	uint64_t size = tp_cursor_uvarint(c);
	struct tp_slice s = tp_cursor_bytes(c, size);

	if (!s.data)
		s.data = (const uint8_t *)"";
	return s;
}

struct tp_slice rep_row_get_text_or_null(struct tp_cursor *c)
{
	struct tp_slice none = {0};

	return tp_cursor_u8(c) ? none : rep_row_get_text(c);
}

bool rep_row_text_is(struct tp_slice s, const char *text)
{
	return s.size == strlen(text) && !memcmp(s.data, text, s.size);
}

size_t rep_row_get_count(struct tp_cursor *c, unsigned least)
{
	uint64_t n = tp_cursor_uvarint(c);

	if (!c->failed && n > tp_cursor_left(c) / least) {
		c->failed = TP_CURSOR_END;
		return 0;
	}
	return c->failed ? 0 : (size_t)n;
}

/* Passes on the complete rows and sets *used to their size. */
static int take_rows(struct rep_answer *a, const uint8_t *data, size_t size, size_t *used,
		     struct tp_err *err)
{
	struct tp_cursor c = tp_cursor(data, size);

	*used = 0;
	while (c.at < c.end) {
		int code = a->row(a->ctx, &c, err);

		if (c.failed == TP_CURSOR_END)
			return 0;
		if (c.failed)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "the engine's answer is not a row: %s",
					  tp_cursor_fault_text(c.failed));
		if (code)
			return code;
		*used = (size_t)(c.at - c.start);
	}
	return 0;
}

int rep_answer_data(void *answer, const void *data, size_t size, struct tp_err *err)
{
	struct rep_answer *a = answer;
	size_t used;
	int code;

	a->total += size;
	if (a->total > REP_ANSWER_MOST)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "the engine's answer is too long; ask for fewer runs");
	if (!a->left.size) {
		code = take_rows(a, data, size, &used, err);
		data = (const uint8_t *)data + used;
		size -= used;
		a->wait = 2 * size;
		if (!code && tp_buf_put(&a->left, data, size))
			code = tp_nomem(err);
		return code;
	}
	if (tp_buf_put(&a->left, data, size))
		return tp_nomem(err);
	/* A long row is parsed again only when its size has doubled. */
	if (a->left.size < a->wait)
		return 0;
	code = take_rows(a, a->left.data, a->left.size, &used, err);
	a->left.size -= used;
	memmove(a->left.data, a->left.data + used, a->left.size);
	a->wait = used ? 0 : 2 * a->left.size;
	if (!code && a->left.size > REP_ANSWER_ROW_MOST)
		code = tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "a row of the engine's answer is too long");
	return code;
}

int rep_answer_end(struct rep_answer *a, int code, struct tp_err *err)
{
	size_t used = 0;

	if (!code && a->left.size)
		code = take_rows(a, a->left.data, a->left.size, &used, err);
	if (!code && used != a->left.size)
		code = tp_err_set(err, TP_ETRUNC, TP_OFFSET_NONE,
				  "the engine's answer ends in the middle of a row");
	tp_buf_release(&a->left);
	return code;
}
