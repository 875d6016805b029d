/* Lanes: what goroutines, Ps, Ms and tasks did over time, drawn as rows of cells.
 *
 * A picture is of a time range, cut into columns, and of rows. Its cells say how long each state
 * lasted there, so a cell that holds a thousand spans is their density, and one that holds a part
 * of a span is its state. The sums of a row over all columns are those that `tprof-top` prints of
 * the same goroutines in the same range: exact, not sampled.
 *
 *	rep_lanes_new(&lanes, store, run, &filter, &err);
 *	rep_lanes_rows(lanes, &options, &rows, &err);       what there is, in order
 *	rep_lanes_draw(lanes, &picture, &err);              cells of some of them
 *	rep_lanes_moment(lanes, goroutine, ns, &m, &err);   all about one place
 *
 * Where a column holds a whole segment, its cells come from the sums that the store keeps of it.
 * Others are read (events to spans) and kept, up to 256 MiB (a run of 15 million events takes 120),
 * so that zooming and panning read each once; and so are the rows that were drawn last, up to 32
 * MiB. What is forgotten first is what was drawn longest ago. One thread at a time; the store must
 * outlive it. */
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

/* `filter`: which goroutines (its goroutine, task and region) have lanes; its time range is that of
 * the whole; NULL: all. It must outlive the lanes. TP_EFORMAT, TP_ENOENT (no such task or region),
 * TP_ENOMEM, TP_ESTORE. */
int rep_lanes_new(struct rep_lanes **lanes, struct tp_store *store, const struct rep_run *run,
		  const struct rep_filter *filter, struct tp_err *err);
void rep_lanes_free(struct rep_lanes *lanes);

/* ---- rows ---- */

enum rep_lane_kind {
	REP_LANE_GROUP, /* goroutines of one entry function, together */
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
	int64_t id;	/* as the store has it; of a group: how many goroutines it has */
	struct rep_goid goid; /* of a goroutine; life: 0 where it is the only one */
	const char *name; /* entry function, type of the task; owned by the lanes, not escaped */
	size_t name_size;
	int64_t from, to; /* it was there, in ns since the run began */
	int64_t busy_ns;  /* not blocked, over the whole run: what groups are sorted by */
	int depth;	  /* 1: it belongs to the group above */
};

struct rep_lanes_options {
	enum rep_lane_kind kind;
	/* GROUP: entry functions (strings) of groups that are unfolded: their goroutines follow. */
	const uint32_t *unfolded;
	size_t nunfolded;
	int64_t from, to; /* only those that were there in this range; INT64_MIN, INT64_MAX: open */
};

struct rep_lane_rows {
	struct rep_lane *row;
	size_t n;
};
/* Groups by busy_ns, the highest first; goroutines, Ps, Ms by id; tasks by their start. To be
 * released in every case. */
int rep_lanes_rows(struct rep_lanes *lanes, const struct rep_lanes_options *options,
		   struct rep_lane_rows *rows, struct tp_err *err);
void rep_lane_rows_release(struct rep_lane_rows *rows);

/* ---- cells ---- */

struct rep_cell {
	/* Goroutine time by enum tp_state, in ns: of one goroutine at most the column's width, of a
	 * group as many times that as it has goroutines. Of a P and an M: Running is the time with
	 * a goroutine, Syscall (and, of an M, SyscallBlocked) that in calls of one that has it,
	 * Idle that of a P which no thread holds; what is left, the scheduler had. Of a task: what
	 * --task=ID counts. */
	int64_t ns[TP_NSTATES];
	uint32_t spans;	 /* that overlap the cell (coarse: about); 1: it shows a single one */
	uint32_t reason; /* for which most of its time was blocked (string), 0 for none */
	uint32_t g;	 /* of a P or M: whose single stay there was longest, TP_NONE for none */
};

struct rep_picture {
	/* to be set */
	int64_t from, to; /* ns since the run began; to > from; columns below 1 ns are empty */
	int cols;
	const struct rep_lane *row;
	size_t nrows;
	bool coarse; /* from sums alone, at once: columns within a segment are alike */
	/* result: nrows * cols cells, row by row; zeros at first; owned by the caller, who may pass
	 * those of an earlier picture (room: how many there are) */
	struct rep_cell *cell;
	size_t room;
	bool exact; /* each column has its own */
};
/* May be interrupted: TP_ECANCEL where *stop (may be NULL) has become true. */
int rep_lanes_draw(struct rep_lanes *lanes, struct rep_picture *picture, const atomic_bool *stop,
		   struct tp_err *err);

/* For who has nothing else to do: reads segments, those nearest to the range first, until all are
 * there that there is room for, or *stop. Pictures drawn after that are exact at once. */
int rep_lanes_ahead(struct rep_lanes *lanes, int64_t from, int64_t to, const atomic_bool *stop,
		    struct tp_err *err);

/* ---- things over all rows, and on some ---- */

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
	const char *text; /* name of the range or region, message of the log; owned by the lanes */
	size_t size;
};
/* Calls fn for marks in a range, by start; nonzero ends. Regions, logs, tasks and samples are those
 * of the goroutines that have lanes, ranges up to ASSIST all that there are. */
int rep_lanes_marks(struct rep_lanes *lanes, int64_t from, int64_t to,
		    int (*fn)(void *ctx, const struct rep_mark *mark), void *ctx,
		    struct tp_err *err);
/* The same of some kinds (a bit each): only what is asked for is loaded. */
int rep_lanes_marks_of(struct rep_lanes *lanes, uint32_t kinds, int64_t from, int64_t to,
		       int (*fn)(void *ctx, const struct rep_mark *mark), void *ctx,
		       struct tp_err *err);

/* ---- one place ---- */

struct rep_wakeup {
	int64_t ns;
	uint32_t goroutine;
};

struct rep_moment {
	struct tp_span span;	   /* of the goroutine then, in ns since the run began */
	enum rep_path_kind ender;  /* of a wait: what ended it (path/ender.h), else 0 (running) */
	struct rep_wakeup *wakeup; /* whom it woke in that span, by time; owned by the moment */
	size_t nwakeups;
	bool more_wakeups; /* not all are kept */
	/* On what the wake-up chain goes on, TP_NONE where nothing is known: the goroutine that
	 * made this one run or runnable last, and when; not one that did not end the wait it was
	 * made runnable from (path/ender.h). */
	struct rep_wakeup cause;
};
/* TP_ENOENT: it was not there then. To be released in every case. */
int rep_lanes_moment(struct rep_lanes *lanes, uint32_t goroutine, int64_t ns,
		     struct rep_moment *moment, struct tp_err *err);
void rep_moment_release(struct rep_moment *moment);

/* Of a goroutine's spans of these states (a bit each) the one that takes most of [from, to): *ns is
 * where it is first seen there. In a range of many segments only of those that cross out of one,
 * and of some others. TP_ENOENT: there is none. */
int rep_lanes_longest(struct rep_lanes *lanes, uint32_t goroutine, uint32_t states, int64_t from,
		      int64_t to, const atomic_bool *stop, int64_t *ns, struct tp_err *err);

/* The goroutine that ran on a P or M then: its index, TP_NONE for none. */
int rep_lanes_on(struct rep_lanes *lanes, const struct rep_lane *row, int64_t ns,
		 uint32_t *goroutine, struct tp_err *err);

/* ---- event by event ---- */

struct rep_event_at {
	uint64_t number; /* in the order of the run */
	int64_t ns;
	uint32_t goroutine; /* that it is about, TP_NONE for none */
	char text[200];	    /* in words, not escaped */
};
/* The next event behind (step 1) or before (-1) *at, in order: behind its number where it has one,
 * else (UINT64_MAX) the first at or after its time, or the last before it; of goroutine `only`
 * unless TP_NONE: events that happen on it, and those that are about it. TP_ENOENT: there is none.
 * Numbers are those of the SQL table event (seq). */
int rep_lanes_step(struct rep_lanes *lanes, int step, uint32_t only, struct rep_event_at *at,
		   struct tp_err *err);

/* ---- names ---- */

struct tp_dict *rep_lanes_dict(struct rep_lanes *lanes); /* the run's */
int64_t rep_lanes_goroutine_id(struct rep_lanes *lanes, uint32_t goroutine);
struct rep_goid rep_lanes_goid(const struct rep_lanes *lanes, uint32_t goroutine);
/* The index of a goroutine id, TP_NONE for none. */
uint32_t rep_lanes_goroutine(struct rep_lanes *lanes, int64_t id);
int64_t rep_lanes_duration(const struct rep_lanes *lanes);

#endif
