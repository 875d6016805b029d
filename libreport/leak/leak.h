/* Goroutines that wait and do not end, added up by site. Sources are traces (at their end),
 * goroutine profiles, goroutineleak profiles and dumps; several in the order of time show growth.
 *
 * A site is a stack (with lines, without the runtime's own frames at both ends) and the go
 * statement that created its goroutines. If the stack is not known, as at the end of a damaged
 * trace, the reason of the wait takes its place. Profiles and counted texts do not contain the go
 * statement: their goroutines join the site of the same stack if other sources know exactly one.
 * Running goroutines, those of the runtime, the one that writes the dump, and main.main are not
 * leaks; they count only with `all`. Between versions of a program lines move: sites with the same
 * functions that no source has two of are one, with the lines of the last source.
 *
 *	code = rep_leaks_new(&leaks, &options, err);
 *	code = rep_leaks_add_run(leaks, "a.trace", store, run, err);          for each source,
 *	code = rep_leaks_add_profile(leaks, "b.goroutine", profile, err);     oldest first
 *	code = rep_leaks_finish(leaks, err);
 *	… leaks->site[i], leaks->nsites …
 *	rep_leaks_free(leaks); */
#ifndef REP_LEAK_LEAK_H
#define REP_LEAK_LEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "decode/dict.h"
#include "decode/profile.h"
#include "goid.h"
#include "leak/allow.h"
#include "output/output.h"
#include "own.h"
#include "run.h"
#include "store/store.h"

#define REP_LEAK_IDS 8 /* goroutines that are named, of a site in a source */

/* The goroutines of a site in one source. Times are -1 if unknown. */
struct rep_leak_count {
	int64_t goroutines;
	int64_t created;	   /* of them, while the trace was recorded; -1: not a trace */
	int64_t least_ns, most_ns; /* how long they wait, in ticks if the source has no clock; a
				      dump has whole minutes, from one on */
	int64_t unknown;	   /* of them, those whose waiting time is not known */
};

struct rep_leak_site {
	uint32_t stack;	  /* of leaks.dict */
	uint32_t creator; /* frame of the go statement, 0 unknown */
	uint32_t created; /* the stack it was on, as far as known */
	uint32_t waits;	  /* string: "chan receive", "" unknown */
	uint32_t label;	  /* string: value of the label `by`, "" none */
	uint32_t reason;  /* `waits` if the stack is unknown and the site depends on it; else 0 */
	bool certain;	  /* found to be unreachable, by Go's collector or tprof-record */
	bool allowed;	  /* the list allows all of them (in the last source) */
	bool grows;	  /* each of at least three sources has more than the one before */
	int64_t excess;	  /* goroutines in the last source that are not allowed */
	struct rep_leak_count *count;	  /* by source */
	struct rep_goid id[REP_LEAK_IDS]; /* in the last source; nids of them */
	size_t nids;
	size_t room; /* private: of count */
};

enum rep_leak_sort { REP_LEAK_BY_COUNT, REP_LEAK_BY_GROWTH, REP_LEAK_BY_WAIT, REP_LEAK_NSORTS };
extern const struct rep_leak_sort_desc {
	const char *name, *doc;
} rep_leak_sorts[REP_LEAK_NSORTS];

struct rep_leak_options {
	bool all;	     /* also counts the runtime's, main.main and running goroutines */
	bool created;	     /* of a trace, counts only those created during it */
	int64_t min_wait_ns; /* only goroutines known to wait that long; 0: all */
	const struct rep_allow *allow; /* NULL: nothing is allowed */
	const struct tp_regex *own;    /* functions of the user's own code; NULL: see own.h */
	const char *by;		       /* key of a label that separates sites; NULL: none */
	enum rep_leak_sort sort;
};

/* Kinds of goroutines that count only with `all`. */
enum rep_leak_left {
	REP_LEAK_LEFT_MAIN,
	REP_LEAK_LEFT_RUNNING,
	REP_LEAK_LEFT_LOST,
	REP_LEAK_LEFT_RUNTIME,
	REP_LEAK_NLEFT
};

struct rep_leak_source {
	char *name;
	bool ticks;	 /* its times are ticks, so waiting times are not known in ns */
	int64_t unknown; /* goroutines left out because it is not known if they wait min_wait_ns */
	int64_t left_out[REP_LEAK_NLEFT]; /* goroutines left out, by kind */
};

struct rep_leaks {
	struct rep_leak_options opt; /* `sort` may be changed until finish */
	struct tp_dict *dict;
	struct rep_leak_source *source;
	size_t nsources;
	/* After finish: */
	struct rep_leak_site *site; /* sorted */
	size_t nsites;
	size_t moved; /* of them, those whose lines differ from source to source */
	/* What a gate judges: the goroutines of the last source that are not allowed; with several
	 * sources, how many more than in the first one, at sites that grew. */
	int64_t excess;
	bool *met;	    /* by rule of the list: it matched a site of some source */
	struct rep_own own; /* of leaks.dict; the functions' own files decide */

	/* private */
	size_t site_room, ncounts;
	struct tp_table by_stack; /* of sites: by stack, creator, reason and label */
	uint8_t *whose;		  /* by node of the dictionary */
	size_t nwhose;
};

/* All functions return TP_ENOMEM or TP_ELIMIT on errors. `opt` is copied; what it points to must
 * outlive `leaks`. */
int rep_leaks_new(struct rep_leaks **leaks, const struct rep_leak_options *opt, struct tp_err *err);
void rep_leaks_free(struct rep_leaks *l);

/* Adds the end of a trace. Also returns TP_ESTORE. */
int rep_leaks_add_run(struct rep_leaks *l, const char *name, struct tp_store *store,
		      const struct rep_run *run, struct tp_err *err);
/* Adds a profile or a dump. Returns TP_ENOENT with a sentence if it does not contain goroutines. */
int rep_leaks_add_profile(struct rep_leaks *l, const char *name, const struct tp_profile *p,
			  struct tp_err *err);

/* Joins, judges and sorts sites; sources cannot be added afterwards. */
int rep_leaks_finish(struct rep_leaks *l, struct tp_err *err);

/* Writes a table with a row for each site, at most `rows` (0: all), and a note if there are more.
 * Sites that are allowed come last, and only if `allowed` is set. */
int rep_leaks_print(struct rep_leaks *l, struct rep_output *out, size_t rows, bool allowed,
		    struct tp_err *err);

#endif
