#include "decode/v2/generation.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/v2/wire.h"

/* Limit on memory for hostile input; real generations have a few thousand batches. */
#define MAX_PIECES  (4u << 20)
#define MAX_STREAMS (1u << 20)

void tp_v2_generation_begin(struct tp_v2_generation *g, const struct tp_input *in, int version)
{
	g->ns_fallback = 0;
	g->data = in->data;
	g->size = in->size;
	g->version = version;
	g->number = g->from = g->to = g->min_time = g->events_bytes = 0;
	g->npieces = g->nstreams = g->nsamples = 0;
	tp_ids_clear(&g->stream_of);
	memset(g->tables, 0, sizeof(g->tables));
	memset(g->wire_bytes, 0, sizeof(g->wire_bytes));
	g->ns_per_tick = 0;
	g->has_clock = false;
	g->nstrings = g->nstacks = 0;
	tp_ids_clear(&g->strings);
	tp_ids_clear(&g->stacks);
}

void tp_v2_generation_release(struct tp_v2_generation *g)
{
	free(g->pieces);
	free(g->streams);
	free(g->samples);
	tp_ids_release(&g->stream_of);
	tp_ids_release(&g->strings);
	tp_ids_release(&g->stacks);
	memset(g, 0, sizeof(*g));
}

#define GROW(array, n, room) tp_grow_raw(&(array), &(room), (n), sizeof(*(array)))

static struct tp_v2_chain *stream_of(struct tp_v2_generation *g, uint64_t m)
{
	uint32_t at = tp_ids_get(&g->stream_of, m);

	if (at != TP_NO_ID)
		return &g->streams[at];
	if (GROW(g->streams, g->nstreams, g->streams_room) ||
	    tp_ids_put(&g->stream_of, m, (uint32_t)g->nstreams))
		return NULL;
	g->streams[g->nstreams] = (struct tp_v2_chain){.m = m};
	return &g->streams[g->nstreams++];
}

int tp_v2_generation_add(struct tp_v2_generation *g, const struct tp_v2_batch *b,
			 struct tp_err *err)
{
	struct tp_v2_chain *chain = &g->tables[b->kind];

	if (g->nstreams >= MAX_STREAMS || g->npieces >= MAX_PIECES)
		return tp_err_set(err, TP_ELIMIT, b->start,
				  "more than %u batches or %u threads in a generation", MAX_PIECES,
				  MAX_STREAMS);
	if (!g->min_time || b->time < g->min_time)
		g->min_time = b->time;
	g->wire_bytes[b->kind] += b->offset - b->start + b->size;
	if (b->kind == TP_V2_BATCH_EVENTS) {
		chain = stream_of(g, b->m);
		if (!chain)
			goto nomem;
		g->events_bytes += b->size;
	}
	if (!b->size)
		return 0;
	if (GROW(g->pieces, g->npieces, g->pieces_room))
		goto nomem;
	g->pieces[g->npieces++] =
	    (struct tp_v2_piece){.offset = b->offset, .time = b->time, .size = b->size};
	if (chain->last)
		g->pieces[chain->last - 1].next = (uint32_t)g->npieces;
	else
		chain->first = (uint32_t)g->npieces;
	chain->last = (uint32_t)g->npieces;
	return 0;
nomem:
	return tp_nomem(err);
}

int tp_v2_generation_scan(struct tp_v2_generation *g, uint64_t *offset, enum tp_v2_end *end,
			  struct tp_err *err)
{
	struct tp_v2_batch b;

	g->from = g->to = *offset;
	for (;;) {
		int code = tp_v2_batch_read(&b, g->data, g->size, offset, g->version, err);

		if (code <= 0) {
			*end = code ? TP_V2_END_FAULT : TP_V2_END_FILE;
			return 0;
		}
		if (b.kind == TP_V2_BATCH_END && g->version >= 26) {
			g->to = *offset;
			*end = TP_V2_END_MARK;
			return 0;
		}
		if (!b.generation) {
			tp_err_set(err, TP_EFORMAT, b.start, "invalid generation number 0");
			goto mixed;
		}
		if (!g->number)
			g->number = b.generation;
		if (b.generation != g->number) {
			if (g->version < 26 && b.generation == g->number + 1) {
				*offset = b.start;
				*end = TP_V2_END_NEXT;
				return 0;
			}
			tp_err_set(err, TP_EFORMAT, b.start,
				   "a batch of generation %llu lies within generation %llu",
				   (unsigned long long)b.generation, (unsigned long long)g->number);
			goto mixed;
		}
		if (b.kind == TP_V2_BATCH_END) {
			tp_err_set(err, TP_EFORMAT, b.start,
				   "the format of go 1.%d has no EndOfGeneration", g->version);
			goto mixed;
		}
		code = tp_v2_generation_add(g, &b, err);
		if (code)
			return code;
		g->to = *offset;
	}
mixed:
	*offset = b.start;
	*end = TP_V2_END_MIXED;
	return 0;
}
