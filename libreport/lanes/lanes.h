/* Timelines: what goroutines, Ps, Ms and tasks did over time, as rows of cells.
 *
 * A picture has rows, and columns that divide a time range. A cell has the time spent in each
 * state, so a cell with a thousand spans shows their density, and one with a part of a span shows
 * its state. The sums of a row over all columns are exact: those that `tprof-top` prints for the
 * same goroutines and range.
 *
 *	rep_lanes_new(&lanes, store, run, &filter, &err);
 *	rep_lanes_rows(lanes, &options, &rows, &err);       the rows in order
 *	rep_lanes_draw(lanes, &picture, &err);              cells of some of them
 *	rep_lanes_moment(lanes, goroutine, ns, &m, &err);   details of one place
 *
 * If a column contains a whole segment, its cells come from the store's sums for the segment. Other
 * segments are read (their events become spans) and cached, up to 256 MiB (a run of 15 million
 * events takes 120), so zooming and panning read each segment once. What was drawn longest ago is dropped
 * first. One thread at a time may use it, and the store must outlive it. */
#ifndef REP_LANES_H
#define REP_LANES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "decode/event.h"
#include "goid.h"
#include "path/path.h"
#include "run.h"
#include "spans/filter.h"
#include "timeline/span.h"

struct rep_lanes;

/* Opens the timelines of a run. `filter` selects goroutines (by goroutine, task and region) and the
 * time range; NULL selects everything. It must outlive the lanes. Errors: TP_EFORMAT, TP_ENOENT
 * (the run does not have the task or region), TP_ENOMEM, TP_ESTORE. */
int rep_lanes_new(struct rep_lanes **lanes, struct tp_store *store, const struct rep_run *run,
		  const struct rep_filter *filter, struct tp_err *err);
void rep_lanes_free(struct rep_lanes *lanes);
/* Limits the cached segments to this number of bytes, in place of 384 MiB, and drops what exceeds it. */
void rep_lanes_limit(struct rep_lanes *lanes, size_t bytes);
/* Returns the bytes of cached segments. */
size_t rep_lanes_cached(const struct rep_lanes *lanes);

/* ---- rows ---- */

enum rep_lane_kind {
	REP_LANE_GROUP, /* all goroutines of an entry function */
	REP_LANE_GOROUTINE,
	REP_LANE_PROC,
	REP_LANE_THREAD,
	REP_LANE_TASK,
	REP_NLANE_KINDS
};
/* "groups", "goroutines", "procs", "threads", "tasks", as --rows and keys name them. */
extern const char *const rep_lane_kinds[REP_NLANE_KINDS];

struct rep_lane {
	enum rep_lane_kind kind;
	uint32_t index; /* of the goroutine, P or M; row of the task; string of the group's entry */
	int64_t id;	/* in the store; of a group the number of its goroutines */
	struct rep_goid goid; /* of a goroutine; its life is 0 if there is only one */
	const char *name; /* entry function, type of the task; owned by the lanes, not escaped */
	size_t name_size;
	int64_t from, to; /* when it existed, in ns since the run began */
	int64_t busy_ns;  /* time not blocked in the whole run, by which groups are sorted */
	int depth;	  /* 1: it belongs to the group above */
};

struct rep_lanes_options {
	enum rep_lane_kind kind;
	/* GROUP: entry functions (strings) of unfolded groups, whose goroutines follow them. */
	const uint32_t *unfolded;
	size_t nunfolded;
	int64_t from, to; /* only those that existed in this range; INT64_MIN, INT64_MAX: open */
};

struct rep_lane_rows {
	struct rep_lane *row;
	size_t n;
};
/* Lists rows: groups by busy_ns, the highest first; goroutines, Ps and Ms by id; tasks by their
 * start. *rows must be released in every case. */
int rep_lanes_rows(struct rep_lanes *lanes, const struct rep_lanes_options *options,
		   struct rep_lane_rows *rows, struct tp_err *err);
void rep_lane_rows_release(struct rep_lane_rows *rows);

/* ---- cells ---- */

struct rep_cell {
	/* Time in ns by enum tp_state. Of a goroutine at most the column's width; of a group that
	 * times the number of its goroutines. Of a P or an M: Running is the time with a goroutine,
	 * Syscall (of an M also SyscallBlocked) the time in system calls of a goroutine that holds
	 * it, Idle the time in which no thread holds the P; the scheduler had the rest. Of a task:
	 * the time that --task=ID counts. */
	int64_t ns[TP_NSTATES];
	uint32_t spans;	 /* number of spans that overlap the cell (approximate if coarse) */
	uint32_t reason; /* the reason (string) of most of its blocked time; 0 for none */
	uint32_t g;	 /* of a P or M: the goroutine with the longest span; TP_NONE for none */
};

struct rep_picture {
	/* to be set */
	int64_t from, to; /* ns since the run began; to > from; columns below 1 ns are empty */
	int cols;
	const struct rep_lane *row;
	size_t nrows;
	bool coarse; /* uses sums only, which is fast: columns within a segment are alike */
	/* result: nrows * cols cells, row by row; zeros at first. The caller frees them and may
	 * pass those of an earlier picture (`room` is their number). */
	struct rep_cell *cell;
	size_t room;
	bool exact; /* each column has its own */
};
/* Fills in the cells. Returns TP_ECANCEL once *stop is true; stop may be NULL. */
int rep_lanes_draw(struct rep_lanes *lanes, struct rep_picture *picture, const atomic_bool *stop,
		   struct tp_err *err);

/* Reads segments into the cache in advance, those nearest to the range first, until all are cached,
 * the cache is full, or *stop is true. Pictures drawn after that are fast and exact. */
int rep_lanes_ahead(struct rep_lanes *lanes, int64_t from, int64_t to, const atomic_bool *stop,
		    struct tp_err *err);

/* ---- marks over all rows, and on some ---- */

enum rep_mark_kind {
	REP_MARK_STW,
	REP_MARK_GC,
	REP_MARK_SWEEP,
	REP_MARK_ASSIST,
	REP_MARK_REGION,
	REP_MARK_LOG,
	REP_MARK_TASK,
	REP_MARK_SAMPLE,
	REP_NMARK_KINDS
};
extern const char *const rep_mark_kinds[REP_NMARK_KINDS];

struct rep_mark {
	enum rep_mark_kind kind;
	int64_t from, to;   /* equal: a moment */
	uint32_t goroutine; /* TP_NONE: none, it is over all */
	const char
	    *text; /* name of the range or region, message of the log; lives with the lanes */
	size_t size;
	uint32_t stack; /* of a sample; 0: unknown */
};
#define REP_MARKS_ALL ((1u << REP_NMARK_KINDS) - 1)
/* Calls fn for the marks of these kinds (a bit each) in a range, by start; a nonzero result ends
 * that. Regions, logs, tasks and samples are those of goroutines that have lanes; kinds up to ASSIST
 * are of all goroutines. Returns TP_ECANCEL once *stop is true; stop may be NULL. */
int rep_lanes_marks(struct rep_lanes *lanes, uint32_t kinds, int64_t from, int64_t to,
		    int (*fn)(void *ctx, const struct rep_mark *mark), void *ctx,
		    const atomic_bool *stop, struct tp_err *err);

/* Prepares what rep_lanes_marks needs of the whole run, so that it is fast from then on: reads the tables once.
 * Returns TP_ECANCEL once *stop is true; the next call goes on from there. */
int rep_lanes_marks_ready(struct rep_lanes *lanes, const atomic_bool *stop, struct tp_err *err);
bool rep_lanes_marks_are_ready(const struct rep_lanes *lanes);
/* Returns a number of marks that the range has at least; quick once marks are ready. */
uint64_t rep_lanes_marks_least(const struct rep_lanes *lanes, uint32_t kinds, int64_t from,
			       int64_t to);

/* ---- one place ---- */

struct rep_wakeup {
	int64_t ns;
	uint32_t goroutine;
};

struct rep_moment {
	struct tp_span span;	   /* of the goroutine then, in ns since the run began */
	enum rep_path_kind ender;  /* of a wait: what ended it (path/ender.h), else 0 (running) */
	struct rep_wakeup *wakeup; /* the goroutines that it woke in that span, by time */
	size_t nwakeups;
	bool more_wakeups; /* there were more than these */
	/* The next link of the chain of wake-ups: the goroutine that last woke or created this one,
	 * and when; TP_NONE if that is not known, or did not end the wait (path/ender.h). */
	struct rep_wakeup cause;
};
/* Describes what a goroutine does at a time. Returns TP_ENOENT with a sentence if it did not exist
 * then. *moment must be released in every case. */
int rep_lanes_moment(struct rep_lanes *lanes, uint32_t goroutine, int64_t ns,
		     struct rep_moment *moment, struct tp_err *err);
void rep_moment_release(struct rep_moment *moment);

/* Finds the span of a goroutine in one of these states (a bit each) that takes most of [from, to);
 * *ns is where it begins there. In a range of many segments it considers the spans that cross
 * segments and those of some segments only. Returns TP_ENOENT if there is none. */
int rep_lanes_longest(struct rep_lanes *lanes, uint32_t goroutine, uint32_t states, int64_t from,
		      int64_t to, const atomic_bool *stop, int64_t *ns, struct tp_err *err);

/* Calls fn for the spans of a goroutine in [from, to), those that cross segments first, else by time; a
 * nonzero result ends that. Returns TP_ELIMIT with a sentence if the goroutine has spans in too many
 * segments of the range to read them all. */
int rep_lanes_spans(struct rep_lanes *lanes, uint32_t goroutine, int64_t from, int64_t to,
		    int (*fn)(void *ctx, const struct tp_span *span), void *ctx,
		    const atomic_bool *stop, struct tp_err *err);

/* Calls fn for the spans of all goroutines that begin and end within a segment of the run's view, or, if `segment` is
 * their number, for those that cross segments. */
int rep_lanes_segment_spans(struct rep_lanes *lanes, size_t segment,
			    void (*fn)(void *ctx, const struct tp_span *span), void *ctx,
			    struct tp_err *err);

/* Finds the goroutine that ran on a P or M at a time: its index, or TP_NONE. */
int rep_lanes_on(struct rep_lanes *lanes, const struct rep_lane *row, int64_t ns,
		 uint32_t *goroutine, struct tp_err *err);

/* ---- event by event ---- */

struct rep_event_at {
	uint64_t number; /* in the order of the run */
	int64_t ns;
	uint32_t goroutine; /* the one it is about; TP_NONE for none */
	char text[200];	    /* a description, not escaped */
};
/* Replaces *at by the next event (step 1) or the one before (step -1). If its number is UINT64_MAX,
 * that is the first event at or after its time, or the last before it. `only` limits events to
 * those on or about a goroutine, unless TP_NONE. Returns TP_ENOENT if there is no such event.
 * Numbers are the column seq of SQL's table event. */
int rep_lanes_step(struct rep_lanes *lanes, int step, uint32_t only, struct rep_event_at *at,
		   struct tp_err *err);

/* ---- names ---- */

struct tp_dict *rep_lanes_dict(struct rep_lanes *lanes); /* the run's */
struct rep_goid rep_lanes_goid(const struct rep_lanes *lanes, uint32_t goroutine);
int64_t rep_lanes_duration(const struct rep_lanes *lanes);
uint32_t rep_lanes_goroutines(const struct rep_lanes *lanes); /* their number; indices are below */
/* Returns the entry function of a goroutine that has a lane, a string of the run; else TP_NONE. */
uint32_t rep_lanes_entry(const struct rep_lanes *lanes, uint32_t goroutine);
/* Returns the reasons that cells may have, n strings of the run; some are 0 or repeated. */
const uint32_t *rep_lanes_reasons(const struct rep_lanes *lanes, size_t *n);
/* Returns the run's view, for other reports on it. Whoever changes its time range restores it. */
struct rep_view *rep_lanes_view(struct rep_lanes *lanes);

#endif
