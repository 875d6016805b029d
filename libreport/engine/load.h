/* Loads runs of a store into an engine. */
#ifndef REP_ENGINE_LOAD_H
#define REP_ENGINE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/link.h"
#include "run.h"

struct rep_engine_load_options {
	bool spans;		   /* also rows of traces for SQL */
	int64_t (*uptime_s)(void); /* NULL: CLOCK_BOOTTIME; for tests */
	/* May be NULL. Nonzero cancels (TP_ECANCEL). Stages: "export" (runs), "remove" (loads). */
	int (*progress)(void *ctx, const char *stage, uint64_t done, uint64_t total);
	void *progress_ctx;
};

struct rep_engine_load_result {
	uint64_t runs;	  /* runs in the engine now */
	uint64_t known;	  /* of these, runs that were there before */
	uint64_t renewed; /* of these, runs that were loaded anew */
	uint64_t bytes;	  /* sent */
	uint64_t removed; /* removed loads that did not count (schema.h) */
};

/* Makes the tables on each server, and loads through the first one all runs of `runs` that the
 * engine lacks. Runs that it has under another name, with other labels, or without requested spans
 * are loaded anew. After an error, *result tells what was loaded completely, and calling it again
 * continues with the rest. Returns 0 or an error: those of the link and the store, TP_ENOMEM,
 * TP_ECANCEL; TP_ENOENT if there is no such cluster; TP_EFORMAT if the database is distributed in
 * another way than `at` says; TP_EBUSY if it takes too long (stale.h); TP_ELIMIT, after loading all
 * others, if a run has a row that could not be read back (REP_ANSWER_ROW_MOST in binary.h). */
int rep_engine_load(const struct rep_engine_link *servers, size_t nservers,
		    const struct rep_engine_place *at, struct tp_store *store,
		    const struct rep_runs *runs, const struct rep_engine_load_options *opt,
		    struct rep_engine_load_result *result, struct tp_err *err);

#endif
