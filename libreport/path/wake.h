/* Sums of wake-ups by the entry functions of waker and woken goroutine and the places in them, with the
 * latency from the wake-up to running. */
#ifndef REP_PATH_WAKE_H
#define REP_PATH_WAKE_H

#include "dist.h"
#include "path/path.h"

struct rep_wake {
	/* The waker: entry function (string) and the stack of the first wake-up; TP_NONE and
	 * `outside` if it was not a goroutine. */
	uint32_t waker_entry, waker_stack;
	uint8_t outside; /* enum rep_path_kind (ender.h); 0 (running): a goroutine */
	/* The woken goroutine: its entry function, where and why it waited. */
	uint32_t entry, stack, reason;
	int64_t count;
	int64_t waited_ns;	    /* time in the waits */
	int64_t ran;		    /* number of wake-ups after which the goroutine ran */
	int64_t latency_ns, max_ns; /* sum and maximum of their times to running */
	int64_t worst_ns;	    /* time of the wake-up with the longest latency */
	struct rep_percentiles latency;
};

struct rep_wakes {
	struct rep_wake *wake; /* sorted, the highest first: by count, or as rep_wakes_sort did */
	size_t n;
	int64_t count, waited_ns, latency_ns;
	bool exact; /* percentiles are exact; else within 1 % */

	size_t sort; /* index of the sort key in rep_wake_keys */

	/* private */
	size_t room;
};

/* The sort keys of pairs; the first one is the default. A NULL name ends them. */
extern const struct rep_wake_key {
	const char *name, *first; /* first: the order in words, for the line below a table */
} rep_wake_keys[];
/* Finds a key by its name. Returns false if the name is unknown. */
bool rep_wake_key_find(const char *name, size_t *key);
void rep_wakes_sort(struct rep_wakes *wakes, size_t key);

/* Adds up wake-ups in the view's time range that ended waits of the goroutines and reasons in its filter,
 * only inside tasks and regions whose types match `task` and `region` (regular expressions, or NULL). Stacks
 * are the same if their sites are the same function; with by_stack, only if they are equal. Errors:
 * TP_EFORMAT, TP_ELIMIT, TP_ENOMEM, TP_ESTORE. The caller releases *wakes in every case. */
int rep_wakes_add_up(struct rep_view *v, const char *task, const char *region, bool by_stack,
		     struct rep_wakes *wakes, struct tp_err *err);
void rep_wakes_release(struct rep_wakes *wakes);

/* Returns the name (a string) of the function at a stack's site: the first from the leaf that is
 * not plumbing of the runtime (stack.h). If the garbage collector comes before it, the result is
 * the collector's function, such as "runtime.gcMarkDone", because its locks have the same reason as
 * those of the program. Returns 0 for the empty stack. */
uint32_t rep_path_site(const struct tp_dict *dict, uint32_t stack);

#endif
