/* Blocks of events: encodes up to TP_BLOCK_EVENTS ordered events in a few bytes each, and decodes
 * them exactly.
 *
 * A block can be decoded without others. Decoding goes column by column, and only through the columns
 * asked for and those that they are predicted from, which makes SQL over events fast. The bytes of a
 * block are not trusted when it is decoded.
 *
 *	struct tp_block_decoder *d = tp_block_decoder_new();
 *	tp_block_decode(d, data, size, rows, TP_BC_TS | TP_BC_TYPE, &err);
 *	for (uint32_t i = 0; i < d->n; i++)
 *		… d->ts[i], d->type[i] …
 *	tp_block_decoder_free(d); */
#ifndef TP_STORE_BLOCK_H
#define TP_STORE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "decode/event.h"
#include "store/codec.h"
#include "store/store.h"

/* Columns of an event, as bits. */
enum tp_block_column {
	TP_BC_TS = 1 << 0,
	TP_BC_TYPE = 1 << 1,
	TP_BC_M = 1 << 2,
	TP_BC_P = 1 << 3,
	TP_BC_G = 1 << 4,
	TP_BC_SUBJECT = 1 << 5,
	TP_BC_STACK = 1 << 6,
	TP_BC_STR = 1 << 7,
	TP_BC_STR2 = 1 << 8,
	TP_BC_FROM = 1 << 9,
	TP_BC_TO = 1 << 10,
	TP_BC_FLAGS = 1 << 11,
	TP_BC_ARG0 = 1 << 12,
	TP_BC_ARG1 = 1 << 13,
	TP_BC_ARG2 = 1 << 14,
	TP_BC_ALL = (1 << 15) - 1,
};

struct tp_block_encoder;

/* Returns NULL when memory is out. */
struct tp_block_encoder *tp_block_encoder_new(enum tp_codec codec);
void tp_block_encoder_free(struct tp_block_encoder *e);

/* May be called between blocks: from now on most times are trunc(n · ns_per_tick) on the trace's clock, n an
 * integer. With 0, times are multiples of a unit that the encoder finds. All times are stored exactly in
 * either case. */
void tp_block_set_tick(struct tp_block_encoder *e, double ns_per_tick);
/* Adds n events to the block, which holds at most TP_BLOCK_EVENTS. Their times count from start_ns. */
void tp_block_add(struct tp_block_encoder *e, const struct tp_event *ev, size_t n,
		  int64_t start_ns);
/* Appends the block to out and begins a new one. Sets *raw_size to its bytes before compression. Returns 0 or
 * TP_ENOMEM. */
int tp_block_finish(struct tp_block_encoder *e, struct tp_buf *out, size_t *raw_size);

struct tp_block_decoder {
	uint32_t n;	  /* events of the decoded block */
	uint32_t columns; /* those of the arrays below that are filled in */
	/* Each has room for TP_BLOCK_EVENTS; valid until the next block is decoded. */
	int64_t *ts; /* relative to run.start_ns */
	uint8_t *type, *from, *to, *flags;
	uint32_t *m, *p, *g, *subject, *stack, *str, *str2;
	uint64_t *arg[3];
};

/* Returns NULL when memory is out. */
struct tp_block_decoder *tp_block_decoder_new(void);
void tp_block_decoder_free(struct tp_block_decoder *d);

/* Decodes at least these columns of a block of `rows` events (block.rows). Returns 0, TP_ESTORE (the block is
 * damaged), TP_EVERSION or TP_ENOMEM. After an error, d holds nothing valid. */
int tp_block_decode(struct tp_block_decoder *d, const void *data, size_t size, int64_t rows,
		    uint32_t columns, struct tp_err *err);

/* Copies the d->n events of the decoded block to out. Only str2 and arg may be columns that were not decoded;
 * they are then 0. */
void tp_block_events(const struct tp_block_decoder *d, struct tp_event *out);
/* Copies only the changes of states, Sync events, and the first and last event; with `wanted`, of changes only those of
 * goroutines below n whose bit is set. Returns how many these are. The arguments are left 0. */
uint32_t tp_block_changes(const struct tp_block_decoder *d, const uint64_t *wanted, uint32_t n,
			  struct tp_event *out);

#endif
