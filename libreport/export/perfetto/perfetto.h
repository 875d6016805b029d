/* Runs in Chrome's trace event format (JSON), which Perfetto and chrome://tracing show: what Go's
 * `go tool trace` shows there, of several runs on one clock.
 *
 * Every run is four processes:
 *   NAME: Ps          a thread per P: goroutines as they run on it, and in them system calls, mark
 *                     assists, sweeps and stops of the world; a thread GC for its mark phases
 *   NAME: goroutines  a thread per goroutine: its states; its regions as asynchronous slices
 *   NAME: tasks       a thread per user task
 *   NAME: counters    heap, goroutines, threads, GOMAXPROCS
 * Flows lead from what made a goroutine ready, or made it, to where it runs. Stacks are those at
 * the end of a slice ("esf"), or where it began ("sf"). They are written once: a slice of a P has the
 * stack at its end only, as where it began is where its goroutine stopped before; a slice of a
 * goroutine has none if it is that of the slice directly before it.
 *
 * Events are written as they are met, sorted by when they end; readers of the format sort. Times
 * are microseconds since `base_ns` of the clock in use. */
#ifndef REP_EXPORT_PERFETTO_H
#define REP_EXPORT_PERFETTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"
#include "run.h"

struct rep_perfetto;
struct rep_anonymise;

struct rep_perfetto_run {
	const char *name;	/* of the run, as processes are called */
	int64_t from_ns, to_ns; /* [from, to) since the run began; INT64_MIN, INT64_MAX: open */
	const struct rep_anonymise *anonymise; /* NULL keeps names */
	const uint8_t *wanted;		       /* by index of goroutines; NULL selects all */
	size_t ngoroutines;
	/* Added to times of the run: where it begins on the clock that all runs share. */
	int64_t shift_ns;
};

/* Information about times for readers: "otherData" of the file. */
struct rep_perfetto_clock {
	bool unix_time;	  /* base_ns is Unix time; else times count from the start of the run */
	int64_t base_ns;  /* the time 0 */
	int64_t error_ns; /* most by which runs may be off from each other */
};

/* Lifecycle: begin writes the head, every run its events, end the frames of stacks. Errors are
 * those of `out`, of the store, and TP_ENOMEM. *out is NULL after an error; it must be freed in
 * every case. */
int rep_perfetto_begin(struct rep_perfetto **out, const struct tp_out *to,
		       const struct rep_perfetto_clock *clock, struct tp_err *err);
int rep_perfetto_run(struct rep_perfetto *p, struct tp_store *s, const struct rep_run *run,
		     const struct rep_perfetto_run *opt, struct tp_err *err);
int rep_perfetto_end(struct rep_perfetto *p, struct tp_err *err);
void rep_perfetto_free(struct rep_perfetto *p);

#endif
