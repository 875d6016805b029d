#include "blob.h"

#include <string.h>

#include "base/cursor.h"
#include "fuzz.h"
#include "store/codec.h"

/* Lists are as many numbers as it says before them, by kind. */
#define LISTS 5

static bool has_tags(enum blob_kind kind)
{
	return kind == BLOB_EVENTS || kind == BLOB_ROWS;
}

/* Skips what comes before the columns (store/block_model.h, rows.c, dictfile.c, pool/pool.h). */
static void skip_head(struct tp_cursor *c, enum blob_kind kind)
{
	tp_cursor_u8(c);
	tp_cursor_u8(c);
	for (int i = 0; i < (kind == BLOB_LIST ? LISTS : 1); i++)
		tp_cursor_uvarint(c);
	if (kind == BLOB_EVENTS) {
		tp_cursor_uvarint(c);
		if (!tp_cursor_uvarint(c)) {
			tp_cursor_bytes(c, 8);
			tp_cursor_uvarint(c);
		}
	}
}

static bool unpack(struct blob_column *col, enum tp_codec codec, struct tp_slice from, uint64_t raw)
{
	struct tp_unpacker u = {0};
	int code;

	if (raw > 1 << 24)
		return false;
	MUST(!tp_buf_reserve(&col->bytes, (size_t)raw + 1));
	code = tp_unpack(&u, codec, from.data, from.size, col->bytes.data, (size_t)raw);
	tp_unpacker_release(&u);
	col->bytes.size = (size_t)raw;
	return !code;
}

bool blob_init(struct blob *b, enum blob_kind kind, const uint8_t *data, size_t size)
{
	struct tp_cursor c = tp_cursor(data, size);
	uint64_t raw[BLOB_COLUMNS], stored[BLOB_COLUMNS], n = 1;

	skip_head(&c, kind);
	memset(b, 0, sizeof(*b));
	b->kind = kind;
	MUST(!tp_buf_put(&b->head, data, size - (size_t)(c.end - c.at)));
	if (has_tags(kind))
		n = tp_cursor_uvarint(&c);
	if (c.failed || n > BLOB_COLUMNS)
		return false;
	for (unsigned i = 0; i < n; i++) {
		b->column[i].tag = has_tags(kind) ? tp_cursor_u8(&c) : data[0];
		raw[i] = tp_cursor_uvarint(&c);
		stored[i] = tp_cursor_uvarint(&c);
	}
	for (unsigned i = 0; i < n; i++) {
		struct tp_slice body = tp_cursor_bytes(&c, (size_t)stored[i]);
		uint8_t tag = b->column[i].tag;

		b->ncolumns = i + 1;
		if (c.failed ||
		    !unpack(&b->column[i], kind == BLOB_ROWS ? tag >> 4 : tag, body, raw[i]))
			return false;
	}
	return true;
}

/* The head of a list that has as many numbers as there are: what was added or taken away counts for
 * the last kind that there is something of. */
static void put_list_head(const struct blob *b, struct tp_buf *out)
{
	struct tp_cursor c = tp_cursor(b->head.data, b->head.size);
	uint64_t n[LISTS], said = 0, there = 0;

	MUST(!tp_buf_put(out, b->head.data, 2));
	tp_cursor_bytes(&c, 2);
	for (int i = 0; i < LISTS; i++)
		said += n[i] = tp_cursor_uvarint(&c);
	for (size_t i = 0; i < b->column[0].bytes.size; i++)
		there += b->column[0].bytes.data[i] < 128;
	for (int i = LISTS; i-- && said != there;) {
		uint64_t more = said < there ? there - said : 0, less = said - there;

		less = more ? 0 : less < n[i] ? less : n[i];
		n[i] += more - less;
		said += more - less;
	}
	for (int i = 0; i < LISTS; i++)
		MUST(!tp_buf_put_uvarint(out, n[i]));
}

void blob_put(const struct blob *b, struct tp_buf *out)
{
	if (b->kind == BLOB_LIST && b->ncolumns)
		put_list_head(b, out);
	else
		MUST(!tp_buf_put(out, b->head.data, b->head.size));
	if (has_tags(b->kind))
		MUST(!tp_buf_put_uvarint(out, b->ncolumns));
	for (unsigned i = 0; i < b->ncolumns; i++) {
		if (has_tags(b->kind))
			MUST(!tp_buf_put(out, &b->column[i].tag, 1));
		MUST(!tp_buf_put_uvarint(out, b->column[i].bytes.size));
		MUST(!tp_buf_put_uvarint(out, b->column[i].bytes.size));
	}
	for (unsigned i = 0; i < b->ncolumns; i++)
		MUST(!tp_buf_put(out, b->column[i].bytes.data, b->column[i].bytes.size));
}

void blob_release(struct blob *b)
{
	tp_buf_release(&b->head);
	for (unsigned i = 0; i < b->ncolumns; i++)
		tp_buf_release(&b->column[i].bytes);
}
