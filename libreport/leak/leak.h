/* Goroutines that wait and do not end, by what they wait for and where they come from: from the end
 * of a trace, from goroutine profiles and dumps, and from goroutineleak profiles, alone or one
 *after the other, so that one sees what grows.
 *
 * A site is a stack (without the runtime's own frames at both its ends, lines included) and the go
 * statement that made its goroutines. Where a stack is not known, as at the end of a damaged trace,
 * what they wait for tells sites apart. Profiles and counted texts do not tell the latter: what
 *they count joins the site of that stack where another source knows exactly one. Goroutines that
 *run, those of the runtime, the one that writes the dump, and main.main are no leaks; they are
 *counted with `all` only.
 *
 *	code = rep_leaks_new(&leaks, &options, err);
 *	code = rep_leaks_add_run(leaks, "a.trace", store, run, err);          for each source,
 *	code = rep_leaks_add_profile(leaks, "b.goroutine", profile, err);     oldest first
 *	code = rep_leaks_finish(leaks, err);
 *	… rep_leaks_sites(leaks, &n) …
 *	rep_leaks_free(leaks); */
#ifndef REP_LEAK_LEAK_H
#define REP_LEAK_LEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/dict.h"
#include "decode/profile.h"
#include "goid.h"
#include "leak/allow.h"
#include "output/output.h"
#include "run.h"
#include "store/store.h"

#define REP_LEAK_IDS 8 /* goroutines that are named, of a site in a source */

/* Of a site in one source. Times are -1 where nobody knows. */
struct rep_leak_count {
	int64_t goroutines;
	int64_t created;	   /* of them, while the trace was recorded; -1: it is no trace */
	int64_t least_ns, most_ns; /* that they wait, in ticks where the source has those; dumps
				      know whole minutes, from one on */
	int64_t unknown;	   /* goroutines of which that is not known */
};

struct rep_leak_site {
	uint32_t stack;	  /* of rep_leaks_dict() */
	uint32_t creator; /* frame of the go statement, 0 unknown */
	uint32_t created; /* the stack it was on, as far as known */
	uint32_t waits;	  /* string: "chan receive", "" unknown */
	uint32_t reason;  /* without a stack: a part of what the site is, `waits`; else 0 */
	bool certain;	  /* found to be unreachable, by Go's collector or tprof-record */
	bool allowed;	  /* by the list, all of them (in the last source) */
	bool grows;	  /* more in each source than in the one before; three at least */
	int64_t excess;	  /* goroutines in the last source that are not allowed */
	struct rep_leak_count *count;	  /* by source */
	struct rep_goid id[REP_LEAK_IDS]; /* in the last source; nids of them */
	size_t nids;
};

enum rep_leak_sort { REP_LEAK_BY_COUNT, REP_LEAK_BY_GROWTH, REP_LEAK_BY_WAIT, REP_LEAK_NSORTS };
extern const struct rep_leak_sort_desc {
	const char *name, *doc;
} rep_leak_sorts[REP_LEAK_NSORTS];

struct rep_leak_options {
	bool all;	     /* those of the runtime, main.main and what runs as well */
	bool created;	     /* only those that a trace saw being created; other sources: all */
	int64_t min_wait_ns; /* only goroutines known to wait that long; 0: all */
	const struct rep_allow *allow; /* NULL: nothing is allowed */
	enum rep_leak_sort sort;
};

/* Goroutines that are left out without `all`. */
enum rep_leak_left {
	REP_LEAK_LEFT_MAIN,
	REP_LEAK_LEFT_RUNNING,
	REP_LEAK_LEFT_LOST,
	REP_LEAK_LEFT_RUNTIME,
	REP_LEAK_NLEFT
};

struct rep_leaks;

/* Errors of all of these: TP_ENOMEM, TP_ELIMIT. `opt` is copied, what it points to must live on. */
int rep_leaks_new(struct rep_leaks **leaks, const struct rep_leak_options *opt, struct tp_err *err);
void rep_leaks_free(struct rep_leaks *l);

/* TP_ESTORE as well. */
int rep_leaks_add_run(struct rep_leaks *l, const char *name, struct tp_store *store,
		      const struct rep_run *run, struct tp_err *err);
/* TP_ENOENT, with a sentence: there are no goroutines in it. */
int rep_leaks_add_profile(struct rep_leaks *l, const char *name, const struct tp_profile *p,
			  struct tp_err *err);

/* Another order than that of the options. */
void rep_leaks_sort(struct rep_leaks *l, enum rep_leak_sort sort);
/* Joins, judges and sorts; nothing is added afterwards. */
int rep_leaks_finish(struct rep_leaks *l, struct tp_err *err);

const struct rep_leak_site *rep_leaks_sites(const struct rep_leaks *l, size_t *n);
const struct tp_dict *rep_leaks_dict(const struct rep_leaks *l);
size_t rep_leaks_sources(const struct rep_leaks *l);
const char *rep_leaks_source(const struct rep_leaks *l, size_t i);
/* Are its times ticks? How long a goroutine of it waits is not known then. */
bool rep_leaks_ticks(const struct rep_leaks *l, size_t i);
/* Goroutines that were left out of a source: not known to wait for min_wait_ns though they may. */
int64_t rep_leaks_unknown(const struct rep_leaks *l, size_t i);
/* Returns how many goroutines of this kind are left out of a source. */
int64_t rep_leaks_left_out(const struct rep_leaks *l, size_t i, enum rep_leak_left kind);
/* Goroutines of the last source that are not allowed: what a gate looks at; with several sources,
 * only those at sites that grew from the first to the last, and by how many. */
int64_t rep_leaks_excess(const struct rep_leaks *l);
/* Is there anything that this rule of the list is about, in any source? */
bool rep_leaks_met(const struct rep_leaks *l, size_t rule);

/* Writes one row per site, at most `rows` (0: all; with a line on how many there are), sites that
 * are allowed last and only where `allowed` is set. */
int rep_leaks_print(const struct rep_leaks *l, struct rep_output *out, size_t rows, bool allowed,
		    struct tp_err *err);

#endif
