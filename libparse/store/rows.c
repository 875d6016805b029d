/* A chunk of a packed table (block.data of a stream other than 'event' and 'string'):
 *
 *   codec    u8        compression of most columns: enum tp_codec
 *   version  u8        1
 *   rows     uvarint   1 … TP_CHUNK_ROWS
 *   columns  uvarint   1 … 255
 *   per column:
 *     form   u8        bits 0–3: enum form; bits 4–7: its compression, enum tp_codec
 *     raw    uvarint   bytes of its values
 *     stored uvarint   bytes as stored; == raw: not compressed
 *   the stored bytes of every column, one after the other
 *
 * A value is a uvarint. PLAIN: zigzag(v) + 1 mod 2^64, so that NULL, which is INT64_MIN, is 0 and
 * nothing else is. DELTA: 0 for NULL, else zigzag(v - the last value that was not NULL) + 1 (the
 * encoder takes PLAIN where that sum would wrap). CONST: one PLAIN value for all rows. CROSS: as
 * DELTA, but from the value of the column before in the same row (0 where that is NULL): ends of
 * things whose beginnings are there. */
#include "store/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/many.h"

enum form { FORM_CONST = 0, FORM_PLAIN = 1, FORM_DELTA = 2, FORM_CROSS = 3 };

#define VERSION	    1
#define MAX_VARINT  10
#define MAX_COLUMNS 255
/* Number of stretches of a column that decide its form. */
#define STRETCHES ((size_t)8)
#define STRETCH	  ((size_t)32)
/* Columns with fewer bytes than this are small in any form. */
#define DENSE_BYTES 1024

static uint64_t plain(int64_t v)
{
	return tp_zigzag(v) + 1;
}

static int64_t unplain(uint64_t u)
{
	return tp_unzigzag(u - 1);
}

static uint64_t delta(int64_t v, int64_t last)
{
	return v == TP_NULL ? 0 : tp_zigzag((int64_t)((uint64_t)v - (uint64_t)last)) + 1;
}

static unsigned varint_size(uint64_t v)
{
	return (70u - (unsigned)__builtin_clzll(v | 1)) / 7;
}

static int64_t or_zero(int64_t v)
{
	return v == TP_NULL ? 0 : v;
}

/* Returns the form that needs the fewest bytes, judged by a few stretches of the column. before:
 * the column before it, NULL for the first. */
static enum form choose(const int64_t *v, const int64_t *before, size_t n)
{
	size_t plain_size = 0, delta_size = 0, cross_size = 0, i = 0;

	while (i < n && v[i] == v[0])
		i++;
	if (i == n)
		return FORM_CONST;
	for (size_t at = 0; at<n; at += n> STRETCHES * STRETCH ? n / STRETCHES : STRETCH) {
		int64_t last = at ? or_zero(v[at - 1]) : 0;

		for (i = at; i < n && i < at + STRETCH; i++) {
			plain_size += varint_size(plain(v[i]));
			delta_size += varint_size(delta(v[i], last));
			cross_size += varint_size(delta(v[i], before ? or_zero(before[i]) : 0));
			last = v[i] == TP_NULL ? last : v[i];
		}
	}
	if (before && cross_size < plain_size && cross_size < delta_size)
		return FORM_CROSS;
	return delta_size < plain_size ? FORM_DELTA : FORM_PLAIN;
}

/* Writes a column at p, which has room for it. Returns NULL if the form cannot represent one of the
 * values. */
static uint8_t *encode_column(uint8_t *p, enum form form, const int64_t *v, const int64_t *before,
			      size_t n)
{
	bool wraps = false;
	int64_t last = 0;

	if (form == FORM_CROSS && !before)
		return NULL;
	switch (form) {
	case FORM_CONST:
		return tp_put_uvarint(p, plain(v[0]));
	case FORM_PLAIN:
		for (size_t i = 0; i < n; i++)
			p = tp_put_uvarint(p, plain(v[i]));
		return p;
	case FORM_DELTA:
		for (size_t i = 0; i < n; i++) {
			uint64_t u = delta(v[i], last);

			wraps |= !u && v[i] != TP_NULL;
			p = tp_put_uvarint(p, u);
			last = v[i] == TP_NULL ? last : v[i];
		}
		break;
	case FORM_CROSS:
		for (size_t i = 0; i < n; i++) {
			uint64_t u = delta(v[i], or_zero(before[i]));

			wraps |= !u && v[i] != TP_NULL;
			p = tp_put_uvarint(p, u);
		}
		break;
	}
	return wraps ? NULL : p;
}

/* Appends `raw` bytes of scratch to the bodies. lz4 hardly compresses numbers that do not repeat
 * but are unevenly distributed, such as durations; zstd encodes their frequencies in less space and
 * as fast. */
static int pack(struct tp_rows_encoder *e, size_t raw, size_t *stored, enum tp_codec *codec)
{
	struct tp_packer *packer = &e->packer;

	if (packer->codec == TP_CODEC_LZ4 && raw >= DENSE_BYTES) {
		packer = &e->dense;
		packer->codec = TP_CODEC_ZSTD;
		packer->unevenly = true;
	}
	*codec = packer->codec;
	return tp_pack(packer, &e->bodies, e->scratch.data, raw, stored);
}

int tp_rows_encode(struct tp_rows_encoder *e, struct tp_buf *out, const int64_t *values,
		   size_t stride, size_t nrows, unsigned ncolumns)
{
	struct tp_buf *bodies = &e->bodies;
	uint8_t *p;

	e->scratch.size = bodies->size = 0;
	e->raw_size = 0;
	if (tp_buf_reserve(&e->scratch, nrows * MAX_VARINT) ||
	    tp_buf_reserve(out, 2 + 2 * MAX_VARINT + ncolumns * (1 + 2 * MAX_VARINT)))
		return TP_ENOMEM;
	p = out->data + out->size;
	*p++ = (uint8_t)e->packer.codec;
	*p++ = VERSION;
	p = tp_put_uvarint(p, nrows);
	p = tp_put_uvarint(p, ncolumns);
	for (unsigned c = 0; c < ncolumns; c++) {
		const int64_t *v = values + c * stride, *before = c ? v - stride : NULL;
		enum form form;
		uint8_t *end;
		enum tp_codec codec;
		size_t raw, stored;

		form = choose(v, before, nrows);
		end = encode_column(e->scratch.data, form, v, before, nrows);
		if (!end) {
			form = FORM_PLAIN;
			end = encode_column(e->scratch.data, form, v, before, nrows);
		}
		raw = (size_t)(end - e->scratch.data);
		if (pack(e, raw, &stored, &codec))
			return TP_ENOMEM;
		*p++ = (uint8_t)((unsigned)form | (unsigned)codec << 4);
		p = tp_put_uvarint(p, raw);
		p = tp_put_uvarint(p, stored);
		e->raw_size += raw;
	}
	out->size = (size_t)(p - out->data);
	return tp_buf_put(out, bodies->data, bodies->size);
}

void tp_rows_encoder_release(struct tp_rows_encoder *e)
{
	tp_packer_release(&e->packer);
	tp_packer_release(&e->dense);
	tp_buf_release(&e->scratch);
	tp_buf_release(&e->bodies);
}

/* Reads one varint. The input ends with MAX_VARINT bytes of padding, so the caller need only check
 * once, at the end, whether it read too far. A varint of more than ten bytes gives some value,
 * which is harmless. */
static inline const uint8_t *get(const uint8_t *p, uint64_t *v)
{
	uint64_t x = *p++;

	if (x >= 0x80) {
		unsigned shift = 7;

		x &= 0x7f;
		for (unsigned i = 1; i < MAX_VARINT; i++, shift += 7) {
			uint8_t b = *p++;

			x |= (uint64_t)(b & 0x7f) << shift;
			if (b < 0x80)
				break;
		}
	}
	*v = x;
	return p;
}

/* Decodes n values from [p, end), after which MAX_VARINT bytes are readable. before: the values of
 * the column before, which FORM_CROSS needs. */
static int decode_column(const uint8_t *p, const uint8_t *end, unsigned form, const int64_t *before,
			 int64_t *v, size_t n)
{
	int64_t last = 0;
	size_t i = 0;
	uint64_t u;

	if ((size_t)(end - p) < (form == FORM_CONST ? 1 : n))
		return TP_EFORMAT;
	switch (form) {
	case FORM_CONST:
		p = get(p, &u);
		for (; i < n; i++)
			v[i] = unplain(u);
		break;
	case FORM_PLAIN:
		for (; i < n && p < end; i++) {
			p = get(p, &u);
			v[i] = unplain(u);
		}
		break;
	case FORM_DELTA:
		for (; i < n && p < end; i++) {
			p = get(p, &u);
			if (u)
				last = (int64_t)((uint64_t)last + (uint64_t)unplain(u));
			v[i] = u ? last : TP_NULL;
		}
		break;
	case FORM_CROSS:
		if (!before)
			return TP_EFORMAT;
		for (; i < n && p < end; i++) {
			int64_t from = or_zero(before[i]);

			p = get(p, &u);
			v[i] = u ? (int64_t)((uint64_t)from + (uint64_t)unplain(u)) : TP_NULL;
		}
		break;
	default:
		return TP_EFORMAT;
	}
	return p == end && i == n ? 0 : TP_EFORMAT;
}

static int damaged(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "a chunk of rows is damaged: %s", what);
}

struct head {
	unsigned form;
	enum tp_codec codec;
	uint64_t raw;
	struct tp_slice stored;
};

/* Unpacks and decodes one column of n rows. */
static int column(struct tp_rows_decoder *d, const struct head *h, const int64_t *before,
		  int64_t *v, size_t n, struct tp_err *err)
{
	int code;

	if (h->raw > n * MAX_VARINT || h->raw < h->stored.size)
		return damaged(err, "the size of a column is wrong");
	d->scratch.size = 0;
	if (tp_buf_reserve(&d->scratch, (size_t)h->raw + MAX_VARINT))
		return tp_nomem(err);
	code = tp_unpack(&d->unpacker, h->codec, h->stored.data, h->stored.size, d->scratch.data,
			 (size_t)h->raw);
	if (code == TP_ENOMEM)
		return tp_nomem(err);
	if (code)
		return damaged(err, "a column does not uncompress");
	memset(d->scratch.data + h->raw, 0, MAX_VARINT);
	if (decode_column(d->scratch.data, d->scratch.data + h->raw, h->form, before, v, n))
		return damaged(err, "a column has too few or too many values");
	return 0;
}

/* Reads the heads of all columns and the positions of their bytes. */
static int read_heads(struct tp_cursor *c, struct head *heads, uint64_t columns)
{
	uint64_t stored[MAX_COLUMNS];

	for (uint64_t i = 0; i < columns; i++) {
		uint8_t form = tp_cursor_u8(c);

		heads[i].form = form & 15;
		heads[i].codec = form >> 4;
		heads[i].raw = tp_cursor_uvarint(c);
		stored[i] = tp_cursor_uvarint(c);
	}
	for (uint64_t i = 0; i < columns; i++)
		heads[i].stored = tp_cursor_bytes(c, stored[i]);
	return c->failed ? TP_EFORMAT : 0;
}

/* Returns whether column c is requested, or needed by one that is. */
static bool wanted(const struct head *heads, uint64_t columns, unsigned c, int64_t *const *col,
		   unsigned ncolumns)
{
	for (;; c++) {
		if (c < ncolumns && col[c])
			return true;
		if (c + 1 >= columns || heads[c + 1].form != FORM_CROSS)
			return false;
	}
}

static int decode_columns(struct tp_rows_decoder *d, const struct head *heads, uint64_t columns,
			  size_t nrows, int64_t *const *col, unsigned ncolumns, struct tp_err *err)
{
	const int64_t *before = NULL;
	int64_t *own;

	d->values.size = 0;
	if (tp_buf_reserve(&d->values, 2 * nrows * sizeof(int64_t)))
		return tp_nomem(err);
	own = (int64_t *)(void *)d->values.data;
	for (unsigned c = 0; c < columns; c++) {
		int64_t *v = c < ncolumns && col[c] ? col[c] : own + c % 2 * nrows;
		int code;

		if (!wanted(heads, columns, c, col, ncolumns)) {
			before = NULL;
			continue;
		}
		code = column(d, &heads[c], before, v, nrows, err);
		if (code)
			return code;
		before = v;
	}
	for (uint64_t c = columns; c < ncolumns; c++)
		for (size_t i = 0; col[c] && i < nrows; i++)
			col[c][i] = TP_NULL;
	return 0;
}

int tp_rows_decode(struct tp_rows_decoder *d, const void *data, size_t size, size_t nrows,
		   int64_t *const *col, unsigned ncolumns, struct tp_err *err)
{
	struct tp_cursor c = tp_cursor(data, size);
	unsigned codec = tp_cursor_u8(&c);
	unsigned version = tp_cursor_u8(&c);
	uint64_t rows = tp_cursor_uvarint(&c);
	uint64_t columns = tp_cursor_uvarint(&c);
	struct head heads[MAX_COLUMNS];

	if (!c.failed && version != VERSION)
		return tp_err_set(err, TP_EVERSION, TP_OFFSET_NONE,
				  "a chunk of rows has version %u; this program reads %d", version,
				  VERSION);
	if (c.failed || codec > TP_CODEC_ZSTD || rows != nrows || !rows || rows > TP_CHUNK_ROWS ||
	    !columns || columns > MAX_COLUMNS)
		return damaged(err, "its header is wrong");
	if (read_heads(&c, heads, columns))
		return damaged(err, "it ends early");
	return decode_columns(d, heads, columns, nrows, col, ncolumns, err);
}

/* Fills in the ids: NULL means the id of the goroutine. */
static int fill_goids(struct tp_rows_decoder *d, const void *data, size_t size, size_t nrows,
		      const int64_t *id, int64_t *goid, struct tp_err *err)
{
	int64_t *only[TP_COL(GOROUTINE, id) + 1] = {NULL}, *own = NULL;
	int code = 0;

	for (size_t i = 0; i < nrows && !code; i++) {
		if (goid[i] != TP_NULL)
			continue;
		if (!id) {
			id = only[TP_COL(GOROUTINE, id)] = own = tp_many(nrows, sizeof(*own));
			code = own ? tp_rows_decode(d, data, size, nrows, only,
						    TP_COL(GOROUTINE, id) + 1, err)
				   : tp_nomem(err);
		}
		if (!code)
			goid[i] = id[i];
	}
	free(own);
	return code;
}

int tp_rows_decode_table(struct tp_rows_decoder *d, const void *data, size_t size, size_t nrows,
			 enum tp_table_id table, int64_t *const *col, struct tp_err *err)
{
	int code = tp_rows_decode(d, data, size, nrows, col, tp_tables[table].ncolumns, err);
	int64_t *goid, *life;

	if (code || table != TP_TABLE_GOROUTINE)
		return code;
	goid = col[TP_COL(GOROUTINE, goid)];
	life = col[TP_COL(GOROUTINE, life)];
	for (size_t i = 0; life && i < nrows; i++)
		life[i] = life[i] == TP_NULL ? 1 : life[i];
	return goid ? fill_goids(d, data, size, nrows, col[TP_COL(GOROUTINE, id)], goid, err) : 0;
}

unsigned tp_rows_width(const void *data, size_t size)
{
	struct tp_cursor c = tp_cursor(data, size);
	uint64_t columns;

	tp_cursor_u8(&c);
	if (tp_cursor_u8(&c) != VERSION)
		return 0;
	tp_cursor_uvarint(&c);
	columns = tp_cursor_uvarint(&c);
	return c.failed || columns > MAX_COLUMNS ? 0 : (unsigned)columns;
}

void tp_rows_decoder_release(struct tp_rows_decoder *d)
{
	tp_unpacker_release(&d->unpacker);
	tp_buf_release(&d->scratch);
	tp_buf_release(&d->values);
}
