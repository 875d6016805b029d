/* The first pass over a trace up to go 1.21: where the batches of every P are, the tables (which
 * come last in the file but are needed first), and what must be known before its turn.
 *
 * Two kinds of events appear in order at another time than where they stand in the file: returns
 * from system calls, which carry the time at which the call really ended, and CPU samples, which
 * are written late. Each batch notes the earliest time at which one of them is due (`need`), so
 * that the second pass can fetch them from the batch just then and memory stays bounded however
 * long the trace is. */
#ifndef TP_DECODE_V1_INDEX_H
#define TP_DECODE_V1_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/idmap.h"
#include "decode/v1/wire.h"
#include "decode/trace.h"
#include "open/input.h"

#define TP_V1_NO_BATCH UINT32_MAX

enum tp_v1_kind { TP_V1_EXITS, TP_V1_SAMPLES, TP_V1_NKINDS };

struct tp_v1_batch {
	uint64_t offset, end; /* of its events in the input; other batches do not lie in between */
	int64_t ticks;	      /* of the header */
	uint64_t seq;	      /* of the header, go 1.5 */
	int64_t need[TP_V1_NKINDS]; /* key (ticks; go 1.5: sequence number) of its earliest special
				       of a kind, or INT64_MAX */
	uint32_t first_special, nspecials; /* bytes from offset to the first; how many there are */
	uint32_t lane;
	uint32_t next;	 /* of the same lane, or TP_V1_NO_BATCH */
	uint32_t before; /* likewise */
	bool gap;	 /* something of this lane may be lost before it */
};

/* The batches of one P, in the order of the file. */
struct tp_v1_chain {
	int32_t pid; /* −1: written without a P */
	uint32_t first, last;
};

/* An event that is due at another time than where it stands. */
struct tp_v1_special {
	int64_t key; /* real time in ticks; go 1.5: real sequence number */
	int64_t ticks;
	uint64_t g;
	uint64_t stack; /* wire id */
	int32_t pid;
	uint8_t kind; /* enum tp_v1_kind */
};

struct tp_v1_index {
	struct tp_v1_wire wire;
	const uint8_t *data;
	size_t size;

	struct tp_v1_batch *batches;
	uint32_t nbatches;
	size_t batches_room;
	struct tp_v1_chain *chains;
	uint32_t nchains;
	size_t chains_room;
	struct tp_ids chain_of; /* by pid + 1 */
	/* Batches that hold specials of a kind, by need. */
	uint32_t *due[TP_V1_NKINDS];
	uint32_t ndue[TP_V1_NKINDS];

	struct tp_ids strings; /* wire id → dictionary */
	struct tp_ids stacks;
	struct tp_ids timers;  /* goroutines that run timers */
	int64_t ticks_per_sec; /* 0: not seen */
	int64_t dawn, horizon; /* ticks before and behind which no sound event lies */

	uint64_t counts[TP_V1_NTYPES], bytes[TP_V1_NTYPES];
	bool damaged;	/* parts were left out: be suspicious */
	bool truncated; /* the file ends early, so every lane does */
};

/* Walks the whole input. When opt->strict the first fault is an error; else faults become losses of
 * the trace and the walk goes on at the next batch that looks sound. */
int tp_v1_index_build(struct tp_v1_index *ix, struct tp_input *in,
		      const struct tp_trace_options *opt, struct tp_trace *trace,
		      struct tp_err *err);
void tp_v1_index_release(struct tp_v1_index *ix);

typedef int (*tp_v1_special_fn)(void *ctx, const struct tp_v1_special *s);

/* Hands the specials of a batch to fn, in the order of the file; ends with fn's result unless 0. */
int tp_v1_batch_specials(const struct tp_v1_index *ix, const struct tp_v1_batch *b,
			 tp_v1_special_fn fn, void *ctx);

#endif
