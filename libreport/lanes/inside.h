/* What lanes are made of; private to libreport/lanes.
 *
 * Goroutine time has the same three sources as in sums/part.h, so that sums agree:
 *
 *   spans that cross the start of a segment     table span_crossing: one by one, all of them here
 *   spans within a segment, one by one          segment.h: the segment's events, read once
 *   the same as sums                            tables site (groups) and goroutine_time: enough
 *                                               where a column holds the whole segment
 *
 * A class is a state with a reason; what is added up is added up by class. */
#ifndef REP_LANES_INSIDE_H
#define REP_LANES_INSIDE_H

#include "base/sum.h"
#include "keys.h"
#include "lanes/lanes.h"
#include "spans/index.h"
#include "task/tasks.h"

struct rep_cached_row;

/* The first classes are states without a reason; more than these are not told apart. */
#define REP_LANES_CLASSES 1024

/* A span that crosses segments, its indices checked. */
struct rep_lane_span {
	int64_t start, end;
	uint32_t goroutine;
	uint32_t m, p;
	uint16_t class;
};

/* Sums of a segment: of the spans of one class within it, of a goroutine or a group. */
struct rep_lane_sum {
	int64_t total_ns;
	uint32_t owner; /* goroutine, or group */
	uint32_t segment;
	uint32_t count;
	uint16_t class;
};

struct rep_lane_sums {
	struct rep_lane_sum *sum; /* by owner, then segment */
	size_t n, room;
	size_t *first; /* by owner: one more than there are owners */
};

struct rep_lane_group {
	uint32_t entry; /* string */
	uint32_t n;	/* goroutines */
	int64_t from, to, busy_ns;
};

/* Marks of one kind, by start; `high` is the latest end of every 64 of them. */
struct rep_lane_mark {
	int64_t from, to;
	uint32_t goroutine, text;
};
struct rep_lane_marks {
	struct rep_lane_mark *mark;
	int64_t *high;
	size_t n, room;
	bool loaded;
};

struct rep_lane_block {
	int64_t part, first_ts, last_ts;
};

struct rep_lanes {
	struct rep_filter all; /* for who gives none */
	struct rep_view v;
	int64_t duration;
	uint32_t ng;
	uint8_t *hidden; /* by goroutine: it has no lane; NULL: all have */
	bool by_group;	 /* `hidden` is the same for all goroutines of a group */

	/* classes */
	uint16_t nclasses;
	uint8_t class_state[REP_LANES_CLASSES];
	uint32_t class_reason[REP_LANES_CLASSES];
	struct rep_keys class_keys; /* (state, reason) */
	uint16_t *waiting;	    /* class by reason of TP_ST_WAITING, the frequent one */
	uint32_t nwaiting;

	struct rep_lane_group *group;
	uint32_t ngroups;
	uint32_t *group_of; /* by goroutine */
	uint32_t *by_id;    /* goroutines by goid and life */
	int64_t *life;	    /* by goroutine, as rep_goids_lives; NULL: not asked for yet, or none */

	struct rep_lane_span *crossing; /* by goroutine, then time */
	uint32_t *crossing_row;		/* of the table */
	size_t ncrossing;
	size_t *first_crossing; /* by goroutine: ng + 1 */

	struct rep_lane_sums group_sums, goroutine_sums;
	bool has_goroutine_sums;

	/* Ps, Ms; tables proc_span, task, region by what they belong to; see rows.c, things.c */
	uint32_t np, nm;
	struct rep_lane_span *proc_span; /* by P, then time; goroutine TP_NONE */
	size_t nproc_spans;
	bool has_procs;
	uint32_t *task_by_start; /* rows of task */
	struct rep_tasks tasks;
	bool has_tasks;

	struct rep_lane_marks marks[REP_NMARK_KINDS];

	/* segments that are read */
	struct rep_cache segments; /* as pictures need them (segment.h); its time counts draws */
	struct rep_cache spans;	   /* the same with all that is known of them (moment.c) */

	/* rows that were drawn (row_cache.h) */
	struct rep_cached_row *cached_row;
	size_t ncached, cached_room, cached_bytes;

	/* step.c: blocks of events, and the one that was stepped through last */
	struct rep_lane_block *blocks;
	size_t nblocks;
	struct tp_event *event; /* nevents of block `at_block` */
	size_t nevents, at_block;
};

/* The class of a state (below TP_NSTATES) and reason; one that no table has is its state's. */
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

/* What is loaded when it is first needed. */
int rep_lanes_need_goroutine_sums(struct rep_lanes *l, struct tp_err *err);
int rep_lanes_need_procs(struct rep_lanes *l, struct tp_err *err);
int rep_lanes_need_tasks(struct rep_lanes *l, struct tp_err *err);

int rep_lanes_take_group_sums(struct rep_lanes *l, struct tp_err *err);
void rep_lanes_sums_release(struct rep_lane_sums *s);

/* Where goroutines work for a task (task/workers.h), what --task=ID counts: intervals, those of a
 * goroutine disjoint. Appends to an array that tp_grow grows. 0, TP_ENOMEM or TP_ELIMIT. */
struct rep_lane_stay {
	uint32_t goroutine;
	uint32_t row; /* of the picture */
	int64_t from, to;
};
int rep_lanes_task_stays(struct rep_lanes *l, uint32_t task, uint32_t row,
			 struct rep_lane_stay **stay, size_t *room, size_t *n);

#endif
