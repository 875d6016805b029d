/* A chunk of strings (block.data of the stream 'string'):
 *
 *   codec    u8        compression of what follows the sizes: enum tp_codec
 *   version  u8        1
 *   rows     uvarint   strings in this chunk; they follow those of the chunk before
 *   raw      uvarint   bytes of lengths and texts
 *   stored   uvarint   bytes as stored; == raw: not compressed
 *   stored bytes of: the length of each string (uvarint), then the texts without separators
 *
 * Chunks end where they would exceed CHUNK_STRINGS strings or, with more than one, CHUNK_BYTES. */
#include "store/dictfile.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "store/pool_read.h"
#include "store/sqlerr.h"
#include "store/stream.h"

#define VERSION	      1
#define CHUNK_STRINGS 65536
#define CHUNK_BYTES   ((size_t)4 << 20)
#define STREAM	      "string"
/* Limit on the uncompressed size of a chunk, as a single string may be longer than CHUNK_BYTES. */
#define MAX_RAW ((size_t)256 << 20)
/* lz4 and zstd compress text about 4:1; a chunk that claims much more is damaged. */
#define MAX_RATIO 65536

/* ---- writing ---- */

int tp_strings_pack(struct tp_packer *packer, const struct tp_dict *dict, uint32_t first,
		    uint32_t end, struct tp_buf *out, size_t *raw_size)
{
	struct tp_buf raw = {0}, body = {0};
	size_t stored;
	int code = 0;

	for (uint32_t s = first; s < end && !code; s++)
		code = tp_buf_put_uvarint(&raw, tp_dict_text(dict, s).size);
	for (uint32_t s = first; s < end && !code; s++) {
		struct tp_text t = tp_dict_text(dict, s);

		code = tp_buf_put(&raw, t.text, t.size);
	}
	if (code || tp_pack(packer, &body, raw.data, raw.size, &stored) ||
	    tp_buf_put(out, (uint8_t[]){(uint8_t)packer->codec, VERSION}, 2) ||
	    tp_buf_put_uvarint(out, end - first) || tp_buf_put_uvarint(out, raw.size) ||
	    tp_buf_put_uvarint(out, stored) || tp_buf_put(out, body.data, body.size))
		code = TP_ENOMEM;
	*raw_size = raw.size;
	tp_buf_release(&raw);
	tp_buf_release(&body);
	return code;
}

static int put_chunk(struct tp_store_run *run, const struct tp_dict *dict, uint32_t first,
		     uint32_t end, int64_t part, struct tp_err *err)
{
	struct tp_buf *out = &run->string_blob;
	size_t raw_size;

	out->size = 0;
	if (tp_strings_pack(&run->string_packer, dict, first, end, out, &raw_size))
		return tp_nomem(err);
	return tp_run_put_block(run, STREAM, part, end - first, TP_NULL, TP_NULL, raw_size, out,
				err);
}

static int put_strings(struct tp_store_run *run, const struct tp_dict *dict, struct tp_err *err)
{
	uint32_t n = tp_dict_strings(dict), first = 0;
	size_t bytes = 0;
	int64_t part = 0;
	int code = 0;

	for (uint32_t s = 0; s <= n && !code; s++) {
		size_t size = s < n ? tp_dict_text(dict, s).size : 0;

		if (s > first &&
		    (s == n || s - first == CHUNK_STRINGS || bytes + size > CHUNK_BYTES)) {
			code = put_chunk(run, dict, first, s, part++, err);
			first = s;
			bytes = 0;
		}
		if (size > MAX_RAW / 2)
			return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
					  "a string of %zu bytes is too long to store", size);
		bytes += size;
	}
	return code;
}

uint32_t tp_dictfile_rows(const struct tp_dict *dict, enum tp_table_id table)
{
	switch (table) {
	case TP_TABLE_FUNCTION:
		return tp_dict_functions(dict);
	case TP_TABLE_LOCATION:
		return tp_dict_locations(dict);
	case TP_TABLE_FRAME:
		return tp_dict_frames(dict);
	case TP_TABLE_STACK:
		return tp_dict_stacks(dict);
	default:
		return 0;
	}
}

void tp_dictfile_row(const struct tp_dict *dict, enum tp_table_id table, uint32_t i,
		     int64_t *values)
{
	if (table == TP_TABLE_FUNCTION) {
		struct tp_function f = tp_dict_function_at(dict, i);

		values[0] = f.name;
		values[1] = f.system_name;
		values[2] = f.file;
		values[3] = f.start_line;
	} else if (table == TP_TABLE_LOCATION) {
		struct tp_location l = tp_dict_location_at(dict, i);

		values[0] = (int64_t)l.address;
		values[1] = l.mapping;
		values[2] = l.flags;
	} else if (table == TP_TABLE_FRAME) {
		struct tp_frame f = tp_dict_frame_at(dict, i);

		values[0] = f.function;
		values[1] = f.location;
		values[2] = f.line;
		values[3] = f.column;
		values[4] = f.inlined;
	} else {
		struct tp_stack_node s = tp_dict_stack_at(dict, i);

		values[0] = s.parent;
		values[1] = s.frame;
		values[2] = s.depth;
	}
}

int tp_dictfile_put(struct tp_store_run *run, const struct tp_dict *dict, struct tp_err *err)
{
	static const enum tp_table_id tables[] = {TP_TABLE_FUNCTION, TP_TABLE_LOCATION,
						  TP_TABLE_FRAME, TP_TABLE_STACK};
	int code = put_strings(run, dict, err);

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]) && !code; t++) {
		uint32_t n = tp_dictfile_rows(dict, tables[t]);

		for (uint32_t i = 0; i < n && !code; i++) {
			int64_t values[TP_MAX_COLUMNS];

			tp_dictfile_row(dict, tables[t], i, values);
			code = tp_store_put_row(run, tables[t], values, err);
		}
	}
	return code;
}

/* ---- reading ---- */

static int damaged(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "the dictionary is damaged: %s", what);
}

static bool same_text(struct tp_text t, struct tp_slice s)
{
	return t.size == s.size && (!s.size || !memcmp(t.text, s.data, s.size));
}

/* Adds the strings of a chunk; *next is the id of the first. */
static int load_texts(struct tp_dict *dict, const uint8_t *raw, size_t size, uint64_t rows,
		      uint32_t *next, struct tp_err *err)
{
	struct tp_cursor lengths = tp_cursor(raw, size), texts = lengths;

	for (uint64_t i = 0; i < rows; i++)
		tp_cursor_uvarint(&texts);
	for (uint64_t i = 0; i < rows; i++) {
		struct tp_slice s = tp_cursor_bytes(&texts, tp_cursor_uvarint(&lengths));
		uint32_t id = *next;
		int code = 0;

		if (lengths.failed || texts.failed)
			return damaged(err, "a chunk of strings ends early");
		/* The first strings are those that every dictionary begins with. */
		if (id >= tp_dict_strings(dict))
			code = tp_dict_append_string(dict, s.size ? s.data : (const void *)"",
						     s.size, &id);
		else if (!same_text(tp_dict_text(dict, id), s))
			code = TP_EFORMAT;
		if (code == TP_ENOMEM)
			return tp_nomem(err);
		if (code)
			return damaged(err, "its first strings are wrong");
		(*next)++;
	}
	return 0;
}

int tp_strings_unpack(struct tp_unpacker *u, const void *data, size_t size, struct tp_strings *s,
		      struct tp_err *err)
{
	struct tp_cursor c = tp_cursor(data, size);
	enum tp_codec codec = tp_cursor_u8(&c);
	unsigned version = tp_cursor_u8(&c);
	uint64_t rows = tp_cursor_uvarint(&c);
	uint64_t raw_size = tp_cursor_uvarint(&c);
	struct tp_slice body = tp_cursor_bytes(&c, tp_cursor_uvarint(&c));
	int code;

	*s = (struct tp_strings){0};
	if (!c.failed && version != VERSION)
		return tp_err_set(err, TP_EVERSION, TP_OFFSET_NONE,
				  "a chunk of strings has version %u; this program reads %d",
				  version, VERSION);
	if (c.failed || rows > raw_size || raw_size > MAX_RAW ||
	    raw_size / MAX_RATIO > body.size + 1)
		return damaged(err, "the header of a chunk of strings is wrong");
	s->raw = malloc((size_t)raw_size + 1);
	if (!s->raw)
		return tp_nomem(err);
	s->size = (size_t)raw_size;
	s->rows = rows;
	code = tp_unpack(u, codec, body.data, body.size, s->raw, s->size);
	if (!code)
		return 0;
	free(s->raw);
	s->raw = NULL;
	return code == TP_ENOMEM ? tp_nomem(err) : damaged(err, "a chunk of strings does not uncompress");
}

static int load_chunk(struct tp_dict *dict, struct tp_unpacker *u, const struct tp_part *part,
		      uint32_t *next, struct tp_err *err)
{
	struct tp_strings s;
	int code = tp_strings_unpack(u, part->data, part->size, &s, err);

	if (!code)
		code = load_texts(dict, s.raw, s.size, s.rows, next, err);
	free(s.raw);
	return code;
}

/* Sets *none if the run has no chunk of strings; every dictionary has some. */
static int load_strings(struct tp_store *s, int64_t run, struct tp_dict *dict, bool *none,
			struct tp_err *err)
{
	struct tp_unpacker unpacker = {0};
	struct tp_stream *stream = NULL;
	struct tp_part part;
	uint32_t next = 0;
	int code = tp_stream_open(&stream, s, run, STREAM, NULL, err);

	*none = true;
	while (!code) {
		code = tp_stream_next(stream, &part, err);
		if (code != 1)
			break;
		*none = false;
		code = load_chunk(dict, &unpacker, &part, &next, err);
	}
	tp_stream_close(stream);
	tp_unpacker_release(&unpacker);
	return code;
}

/* Appends a chunk of rows of a packed table; row 0 is the entry that every dictionary begins with. */
static int append_row(struct tp_dict *dict, const struct tp_rows *r, size_t i)
{
	int64_t *const *c = r->col;
	uint32_t id;

	switch (r->table) {
	case TP_TABLE_FUNCTION:
		return tp_dict_append_function(dict,
					       &(struct tp_function){
						   .name = (uint32_t)c[0][i],
						   .system_name = (uint32_t)c[1][i],
						   .file = (uint32_t)c[2][i],
						   .start_line = c[3][i],
					       },
					       &id);
	case TP_TABLE_LOCATION:
		return tp_dict_append_location(dict,
					       &(struct tp_location){
						   .address = (uint64_t)c[0][i],
						   .mapping = (uint32_t)c[1][i],
						   .flags = (uint32_t)c[2][i],
					       },
					       &id);
	default:
		return tp_dict_append_frame(dict,
					    &(struct tp_frame){
						.function = (uint32_t)c[0][i],
						.location = (uint32_t)c[1][i],
						.line = c[2][i],
						.column = c[3][i],
						.inlined = (uint8_t)c[4][i],
					    },
					    &id);
	}
}

static int checked(struct tp_err *err, int code)
{
	return code == TP_ENOMEM ? tp_nomem(err) : code ? damaged(err, "an entry refers to one that does not exist") : 0;
}

static int append_rows(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	int code = 0;

	for (size_t i = first ? 0 : 1; i < rows->nrows && !code; i++)
		code = append_row(ctx, rows, i);
	return checked(err, code);
}

static int reserve_stacks(void *ctx, size_t total, struct tp_err *err)
{
	return checked(err, tp_dict_reserve(ctx, &(struct tp_dict_sizes){.stacks = total}));
}

static int append_stacks(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	size_t skip = first ? 0 : 1;

	return checked(err, tp_dict_append_stacks(ctx, rows->col[TP_COL(STACK, parent)] + skip,
						  rows->col[TP_COL(STACK, frame)] + skip,
						  rows->nrows - skip));
}

static int load_tables(struct tp_store *s, int64_t run, struct tp_dict *dict, struct tp_err *err)
{
	static const enum tp_table_id tables[] = {TP_TABLE_FUNCTION, TP_TABLE_LOCATION,
						  TP_TABLE_FRAME};
	struct tp_rows_visitor entries = {.rows = append_rows, .ctx = dict};
	struct tp_rows_visitor stacks = {
	    .begin = reserve_stacks, .rows = append_stacks, .ctx = dict};
	int code = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !code; i++)
		code = tp_rows_visit(s, run, tables[i], 0, &entries, err);
	return code ? code
		    : tp_rows_visit(s, run, TP_TABLE_STACK,
				    1u << TP_COL(STACK, parent) | 1u << TP_COL(STACK, frame),
				    &stacks, err);
}

int tp_dict_load(struct tp_store *s, int64_t run, struct tp_dict **dict, struct tp_err *err)
{
	bool none, pooled = false;
	int code;

	*dict = tp_dict_new_stored();
	if (!*dict)
		return tp_nomem(err);
	code = load_strings(s, run, *dict, &none, err);
	if (!code && none)
		code = tp_pool_load(s, run, *dict, &pooled, err);
	if (!code && !pooled)
		code = load_tables(s, run, *dict, err);
	if (code) {
		tp_dict_free(*dict);
		*dict = NULL;
	}
	return code;
}
