/* Wake-ups, added up by the entry functions of waker and woken goroutine and by the places in them,
 * with the latency from the wake-up to running. */
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
	int64_t waited_ns;	    /* time in those waits */
	int64_t ran;		    /* of `count`, those that ran afterwards within the trace */
	int64_t latency_ns, max_ns; /* of those, from the wake-up to running: sum, maximum */
	int64_t worst_ns;	    /* when the wake-up with the longest latency was */
	struct rep_percentiles latency;
};

struct rep_wakes {
	struct rep_wake *wake; /* the highest first: by count, or by the last rep_wakes_sort */
	size_t n;
	int64_t count, waited_ns, latency_ns;
	bool exact; /* percentiles; else within 1 % */

	size_t sort; /* the key, of rep_wake_keys */

	/* private */
	size_t room;
};

/* What pairs can be sorted by; the first is the default. Ends with a NULL name. */
extern const struct rep_wake_key {
	const char *name, *first; /* which pairs come first, for the line below a table */
} rep_wake_keys[];
/* Finds a key by its name; false if there is none. */
bool rep_wake_key_find(const char *name, size_t *key);
void rep_wakes_sort(struct rep_wakes *wakes, size_t key);

/* Adds up wake-ups in the view's time range from the waits of the goroutines and for the reasons
 * that its filter names, and only inside tasks and regions whose types match `task` and `region` (regular expressions, or NULL).
 * Stacks count as one if their sites are the same function; with by_stack, only if they are equal.
 * *wakes must be released in every case. Errors: TP_EFORMAT, TP_ENOMEM, TP_ESTORE. */
int rep_wakes_add_up(struct rep_view *v, const char *task, const char *region, bool by_stack,
		     struct rep_wakes *wakes, struct tp_err *err);
void rep_wakes_release(struct rep_wakes *wakes);

/* Returns the name (a string) of the function at a stack's site: the first from the leaf that is
 * not plumbing of the runtime (stack.h). If the garbage collector comes before it, the result is
 * the collector's function, such as "runtime.gcMarkDone", because its locks have the same reason as
 * the program's own. Returns 0 for the empty stack. */
uint32_t rep_path_site(const struct tp_dict *dict, uint32_t stack);

#endif
