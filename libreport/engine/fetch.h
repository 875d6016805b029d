/* Makes a store of the runs of an engine, for reports to read.
 *
 * The store has a row with labels for each run that was requested, ordered by the runs' numbers in
 * the stores they came from (then by time of import, and hash). Picked runs also have their
 * content: the blocks of a trace, the samples of a profile. If profiles are to be added up, the
 * engine adds them up and each sum is put into the first run that has a sample of it, so that
 * adding up the store gives the same result in the same order.
 *
 * The engine is trusted no more than a file. At most REP_ENGINE_HELD_MOST bytes of its answers are
 * in memory at a time, and a few times as much of data made from them; beyond that the result is
 * TP_ELIMIT. These count: a row (at most REP_ANSWER_ROW_MOST; the loader sends no longer one), the
 * rows of one profile or of the sum of all, each entry of their stacks once, profiles without their
 * samples, and the hashes of stacks. The stacks themselves are in an unnamed file beside the store.
 * Blocks of traces go into the store unchecked, because readers check the blocks of every store. */
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
extern size_t rep_engine_held_most; /* REP_ENGINE_HELD_MOST except in tests */

/* Loads a row for every run that has all of these labels. Returns TP_ELIMIT if there are more than
 * REP_ENGINE_MOST_RUNS or they exceed the memory limit. *runs must be released in every case. */
int rep_engine_runs_load(const struct rep_engine_link *link, const struct rep_engine_place *at,
			 char *const *labels, size_t nlabels, struct rep_engine_runs *runs,
			 struct tp_err *err);
void rep_engine_runs_release(struct rep_engine_runs *runs);

struct rep_engine_fetch_options {
	const bool *picked; /* by run; NULL picks none */
	bool add_up;	    /* the picked profiles are to be added up */
	bool profiles_only; /* drops the content of picked traces */
};

/* Makes the store at path, which must not exist. Returns errors of the link and of writing a store,
 * or TP_EFORMAT if an answer does not fit its statement. */
int rep_engine_fetch(const struct rep_engine_link *link, const struct rep_engine_place *at,
		     const struct rep_engine_runs *runs, const struct rep_engine_fetch_options *opt,
		     const char *path, struct tp_err *err);

#endif
