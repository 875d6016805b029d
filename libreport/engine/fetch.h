/* Makes a store of the runs of an engine, for reports to read.
 *
 * The store has a row for each run that was asked for, with its labels, in the order of their
 * numbers in the stores they came from (then by time of import, and hash). Of runs that are picked
 * it has the content: the blocks of a trace, the samples of a profile. If profiles are going to be
 * added up, the engine adds them up: each sum stands in the first run that has a sample of it, so
 * that adding up what is there gives the same result in the same order.
 *
 * The engine is not trusted more than a file. At most REP_ENGINE_HELD_MOST bytes of its answers are
 * in memory at a time, and a few times as much of what is made of them; more is TP_ELIMIT. Counted
 * are a row (of REP_ANSWER_ROW_MOST at most; the loader sends none that is longer), the rows of one
 * profile or of the sum of all, the entries of their stacks, each once, profiles without their
 * samples, and the hashes of stacks. Stacks themselves are in a file without a name beside the
 * store. Blocks of traces go into the store unchecked, as readers check those of every store. */
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

/* Makes the store at path, which must not exist. Errors of the link and of writing a store;
 * TP_EFORMAT if the answer is not what was asked for. */
int rep_engine_fetch(const struct rep_engine_link *link, const struct rep_engine_place *at,
		     const struct rep_engine_runs *runs, const struct rep_engine_fetch_options *opt,
		     const char *path, struct tp_err *err);

#endif
