/* A generation: a part of a trace that can be read independently.
 * tp_v2_generation_scan() collects the batches, reading only their headers; tp_v2_tables_load()
 * reads the tables: clock, strings, stacks, CPU samples. Event batches stay in the mapped input,
 * chained per M in file order, for the cursors of order/v2.
 *
 *   struct tp_v2_generation g = {0};
 *   tp_v2_generation_begin(&g, in, version);
 *   while (tp_v2_generation_scan(&g, &offset, &end, &err) == 0 && …) {
 *           tp_v2_tables_load(&g, trace, lenient, &err);
 *           … order …
 *   }
 *   tp_v2_generation_release(&g);
 * Memory is reused from one generation to the next; it is as large as the largest one needs. */
#ifndef TP_DECODE_V2_GENERATION_H
#define TP_DECODE_V2_GENERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/v2/batch.h"
#include "base/idmap.h"
#include "decode/trace.h"
#include "open/input.h"

struct tp_v2_piece { /* a batch of events or of a table */
	uint64_t offset, time;
	uint32_t size;
	uint32_t next; /* index of the next piece of its chain + 1, 0 for none */
	uint32_t lost; /* bytes after `size` that salvage found damaged */
};

struct tp_v2_chain {
	uint64_t m;
	uint32_t first, last; /* index + 1, 0 when empty */
};

struct tp_v2_sample {
	int64_t ts;
	uint64_t m, p, g, stack;
};

/* Set in the dictionary id of a stack whose root has no name, for tp_trace_mark_unnamed. */
#define TP_V2_UNNAMED 0x80000000u

enum tp_v2_end {
	TP_V2_END_FILE,	 /* the input ends */
	TP_V2_END_NEXT,	 /* a batch of the next generation follows (before 1.26) */
	TP_V2_END_MARK,	 /* EndOfGeneration (1.26 and later) */
	TP_V2_END_FAULT, /* a batch that cannot be read */
	TP_V2_END_MIXED, /* a batch that does not belong to the generation */
};

struct tp_v2_generation {
	const uint8_t *data; /* the whole input */
	size_t size;
	int version;

	uint64_t number;   /* 0: none seen yet */
	uint64_t from, to; /* byte range of its batches */
	uint64_t min_time; /* ticks, the smallest of any batch */
	uint64_t events_bytes;
	uint64_t last_number, last_min_time; /* of the previous generation */

	struct tp_v2_piece *pieces;
	size_t npieces, pieces_room;
	struct tp_v2_chain *streams; /* event batches by M, in order of first appearance */
	size_t nstreams, streams_room;
	struct tp_ids stream_of; /* M → index */
	struct tp_v2_chain tables[TP_V2_BATCH_END];

	double ns_per_tick; /* 0: no frequency seen */
	double ns_fallback; /* used by lenient loading if none is seen */
	bool has_clock;
	uint64_t clock_ticks, clock_mono, clock_sec, clock_nsec;
	/* ids of the generation → of the dictionary (of stacks: maybe with TP_V2_UNNAMED); 0 → 0 */
	struct tp_ids strings, stacks;
	struct tp_v2_sample *samples; /* by time */
	size_t nsamples, samples_room;
	uint64_t nstrings, nstacks; /* entries read, for the wire counts */
	uint64_t wire_bytes[TP_V2_BATCH_END];
};

/* Empties g for the next generation. */
void tp_v2_generation_begin(struct tp_v2_generation *g, const struct tp_input *in, int version);
void tp_v2_generation_release(struct tp_v2_generation *g);

/* Adds one batch of events or of a table. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_v2_generation_add(struct tp_v2_generation *g, const struct tp_v2_batch *b,
			 struct tp_err *err);

/* Collects the batches of the generation at *offset as Go's reader does and moves *offset past them and the
 * end mark, if any. *end says why it stopped; after a fault, *err describes it and *offset is the start of
 * that batch. g->number is 0 if there was no batch. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_v2_generation_scan(struct tp_v2_generation *g, uint64_t *offset, enum tp_v2_end *end,
			  struct tp_err *err);

/* Converts ticks to nanoseconds: the product in floating point, rounded towards zero; INT64_MIN, as
 * on amd64, if it does not fit (Go: internal/trace/base.go, frequency.mul). */
static inline int64_t tp_v2_ns(double ns_per_tick, uint64_t ticks)
{
	double ns = (double)ticks * ns_per_tick;

	return ns < 9223372036854775808.0 && ns >= -9223372036854775808.0 ? (int64_t)ns : INT64_MIN;
}

#endif
