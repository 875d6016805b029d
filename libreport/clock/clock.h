/* What time it was: the clock of a run as Unix time, and how well that is known.
 *
 * The best of these sources is used:
 *   snapshot  moments at which the program read both clocks (ClockSnapshot, since go 1.25). They are
 *             read one after the other, and the wall clock may be set or slewed meanwhile, so the
 *             error is the largest distance of a snapshot from the line through its neighbours, and
 *             at least REP_CLOCK_READ_NS
 *   start     the time at which the run began (run.wall_ns), if the dump says it
 *   file      the time at which the dump's file was last written. The last events happened before
 *             it: the file may have been copied later, and events wait up to a second
 *             (REP_CLOCK_FLUSH_NS) before they are written
 *   none      nothing is known, or the run's times are ticks
 *
 * Times between two snapshots are interpolated; before the first and after the last one the clocks
 * run equally fast. */
#ifndef REP_CLOCK_CLOCK_H
#define REP_CLOCK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run.h"

#define REP_CLOCK_READ_NS  ((int64_t)1000)
#define REP_CLOCK_FLUSH_NS ((int64_t)1000000000)

enum rep_clock_source {
	REP_CLOCK_NONE,
	REP_CLOCK_FILE,
	REP_CLOCK_START,
	REP_CLOCK_SNAPSHOT,
	REP_NCLOCK_SOURCES
};

extern const char *const rep_clock_source_names[REP_NCLOCK_SOURCES];

struct rep_clock {
	enum rep_clock_source source;
	int64_t error_ns; /* times are at most this much too early or too late */
	/* The snapshots by time, or a single known point: ns since the run began, and Unix time. */
	struct rep_clock_point {
		int64_t ts_ns, wall_ns;
	} * point;
	size_t n;
	/* How fast the wall clock drifts from the trace's clock over all snapshots, in ns per
	 * second, and its largest step between two snapshots. */
	double drift;
	int64_t step_ns;
};

/* Loads the clock of a run. Returns 0 or an error; *clock must be released in every case. */
int rep_clock_load(struct tp_store *s, const struct rep_run *run, struct rep_clock *clock,
		   struct tp_err *err);
void rep_clock_release(struct rep_clock *clock);

/* Convert a time of the run (ns since it began) to Unix time in ns, and back. Return false if the
 * clock is unknown or the result does not fit. */
bool rep_clock_wall(const struct rep_clock *clock, int64_t ts_ns, int64_t *wall_ns);
bool rep_clock_run(const struct rep_clock *clock, int64_t wall_ns, int64_t *ts_ns);

#endif
