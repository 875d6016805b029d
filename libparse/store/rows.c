/* A chunk of a packed table (block.data of a stream other than 'event' and 'string'):
 *
 *   codec    u8        compression of the columns: enum tp_codec
 *   version  u8        1
 *   rows     uvarint   1 … TP_CHUNK_ROWS
 *   columns  uvarint   1 … 255
 *   per column:
 *     form   u8        enum form
 *     raw    uvarint   bytes of its values
 *     stored uvarint   bytes as stored; == raw: not compressed
 *   the stored bytes of every column, one after the other
 *
 * A value is a uvarint. PLAIN: zigzag(v) + 1 mod 2^64, so that NULL, which is INT64_MIN, is 0 and
 * nothing else is. DELTA: 0 for NULL, else zigzag(v - the last value that was not NULL) + 1 (the
 * encoder takes PLAIN where that sum would wrap). CONST: one PLAIN value for all rows. */
#include "store/rows.h"

#include <string.h>

#include "base/cursor.h"
#include "store/tables.h"

enum form { FORM_CONST = 0, FORM_PLAIN = 1, FORM_DELTA = 2 };

#define VERSION	    1
#define MAX_VARINT  10
#define MAX_COLUMNS 255

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

/* The form that needs the fewest bytes. */
static enum form choose(const int64_t *v, size_t n, size_t stride)
{
	size_t plain_size = 0, delta_size = 0;
	bool same = true, wraps = false;
	int64_t last = 0;

	for (size_t i = 0; i < n; i++, v += stride) {
		uint64_t d = delta(*v, last);

		plain_size += varint_size(plain(*v));
		delta_size += varint_size(d);
		wraps |= d == 0 && *v != TP_NULL;
		same &= *v == v[-(ptrdiff_t)(i ? stride : 0)];
		last = *v == TP_NULL ? last : *v;
	}
	if (same)
		return FORM_CONST;
	return delta_size < plain_size && !wraps ? FORM_DELTA : FORM_PLAIN;
}

static uint8_t *encode_column(uint8_t *p, enum form form, const int64_t *v, size_t n, size_t stride)
{
	int64_t last = 0;

	if (form == FORM_CONST)
		return tp_put_uvarint(p, plain(*v));
	if (form == FORM_PLAIN) {
		for (size_t i = 0; i < n; i++)
			p = tp_put_uvarint(p, plain(v[i * stride]));
		return p;
	}
	for (size_t i = 0; i < n; i++) {
		int64_t value = v[i * stride];

		p = tp_put_uvarint(p, delta(value, last));
		last = value == TP_NULL ? last : value;
	}
	return p;
}

int tp_rows_encode(struct tp_rows_encoder *e, struct tp_buf *out, const int64_t *rows, size_t nrows,
		   unsigned ncolumns)
{
	struct tp_buf bodies = {0};
	uint8_t *p;
	int code = TP_ENOMEM;

	e->scratch.size = 0;
	if (tp_buf_reserve(&e->scratch, nrows * MAX_VARINT) ||
	    tp_buf_reserve(out, 2 + 2 * MAX_VARINT + ncolumns * (1 + 2 * MAX_VARINT)))
		return TP_ENOMEM;
	e->raw_size = 0;
	p = out->data + out->size;
	*p++ = (uint8_t)e->packer.codec;
	*p++ = VERSION;
	p = tp_put_uvarint(p, nrows);
	p = tp_put_uvarint(p, ncolumns);
	for (unsigned c = 0; c < ncolumns; c++) {
		enum form form = choose(rows + c, nrows, ncolumns);
		uint8_t *end = encode_column(e->scratch.data, form, rows + c, nrows, ncolumns);
		size_t raw = (size_t)(end - e->scratch.data), stored;

		if (tp_pack(&e->packer, &bodies, e->scratch.data, raw, &stored))
			goto done;
		*p++ = (uint8_t)form;
		p = tp_put_uvarint(p, raw);
		p = tp_put_uvarint(p, stored);
		e->raw_size += raw;
	}
	out->size = (size_t)(p - out->data);
	code = tp_buf_put(out, bodies.data, bodies.size);
done:
	tp_buf_release(&bodies);
	return code;
}

void tp_rows_encoder_release(struct tp_rows_encoder *e)
{
	tp_packer_release(&e->packer);
	tp_buf_release(&e->scratch);
}

/* One varint; the input ends with MAX_VARINT bytes of padding, so only its length is unchecked
 * here: the caller looks once, at the end, whether it went past. A varint longer than ten bytes
 * gives some value, no harm. */
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

/* n values from [p, end), behind which MAX_VARINT readable bytes lie. */
static int decode_column(const uint8_t *p, const uint8_t *end, unsigned form, int64_t *v, size_t n)
{
	int64_t last = 0;
	uint64_t u;

	switch (form) {
	case FORM_CONST:
		if (p == end)
			return TP_EFORMAT;
		p = get(p, &u);
		for (size_t i = 0; i < n; i++)
			v[i] = unplain(u);
		break;
	case FORM_PLAIN:
		if ((size_t)(end - p) < n)
			return TP_EFORMAT;
		for (size_t i = 0; i < n && p < end; i++) {
			p = get(p, &u);
			v[i] = unplain(u);
		}
		break;
	case FORM_DELTA:
		if ((size_t)(end - p) < n)
			return TP_EFORMAT;
		for (size_t i = 0; i < n && p < end; i++) {
			p = get(p, &u);
			if (u)
				last = (int64_t)((uint64_t)last + (uint64_t)unplain(u));
			v[i] = u ? last : TP_NULL;
		}
		break;
	default:
		return TP_EFORMAT;
	}
	return p == end ? 0 : TP_EFORMAT;
}

static int damaged(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "a chunk of rows is damaged: %s", what);
}

/* Unpacks and decodes one column of n rows. */
static int column(struct tp_rows_decoder *d, enum tp_codec codec, unsigned form, struct tp_slice s,
		  uint64_t raw, int64_t *v, size_t n, struct tp_err *err)
{
	int code;

	if (raw > n * MAX_VARINT || raw < s.size)
		return damaged(err, "size of a column");
	d->scratch.size = 0;
	if (tp_buf_reserve(&d->scratch, (size_t)raw + MAX_VARINT))
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	code = tp_unpack(&d->unpacker, codec, s.data, s.size, d->scratch.data, (size_t)raw);
	if (code == TP_ENOMEM)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	if (code)
		return damaged(err, "compressed column");
	memset(d->scratch.data + raw, 0, MAX_VARINT);
	if (decode_column(d->scratch.data, d->scratch.data + raw, form, v, n))
		return damaged(err, "values of a column");
	return 0;
}

int tp_rows_decode(struct tp_rows_decoder *d, const void *data, size_t size, size_t nrows,
		   int64_t *const *col, unsigned ncolumns, struct tp_err *err)
{
	struct tp_cursor head = tp_cursor(data, size), body;
	enum tp_codec codec = tp_cursor_u8(&head);
	unsigned version = tp_cursor_u8(&head);
	uint64_t rows = tp_cursor_uvarint(&head);
	uint64_t columns = tp_cursor_uvarint(&head);

	if (!head.failed && version != VERSION)
		return tp_err_set(err, TP_EVERSION, TP_OFFSET_NONE,
				  "a chunk of rows has version %u; this program reads %d", version,
				  VERSION);
	if (head.failed || rows != nrows || !rows || rows > TP_CHUNK_ROWS || !columns ||
	    columns > MAX_COLUMNS)
		return damaged(err, "header");
	/* The bodies follow the heads: step over those first. */
	body = head;
	for (uint64_t c = 0; c < columns; c++) {
		tp_cursor_u8(&body);
		tp_cursor_uvarint(&body);
		tp_cursor_uvarint(&body);
	}
	for (unsigned c = 0; c < columns; c++) {
		unsigned form = tp_cursor_u8(&head);
		uint64_t raw = tp_cursor_uvarint(&head);
		struct tp_slice s = tp_cursor_bytes(&body, tp_cursor_uvarint(&head));
		int code;

		if (head.failed || body.failed)
			return damaged(err, "ends early");
		if (c >= ncolumns || !col[c])
			continue;
		code = column(d, codec, form, s, raw, col[c], nrows, err);
		if (code)
			return code;
	}
	for (uint64_t c = columns; c < ncolumns; c++)
		for (size_t i = 0; col[c] && i < nrows; i++)
			col[c][i] = TP_NULL;
	return 0;
}

void tp_rows_decoder_release(struct tp_rows_decoder *d)
{
	tp_unpacker_release(&d->unpacker);
	tp_buf_release(&d->scratch);
}
