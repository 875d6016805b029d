#include "store/block_head.h"

#include <string.h>

size_t tp_block_column_most(enum block_column c, size_t n)
{
	const size_t most[] = {
#define TP_X(name, size) (size),
	    BLOCK_COLUMN_LIST(TP_X)
#undef TP_X
	};

	return most[c];
}

int tp_block_damaged(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "a block of events is damaged: %s", what);
}

static void read_tick(struct block_head *h, struct tp_cursor *c)
{
	uint64_t bits = tp_cursor_le32(c);

	bits |= (uint64_t)tp_cursor_le32(c) << 32;
	memcpy(&h->tick, &bits, sizeof(h->tick));
	h->start_ns = tp_unzigzag(tp_cursor_uvarint(c));
	if (!c->failed && !(h->tick >= MIN_TICK && h->tick <= MAX_TICK))
		c->failed = TP_CURSOR_OVERFLOW;
}

int tp_block_read_head(struct block_head *h, const void *data, size_t size, int64_t rows,
		       struct tp_err *err)
{
	struct tp_cursor c = tp_cursor(data, size);
	unsigned most, version;
	uint64_t n, unit, columns;

	most = tp_cursor_u8(&c);
	version = tp_cursor_u8(&c);
	if (!c.failed && version != BLOCK_VERSION)
		return tp_err_set(err, TP_EVERSION, TP_OFFSET_NONE,
				  "a block of events has version %u; this program reads %d",
				  version, BLOCK_VERSION);
	n = tp_cursor_uvarint(&c);
	h->first = tp_unzigzag(tp_cursor_uvarint(&c));
	unit = tp_cursor_uvarint(&c);
	if (!unit)
		read_tick(h, &c);
	columns = tp_cursor_uvarint(&c);
	if (c.failed || most > TP_CODEC_ZSTD || rows < 1 || rows > TP_BLOCK_EVENTS ||
	    n != (uint64_t)rows || unit > MAX_UNIT || columns < BLOCK_COLUMNS ||
	    columns > UINT8_MAX)
		return tp_block_damaged(err, "header");
	h->n = (uint32_t)n;
	h->unit = (uint32_t)unit;
	for (unsigned i = 0; i < columns; i++) {
		enum tp_codec codec = tp_cursor_u8(&c);
		uint64_t raw = tp_cursor_uvarint(&c), stored = tp_cursor_uvarint(&c);

		if (i >= BLOCK_COLUMNS)
			continue;
		if (raw > tp_block_column_most(i, (size_t)n) || stored > raw)
			return tp_block_damaged(err, "size of a column");
		h->column[i].codec = codec;
		h->column[i].raw = (size_t)raw;
		h->column[i].stored.size = (size_t)stored;
	}
	for (unsigned i = 0; i < BLOCK_COLUMNS; i++)
		h->column[i].stored = tp_cursor_bytes(&c, h->column[i].stored.size);
	return c.failed ? tp_block_damaged(err, "ends early") : 0;
}

uint8_t *tp_block_put_head(const struct block_head *h, enum tp_codec most, uint8_t *p)
{
	*p++ = (uint8_t)most;
	*p++ = BLOCK_VERSION;
	p = tp_put_uvarint(p, h->n);
	p = tp_put_uvarint(p, tp_zigzag(h->first));
	p = tp_put_uvarint(p, h->unit);
	if (!h->unit) {
		uint64_t bits;

		memcpy(&bits, &h->tick, sizeof(bits));
		for (int i = 0; i < 8; i++)
			*p++ = (uint8_t)(bits >> 8 * i);
		p = tp_put_uvarint(p, tp_zigzag(h->start_ns));
	}
	p = tp_put_uvarint(p, BLOCK_COLUMNS);
	for (enum block_column c = 0; c < BLOCK_COLUMNS; c++) {
		*p++ = (uint8_t)h->column[c].codec;
		p = tp_put_uvarint(p, h->column[c].raw);
		p = tp_put_uvarint(p, h->column[c].stored.size);
	}
	return p;
}
