#include "store/block.h"

#include <stdlib.h>
#include <string.h>

#include "store/rows.h"

enum { COLUMNS = 15 };

struct tp_block_encoder {
	struct tp_rows_encoder rows;
	int64_t values[TP_BLOCK_EVENTS][COLUMNS];
};

struct tp_block_encoder *tp_block_encoder_new(enum tp_codec codec)
{
	struct tp_block_encoder *e = calloc(1, sizeof(*e));

	if (e)
		e->rows.packer.codec = codec;
	return e;
}

void tp_block_encoder_free(struct tp_block_encoder *e)
{
	if (!e)
		return;
	tp_rows_encoder_release(&e->rows);
	free(e);
}

int tp_block_encode(struct tp_block_encoder *e, struct tp_buf *out, const struct tp_event *ev,
		    size_t n, int64_t start_ns, size_t *raw_size)
{
	int code;

	for (size_t i = 0; i < n; i++) {
		int64_t *v = e->values[i];

		v[0] = (int64_t)((uint64_t)ev[i].ts - (uint64_t)start_ns);
		v[1] = ev[i].type;
		v[2] = (int32_t)ev[i].m;
		v[3] = (int32_t)ev[i].p;
		v[4] = (int32_t)ev[i].g;
		v[5] = (int32_t)ev[i].subject;
		v[6] = ev[i].stack;
		v[7] = ev[i].str;
		v[8] = ev[i].str2;
		v[9] = ev[i].from;
		v[10] = ev[i].to;
		v[11] = ev[i].flags;
		for (int a = 0; a < 3; a++)
			v[12 + a] = (int64_t)ev[i].arg[a];
	}
	code = tp_rows_encode(&e->rows, out, e->values[0], n, COLUMNS);
	*raw_size = e->rows.raw_size;
	return code;
}

struct decoder {
	struct tp_block_decoder pub;
	struct tp_rows_decoder rows;
	int64_t col[COLUMNS][TP_BLOCK_EVENTS];
	int64_t ts[TP_BLOCK_EVENTS];
	uint64_t arg[3][TP_BLOCK_EVENTS];
	uint32_t u32[7][TP_BLOCK_EVENTS];
	uint8_t u8[4][TP_BLOCK_EVENTS];
};

struct tp_block_decoder *tp_block_decoder_new(void)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->pub.ts = d->ts;
	d->pub.type = d->u8[0];
	d->pub.from = d->u8[1];
	d->pub.to = d->u8[2];
	d->pub.flags = d->u8[3];
	d->pub.m = d->u32[0];
	d->pub.p = d->u32[1];
	d->pub.g = d->u32[2];
	d->pub.subject = d->u32[3];
	d->pub.stack = d->u32[4];
	d->pub.str = d->u32[5];
	d->pub.str2 = d->u32[6];
	for (int a = 0; a < 3; a++)
		d->pub.arg[a] = d->arg[a];
	return &d->pub;
}

void tp_block_decoder_free(struct tp_block_decoder *pub)
{
	struct decoder *d = (struct decoder *)pub;

	if (!d)
		return;
	tp_rows_decoder_release(&d->rows);
	free(d);
}

int tp_block_decode(struct tp_block_decoder *pub, const void *data, size_t size, int64_t rows,
		    uint32_t columns, struct tp_err *err)
{
	struct decoder *d = (struct decoder *)pub;
	int64_t *col[COLUMNS];
	int code;

	pub->n = 0;
	if (rows < 1 || rows > TP_BLOCK_EVENTS)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "a block of events is damaged");
	for (int c = 0; c < COLUMNS; c++)
		col[c] = columns & 1u << c ? d->col[c] : NULL;
	code = tp_rows_decode(&d->rows, data, size, (size_t)rows, col, COLUMNS, err);
	if (code)
		return code;
	pub->n = (uint32_t)rows;
	pub->columns = columns;
	for (int64_t i = 0; i < rows; i++) {
		d->ts[i] = d->col[0][i];
		d->u8[0][i] = (uint8_t)d->col[1][i];
		for (int c = 0; c < 7; c++)
			d->u32[c][i] = (uint32_t)d->col[2 + c][i];
		for (int c = 0; c < 3; c++)
			d->u8[1 + c][i] = (uint8_t)d->col[9 + c][i];
		for (int c = 0; c < 3; c++)
			d->arg[c][i] = (uint64_t)d->col[12 + c][i];
	}
	return 0;
}

void tp_block_events(const struct tp_block_decoder *d, struct tp_event *out)
{
	for (uint32_t i = 0; i < d->n; i++)
		out[i] = (struct tp_event){.ts = d->ts[i],
					   .type = d->type[i],
					   .m = d->m[i],
					   .p = d->p[i],
					   .g = d->g[i],
					   .subject = d->subject[i],
					   .stack = d->stack[i],
					   .str = d->str[i],
					   .str2 = d->str2[i],
					   .from = d->from[i],
					   .to = d->to[i],
					   .flags = d->flags[i],
					   .arg = {d->arg[0][i], d->arg[1][i], d->arg[2][i]}};
}
