/* The critical path of a request: at every moment between its beginning and its end, what it was
 * that kept it from ending, on whatever goroutine that happened.
 *
 * THE RULE. The path is walked back from the request's end to its beginning.
 *
 *   - While the goroutine it is on runs, is runnable (and waits for a P) or is in a system call,
 *the time is that goroutine's own.
 *   - Where that goroutine was blocked, the time of the wait is explained by who ended it: at the
 *     moment of the wake-up the path goes to the waker and on back there, by the same rule, until
 *     the wait had not yet begun. There it returns to the goroutine that waited, and goes on before
 *     its wait. What the waker did before that is nobody's concern: nobody waited for it.
 *   - A wait that no goroutine ended (the network poller did, a timer, the collector, or nobody
 *     knows who) is a leaf, and named as such. ender.h decides: the waker of a wait for the network
 *     or of a sleep is a bystander, unless its stack shows that it ended the wait.
 *   - Before its creation a goroutine is the one that created it.
 *
 * So the hops of a path follow each other without a gap, and their times add up to the request's.
 * Where requests end, and on which goroutine:
 *
 *   task       at its end (UserTaskEnd), on the goroutine that ended it
 *   region     at its end, on the goroutine it belongs to
 *   goroutine  at its end; one that lives on, where its last activity ended: before the wait in
 *              which the trace leaves it
 *   range      at the last activity in it (running, in a system call) of any goroutine but the
 *              runtime's own; of several that are active at its end, main's, else the oldest one
 *
 * A walk goes by the order of events, so that equal times do no harm, and never turns round; it is
 * bounded by a number of hops for all requests together. It reads the segments of the run from the
 * last one wanted to the first, each once, all requests side by side.
 *
 *	struct rep_path_requests list;
 *	struct rep_path path;
 *
 *	rep_view_init(&view, …);
 *	code = rep_path_pick(&view, &options, &list, &err);
 *	code = rep_path_walk(&view, list.request, list.n, REP_PATH_HOPS, &path, &err);
 *	… path.hop, path.chain, path.sum …
 *	rep_path_release(&path);
 *	rep_path_requests_release(&list); */
#ifndef REP_PATH_H
#define REP_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/profile.h"
#include "keys.h"
#include "spans/view.h"

/* What was done on a hop; a table for output, help and the manual: name, doc. */
enum rep_path_kind {
	REP_PATH_RUNNING,
	REP_PATH_RUNNABLE,
	REP_PATH_SYSCALL,
	/* Blocked; no goroutine ended the wait: */
	REP_PATH_NETWORK,
	REP_PATH_TIMER,
	REP_PATH_COLLECTOR,
	REP_PATH_OUTSIDE,
	REP_PATH_UNFINISHED,
	/* Nothing is known: */
	REP_PATH_LOST,
	REP_PATH_UNSEEN,
	REP_PATH_LIMIT,
	REP_NPATH_KINDS
};

extern const struct rep_path_kind_desc {
	const char *name, *doc;
} rep_path_kinds[REP_NPATH_KINDS];

/* ---- requests ---- */

enum rep_path_subject {
	REP_PATH_RANGE,
	REP_PATH_TASK,
	REP_PATH_REGION,
	REP_PATH_GOROUTINE,
};

struct rep_path_options {
	/* Types of tasks (a number is the id of one) and regions, regular expressions, or NULL; of
	 * both, such regions of such tasks. The view's filter has goroutine and time range: its
	 * goroutines are the requests where neither is given. */
	const char *task, *region;
	int64_t at_least, at_most; /* ns: only requests that took so long; 0, INT64_MAX: any */
	/* Only the slowest: so many, or this share of all; 0, 0: all. At least one. */
	int64_t slowest;
	double slowest_share;
};

struct rep_path_request {
	int64_t id;	    /* of the task or goroutine; of a region its row in the table */
	int64_t from, to;   /* ns since the run began */
	uint32_t name;	    /* string: type, or entry function */
	uint32_t goroutine; /* index: where it ends, TP_NONE unknown; known once walked */
	uint32_t stack;	    /* there, 0 unknown */
	uint8_t subject;    /* enum rep_path_subject */
	bool no_begin;	    /* it began before the run */
	bool no_end;	    /* the run ended first; `to` of a goroutine is right once walked */
};

struct rep_path_requests {
	enum rep_path_subject subject;
	struct rep_path_request *request; /* the slowest first, equal ones by time */
	size_t n;
	size_t matching;   /* before `slowest` picked */
	size_t incomplete; /* tasks and regions without an end, which are left out … */
	int64_t example;   /* … the id of one */
};

/* Picks requests of a run. Tasks and regions without an end only if asked for by id. TP_EFORMAT
 * with a sentence, also where nothing matches (it says what there is); TP_ENOMEM, TP_ESTORE. To be
 * released in every case. */
int rep_path_pick(struct rep_view *v, const struct rep_path_options *opt,
		  struct rep_path_requests *list, struct tp_err *err);
void rep_path_requests_release(struct rep_path_requests *list);
/* What of the options can be checked without a run. */
int rep_path_check(const struct rep_path_options *opt, struct tp_err *err);

/* ---- paths ---- */

#define REP_PATH_HOPS	    10000000 /* for all requests of a walk, unless told otherwise */
#define REP_PATH_DEPTH	    64	     /* waits within waits that chains tell apart */
#define REP_PATH_MAX_CHAINS 200000

/* A stretch of the path on one goroutine. */
struct rep_path_hop {
	int64_t from, to;   /* ns since the run began */
	uint32_t goroutine; /* index */
	uint32_t reason;    /* string: why blocked, or why runnable ("" when woken) */
	/* Where: of running, the stack with which it ended; of a system call, of blocking, where it
	 * began; of runnable, where it had been blocked or stopped. */
	uint32_t stack;
	uint32_t chain;
	/* What ended it on the path: the goroutine that was woken (or created) at `to`, why and
	 * where that one waited, from where it was woken. TP_NONE, 0 where the path stays. */
	uint32_t wakes, wakes_reason, wakes_stack, wake_stack;
	uint8_t kind; /* enum rep_path_kind */
	bool creates; /* `wakes` was created, not woken */
	/* Of runnable: who had the P before, on which it then ran; TP_NONE unknown. */
	uint32_t holder;
};

/* Waits within waits: a request waits for a waker, which waits for its waker … Node 0 is the
 * request itself. Nodes with the same parent, reason, stack and entry function of the waker are
 * one. A parent comes before its children. */
struct rep_path_chain {
	uint32_t parent;
	uint32_t depth;
	uint32_t reason, stack; /* of the wait */
	uint32_t wake_stack;	/* from where the first of them was ended */
	uint32_t waiter, waker; /* goroutines; TP_NONE where there are several */
	uint32_t waiter_entry, waker_entry;
	int64_t count;	  /* waits */
	int64_t total_ns; /* time in them, on the path */
};

/* Hops of a chain that did the same in the same place. */
struct rep_path_sum {
	uint32_t chain;
	uint32_t entry;	    /* entry function of the goroutine */
	uint32_t goroutine; /* TP_NONE where there are several */
	uint32_t stack, reason;
	uint8_t kind;
	int64_t count, total_ns, max_ns;
};

struct rep_path {
	int64_t total_ns; /* of all requests, in the view's time range */
	size_t requests;  /* walked */
	size_t limited;	  /* of them, not to their beginning: the limit of hops came first */
	int64_t nhops;	  /* walked */
	struct rep_path_chain *chain;
	size_t nchains;
	struct rep_path_sum *sum; /* in no order */
	size_t nsums;
	int64_t kind_ns[REP_NPATH_KINDS];
	/* Of a single request: the hops in the order of time. */
	struct rep_path_hop *hop;
	size_t nhop;

	/* private */
	struct rep_keys chains, whats, sums;
	size_t chain_room, sum_room, hop_room;
};

/* The slowest first; equal ones by time, then id. */
void rep_path_sort(struct rep_path_request *requests, size_t n);

/* Walks the paths of n requests, whose goroutines and ends it completes (and sorts them by that).
 * Time outside the view's range does not count. At most max_hops hops; the rest of what is not
 * walked is one hop REP_PATH_LIMIT each. To be released in every case. TP_ENOMEM, TP_ESTORE. */
int rep_path_walk(struct rep_view *v, struct rep_path_request *requests, size_t n, int64_t max_hops,
		  struct rep_path *path, struct tp_err *err);
void rep_path_release(struct rep_path *path);

/* Adds up the sums of all chains by kind, reason, entry function and the function that tells most
 * of the stack: where the time of the path went. Returns *n of them, whose `chain` is 0 and whose
 * `stack` is one of those added up, the longest first, to be freed; NULL when memory has run out.
 */
struct rep_path_sum *rep_path_totals(const struct rep_view *v, const struct rep_path *path,
				     size_t *n);

/* The path as a profile: stacks of the request's goroutine, below a wait its reason in brackets and
 * the stacks of who ended it, and so on; the leaf says what was done. Sample types: hops (count)
 * and path (ns). *p is the caller's. TP_ENOMEM, TP_ELIMIT. */
int rep_path_profile(struct rep_view *v, const struct rep_path *path, struct tp_profile **p,
		     struct tp_err *err);

#endif
