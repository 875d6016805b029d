/* Who wakes whom: wake-ups added up by the waker's and the woken goroutine's entry functions and
 * where in them it happened, with the latency from the wake-up to running. */
#ifndef REP_PATH_WAKE_H
#define REP_PATH_WAKE_H

#include "dist.h"
#include "path/path.h"

struct rep_wake {
	/* The waker: entry function (string) and stack, of the first one seen; where no goroutine
	 * was it, TP_NONE and what it was. */
	uint32_t waker_entry, waker_stack;
	uint8_t outside; /* enum rep_path_kind, see ender.h; 0 (running): a goroutine */
	/* The woken goroutine: entry function, where and why it waited. */
	uint32_t entry, stack, reason;
	int64_t count;
	int64_t waited_ns;	    /* time in those waits */
	int64_t ran;		    /* of `count`, those that were seen to run then: */
	int64_t latency_ns, max_ns; /* from the wake-up to running, summed and at most */
	int64_t worst_ns;	    /* when the longest of them was woken */
	struct rep_percentiles latency;
};

struct rep_wakes {
	struct rep_wake *wake; /* by count, the highest first */
	size_t n;
	int64_t count, waited_ns, latency_ns;
	bool exact; /* percentiles; else within 1 % */

	/* private */
	size_t room;
};

/* Wake-ups in the view's time range of goroutines its filter names; `task`, `region`: only inside
 * such (regular expressions, NULL: everywhere). Stacks are told apart by their functions that are
 * not plumbing of the runtime, or, with by_stack, as they are. To be released in every case.
 * TP_EFORMAT, TP_ENOMEM, TP_ESTORE. */
int rep_wakes_add_up(struct rep_view *v, const char *task, const char *region, bool by_stack,
		     struct rep_wakes *wakes, struct tp_err *err);
void rep_wakes_release(struct rep_wakes *wakes);

/* The name of the function of a stack that tells most: the first from the leaf that is not plumbing
 * of the runtime; where the garbage collector hides before it, that: "runtime.gcMarkDone", as its
 * locks have the same reason as the program's own. 0 for the empty stack. */
uint32_t rep_path_site(const struct tp_dict *dict, uint32_t stack);

#endif
