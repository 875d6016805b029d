/* Takes records out of an arena while the program goes on filling it, and gives the chunks back. One
 * thread at a time per arena.
 *
 * The records of a thread come in their order, whatever chunks they are in: a round takes only records
 * of things that were over when the round began, sorted by their end. A record that is published later,
 * because its writer was slow, waits for the next round. So do all later records of its thread, as they
 * ended after the round began. */
#ifndef RECORD_PARENT_DRAIN_H
#define RECORD_PARENT_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof-record/core/arena.h"
#include "tprof-record/parent/spool.h"

/* How long a full chunk waits for a record that is reserved but not published, ns. Its thread may have died
 * in between, or may be asleep, which is rare. */
#define REC_DRAIN_PATIENCE 2000000000u

enum { REC_DRAIN_FORKS = 16 };

/* State of an arena's chunks; begins with zeros. */
struct rec_drain {
	struct rec_drain_chunk {
		uint32_t turn;	 /* the chunk's turn that this is about */
		uint16_t looked; /* records [0, looked) were seen … */
		uint16_t nleft;	 /* how many of them could not be taken yet: */
		uint64_t left[(REC_CHUNK_EVENTS + 63) / 64];
		bool given_back; /* it is on the free list, or was when last looked at */
		uint64_t
		    waiting_since; /* of a full chunk, for the records left; 0: it does not wait */
	} chunk[REC_NCHUNKS];
	struct rec_drain_place {
		uint64_t end;
		uint16_t chunk, event;
		uint32_t order; /* in which they were found */
	} * round;		/* records of this round; REC_NCHUNKS * REC_CHUNK_EVENTS places */
	uint64_t given_up;	/* records that are not waited for any more */
	uint64_t nonsense;	/* records of an unknown kind */
	/* When it last was about to execute another program, and which (string); 0: never. */
	uint64_t exec_ns;
	uint32_t exec_path;
	/* The latest processes that it has forked. */
	uint32_t forked[REC_DRAIN_FORKS];
	unsigned nforks; /* in all */
};

/* Returns 0 or TP_ENOMEM. */
int rec_drain_begin(struct rec_drain *d);
void rec_drain_end(struct rec_drain *d);

/* Takes records that are published and were over at `now` (CLOCK_MONOTONIC). Returns their number. `last`:
 * the program is over; takes everything without waiting. */
size_t rec_drain(struct rec_drain *d, const struct rec_arena *a, struct rec_spool *s, uint64_t now,
		 bool last);

#endif
