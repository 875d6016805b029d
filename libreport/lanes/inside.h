/* The state of lanes; private to libreport/lanes.
 *
 * Goroutine time has the same three sources as in sums/part.h, so that sums agree:
 *
 *   spans that cross the start of a segment     table span_crossing; all of them are loaded here
 *   spans within a segment, one by one          the segment's events, read once (segment.h)
 *   sums of the spans within a segment          tables site (groups) and goroutine_time; enough if
 *                                               a column holds the whole segment
 *
 * A class is a state with a reason. All sums are by class. */
#ifndef REP_LANES_INSIDE_H
#define REP_LANES_INSIDE_H

#include "base/sum.h"
#include "keys.h"
#include "lanes/lanes.h"
#include "spans/index.h"
#include "task/tasks.h"

/* The most classes. The first are states without a reason; spans of further reasons count as
 * those. */
#define REP_LANES_CLASSES 1024

/* A span that crosses segments; its indices are valid. */
struct rep_lane_span {
	int64_t start, end;
	uint32_t goroutine;
	uint32_t m, p;
	uint16_t class;
};

/* The spans of one class that a goroutine or a group has within a segment. A long run has millions. */
#define REP_LANES_SEGMENTS (UINT32_C(1) << 22) /* the most of a run: some 2 * 10^12 events */
struct rep_lane_sum {
	int64_t total_ns;
	uint32_t count;
	uint32_t segment : 22, class : 10;
};
_Static_assert(sizeof(struct rep_lane_sum) == 16 && REP_LANES_CLASSES <= 1 << 10, "packed");

struct rep_lane_sums {
	struct rep_lane_sum *sum; /* by owner, then segment */
	size_t n;
	size_t *first;	 /* by owner, and one more: the end */
	int64_t segment; /* of the row that was read last */
};

struct rep_lane_group {
	uint32_t entry; /* string */
	uint32_t n;	/* goroutines */
	int64_t from, to, busy_ns;
};

/* Marks come from packed tables. A table may have millions, so of most kinds only the times of its chunks are
 * kept, and a chunk is read when a range needs it. Stops of the world and phases of the GC are few, concern
 * all rows, and are kept. */
struct rep_lane_mark {
	int64_t from, to;
	uint32_t goroutine, text;
	enum rep_mark_kind kind;
};
/* Marks by start. high[i] is the latest end among the 64 marks from 64 * i on. */
struct rep_lane_marks {
	struct rep_cached cached; /* of a chunk: its number among those of all tables */
	uint32_t kinds;		  /* that were taken */
	unsigned users;		  /* the cache, and walks */
	struct rep_lane_mark *mark;
	int64_t *high;
	size_t n, room;
};
struct rep_lane_chunk {
	int64_t from, to;	     /* the first start and the last end of its marks */
	uint32_t n[REP_NMARK_KINDS]; /* its marks by kind */
};
#define REP_MARK_TABLES 5
struct rep_lane_mark_index {
	size_t first[REP_MARK_TABLES + 1]; /* of each table: the number of its first chunk */
	struct rep_lane_chunk *chunk;
	size_t known;		    /* chunks that have been read */
	struct rep_lane_marks kept; /* of all chunks */
	struct rep_cache chunks;
	bool counted, ready;
};

struct rep_lanes {
	struct rep_filter all; /* used if the caller gives no filter */
	struct rep_view v;
	int64_t duration;
	uint32_t ng;
	uint8_t *hidden; /* by goroutine: it has no lane; NULL: all have one */
	bool by_group;	 /* `hidden` is the same for all goroutines of a group */

	/* classes */
	uint16_t nclasses;
	uint8_t class_state[REP_LANES_CLASSES];
	uint32_t class_reason[REP_LANES_CLASSES];
	struct rep_keys class_keys; /* (state, reason) */
	uint16_t *waiting;	    /* the classes of TP_ST_WAITING by reason, to find them fast */
	uint32_t nwaiting;

	struct rep_lane_group *group;
	uint32_t ngroups;
	uint32_t *group_of; /* by goroutine */
	uint32_t *by_id;    /* goroutines by goid and life */
	int64_t *life;	    /* by goroutine (rep_goids_lives); NULL: not loaded, or not needed */

	struct rep_lane_crossing {
		struct rep_lane_span span;
		uint32_t row; /* of the table */
	} * crossing;	      /* by goroutine, then time */
	size_t ncrossing;
	size_t *first_crossing; /* by goroutine: ng + 1 */

	struct rep_lane_sums group_sums, goroutine_sums;
	bool has_goroutine_sums;

	/* Ps, Ms, and the tables proc_span and task in order (rows.c) */
	uint32_t np, nm;
	struct rep_lane_span *proc_span; /* by P, then time; goroutine TP_NONE */
	size_t nproc_spans;
	bool has_procs;
	uint32_t *task_by_start; /* rows of task */
	struct rep_tasks tasks;
	bool has_tasks;

	struct rep_lane_mark_index marks;

	struct rep_grid *grid; /* the cells of the last picture, for the next one (grid.h) */

	/* segments in memory */
	struct rep_cache segments; /* as pictures need them (segment.h); it counts pictures */
	struct rep_cache spans;	   /* with whole spans (moment.c) */

	/* step.c: the last block of events that was read */
	struct tp_event *event; /* nevents of block `at_block` */
	size_t nevents;
	int64_t at_block;
};

/* Returns the class of a state (below TP_NSTATES) and a reason; the class of the state alone if no
 * table has them together. */
static inline uint16_t rep_lanes_class(const struct rep_lanes *l, unsigned state, uint32_t reason)
{
	uint32_t at;

	if (!reason)
		return (uint16_t)state;
	if (state == TP_ST_WAITING)
		return reason < l->nwaiting ? l->waiting[reason] : TP_ST_WAITING;
	return rep_keys_find(&l->class_keys, state, reason, 0, 0, &at) && at < REP_LANES_CLASSES
		   ? (uint16_t)at
		   : (uint16_t)state;
}

static inline bool rep_lanes_shows(const struct rep_lanes *l, uint32_t goroutine)
{
	return goroutine < l->ng && !(l->hidden && l->hidden[goroutine]);
}

/* Load something when it is first needed. */
int rep_lanes_need_goroutine_sums(struct rep_lanes *l, struct tp_err *err);
int rep_lanes_need_procs(struct rep_lanes *l, struct tp_err *err);
int rep_lanes_need_tasks(struct rep_lanes *l, struct tp_err *err);

/* Returns the numbers 0 to n - 1 in an order, for the caller to free; NULL if memory is out. */
uint32_t *rep_lanes_order(const struct rep_lanes *l, uint32_t n,
			  int (*compare)(const void *a, const void *b, void *lanes));

void rep_lane_marks_release(struct rep_lane_mark_index *x);
int rep_lanes_take_group_sums(struct rep_lanes *l, struct tp_err *err);
void rep_lanes_sums_release(struct rep_lane_sums *s);

struct rep_lane_stay {
	uint32_t goroutine;
	uint32_t row; /* of the picture */
	int64_t from, to;
};
/* Appends to an array (tp_grow) the intervals in which goroutines work for a task (task/workers.h),
 * which --task=ID counts; those of one goroutine are disjoint. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int rep_lanes_task_stays(struct rep_lanes *l, uint32_t task, uint32_t row,
			 struct rep_lane_stay **stay, size_t *room, size_t *n);

#endif
