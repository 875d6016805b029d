/* Runs of an engine as a store: what reports are made of.
 *
 * The store has a row for each run that was asked for, in the order of their numbers in the stores
 * they came from (then by time of import, and hash), with its labels; of those that are picked it
 * has what is kept of them: traces as their blocks, profiles as their samples. Where profiles are
 * going to be added up anyway, the engine does that: each sum stands in the first run that has a
 * sample of it, so that all of them together are what adding them up one by one gives, in the same
 * order.
 *
 * What the engine says is not trusted more than a file. Whatever it says, at most
 * REP_ENGINE_HELD_MOST bytes of it are in memory at a time, and a few times as much of what is made
 * of them (the list of runs, one profile): a row of REP_ANSWER_ROW_MOST at
 * most (the loader sends none that is longer), rows of one profile, or of the sum of all, and what
 * their stacks are made of, that of several once; what profiles say besides samples; hashes of
 * stacks. More of it is TP_ELIMIT. Stacks are on the disk, beside the store, in a file without a
 * name; what is made goes into the store run by run. Blocks of traces go into it unchecked: readers
 * check them, as they check those of every store. */
#ifndef REP_ENGINE_FETCH_H
#define REP_ENGINE_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/link.h"
#include "run.h"

struct rep_engine_run {
	struct tp_run row; /* texts are owned */
	uint64_t load;
	char **type, **unit; /* ntypes of a profile; owned */
	size_t ntypes;
	char **label; /* nlabels texts "KEY=VALUE"; owned */
	size_t nlabels;
};

struct rep_engine_runs {
	struct rep_engine_run *run;
	size_t n;
	size_t held; /* bytes */
};

#define REP_ENGINE_MOST_RUNS 100000
#define REP_ENGINE_HELD_MOST ((size_t)256 << 20)
extern size_t rep_engine_held_most; /* that, but in tests */

/* Every run with all of these labels. TP_ELIMIT: more than REP_ENGINE_MOST_RUNS, or than may be
 * held. To be released in any case. */
int rep_engine_runs_load(const struct rep_engine_link *link, const struct rep_engine_place *at,
			 char *const *labels, size_t nlabels, struct rep_engine_runs *runs,
			 struct tp_err *err);
void rep_engine_runs_release(struct rep_engine_runs *runs);

struct rep_engine_fetch_options {
	const bool *picked; /* by run; NULL: none */
	bool add_up;	    /* the profiles that are picked are going to be added up */
	bool profiles_only; /* nothing is kept of traces that are picked */
};

/* Makes the store at path, which must not be there. Errors of the link and of a store that is
 * written; TP_EFORMAT where the answer is no such thing. */
int rep_engine_fetch(const struct rep_engine_link *link, const struct rep_engine_place *at,
		     const struct rep_engine_runs *runs, const struct rep_engine_fetch_options *opt,
		     const char *path, struct tp_err *err);

#endif
