/* Searches all threads and memory of a process for waiters that something running can still reach.
 * Private to parent/ (leak.h says why). Call rec_search_threads, then rec_search_regions, then mark
 * candidates, then call rec_search_follow. */
#ifndef RECORD_PARENT_SEARCH_H
#define RECORD_PARENT_SEARCH_H

#include "base/buf.h"
#include "base/err.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/parent/live/blocks.h"
#include "tprof-record/parent/live/memory.h"

#define REC_ADDRESS  (((uint64_t)1 << 47) - 1) /* the bits of a word that may be an address */
#define REC_RED_ZONE 128		       /* below the stack pointer, in use all the same */

struct rec_waiter {
	pid_t tid;
	const struct rec_g *g; /* NULL: unknown to the recorder */
	bool candidate, live;
	uint64_t sp, tp;	/* stack and thread pointer */
	uint64_t limit;		/* of its stack; 0 where that has no mapping of its own */
	uint64_t object, futex; /* of a candidate: what it waits for */
	size_t word, nwords;	/* words of registers and stack, in search.words */
	uint64_t rest; /* where the part of the stack begins that was not copied; 0: none */
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

/* Keeps the first error; returns its code. */
int rec_search_fail(struct rec_search *s, int code, const char *what);

/* Lists the threads, stops each, and reads its registers and the stack in use. A thread that has gone
 * gets tid 0; one that waits for a futex without a time limit gets `futex`. */
void rec_search_threads(struct rec_search *s);
/* Finds the regions that are stacks and heaps of malloc; the others are roots. */
void rec_search_regions(struct rec_search *s);
/* Returns whether an address may be unreachable: it is in a block, or on the stack of a thread. */
bool rec_search_is_private(const struct rec_search *s, uint64_t address);
/* Follows the pointers of everything but candidates, and of candidates that can be woken, which then
 * stop being candidates. */
void rec_search_follow(struct rec_search *s);

#endif
