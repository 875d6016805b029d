/* Source: Go 1.5, runtime/trace.go: traceEvent, traceFlush, traceStackTable.dump, ReadTrace (the
 * footer), StopTrace (order of the buffers). */
#include "decode/v1/encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "base/table.h"

#define ARGS_SHIFT 6
#define BUFFER_BYTES                                                                               \
	(65536 - (8 + 8 + 8 + 24 + TP_V1_MAX_FRAMES * 8)) /* 64 KiB without traceBufHeader */
#define EVENT_BYTES 52					  /* a buffer with less room is full */
#define MAX_PS	    65536

struct lane {
	struct tp_buf data;
	uint64_t seq, ticks; /* of the last event */
};

struct tp_v1_encoder {
	struct tp_out out;
	struct lane *lanes; /* by P + 1 */
	size_t nlanes;	    /* room for */
	uint64_t *pcs;	    /* of all stacks, one after the other */
	size_t npcs, room_pcs;
	struct stack {
		size_t first;
		uint32_t n;
	} * stacks; /* id - 1 */
	uint32_t nstacks, nwritten;
	size_t room_stacks;
	struct tp_table by_pcs; /* of stacks */
	uint64_t seed;
};

int tp_v1_encoder_new(struct tp_v1_encoder **out, const struct tp_out *to, struct tp_err *err)
{
	static const char header[TP_V1_HEADER_SIZE] = "go 1.5 trace";
	struct tp_v1_encoder *e = calloc(1, sizeof(*e));
	int code;

	*out = NULL;
	if (!e)
		return tp_nomem(err);
	e->out = *to;
	e->seed = tp_seed();
	code = e->out.write(e->out.ctx, header, sizeof(header), err);
	if (code)
		tp_v1_encoder_free(e);
	else
		*out = e;
	return code;
}

void tp_v1_encoder_free(struct tp_v1_encoder *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->nlanes; i++)
		tp_buf_release(&e->lanes[i].data);
	free(e->lanes);
	free(e->pcs);
	free(e->stacks);
	tp_table_release(&e->by_pcs);
	free(e);
}

/* ---- stacks ---- */

static uint64_t hash_pcs(uint64_t seed, const uint64_t *pcs, size_t n)
{
	uint64_t h = seed;

	for (size_t i = 0; i < n; i++)
		h = tp_mix64(h, pcs[i]);
	return h;
}

int tp_v1_encode_stack(struct tp_v1_encoder *e, const uint64_t *pcs, size_t n, uint32_t *id,
		       struct tp_err *err)
{
	uint64_t hash;
	int code;

	*id = 0;
	if (n > TP_V1_MAX_FRAMES)
		n = TP_V1_MAX_FRAMES;
	if (!n)
		return 0;
	hash = hash_pcs(e->seed, pcs, n);
	for (struct tp_probe p = {0}; tp_table_next(&e->by_pcs, hash, &p);) {
		const struct stack *s = &e->stacks[p.row];

		if (s->n == n && !memcmp(e->pcs + s->first, pcs, n * sizeof(*pcs))) {
			*id = p.row + 1;
			return 0;
		}
	}
	code = tp_grow_raw(&e->stacks, &e->room_stacks, e->nstacks, sizeof(*e->stacks));
	if (!code)
		code = tp_grow_raw(&e->pcs, &e->room_pcs, e->npcs + n - 1, sizeof(*e->pcs));
	if (!code)
		code = tp_table_add(&e->by_pcs, hash, e->nstacks);
	if (code)
		return tp_err_full(err, code, "too many different stacks");
	memcpy(e->pcs + e->npcs, pcs, n * sizeof(*pcs));
	e->stacks[e->nstacks] = (struct stack){e->npcs, (uint32_t)n};
	e->npcs += n;
	*id = ++e->nstacks;
	return 0;
}

/* ---- events ---- */

static int write_out(struct tp_v1_encoder *e, struct tp_buf *b, struct tp_err *err)
{
	int code = b->size ? e->out.write(e->out.ctx, b->data, b->size, err) : 0;

	b->size = 0;
	return code;
}

static struct lane *lane_of(struct tp_v1_encoder *e, int32_t p)
{
	uint32_t at = (uint32_t)(p + 1);

	if (tp_grow(&e->lanes, &e->nlanes, at, sizeof(*e->lanes)))
		return NULL;
	return &e->lanes[at];
}

int tp_v1_encode_event(struct tp_v1_encoder *e, int32_t p, const struct tp_v1_event *ev,
		       struct tp_err *err)
{
	unsigned n = ev->nargs + (ev->has_stack ? 1 : 0);
	uint8_t bytes[2 * EVENT_BYTES], *at = bytes, *length = NULL;
	struct lane *l;
	int code;

	if (p < TP_V1_NO_P || p >= MAX_PS)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "P %d is beyond the limit", p);
	l = lane_of(e, p);
	if (!l)
		return tp_nomem(err);
	if (BUFFER_BYTES - l->data.size < EVENT_BYTES) {
		code = write_out(e, &l->data, err);
		if (code)
			return code;
	}
	if (!l->data.size) {
		*at++ = TP_V1_BATCH | 1 << ARGS_SHIFT;
		at = tp_put_uvarint(at, (uint64_t)(int64_t)p);
		at = tp_put_uvarint(at, ev->seq);
		at = tp_put_uvarint(at, ev->ticks);
		l->seq = ev->seq;
		l->ticks = ev->ticks;
	}
	/* Two bits have the number of arguments; 3 means that a length follows. */
	*at++ = (uint8_t)(ev->type | (n < 3 ? n : 3) << ARGS_SHIFT);
	if (n >= 3)
		length = at++;
	at = tp_put_uvarint(at, ev->seq - l->seq);
	at = tp_put_uvarint(at, ev->ticks - l->ticks);
	for (unsigned i = 0; i < ev->nargs; i++)
		at = tp_put_uvarint(at, ev->args[i]);
	if (ev->has_stack)
		at = tp_put_uvarint(at, ev->stack);
	if (length)
		*length = (uint8_t)(at - length - 1);
	l->seq = ev->seq;
	l->ticks = ev->ticks;
	return tp_buf_put(&l->data, bytes, (size_t)(at - bytes)) ? tp_nomem(err) : 0;
}

/* ---- the end ---- */

static int put_stack(struct tp_v1_encoder *e, uint32_t id, struct tp_buf *body, struct tp_buf *out)
{
	const struct stack *s = &e->stacks[id - 1];
	int failed;

	body->size = 0;
	failed = tp_buf_put_uvarint(body, id) || tp_buf_put_uvarint(body, s->n);
	for (uint32_t i = 0; i < s->n && !failed; i++)
		failed = tp_buf_put_uvarint(body, e->pcs[s->first + i]);
	if (failed || tp_buf_put(out, (uint8_t[]){TP_V1_STACK | 3 << ARGS_SHIFT}, 1) ||
	    tp_buf_put_uvarint(out, body->size) || tp_buf_put(out, body->data, body->size))
		return TP_ENOMEM;
	return 0;
}

int tp_v1_encode_flush(struct tp_v1_encoder *e, uint64_t ticks_per_second, struct tp_err *err)
{
	struct tp_buf body = {0}, out = {0};
	int code = 0;

	for (size_t i = 1; i < e->nlanes && !code; i++)
		code = write_out(e, &e->lanes[i].data, err);
	if (!code && e->nlanes)
		code = write_out(e, &e->lanes[0].data, err);
	for (; e->nwritten < e->nstacks && !code; e->nwritten++) {
		code = put_stack(e, e->nwritten + 1, &body, &out) ? tp_nomem(err) : 0;
		if (!code && out.size > BUFFER_BYTES)
			code = write_out(e, &out, err);
	}
	/* The type bytes of the footer's events say 0 arguments; an unused 0 follows. */
	if (!code && (tp_buf_put(&out, (uint8_t[]){TP_V1_FREQUENCY}, 1) ||
		      tp_buf_put_uvarint(&out, ticks_per_second) || tp_buf_put_uvarint(&out, 0)))
		code = tp_nomem(err);
	if (!code)
		code = write_out(e, &out, err);
	tp_buf_release(&body);
	tp_buf_release(&out);
	return code;
}

int tp_v1_encode_finish(struct tp_v1_encoder *e, uint64_t ticks_per_second, uint64_t timer_g,
			struct tp_err *err)
{
	struct tp_buf out = {0};
	int code = tp_v1_encode_flush(e, ticks_per_second, err);

	if (!code && timer_g &&
	    (tp_buf_put(&out, (uint8_t[]){TP_V1_TIMER_GOROUTINE}, 1) ||
	     tp_buf_put_uvarint(&out, timer_g) || tp_buf_put_uvarint(&out, 0)))
		code = tp_nomem(err);
	if (!code)
		code = write_out(e, &out, err);
	tp_buf_release(&out);
	return code;
}
