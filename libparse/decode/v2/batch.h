/* Batches: the outer frame of a trace of go 1.22 and later (see wire.h for the grammar). */
#ifndef TP_DECODE_V2_BATCH_H
#define TP_DECODE_V2_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tp_v2_batch_kind {
	TP_V2_BATCH_EVENTS,
	TP_V2_BATCH_STRINGS,
	TP_V2_BATCH_STACKS,
	TP_V2_BATCH_SAMPLES,
	TP_V2_BATCH_SYNC,
	TP_V2_BATCH_EXPERIMENTAL,
	TP_V2_BATCH_END, /* EndOfGeneration: no generation, M, time or data */
};

struct tp_v2_batch {
	enum tp_v2_batch_kind kind;
	uint8_t experiment;
	uint64_t generation, m, time;
	uint64_t start;	 /* offset of its first byte */
	uint64_t offset; /* of its data */
	uint32_t size;	 /* of its data */
};

/* Reads the batch at *offset and moves *offset past it. Returns 1, 0 at the end of the input, or
 * TP_EFORMAT or TP_ETRUNC. After an error, *offset is unchanged, b->start is set, and b->offset is
 * nonzero if the only fault is that the input ends within the batch's data. As in Go, the type byte
 * of an experimental batch at the very end of the input is ignored (0). */
int tp_v2_batch_read(struct tp_v2_batch *b, const uint8_t *data, size_t size, uint64_t *offset,
		     int version, struct tp_err *err);

#endif
