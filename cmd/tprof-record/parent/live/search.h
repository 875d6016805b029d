/* A look at all threads and all memory of a process: who can be reached from what still runs.
 * Private to parent/ (leak.h says what for). In this order: rec_search_threads, rec_search_regions;
 * the caller says who is a candidate; rec_search_follow. */
#ifndef RECORD_PARENT_SEARCH_H
#define RECORD_PARENT_SEARCH_H

#include "base/buf.h"
#include "base/err.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/parent/live/blocks.h"
#include "tprof-record/parent/live/memory.h"

#define REC_ADDRESS  (((uint64_t)1 << 47) - 1) /* what of a word may be one */
#define REC_RED_ZONE 128		       /* below the stack pointer, in use all the same */

struct rec_waiter {
	pid_t tid;
	const struct rec_g *g; /* NULL: unknown to the recorder */
	bool candidate, live;
	uint64_t sp, tp;	 /* stack and thread pointer */
	uint64_t limit;		 /* of its stack; 0 where that has no mapping of its own */
	uint64_t object, futex;	 /* of a candidate: what it waits for */
	size_t word, nwords;	 /* what registers and stack pointed to: into search.words */
	uint64_t rest;		 /* of the stack, from here on, nothing was copied; 0 all was */
	uint64_t tls, tls_limit; /* of a candidate: the block that leads to its variables */
};

struct rec_search {
	pid_t pid;
	const struct rec_process *p;
	struct rec_memory memory;
	struct rec_blocks blocks;
	struct rec_waiter *thread;
	size_t n, room;
	struct tp_buf words; /* uint64_t */
	struct tp_buf queue; /* spans: reached, not looked through */
	uint8_t *copy;
	uint64_t low, high; /* no block or stack of a candidate is outside */
	int code;
	struct tp_err *err;
};

/* Code and sentence of the first failure stay; returns the code. */
int rec_search_fail(struct rec_search *s, int code, const char *what);

/* Lists the threads, and reads of each registers and the stack in use; it is stopped for that. Who
 * is gone has tid 0; who waits for a futex without a time limit has `futex`. */
void rec_search_threads(struct rec_search *s);
/* Finds out which regions are stacks, heaps of malloc, or else roots. */
void rec_search_regions(struct rec_search *s);
/* Is an address where nobody may know it: in a block, or on the stack of a thread? */
bool rec_search_is_private(const struct rec_search *s, uint64_t address);
/* Follows what everybody knows but the candidates, and what candidates know that can be woken:
 * those are none any more then. */
void rec_search_follow(struct rec_search *s);

#endif
