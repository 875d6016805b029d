#include "store/cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/cursor.h"
#include "base/many.h"
#include "store/codec.h"
#include "store/kept.h"
#include "store/sqlerr.h"
#include "store/stream.h"
#include "store/writer.h"

#define VERSION 1
/* What a cut says is a small part of a run whose events it goes with: what is unpacked is no more
 * than so many times the bytes of the run's blocks, and what is always allowed. */
#define MOST_RATIO 8
#define FREE_BYTES ((uint64_t)1 << 20)

void tp_hash_text(const uint8_t hash[16], char text[33])
{
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
}

void tp_cut_hash(const uint8_t dump[16], uint32_t first, uint32_t last, uint8_t hash[16])
{
	uint8_t bytes[24];
	XXH128_canonical_t canonical;

	memcpy(bytes, dump, 16);
	for (unsigned i = 0; i < 4; i++) {
		bytes[16 + i] = (uint8_t)(first >> 8 * i);
		bytes[20 + i] = (uint8_t)(last >> 8 * i);
	}
	XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, sizeof(bytes)));
	memcpy(hash, canonical.digest, 16);
}

int tp_store_put_cut(struct tp_store_run *run, const struct tp_trace *trace, struct tp_err *err)
{
	struct tp_packer packer = {.codec = TP_CODEC_LZ4};
	struct tp_buf raw = {0}, blob = {0};
	size_t stored;
	int code = tp_cut_put(trace, &raw);

	if (!code)
		code = tp_buf_put(&blob, (uint8_t[]){TP_CODEC_LZ4, VERSION}, 2);
	if (!code)
		code = tp_buf_put_uvarint(&blob, raw.size);
	if (!code)
		code = tp_pack(&packer, &blob, raw.data, raw.size, &stored);
	if (code)
		code = tp_nomem(err);
	else
		code = tp_run_put_block(run, TP_CUT_STREAM, 0, 1, TP_NULL, TP_NULL, raw.size, &blob,
					err);
	tp_packer_release(&packer);
	tp_buf_release(&raw);
	tp_buf_release(&blob);
	return code;
}

static int damaged(struct tp_err *err)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
			  "what it says of its generations is damaged");
}

/* Bytes of all blocks of the run. */
static int blocks_size(struct tp_store *s, int64_t run, uint64_t *size, struct tp_err *err)
{
	static const char sql[] =
	    "SELECT coalesce(sum(length(data)), 0) FROM main.block WHERE run = ?";
	sqlite3_stmt *stmt = NULL;
	int code = 0, rc = tp_store_take(s, sql, &stmt);

	*size = 0;
	if (!rc)
		rc = sqlite3_bind_int64(stmt, 1, run);
	if (!rc)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*size = (uint64_t)sqlite3_column_int64(stmt, 0);
	else
		code = tp_sql_err(err, tp_store_db(s), tp_store_path(s), "cannot read");
	tp_store_give(s, sql, stmt);
	return code;
}

/* The unpacked bytes, the caller's to free. */
static int unpack(const struct tp_part *part, uint64_t most, uint8_t **raw, size_t *size,
		  struct tp_err *err)
{
	struct tp_cursor c = tp_cursor(part->data, part->size);
	struct tp_unpacker unpacker = {0};
	struct tp_slice packed;
	uint64_t raw_size;
	uint8_t codec = tp_cursor_u8(&c), version = tp_cursor_u8(&c);
	int code;

	raw_size = tp_cursor_uvarint(&c);
	packed = tp_cursor_bytes(&c, tp_cursor_left(&c));
	if (c.failed || codec != TP_CODEC_LZ4)
		return damaged(err);
	if (version != VERSION)
		return tp_err_set(err, TP_EVERSION, TP_OFFSET_NONE,
				  "a part of a trace that a newer tprof made");
	if (!packed.size || raw_size > most)
		return damaged(err);
	*raw = tp_many(raw_size ? raw_size : 1, 1);
	if (!*raw)
		return tp_nomem(err);
	*size = (size_t)raw_size;
	code = tp_unpack(&unpacker, TP_CODEC_LZ4, packed.data, packed.size, *raw, *size);
	tp_unpacker_release(&unpacker);
	if (!code)
		return 0;
	free(*raw);
	*raw = NULL;
	return damaged(err);
}

/* 1, 0 where there is none, or an error code. */
static int read(struct tp_store *s, int64_t run, uint8_t **raw, size_t *size, struct tp_err *err)
{
	struct tp_stream *stream;
	struct tp_part part;
	uint64_t blocks;
	int code = blocks_size(s, run, &blocks, err);

	*raw = NULL;
	if (!code)
		code = tp_stream_of(&stream, s, run, TP_CUT_STREAM, NULL, err);
	if (code)
		return code;
	code = tp_stream_next(stream, &part, err);
	if (code == 1) {
		code = unpack(&part, blocks * MOST_RATIO + FREE_BYTES, raw, size, err);
		code = code ? code : 1;
	}
	tp_stream_close(stream);
	return code;
}

static int named(struct tp_store *s, int64_t run, int code, struct tp_err *err)
{
	if (code < 0)
		tp_err_prefix(err, "%s: run %lld", tp_store_path(s), (long long)run);
	return code;
}

int tp_store_load_cut(struct tp_store *s, int64_t run, struct tp_trace *trace, struct tp_err *err)
{
	uint8_t *raw;
	size_t size = 0;
	int code = read(s, run, &raw, &size, err);

	if (code == 1) {
		int got = tp_cut_get(raw, size, trace, err);

		code = got ? got : 1;
	}
	free(raw);
	return named(s, run, code, err);
}

int tp_store_peek_cut(struct tp_store *s, int64_t run, struct tp_cut *cut, struct tp_err *err)
{
	uint8_t *raw;
	size_t size = 0;
	int code = read(s, run, &raw, &size, err);

	if (code == 1) {
		int got = tp_cut_peek(raw, size, cut, err);

		code = got ? got : 1;
	}
	free(raw);
	return named(s, run, code, err);
}
