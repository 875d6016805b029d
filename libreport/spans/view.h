/* A run as reports see it: its tables, which are loaded when they are first needed, its dictionary,
 * and the time range of the report.
 *
 * Several runs may be reported as one. They then share a common dictionary, into which each view
 * translates its ids (rep_view_string, rep_view_stack). The common dictionary of a single run is
 * its own, and ids stay as they are. */
#ifndef REP_SPANS_VIEW_H
#define REP_SPANS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"
#include "spans/filter.h"
#include "spans/packed.h"
#include "store/store.h"

/* The tasks that --task selects and the goroutines that work for them, within the time range
 * (task/inside.h). */
struct rep_members {
	int64_t tasks;	    /* number of tasks; 0 if --task is not given, or with --region */
	int64_t total_ns;   /* sum of the time that goroutines work for them */
	int64_t latency_ns; /* sum of the latencies */
	int64_t id[3];	    /* of a request: the ids of its tasks, nids of them … */
	size_t nids;
	int64_t regions, goroutines; /* … and what logged the request outside of tasks */
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
	struct rep_packed *packed[TP_NTABLES]; /* TP_MAX_COLUMNS of a table that is packed */
	size_t nrows[TP_NTABLES];
	bool seen[TP_NTABLES];
	struct rep_goids goids; /* loaded with goroutine.id */
};

/* Opens a view of a run. `common` is NULL for a single run. Errors: TP_EFORMAT (the time range),
 * TP_ESTORE, TP_ENOMEM … *v must be released in every case. */
int rep_view_init(struct rep_view *v, struct tp_store *store, const struct rep_run *run,
		  const struct rep_filter *filter, struct tp_dict *common, struct tp_err *err);
void rep_view_release(struct rep_view *v);

/* Counts steps of work that grows with segments times spans that cross them, or times goroutines.
 * Returns TP_ELIMIT with a sentence after REP_VIEW_MOST_STEPS (some seconds) for each MiB of the
 * store, which only a store made to cause it reaches. */
#define REP_VIEW_MOST_STEPS ((uint64_t)1 << 30)
int rep_view_spend(struct rep_view *v, uint64_t steps, struct tp_err *err);

/* Loads columns of a table (a bit each, REP_BIT()) unless they are loaded. */
int rep_view_load(struct rep_view *v, enum tp_table_id table, uint32_t columns, struct tp_err *err);
#define REP_BIT(TABLE, column) (1u << TP_COL(TABLE, column))
/* Frees the columns of a table, which may be loaded again. */
void rep_view_unload(struct rep_view *v, enum tp_table_id table);
/* The v->nrows[table] values of a column that was loaded. Not for task, region and log, of which a
 * long run has millions of rows: these are packed when they are loaded. */
#define REP_COL(v, TABLE, column) ((v)->col[TP_TABLE_##TABLE][TP_COL(TABLE, column)])
/* The value in row i of a column of any table, loaded or visited. */
#define REP_AT(v, TABLE, column, i) rep_view_at(v, TP_TABLE_##TABLE, TP_COL(TABLE, column), i)
static inline int64_t rep_view_at(const struct rep_view *v, enum tp_table_id table, int column,
				  size_t i)
{
	const int64_t *col = v->col[table][column];

	return col ? col[i] : rep_packed_at(&v->packed[table][column], i);
}
/* Returns whether a column has been loaded and has rows. */
static inline bool rep_view_has(const struct rep_view *v, enum tp_table_id table, int column)
{
	return v->col[table][column] ||
	       (v->packed[table] && rep_packed_rows(&v->packed[table][column]));
}

/* Loads v->goids, as loading goroutine.id does, for reports that only visit that column. */
int rep_view_goids(struct rep_view *v, struct tp_err *err);

/* Reads columns of a table part by part, as a long run has tables that should not be in memory at
 * once: calls fn with REP_COL and v->nrows[table] of the part that begins with row `first`. A short
 * table, or one that is loaded already, stays loaded. fn may load other tables, but not this one,
 * and must not look up rows of the run in it, as REP_COL begins with row `first`; its nonzero
 * result ends the walk and becomes its result. */
typedef int (*rep_view_fn)(void *ctx, struct rep_view *v, size_t first, struct tp_err *err);
int rep_view_visit(struct rep_view *v, enum tp_table_id table, uint32_t columns, rep_view_fn fn,
		   void *ctx, struct tp_err *err);

/* Translate an id of the run into the common dictionary. Return 0, TP_ENOMEM or TP_ELIMIT. */
int rep_view_string(struct rep_view *v, uint32_t id, uint32_t *common);
int rep_view_stack(struct rep_view *v, uint32_t id, uint32_t *common);

/* Returns the entry function of a goroutine (a string of the run); needs goroutine.name. */
static inline uint32_t rep_view_entry(const struct rep_view *v, int64_t goroutine)
{
	if (goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
		return 0;
	return (uint32_t)REP_COL(v, GOROUTINE, name)[goroutine];
}

/* Returns whether a part of [start, end), or the moment start == end, lies in the time range. */
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

/* Return whether the whole segment lies in the time range, and whether only a part of it does. */
static inline bool rep_segment_inside(const struct rep_view *v, const struct tp_segment *s)
{
	return s->from_ns >= v->from && (s->to_ns < v->to || v->to == INT64_MAX);
}

static inline bool rep_segment_cut(const struct rep_view *v, const struct tp_segment *s)
{
	return !rep_segment_inside(v, s) && s->from_ns < v->to && s->to_ns >= v->from;
}

/* Return the id of a goroutine (an index; TP_NULL, TP_NONE: none) as a number and as a cell. Need
 * goroutine.id. */
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

/* Returns the length of the time range within the run; 0 if it lies outside. */
int64_t rep_view_length(const struct rep_view *v);
/* Returns whether --goroutine names a goroutine (an index; TP_NULL for none). Needs goroutine.name
 * and, for an id, goroutine.id. */
bool rep_view_match_goroutine(struct rep_view *v, int64_t goroutine);
/* Returns whether --goroutine, --focus and --ignore select what a goroutine did on a stack. */
static inline bool rep_view_matches(struct rep_view *v, int64_t goroutine, int64_t stack)
{
	return rep_view_match_goroutine(v, goroutine) &&
	       rep_match_frames(&v->match, rep_view_entry(v, goroutine), (uint32_t)stack);
}

#endif
