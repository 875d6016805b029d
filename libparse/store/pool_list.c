/* The list of pool entries that a run uses: the row of its stream 'dict'. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/many.h"
#include "store/pool.h"

#define VERSION	   1
#define MAX_VARINT 10
/* Limit on compression, as for strings (dictfile.c). Lists of neighbouring numbers compress well,
 * but not that well. */
#define MAX_RATIO 65536

const char *const tp_pool_streams[TP_POOL_KINDS] = {
    [TP_POOL_STRING] = "string", [TP_POOL_FUNCTION] = "function", [TP_POOL_LOCATION] = "location",
    [TP_POOL_FRAME] = "frame",	 [TP_POOL_STACK] = "stack",
};

const enum tp_table_id tp_pool_tables[TP_POOL_KINDS] = {
    [TP_POOL_STRING] = TP_NTABLES,	    [TP_POOL_FUNCTION] = TP_TABLE_FUNCTION,
    [TP_POOL_LOCATION] = TP_TABLE_LOCATION, [TP_POOL_FRAME] = TP_TABLE_FRAME,
    [TP_POOL_STACK] = TP_TABLE_STACK,
};

static int damaged(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "the dictionary is damaged: %s", what);
}

int tp_pool_list_alloc(struct tp_pool_list *l, const uint32_t n[TP_POOL_KINDS])
{
	*l = (struct tp_pool_list){0};
	for (int k = 0; k < TP_POOL_KINDS; k++) {
		l->n[k] = n[k];
		l->id[k] = tp_many((uint64_t)n[k] + 1, sizeof(*l->id[k]));
		if (!l->id[k]) {
			tp_pool_list_release(l);
			return TP_ENOMEM;
		}
		l->id[k][0] = 0;
	}
	return 0;
}

void tp_pool_list_release(struct tp_pool_list *l)
{
	for (int k = 0; k < TP_POOL_KINDS; k++)
		free(l->id[k]);
	*l = (struct tp_pool_list){0};
}

int tp_pool_list_pack(const struct tp_pool_list *l, struct tp_packer *packer, struct tp_buf *out,
		      size_t *raw_size)
{
	struct tp_buf raw = {0}, body = {0};
	size_t stored = 0;
	int code = 0;

	for (int k = 0; k < TP_POOL_KINDS && !code; k++)
		for (uint32_t i = 1; i < l->n[k] && !code; i++)
			code = tp_buf_put_uvarint(
			    &raw, tp_zigzag((int64_t)l->id[k][i] - (int64_t)l->id[k][i - 1]));
	if (!code)
		code = tp_pack(packer, &body, raw.data, raw.size, &stored);
	if (!code)
		code = tp_buf_put(out, (uint8_t[]){(uint8_t)packer->codec, VERSION}, 2);
	for (int k = 0; k < TP_POOL_KINDS && !code; k++)
		code = tp_buf_put_uvarint(out, l->n[k] - 1);
	if (code || tp_buf_put_uvarint(out, raw.size) || tp_buf_put_uvarint(out, stored) ||
	    tp_buf_put(out, body.data, body.size))
		code = TP_ENOMEM;
	*raw_size = raw.size;
	tp_buf_release(&raw);
	tp_buf_release(&body);
	return code;
}

/* Reads the numbers of one kind; returns false if one is invalid. */
static bool unpack_kind(struct tp_cursor *c, uint32_t *id, uint32_t n)
{
	int64_t last = 0;

	for (uint32_t i = 1; i < n; i++) {
		int64_t step = tp_unzigzag(tp_cursor_uvarint(c));

		if (step <= -(int64_t)TP_POOL_MOST || step >= (int64_t)TP_POOL_MOST)
			return false;
		last += step;
		if (last <= 0 || last >= (int64_t)TP_POOL_MOST)
			return false;
		id[i] = (uint32_t)last;
	}
	return !c->failed;
}

static int unpack_numbers(struct tp_pool_list *l, const uint8_t *raw, size_t size,
			  struct tp_err *err)
{
	struct tp_cursor c = tp_cursor(raw, size);

	for (int k = 0; k < TP_POOL_KINDS; k++)
		if (!unpack_kind(&c, l->id[k], l->n[k]))
			return damaged(err, "its list of pool entries has a wrong number");
	return c.at == c.end ? 0 : damaged(err, "its list of pool entries is too long");
}

int tp_pool_list_unpack(struct tp_pool_list *l, const void *data, size_t size, struct tp_err *err)
{
	struct tp_cursor c = tp_cursor(data, size);
	enum tp_codec codec = tp_cursor_u8(&c);
	unsigned version = tp_cursor_u8(&c);
	struct tp_unpacker unpacker = {0};
	uint32_t n[TP_POOL_KINDS];
	uint64_t total = 0, raw_size;
	struct tp_slice body;
	uint8_t *raw;
	int code;

	*l = (struct tp_pool_list){0};
	if (!c.failed && version != VERSION)
		return tp_err_set(
		    err, TP_EVERSION, TP_OFFSET_NONE,
		    "a list of pool entries has version %u; this program reads %d", version,
		    VERSION);
	for (int k = 0; k < TP_POOL_KINDS; k++) {
		uint64_t more = tp_cursor_uvarint(&c);

		if (more >= TP_POOL_MOST)
			return damaged(err, "its list of pool entries claims too many");
		n[k] = (uint32_t)more + 1;
		total += more;
	}
	raw_size = tp_cursor_uvarint(&c);
	body = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	if (total > TP_POOL_LIST_MOST)
		return damaged(err, "its list of pool entries claims too many");
	if (c.failed || raw_size < total || raw_size > total * MAX_VARINT ||
	    raw_size / MAX_RATIO > body.size + 1)
		return damaged(err, "its list of pool entries ends early");
	raw = tp_many(raw_size + 1, 1);
	code = raw ? tp_unpack(&unpacker, codec, body.data, body.size, raw, (size_t)raw_size)
		   : TP_ENOMEM;
	if (!code)
		code = tp_pool_list_alloc(l, n);
	if (code)
		code = code == TP_ENOMEM
			   ? tp_nomem(err)
			   : damaged(err, "its list of pool entries does not uncompress");
	else
		code = unpack_numbers(l, raw, (size_t)raw_size, err);
	if (code)
		tp_pool_list_release(l);
	tp_unpacker_release(&unpacker);
	free(raw);
	return code;
}
