/* Private to the search for deadlocks: what it reads of a dump. */
#ifndef REP_PROFILE_DEADLOCK_PARTS_H
#define REP_PROFILE_DEADLOCK_PARTS_H

#include "own.h"
#include "profile/deadlock.h"

#define REP_DEADLOCK_FRAMES 128	 /* looked at, from the leaf; Go prints 100 */
#define REP_DEADLOCK_NEAR   4096 /* bytes from the beginning of a struct to its lock */

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

/* How much a goroutine goes on. */
enum rep_deadlock_level {
	REP_LEVEL_NONE,
	REP_LEVEL_LIBRARY, /* waits outside, and none of its code is the user's */
	REP_LEVEL_OUTSIDE, /* waits outside, or for somebody who goes on */
	REP_LEVEL_RUNS
};

struct rep_deadlock_arg {
	uint64_t address;
	uint32_t frame, word;
};

/* Reads the goroutines of d->p and what each waits for. */
int rep_deadlock_read(struct rep_deadlocks *d, struct tp_err *err);

/* Fills in the edges. Returns 0 or TP_ENOMEM. */
int rep_deadlock_relate(struct rep_deadlocks *d);

/* Returns the next node towards the root; 0 at the end. */
uint32_t rep_deadlock_parent(const struct tp_dict *dict, uint32_t node);
/* Returns the string of the type whose method a function is, "main.(*T)"; 0 if it is none. Sets
 * *failed when memory is out. */
uint32_t rep_deadlock_type(struct tp_dict *dict, uint32_t name, bool *failed);
/* Returns a word of a frame; 0 if it is no address or not reliable. */
uint64_t rep_deadlock_word(const struct rep_deadlocks *d, const struct rep_deadlock_goroutine *g,
			   unsigned frame, unsigned word);

static inline bool rep_deadlock_locks(const struct rep_deadlock_goroutine *g)
{
	return g->wait == REP_WAIT_LOCK || g->wait == REP_WAIT_RLOCK;
}

#endif
