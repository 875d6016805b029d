/* The first pass over a trace up to go 1.21. It finds the batches of every P, reads the tables,
 * which are last in the file but needed first, and finds events that are needed out of order.
 * Two kinds of events ("specials") are ordered by another time than their place in the file:
 * returns from system calls, which carry the time at which the call really ended, and CPU samples,
 * which are written late. Each batch has the earliest time at which one of them is due (`need`), so
 * the second pass can fetch them from the batch just then, and memory stays bounded however long
 * the trace is. */
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
	uint64_t offset, end;	    /* range of its events in the input */
	int64_t ticks;		    /* of the header */
	uint64_t seq;		    /* of the header, go 1.5 */
	int64_t need[TP_V1_NKINDS]; /* key (ticks; go 1.5: sequence number) of its earliest special
				       of a kind, or INT64_MAX */
	uint32_t first_special, nspecials; /* bytes from offset to the first; how many there are */
	uint32_t lane;
	uint32_t next;	 /* of the same lane, or TP_V1_NO_BATCH */
	uint32_t before; /* likewise */
	bool gap;	 /* events of this lane before it may be lost */
};

/* The batches of one P, in file order. */
struct tp_v1_chain {
	int32_t pid; /* −1: written without a P */
	uint32_t first, last;
};

/* An event due at another time than its place in the file suggests. */
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
	int64_t dawn, horizon; /* ticks; events before or after are damaged */

	uint64_t counts[TP_V1_NTYPES], bytes[TP_V1_NTYPES];
	bool damaged;	/* parts were left out, so what remains may be damaged */
	bool truncated; /* the file ends early, and so does every lane */
};

/* Indexes the whole input. With opt->strict the first fault is an error; otherwise faults become
 * losses of the trace, and indexing continues at the next batch that looks intact. Returns 0 or an
 * error code; *ix must be released in either case. */
int tp_v1_index_build(struct tp_v1_index *ix, struct tp_input *in,
		      const struct tp_trace_options *opt, struct tp_trace *trace,
		      struct tp_err *err);
void tp_v1_index_release(struct tp_v1_index *ix);

typedef int (*tp_v1_special_fn)(void *ctx, const struct tp_v1_special *s);

/* Calls fn for each special of a batch, in file order, until fn returns nonzero. Returns its last
 * result. */
int tp_v1_batch_specials(const struct tp_v1_index *ix, const struct tp_v1_batch *b,
			 tp_v1_special_fn fn, void *ctx);

#endif
