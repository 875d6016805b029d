/* One run as a report sees it: its tables, loaded when first asked for, its dictionary, and the
 * time range that is looked at.
 *
 * Several runs may be reported as one: then their names meet in a dictionary common to all, into
 * which each view translates its ids (`rep_view_string`, `rep_view_stack`). For a single run the
 * common dictionary is the run's own and nothing is translated. */
#ifndef REP_SPANS_VIEW_H
#define REP_SPANS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"
#include "spans/filter.h"
#include "store/store.h"

/* What --task counts: all who work for the tasks, in the time range (task/inside.h). */
struct rep_members {
	int64_t tasks;	    /* how many; 0: nothing is asked for by task, or regions only are */
	int64_t total_ns;   /* of the goroutines that work for them, added up */
	int64_t latency_ns; /* of the tasks, added up */
};

struct rep_view {
	struct tp_store *store;
	const struct rep_run *run;
	size_t index; /* of the run among those reported */
	const struct rep_filter *filter;
	struct tp_dict *dict; /* the run's */
	struct rep_matcher match;

	/* The time range: [from, to) in ns since the run began; INT64_MIN, INT64_MAX are open. */
	int64_t from, to;
	bool whole; /* both are */
	struct tp_segment *segments;
	size_t nsegments;
	struct rep_members members; /* set by rep_inside_init */

	/* private */
	uint64_t steps; /* of rep_view_spend */
	struct tp_dict *common;
	uint32_t *string_map, *stack_map; /* id in `common` + 1; NULL when it is the same */
	uint32_t *path;			  /* of rep_view_stack */
	size_t path_room;
	struct tp_rows *loaded;
	size_t nloaded;
	const int64_t *col[TP_NTABLES][TP_MAX_COLUMNS];
	size_t nrows[TP_NTABLES];
	bool seen[TP_NTABLES];
	struct rep_goids goids; /* loaded with goroutine.id */
};

/* `common` NULL: the run stands alone. Errors: TP_EFORMAT (the range), TP_ESTORE, TP_ENOMEM … To be
 * released in every case. */
int rep_view_init(struct rep_view *v, struct tp_store *store, const struct rep_run *run,
		  const struct rep_filter *filter, struct tp_dict *common, struct tp_err *err);
void rep_view_release(struct rep_view *v);

/* Counts work that grows as segments times what crosses them, or times goroutines, of which only a
 * store made for it has much: TP_ELIMIT with a sentence when it is more than REP_VIEW_MOST_STEPS
 * (seconds) for each MiB of the store. */
#define REP_VIEW_MOST_STEPS ((uint64_t)1 << 30)
int rep_view_spend(struct rep_view *v, uint64_t steps, struct tp_err *err);

/* Loads columns (a bit each, TP_COL()) of a table; what is loaded stays. */
int rep_view_load(struct rep_view *v, enum tp_table_id table, uint32_t columns, struct tp_err *err);
#define REP_BIT(TABLE, column) (1u << TP_COL(TABLE, column))
/* A column that was loaded: v->nrows[table] values. */
#define REP_COL(v, TABLE, column) ((v)->col[TP_TABLE_##TABLE][TP_COL(TABLE, column)])

/* Ids of the common dictionary; 0 or TP_ENOMEM, TP_ELIMIT. */
int rep_view_string(struct rep_view *v, uint32_t id, uint32_t *common);
int rep_view_stack(struct rep_view *v, uint32_t id, uint32_t *common);

/* The entry function of a goroutine (string of the run); its column `name` must be loaded. */
static inline uint32_t rep_view_entry(const struct rep_view *v, int64_t goroutine)
{
	if (goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
		return 0;
	return (uint32_t)REP_COL(v, GOROUTINE, name)[goroutine];
}

/* Does the range hold a part of [start, end)? A moment (start == end) counts where it lies in it.
 */
static inline bool rep_view_overlaps(const struct rep_view *v, int64_t start, int64_t end)
{
	return start < v->to && (end > v->from || start >= v->from);
}

static inline int64_t rep_view_clip_start(const struct rep_view *v, int64_t start)
{
	return start > v->from ? start : v->from;
}

static inline int64_t rep_view_clip_end(const struct rep_view *v, int64_t end)
{
	return end < v->to ? end : v->to;
}

/* Do all moments of a segment lie inside the range; does the range hold some of them, but not all?
 */
static inline bool rep_segment_inside(const struct rep_view *v, const struct tp_segment *s)
{
	return s->from_ns >= v->from && (s->to_ns < v->to || v->to == INT64_MAX);
}

static inline bool rep_segment_cut(const struct rep_view *v, const struct tp_segment *s)
{
	return !rep_segment_inside(v, s) && s->from_ns < v->to && s->to_ns >= v->from;
}

/* The id of a goroutine (an index; TP_NULL, TP_NONE: none), and as a cell. Need goroutine.id. */
static inline int64_t rep_view_goid(const struct rep_view *v, int64_t goroutine)
{
	if (goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
		return REP_NO_GOID;
	return REP_COL(v, GOROUTINE, id)[goroutine];
}
static inline struct rep_value rep_view_goid_value(const struct rep_view *v, int64_t goroutine)
{
	return rep_goids_value(&v->goids, rep_view_goid(v, goroutine));
}

/* Length of the range within the run, 0 outside of it. */
int64_t rep_view_length(const struct rep_view *v);
/* Is the goroutine (an index, TP_NULL for none) one that --goroutine names? Needs `name` and, for
 * an id, `id` of the table goroutine. */
bool rep_view_match_goroutine(struct rep_view *v, int64_t goroutine);

#endif
