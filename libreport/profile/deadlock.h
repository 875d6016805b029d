/* What a dump of goroutines says about deadlocks: goroutines that wait for a lock, channel, wait
 * group or condition, and for which no goroutine that runs can be seen to hold or serve it.
 *
 * A stack does not say who holds a lock. So all of this is suspicion, by evidence: addresses among
 * the arguments (the label `addresses` of decode/profile/goroutines.c), functions and receivers on
 * the stacks, who created whom, and what the runtime itself found. A waiter counts as served if a
 * goroutine that runs, sleeps or waits for the network can be related to it, also by way of others
 * that wait; receivers and selects may be served by whatever their relatives wait for.
 *
 *	code = rep_deadlocks_find(&d, profile, err);
 *	… d.g[d.row[i]], group by group …
 *	rep_deadlocks_release(&d); */
#ifndef REP_PROFILE_DEADLOCK_H
#define REP_PROFILE_DEADLOCK_H

#include "base/err.h"
#include "decode/profile.h"

enum rep_deadlock_by {
	REP_DEADLOCK_NOBODY,   /* no goroutine can be related */
	REP_DEADLOCK_CREATOR,  /* created it, was created by it, or by the same one */
	REP_DEADLOCK_RECEIVER, /* is in a method of the same type */
	REP_DEADLOCK_FUNCTION, /* is behind the call that locks, in the same function */
	REP_DEADLOCK_ADDRESS,  /* has the address of the same thing, or of what contains it */
	REP_DEADLOCK_WRITER,   /* waits to write, and readers wait for it */
	REP_DEADLOCK_RUNTIME,  /* the runtime says that nothing can wake it */
	REP_DEADLOCK_NBY
};
extern const char *const rep_deadlock_by[REP_DEADLOCK_NBY]; /* "nobody", "creator" … */

/* Goroutine `to` may have what `from` waits for. */
struct rep_deadlock_edge {
	uint32_t from, to; /* of d.g */
	uint32_t node;	   /* of `to`'s stack, which shows it; 0: none */
	uint64_t address;  /* that both have; 0: none */
	uint8_t by;	   /* enum rep_deadlock_by */
	uint8_t need;	   /* private */
};

enum rep_deadlock_wait {
	REP_WAIT_OTHER,
	REP_WAIT_RUNS,
	REP_WAIT_OUTSIDE, /* sleeps, or waits for the kernel */
	REP_WAIT_FOREVER, /* nil channel, select without cases */
	REP_WAIT_LOCK,
	REP_WAIT_RLOCK,
	REP_WAIT_GROUP,
	REP_WAIT_COND,
	REP_WAIT_SEND,
	REP_WAIT_RECEIVE,
	REP_WAIT_SELECT
};

struct rep_deadlock_goroutine {
	int64_t id, creator;			       /* -1: not in the dump */
	int64_t wait_ns;			       /* 0: less than a minute, or not known */
	uint32_t stack, state, created_by, created_at; /* of the profile's dictionary */
	uint32_t site;				       /* node that locks, sends …; 0: none */
	enum rep_deadlock_wait wait;
	bool leaked; /* Go's collector found it */
	size_t edge, nedges;
	uint32_t group;	 /* from 1 on, the worst first; 0: not suspected */
	bool circle;	 /* waits for others that wait for it */
	bool itself;	 /* may hold what it waits for */
	uint32_t wanted; /* suspected goroutines that may wait for it */
	uint8_t by;	 /* the best evidence: enum rep_deadlock_by */

	/* private */
	size_t arg, nargs;
	unsigned direct; /* frame of `site`, counted from the leaf */
	uint64_t object, base, receiver;
	uint32_t type;
	uint8_t level;
	bool own, main, once;
};

struct rep_deadlocks {
	struct tp_profile *p;
	struct rep_deadlock_goroutine *g; /* by sample */
	size_t n;
	struct rep_deadlock_edge *edge; /* by goroutine */
	size_t nedges;
	uint32_t *row; /* those suspected, by group; equal ones side by side */
	size_t nrows, ngroups;
	size_t early; /* not judged: they wait for less than a minute */
	bool asleep;  /* the runtime found all asleep */

	/* private */
	struct rep_deadlock_arg *arg;
	size_t nargs, arg_room, edge_room;
};

/* Returns 0, TP_ENOMEM, or TP_ENOENT with a sentence if the profile is not of single goroutines.
 * Adds strings to the profile's dictionary. `d` is to be released in every case. */
int rep_deadlocks_find(struct rep_deadlocks *d, struct tp_profile *p, struct tp_err *err);
void rep_deadlocks_release(struct rep_deadlocks *d);

/* Orders goroutines of one row together: 0 if a and b have stack, state and creator in common. */
int rep_deadlock_compare(const struct rep_deadlock_goroutine *a,
			 const struct rep_deadlock_goroutine *b);

#endif
