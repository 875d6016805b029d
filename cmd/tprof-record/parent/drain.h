/* Takes the records out of an arena while the program goes on filling it, and gives it the chunks
 * back. One thread at a time per arena.
 *
 * The records of a thread come in their order, whatever chunks they are in: a round takes only what
 * was over when the round began. A record that is published later than that, because its writer was
 * slow, is followed only by records of its thread that ended after the round's beginning, and these
 * wait for the next round, too. What a round takes is sorted by its end. */
#ifndef RECORD_PARENT_DRAIN_H
#define RECORD_PARENT_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof-record/core/arena.h"
#include "tprof-record/parent/spool.h"

/* How long a full chunk waits for a record that its owner has reserved and not published, ns:
 * threads die in between, and rarely sleep. */
#define REC_DRAIN_PATIENCE 2000000000u

enum { REC_DRAIN_FORKS = 16 };

/* What the recorder remembers of an arena's chunks; zero is its beginning. */
struct rec_drain {
	struct rec_drain_chunk {
		uint32_t turn;	 /* that it is about */
		uint16_t looked; /* at records [0, looked) … */
		uint16_t nleft;	 /* … of which so many could not be taken: */
		uint64_t left[(REC_CHUNK_EVENTS + 63) / 64];
		bool given_back;	/* it is on the free list, or was when last looked at */
		uint64_t waiting_since; /* for what is left, all being full; 0 it does not */
	} chunk[REC_NCHUNKS];
	struct rec_drain_place {
		uint64_t end;
		uint16_t chunk, event;
		uint32_t order; /* in which they were found */
	} * round;		/* what it takes now; REC_NCHUNKS * REC_CHUNK_EVENTS of them */
	uint64_t given_up;	/* records nobody waits for any more */
	uint64_t nonsense;	/* records of a kind that there is not */
	/* The latest processes that it has forked. */
	uint32_t forked[REC_DRAIN_FORKS];
	unsigned nforks; /* in all */
};

/* TP_ENOMEM. */
int rec_drain_begin(struct rec_drain *d);
void rec_drain_end(struct rec_drain *d);

/* Takes what is published and was over at `now` (CLOCK_MONOTONIC); how many records that were.
 * `last`: the program is over, everything is taken and nothing is waited for. */
size_t rec_drain(struct rec_drain *d, const struct rec_arena *a, struct rec_spool *s, uint64_t now,
		 bool last);

#endif
