/* What time it was: the clock of a run as Unix time, and how well that is known.
 *
 * From the best of what there is:
 *   snapshot  moments at which the program read both clocks (go 1.25 and later, ClockSnapshot). The
 *             two clocks are read one after the other, and the wall clock may be set or slewed
 *             meanwhile: the error is the most by which a snapshot is off the line through its
 *             neighbours, and at least REP_CLOCK_READ_NS
 *   start     the time at which the run says it began (run.wall_ns), of a dump that says so
 *   file      the time at which the dump's file was last written, which is when its last events
 *             were; at the earliest, as it may have been copied, and events wait up to a second
 *             (REP_CLOCK_FLUSH_NS) before they are written
 *   none      nothing is known, or the run's times are ticks
 *
 * Between snapshots time runs straight, before the first and after the last one as fast as Unix
 * time. */
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
	int64_t error_ns; /* times are right within this, either way */
	/* Snapshots by time, or the one point that is known: ts since the run began, Unix time. */
	struct rep_clock_point {
		int64_t ts_ns, wall_ns;
	} * point;
	size_t n;
	/* Of the wall clock against the trace's, over the snapshots: in ns per second; and the
	 * largest step of it between two of them. */
	double drift;
	int64_t step_ns;
};

/* 0 or an error code; to be released in every case. */
int rep_clock_load(struct tp_store *s, const struct rep_run *run, struct rep_clock *clock,
		   struct tp_err *err);
void rep_clock_release(struct rep_clock *clock);

/* From a time of the run (ns since it began) to Unix time in ns, and back. False where it is not
 * known, or more than 64 bits hold. */
bool rep_clock_wall(const struct rep_clock *clock, int64_t ts_ns, int64_t *wall_ns);
bool rep_clock_run(const struct rep_clock *clock, int64_t wall_ns, int64_t *ts_ns);

#endif
