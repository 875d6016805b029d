/* What fuzz targets have in common: a dump becomes a store in memory, the store is read back, and
 * reports are drawn from it. No input may crash, hang, or take memory out of proportion, and none
 * may break what is promised (MUST, which aborts).
 *
 * Every report on every input would take so long that few inputs were tried. So each function below
 * takes a `pick`, a hash of the input, and does a part of what it could, the same part for the same
 * input; over many inputs all of it is done. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "import.h"
#include "open/input.h"
#include "output/output.h"
#include "run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* A failure has a code and says why. */
#define MUST_SAY(err) MUST((err).code < 0 && (err).msg[0])

uint64_t fuzz_hash(const uint8_t *data, size_t size);
/* The next of a row of numbers below n that follow from *pick. */
unsigned fuzz_pick(uint64_t *pick, unsigned n);
/* Whether an input of this hash goes on behind the decoder: there it costs ten times as much and
 * more, and a fuzzer's next input differs from the last in what is decoded. All do that are
 * replayed. */
bool fuzz_goes_on(uint64_t hash);
extern bool fuzz_replays;

/* ---- stores (store.c) ---- */

/* Paths below a folder of this process, which is in memory and goes when the process ends. Eight
 * are valid at a time. */
const char *fuzz_path(const char *name);
/* Writes a file there and returns its path. */
const char *fuzz_file(const char *name, const void *data, size_t size);
/* Removes all files there. */
void fuzz_sweep(void);

/* A store with one run in it. */
struct fuzz_store {
	struct tp_store *s;
	struct rep_runs runs;
	const struct rep_run *run;
	struct tp_import_result result;
	const char *path;
	bool hostile; /* nobody vouches for it: whatever reads it may fail, with a sentence */
};

/* What works with every store that was made by an import. */
#define MUST_WORK(f, code, err)                                                                    \
	do {                                                                                       \
		if (code) {                                                                        \
			if (!(f)->hostile)                                                         \
				fprintf(stderr, "%s\n", (err).msg);                                \
			MUST((f)->hostile);                                                        \
			MUST_SAY(err);                                                             \
		}                                                                                  \
	} while (0)

/* Imports; false where the input is none that can be, which leaves nothing behind. */
bool fuzz_import(const uint8_t *data, size_t size, const struct tp_import_options *opt,
		 struct fuzz_store *out);
void fuzz_close(struct fuzz_store *f);

/* Reads the run by tprof.h, and the dump that it was imported from (library.c). */
void fuzz_library(const struct fuzz_store *f, const uint8_t *data, size_t size);

/* ---- traces ---- */

/* Decodes and orders a trace (trace.c), strictly and not; imports it, and compares what the store
 * has with what was read; then some reports. Input that is no trace of `format` is passed over. */
void fuzz_trace(const uint8_t *data, size_t size, enum tp_format format);

/* Some reports on the run of a store that is a trace (reports.c). */
void fuzz_trace_reports(struct fuzz_store *f, uint64_t pick);
/* The kinds of them. */
void fuzz_lanes(struct fuzz_store *f, uint64_t pick);
void fuzz_path_reports(struct fuzz_store *f, uint64_t pick);
void fuzz_top(struct fuzz_store *f, uint64_t pick);
void fuzz_trace_profiles(struct fuzz_store *f, uint64_t pick);
void fuzz_trace_diff(struct fuzz_store *f, uint64_t pick);
void fuzz_export(struct fuzz_store *f, uint64_t pick);
void fuzz_time(struct fuzz_store *f, uint64_t pick);
void fuzz_sql(struct fuzz_store *f, uint64_t pick);
void fuzz_page(struct fuzz_store *f, uint64_t pick);
void fuzz_leaks(struct fuzz_store *f, uint64_t pick);

/* ---- profiles ---- */

/* Reads a profile, strictly and not; through the encoder and back, through a store and back; then
 * some reports. */
void fuzz_profile(const uint8_t *data, size_t size);
/* What holds of every profile (profile.c). */
struct tp_profile;
void fuzz_profile_check(const struct tp_profile *p);
/* Through the encoder and back. */
void fuzz_profile_round(const struct tp_profile *p);
/* Some reports, which change the profile. */
void fuzz_profile_reports(struct tp_profile *p, uint64_t pick);
void fuzz_profile_diff(const uint8_t *data, size_t size, uint64_t pick);

/* ---- text that comes out (paper.c) ---- */

/* An output of a picked format into `text`. */
struct rep_output *fuzz_paper(struct tp_buf *text, uint64_t *pick, bool several);
/* Ends it, after a report that returned `code`; nothing of a dump reaches a terminal as it was. */
void fuzz_paper_end(struct rep_output *out, struct tp_buf *text, int code,
		    const struct tp_err *err);
/* No control characters but newlines and tabs: whatever a terminal could take for an order. */
void fuzz_printable(const struct tp_buf *text);

#endif
