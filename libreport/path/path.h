/* The critical path of a request: for every moment between its beginning and its end, the activity
 * that kept it from ending, on any goroutine.
 *
 * THE RULE. The path is walked back from the request's end to its beginning.
 *
 *   - While its goroutine runs, is runnable (and waits for a P) or is in a system call, the time
 *     belongs to that goroutine.
 *   - While its goroutine was blocked, the time belongs to the goroutine that ended the wait. At
 *     the wake-up the path moves to the waker and goes back there, by the same rule, to the moment
 *     at which the wait began. There it returns to the goroutine that waited and goes on before its
 *     wait. What the waker did before that is ignored: nothing was waiting for it yet.
 *   - A wait that was not ended by a goroutine (but by the network poller, a timer or the collector,
 *     or by an unknown cause) is a leaf and named as such. ender.h decides: the waker of a wait for
 *     the network or of a sleep is a bystander, unless its stack shows that it ended the wait.
 *   - Before the creation of a goroutine, the path is on the goroutine that created it.
 *
 * So the hops of a path follow each other without a gap, and their times add up to the request's.
 * Requests end as follows:
 *
 *   task       at its end (UserTaskEnd), on the goroutine that ended it
 *   region     at its end, on its goroutine
 *   goroutine  at its end; if it does not end in the trace, at the end of its last activity: before
 *              the wait in which the trace leaves it
 *   range      at the last activity in it (running, in a system call) of any goroutine except the
 *              runtime's own; of several that are active at its end, on main, or on the oldest
 *
 * A walk follows the order of events, so equal times do not matter, and it never goes forward. The
 * number of hops is limited, for all requests together. The walk reads the segments of the run from
 * the last to the first, each once for all requests.
 *
 *	struct rep_path_requests list;
 *	struct rep_path path;
 *
 *	rep_view_init(&view, …);
 *	code = rep_path_pick(&view, &options, &list, &err);
 *	code = rep_path_walk(&view, list.request, list.n, REP_PATH_HOPS, &path, &err);
 *	… rep_path_hop(&path, 0), path.chain, path.sum …
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
#include "path/hops.h"
#include "spans/view.h"

/* What the goroutine of a hop did. */
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
	/* Not known: */
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

/* Requests that blame compares (rep_path_mark_bands); the walk keeps their sums apart. */
enum rep_path_band {
	REP_BAND_NONE,
	REP_BAND_MIDDLE,
	REP_BAND_SLOW,
	REP_NBANDS,
};

struct rep_path_options {
	/* Regular expressions on types of tasks (a number is an id, and '?' begins a
	 * request: task/request.h) and of regions, or NULL. With both, requests are such regions of such tasks; with neither, the goroutines of the view's
	 * filter, or its time range. */
	const char *task, *region;
	int64_t at_least, at_most; /* limits of their length in ns; 0, INT64_MAX: no limits */
	/* Picks only the slowest requests, this number or this share, at least one. 0, 0: all. */
	int64_t slowest;
	double slowest_share;
};

struct rep_path_request {
	int64_t id;	    /* of the task or goroutine; the row of a region in its table */
	int64_t from, to;   /* ns since the run began */
	uint32_t name;	    /* string: type, or entry function */
	uint32_t goroutine; /* index; the one on which it ends, after the walk; TP_NONE: unknown */
	uint32_t begins;    /* the goroutine on which it begins; TP_NONE: unknown */
	uint32_t stack;	    /* at its end; 0: unknown */
	uint8_t subject;    /* enum rep_path_subject */
	bool no_begin;	    /* it began before the run */
	bool no_end;	    /* the run ended first; `to` of a goroutine is known after the walk */
	uint8_t band;	    /* enum rep_path_band */
	uint32_t part;	    /* in a band: its number in struct rep_path_part */
};

struct rep_path_requests {
	enum rep_path_subject subject;
	struct rep_path_request *request; /* n, the slowest first, equal ones by time */
	size_t n;
	size_t matching;   /* number of requests before `slowest` was applied */
	size_t incomplete; /* tasks and regions left out because they have no end */
	int64_t example;   /* the id of one of those */
};

/* Picks requests of a run. Tasks and regions without an end are picked only by their id, tasks
 * also by a request. Errors: TP_EFORMAT;
 * TP_ENOENT if nothing matches, with a message that says what the run has; TP_ELIMIT; TP_ENOMEM; TP_ESTORE.
 * The caller releases *list in every case. */
int rep_path_pick(struct rep_view *v, const struct rep_path_options *opt,
		  struct rep_path_requests *list, struct tp_err *err);
void rep_path_requests_release(struct rep_path_requests *list);
/* Puts requests in bands: the slowest 1 % (or 5, if these are more and at most a quarter of all) in one, as
 * many around the median (or 50) in the other. Returns 0, or TP_ENOENT with a sentence if there are fewer
 * than three. */
int rep_path_mark_bands(struct rep_view *v, struct rep_path_requests *list, struct tp_err *err);
/* Checks options as far as that is possible without a run. */
int rep_path_check(const struct rep_path_options *opt, struct tp_err *err);

/* ---- paths ---- */

#define REP_PATH_HOPS	    10000000 /* default limit of hops for all requests of a walk */
#define REP_PATH_DEPTH	    64	     /* depth up to which waits within waits get chains */
#define REP_PATH_MAX_CHAINS 200000

/* A node of the tree of waits within waits: a request waits for a waker, which waits for its waker
 * … Node 0 is the request itself. Waits with the same parent, reason, stack and entry function of
 * the waker are one node. A parent comes before its children. */
struct rep_path_chain {
	uint32_t parent;
	uint32_t depth;
	uint32_t reason, stack; /* of the wait */
	uint32_t wake_stack;	/* of the waker of the first such wait */
	uint32_t waiter, waker; /* goroutines; TP_NONE: several */
	uint32_t waiter_entry, waker_entry;
	uint32_t queue;	  /* of a folded path: how many waits within one another it is at most */
	int64_t count;	  /* number of waits */
	int64_t total_ns; /* time on the path in these waits */
};

/* The sum of the hops of a chain that have the same kind, reason, entry function and place. */
struct rep_path_sum {
	uint32_t chain;
	uint32_t entry;	    /* entry function of the goroutine */
	uint32_t goroutine; /* TP_NONE: several */
	uint32_t stack, reason;
	uint8_t kind;
	int64_t count, total_ns, max_ns;
};

/* The part of a sum that one request of a band has. */
struct rep_path_part {
	uint32_t part, sum;
	int64_t ns;
};

struct rep_path {
	int64_t total_ns; /* of all requests, in the view's time range */
	size_t requests;  /* number of requests walked */
	size_t limited;	  /* number of those not walked to their beginning (limit of hops) */
	int64_t nhops;	  /* number of hops walked */
	struct rep_path_chain *chain;
	size_t nchains;
	struct rep_path_sum *sum; /* in no order */
	size_t nsums;
	struct rep_path_part *part; /* of requests in a band */
	size_t nparts;
	int64_t kind_ns[REP_NPATH_KINDS];
	struct rep_path_hops hops; /* of a single request, the last one first (rep_path_hop) */
	uint32_t *fold; /* of a folded path, which borrows the hops: the chain of a hop's chain */

	/* private */
	struct rep_keys chains, whats, sums, parts;
	size_t chain_room, sum_room, part_room;
};

/* Sorts requests: the slowest first, equal ones by time, then id. */
void rep_path_sort(struct rep_path_request *requests, size_t n);

/* Walks the paths of n requests; completes their goroutines and ends, and sorts them again. Time
 * outside the view's range does not count. After max_hops hops, the rest of each path becomes one
 * hop REP_PATH_LIMIT. The caller releases *path in every case. Errors: TP_ENOMEM, TP_ESTORE. */
int rep_path_walk(struct rep_view *v, struct rep_path_request *requests, size_t n, int64_t max_hops,
		  struct rep_path *path, struct tp_err *err);
void rep_path_release(struct rep_path *path);
/* Returns the i-th hop by time of a path that has path->hops.n. */
struct rep_path_hop rep_path_hop(const struct rep_path *path, size_t i);
/* Returns how long that hop takes. */
int64_t rep_path_hop_ns(const struct rep_path *path, size_t i);
/* Makes `folded`, a path in which a queue is one chain: waits in which the goroutine that ended each had
 * itself waited in the same function for the same reason. Their times are added up. Returns 0,
 * TP_ENOMEM or TP_ELIMIT; release it in every case, and before `path`. */
int rep_path_fold(const struct tp_dict *dict, const struct rep_path *path, struct rep_path *folded);

/* Adds up the sums of all chains by kind, reason, entry function and the stack's site, to show where the time
 * of the path went. Sets *total to *n sums, the longest first. Their `chain` is 0, and `stack` is one of
 * those added up. The caller frees *total. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int rep_path_totals(const struct rep_view *v, const struct rep_path *path,
		    struct rep_path_sum **total, size_t *n, struct tp_err *err);
/* Does the same but leaves the totals in the order of their first sums, and sets of[] (path->nsums entries)
 * to the total that each sum is in. */
int rep_path_group(const struct rep_view *v, const struct rep_path *path,
		   struct rep_path_sum **total, size_t *n, uint32_t *of, struct tp_err *err);

/* Makes a profile of the path, which the caller frees. Its stacks begin with those of the request's
 * goroutine. Below a wait come its reason in brackets and the stacks of the waker, and so on; the leaf is the
 * kind of the hop. Sample types: hops (count) and path (ns). Errors: TP_ENOMEM, TP_ELIMIT. */
int rep_path_profile(struct rep_view *v, const struct rep_path *path, struct tp_profile **p,
		     struct tp_err *err);

#endif
