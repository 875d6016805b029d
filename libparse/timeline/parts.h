/* The state of the timeline between events. Private to timeline/.
 *
 * timeline.c calls the other files. Each of them owns one struct below and the tables made from it.
 * Times are on the trace's clock until a row is written. Functions return 0 or an error code with
 * err filled in. */
#ifndef TP_TIMELINE_PARTS_H
#define TP_TIMELINE_PARTS_H

#include "base/buf.h"
#include "base/cursor.h"
#include "base/hist.h"
#include "base/idmap.h"
#include "base/table.h"
#include "timeline/machine.h"
#include "timeline/timeline.h"

#if defined(__GNUC__)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define noinline    __attribute__((noinline))
#else
#define unlikely(x) (x)
#define noinline
#endif

/* ---- nodes and arrays (pool.c) ---- */

/* Nodes of lists, by number; 0 ends a list. Freed nodes are reused. Every node begins with struct
 * tp_node. A pool is valid and empty when zero-initialised except for `size`. */
struct tp_node {
	uint32_t next;
};
struct tp_pool {
	uint8_t *items;
	size_t size; /* of an item */
	size_t room;
	uint32_t n, free;
};
/* Returns a zeroed node at the front of the list *head; NULL when out of memory. The other nodes
 * may move. */
void *tp_pool_push(struct tp_pool *p, uint32_t *head);
void tp_pool_release(struct tp_pool *p);

static inline void *tp_pool_at(const struct tp_pool *p, uint32_t id)
{
	return p->items + id * p->size;
}
/* Removes the first node of a list and returns it; its content is valid until the next push. */
static inline void *tp_pool_pop(struct tp_pool *p, uint32_t *head)
{
	uint32_t id = *head;
	struct tp_node *node = tp_pool_at(p, id);

	*head = node->next;
	node->next = p->free;
	p->free = id;
	return node;
}

/* Grows an array of items that are a cache line each, so that none lies across two. Returns 0 or
 * TP_ENOMEM. */
int tp_grow_lines(void **items, uint32_t *room);

/* A damaged trace may have any times: differences wrap around, as in Go, and sums saturate at the
 * limits of 64 bits. */
static inline int64_t tp_since(int64_t from, int64_t to)
{
	return (int64_t)((uint64_t)to - (uint64_t)from);
}
static inline void tp_grow_by(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = more > 0 ? INT64_MAX : INT64_MIN;
}

static inline uint64_t tp_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static inline uint32_t tp_hash4(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return (uint32_t)tp_mix(tp_mix(0, (uint64_t)a << 32 | b), (uint64_t)c << 32 | d);
}

/* ---- goroutines (summary.c) ---- */

/* The columns of Go's execution statistics. Blocked time by reason is in a list (tp_gsum.blocks). */
enum tp_stat {
	TP_STAT_RUNNING,
	TP_STAT_RUNNABLE,
	TP_STAT_BLOCKED,
	TP_STAT_SYSCALL,
	TP_STAT_SYSCALL_BLOCKED,
	TP_NSTATS
};

/* The known facts about a goroutine. Once all are known, transitions take the short path. */
enum {
	TP_SUM_KNOWN = 1,   /* it is in Go's summary */
	TP_SUM_NAMED = 2,   /* the root of name_stack has a name */
	TP_SUM_STARTED = 4, /* `started` is set */
	TP_SUM_SETTLED = 7,
};

/* For all states but Lost. These tables are defined here so that a constant state costs no lookup. */
static const uint8_t tp_stat_of_state[TP_NSTATES] = {
    [TP_ST_RUNNING] = TP_STAT_RUNNING,
    [TP_ST_RUNNABLE] = TP_STAT_RUNNABLE,
    [TP_ST_WAITING] = TP_STAT_BLOCKED,
    [TP_ST_SYSCALL] = TP_STAT_SYSCALL,
    [TP_ST_SYSCALL_BLOCKED] = TP_STAT_SYSCALL_BLOCKED,
};
/* The element of struct tp_gsum.cell that a state uses; states without a stat share the last one. */
static const uint8_t tp_slot_of_state[TP_NSTATES] = {
    [TP_ST_NONE] = TP_NSTATS,
    [TP_ST_UNDETERMINED] = TP_NSTATS,
    [TP_ST_NOT_EXIST] = TP_NSTATS,
    [TP_ST_RUNNABLE] = TP_STAT_RUNNABLE,
    [TP_ST_RUNNING] = TP_STAT_RUNNING,
    [TP_ST_WAITING] = TP_STAT_BLOCKED,
    [TP_ST_SYSCALL] = TP_STAT_SYSCALL,
    [TP_ST_IDLE] = TP_NSTATS,
    [TP_ST_SYSCALL_BLOCKED] = TP_STAT_SYSCALL_BLOCKED,
    [TP_ST_LOST] = TP_NSTATS,
};
#define TP_NSLOTS (TP_NSTATS + 1)

struct tp_gsum {
	/* One cache line, used by every span of the goroutine. */
	int64_t ns[TP_NSTATS];
	uint32_t cell[TP_NSLOTS]; /* by slot: the latest of its cells in this segment, or 0 */
	/* The rest is used when it is created, starts and ends. */
	uint32_t spans; /* without those in the cells of this segment */
	uint8_t known;	/* TP_SUM_KNOWN … */
	uint8_t last_state;
	uint8_t gc;	     /* why gcwork.c needs its transitions; 0: it does not */
	uint32_t name_stack; /* names the goroutine; its first stack without TP_SUM_NAMED */
	uint32_t gc_work;    /* its open node in gcwork.c; 0: none */
	int64_t lost_ns;
	int64_t created, started, ended, total; /* started and ended: 0 means "not", as in Go */
	uint32_t parent, create_stack, inferred;
	uint32_t blocks, ranges, regions; /* heads of lists */
};

struct tp_gsum_chunk {
	struct tp_gsum *g; /* TP_CHUNK of them, or NULL */
	uint8_t *packed;   /* the same as varints once all have ended, or NULL */
	uint32_t size;	   /* of packed */
	bool settled;	   /* all have ended, but it stays unpacked */
};

/* The first chunks of goroutines and of tasks stay unpacked, because packing costs time. */
#define TP_UNPACKED 512

struct tp_block {
	struct tp_node node;
	uint32_t reason, count;
	int64_t total;
};

struct tp_summary {
	struct tp_gsum_chunk *chunk;
	uint32_t nchunks;
	size_t room;
	uint32_t unpacked; /* chunks that were settled without packing */
	struct tp_pool blocks;
	struct tp_buf scratch;
	uint32_t *names; /* by goroutine, at the end */
	uint32_t nnames;
	uint32_t zero_g; /* its time since 0 does not count, see span.h */
};

/* ---- goroutines that share an id (life.c) ---- */

struct tp_life {
	uint32_t g, life; /* life: 1 is the first */
	int64_t id;	  /* goroutine.id: Go's for the last life, else -1, -2, … in order of g */
	bool last;
};

/* The goroutines whose id has several lives, in order of g; usually empty. */
struct tp_lives {
	struct tp_life *of;
	uint32_t n;
};

/* ---- spans of a segment (aggregate.c) and sites of all (site.c) ---- */

/* Spans of a segment with the same goroutine, state and cause. One cache line. */
struct tp_cell {
	uint64_t cause; /* tp_cause_bits */
	uint64_t doer;	/* goroutine << 8 | state */
	int64_t total, min, max;
	uint32_t count;
	uint32_t site, octaves; /* octaves: see struct tp_sites */
	uint32_t next;		/* ring of the cells of one goroutine and slot */
	bool indexed;
	uint8_t pad[7]; /* to a power of two, so that indexing is a shift */
};

_Static_assert(sizeof(struct tp_cell) == 64, "a cell is a cache line");

struct tp_site {
	uint32_t
	    entry; /* name stack, or goroutine | TP_SITE_OF_G if it has none; at the end, the name */
	uint32_t state, reason, stack;
	uint64_t count;
	int64_t total, min, max;
	uint32_t first_hist, nhist; /* filled in when the segment ends */
	struct tp_slice kept;	    /* at the end: its histogram, while only one held site has it */
};
#define TP_SITE_OF_G 0x80000000u

#define TP_SITE_OCTAVES 60    /* base/hist.h: 3776 buckets, 64 each; one more to have fours */
#define TP_SITES_DENSE	8192  /* sites with an entry in octave */
#define TP_BLOCKS_DENSE 32768 /* at most so many blocks (of 64 bytes) */

struct tp_sites {
	struct tp_site *site;
	uint32_t n;
	size_t room;
	struct tp_table by_key;
	/* Histograms: for the first sites and blocks, counts of one byte by site, power of two and
	 * bucket: a block is a cache line, and most blocks of a segment stay in the cache …
	 */
	uint16_t *octave; /* TP_SITE_OCTAVES for each, and zeros for the sites beyond them: number
			     of a block, 0 none */
	uint8_t (*block)[64]; /* block 0 is full */
	uint32_t nblocks, room_blocks;
	/* … and a hash of site << 36 | bucket << 24 | count (0: free) for the rest. */
	uint64_t *hist;
	uint32_t nhist, hist_mask;
	uint64_t *sorted; /* all in the form of the hash, when a segment ends */
	uint32_t nsorted;
	size_t room_sorted;
};

#define TP_NEAR_BITS 14
struct tp_aggregate {
	struct tp_cell *cells; /* number 0 is none */
	uint32_t ncells, room_cells;
	uint16_t near[1 << TP_NEAR_BITS]; /* the latest cell of each hash, if its number is small */
	struct tp_table in_long_rings;	  /* of cells */
	struct tp_sites sites;
	struct tp_buf held; /* sites of finished segments, see site.c */
};

/* ---- ranges (range.c) ---- */

/* A goroutine in ranges of one name: what Go's summary adds up, and the open row. */
struct tp_grange {
	struct tp_node node;
	uint32_t name;
	uint32_t stack;
	int64_t total; /* Go's RangeTime */
	int64_t last;  /* Go's lastRangeTime, 0: none */
	int64_t start; /* of the row */
	bool summed;   /* `total` is set, maybe to 0 */
	bool open, complete;
};

/* A range that belongs to no goroutine: a P's sweep, or the mark phase. */
struct tp_prange {
	int64_t start;
	uint32_t stack;
	uint32_t row_g; /* where it began */
	uint32_t sum_g; /* the goroutine whose summary it may count for, or TP_NONE */
	bool open, complete;
};

struct tp_ranges {
	struct tp_pool nodes;
	uint32_t nobody; /* list: stops of the world not made by a goroutine */
	struct tp_prange mark;
	struct tp_prange *sweep; /* by P */
	size_t np;
};

/* ---- work for the collector (gcwork.c) ---- */

/* Work of a goroutine in progress. */
struct tp_gcwork {
	struct tp_node node;
	uint32_t before; /* the node before it; 0: it is the first */
	uint32_t g, name, p;
	int64_t start, told_at;
};

struct tp_gcworks {
	struct tp_pool nodes;
	uint32_t open; /* list of nodes in progress */
};

/* ---- metrics (metric.c) ---- */

struct tp_metrics {
	const struct tp_event *looked; /* events of the batch before this one have been examined */
	int64_t budget;		       /* events that may be examined */
	uint64_t rows, heap;	       /* of the heap: rows written, latest value */
	uint64_t goal, procs;
	bool goal_known, procs_known;
};

/* ---- tasks (task.c) ---- */

struct tp_task {
	uint64_t parent;
	int64_t start, end;
	uint32_t name, goroutine, stack;
	uint32_t regions, logs, goroutines;
	uint32_t member[2]; /* the first of its goroutines; the others are in `members` */
	bool has_start, has_end, has_parent;
};

struct tp_task_chunk {
	struct tp_task *tasks; /* TP_CHUNK of them, or NULL */
	uint8_t *packed;       /* the same as varints once all have ended, or NULL */
	uint32_t size, ended;
	bool settled; /* as of goroutines */
};

struct tp_tasks {
	uint64_t *id; /* by number, as their chunks are */
	uint32_t n;
	size_t room;
	struct tp_task_chunk *chunk;
	size_t room_chunks;
	uint32_t unpacked;
	struct tp_ids number_of; /* id → number */
	uint32_t latest;	 /* number last asked for */
	struct tp_idmap members; /* number << 32 | goroutine; those not in member[] */
};

/* ---- regions and logs (annotation.c) ---- */

struct tp_region {
	struct tp_node node; /* the enclosing one */
	uint32_t name, stack;
	uint32_t g;
	uint64_t task;
	bool has_start, has_end;
	bool inherited; /* from the goroutine's creator */
	int64_t start, end;
	int64_t ns[TP_NSTATS]; /* at the beginning; the difference once it has ended */
};

struct tp_annotations {
	struct tp_tasks tasks;
	struct tp_pool active; /* open regions */
	uint64_t searches;     /* searches for a region that ends and is not the innermost */
	uint64_t looks;	       /* regions examined in them */
	uint64_t unmatched;    /* ends not searched for, because the limit was reached */
	struct tp_buf held;    /* regions that ended with their goroutine, see annotation.c */
};

/* ---- Ps (proc.c) ---- */

struct tp_proc {
	uint8_t state; /* TP_ST_NONE, TP_ST_RUNNING, TP_ST_IDLE */
	int64_t since; /* up to here its time is counted in this segment */
	int64_t start; /* of the state */
	uint32_t m;    /* the M that has it; TP_NONE if idle or unknown */
	struct {
		int64_t count, total;
	} run, idle; /* of this segment */
};

struct tp_procs {
	struct tp_proc *p;
	size_t np;
};

/* Handles an event of a type that completes no span; t->last is its time. */
typedef int (*tp_event_fn)(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err);

struct tp_timeline {
	struct tp_timeline_sink sink;
	struct tp_spans *spans;
	bool started;
	int64_t start, last; /* ts of the first and of the latest event */
	uint32_t segment;
	uint64_t segment_events;
	int64_t segment_from;
	struct tp_summary summary;
	struct tp_aggregate aggregate;
	struct tp_ranges ranges;
	struct tp_annotations annotations;
	struct tp_procs procs;
	struct tp_gcworks gcworks;
	struct tp_metrics metrics;
	tp_event_fn of_type[256]; /* handler by type; NULL: a transition of a goroutine */
	uint32_t ng; /* goroutines that have made a transition, up to the highest index */
};

/* timeline.c */
int tp_timeline_put(struct tp_timeline *t, enum tp_table_id table, const int64_t *values,
		    struct tp_err *err);
static inline int64_t tp_time_value(const struct tp_timeline *t, int64_t ts)
{
	return tp_since(t->start, ts);
}
static inline int64_t tp_index_value(uint32_t index)
{
	return index == TP_NONE ? TP_NULL : (int64_t)index;
}

/* summary.c */
/* Returns the summary of g, which is created if necessary; NULL when out of memory. */
struct tp_gsum *tp_summary_make(struct tp_timeline *t, uint32_t g);
static inline struct tp_gsum *tp_summary_at(struct tp_timeline *t, uint32_t g)
{
	const struct tp_summary *s = &t->summary;
	uint32_t c = g >> TP_CHUNK_BITS;

	if (__builtin_expect(c < s->nchunks && s->chunk[c].g != NULL, 1))
		return &s->chunk[c].g[g & (TP_CHUNK - 1)];
	return tp_summary_make(t, g);
}
/* Returns the summary of g if it exists and is in Go's summary, else NULL. */
struct tp_gsum *tp_summary_find(struct tp_timeline *t, uint32_t g);
/* Handle a transition of a goroutine, before and after the spans that it completes are counted. */
int tp_summary_enter(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
		     struct tp_err *err);
int tp_summary_leave(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err);
int tp_summary_span(struct tp_timeline *t, const struct tp_span *span, struct tp_err *err);
int tp_summary_block(struct tp_timeline *t, struct tp_gsum *sum, uint32_t reason, uint32_t count,
		     int64_t total, struct tp_err *err);
/* Sets ns to Go's execution statistics of a goroutine at a time, with its open span. */
void tp_summary_snapshot(struct tp_timeline *t, uint32_t g, int64_t at, int64_t ns[TP_NSTATS]);
int tp_summary_settle(struct tp_timeline *t, struct tp_err *err);
int tp_summary_finish(struct tp_timeline *t, const struct tp_trace *trace, struct tp_err *err);
void tp_summary_release(struct tp_summary *s);
/* After tp_summary_finish: returns the goroutine's name (a string), or 0. */
uint32_t tp_summary_name(const struct tp_timeline *t, uint32_t g);
/* Returns the name of the entry function of a name stack (a string), or 0. */
uint32_t tp_name_of_stack(const struct tp_dict *dict, uint32_t stack);

/* life.c */
/* Finds the goroutines that share an id; id[0 … n) are Go's ids by index. known_of(t, n) returns a
 * bitmap of the n goroutines that have events, which is freed, or NULL when memory is out. *lives
 * must be released in either case. */
int tp_lives_find(struct tp_lives *lives, const uint64_t *id, uint32_t n,
		  uint8_t *(*known_of)(struct tp_timeline *t, uint32_t n), struct tp_timeline *t,
		  struct tp_err *err);
void tp_lives_release(struct tp_lives *lives);

/* site.c */
/* Returns 0 or TP_ENOMEM. */
int tp_sites_init(struct tp_sites *s);
/* Returns the number of the site with these key fields, or TP_NONE when out of memory. */
uint32_t tp_sites_at(struct tp_sites *s, const struct tp_site *key);
/* Adds to its histogram. Returns 0 or TP_ENOMEM. */
int tp_sites_count(struct tp_sites *s, uint32_t site, int bucket, uint64_t count);
static inline uint32_t tp_sites_octaves(uint32_t site)
{
	return (site < TP_SITES_DENSE ? site : TP_SITES_DENSE) * TP_SITE_OCTAVES;
}
/* Adds one duration, fast if its block exists. `octaves` is tp_sites_octaves(site). */
static inline int tp_sites_count_one(struct tp_sites *s, uint32_t site, uint32_t octaves,
				     int64_t dur)
{
	uint64_t ns = (uint64_t)dur;
	uint32_t shift;
	uint8_t *count;

	if (unlikely(dur < 64))
		return tp_sites_count(s, site, tp_hist_bucket_of(dur), 1);
	/* bucket / 64 and bucket % 64 of tp_hist_bucket(): ns >> shift is from 64 to 127 */
	shift = 57 - (uint32_t)__builtin_clzll(ns);
	count = &s->block[s->octave[octaves + shift + 1]][(ns >> shift) - 64];
	if (unlikely(*count == UINT8_MAX))
		return tp_sites_count(s, site, tp_hist_bucket_of(dur), 1);
	++*count;
	return 0;
}
void tp_site_add(struct tp_site *x, uint64_t count, int64_t total, int64_t min, int64_t max);
void tp_sites_clear(struct tp_sites *s);
void tp_sites_release(struct tp_sites *s);
/* Holds the sites of the segment that ends, until tp_site_finish writes all of them. */
int tp_site_hold(struct tp_timeline *t, struct tp_err *err);
int tp_site_finish(struct tp_timeline *t, const struct tp_trace *trace, struct tp_err *err);

static inline uint64_t tp_cell_hash(uint64_t doer, uint64_t cause)
{
	return (doer * 0x9e3779b97f4a7c15u ^ cause) * 0xd6e8feb86659fd93u;
}

/* aggregate.c */
/* Returns 0 or TP_ENOMEM. */
int tp_aggregate_init(struct tp_aggregate *a);
/* Returns the number of a cell that is not in `near`, and adds it there; 0 when out of memory. */
uint32_t tp_cell_find(struct tp_aggregate *a, struct tp_gsum *sum, uint64_t doer, uint64_t cause);
/* Returns the cell of a goroutine's spans with a state and a cause; NULL when out of memory. */
static inline struct tp_cell *tp_cell_at(struct tp_aggregate *a, struct tp_gsum *sum, uint32_t g,
					 uint8_t state, uint64_t cause)
{
	uint64_t doer = (uint64_t)g << 8 | state;
	struct tp_cell *c = &a->cells[a->near[tp_cell_hash(doer, cause) >> (64 - TP_NEAR_BITS)]];
	uint32_t id;

	if (c->cause == cause && c->doer == doer)
		return c;
	id = tp_cell_find(a, sum, doer, cause);
	return id ? &a->cells[id] : NULL;
}
/* Returns the number of that cell if it is the latest of its slot or in `near`, else 0. */
static inline uint32_t tp_cell_near(const struct tp_aggregate *a, struct tp_gsum *sum, uint32_t g,
				    uint8_t state, uint64_t cause)
{
	uint32_t *latest = &sum->cell[tp_slot_of_state[state]], id = *latest;
	uint64_t doer = (uint64_t)g << 8 | state;
	const struct tp_cell *c = &a->cells[id];

	if (c->cause == cause)
		return id;
	id = a->near[tp_cell_hash(doer, cause) >> (64 - TP_NEAR_BITS)];
	c = &a->cells[id];
	if ((c->cause ^ cause) | (c->doer ^ doer))
		return 0;
	return *latest = id;
}
/* Counts a span in its cell. */
static inline int tp_cell_count(struct tp_aggregate *a, struct tp_cell *c, int64_t dur)
{
	c->count++;
	tp_grow_by(&c->total, dur);
	if (dur < c->min)
		c->min = dur;
	if (dur > c->max)
		c->max = dur;
	return tp_sites_count_one(&a->sites, c->site, c->octaves, dur);
}
int tp_aggregate_span(struct tp_timeline *t, struct tp_gsum *sum, const struct tp_span *span,
		      struct tp_err *err);
int tp_aggregate_flush(struct tp_timeline *t, struct tp_err *err);
void tp_aggregate_release(struct tp_aggregate *a);

/* range.c */
tp_event_fn tp_range_of_type(uint8_t type);
/* Ends the ranges of a goroutine, at its end or at the end of the run. */
int tp_range_close(struct tp_timeline *t, uint32_t g, uint32_t *list, int64_t ts,
		   struct tp_err *err);
/* Writes and frees the sums of a goroutine. */
int tp_range_sums(struct tp_timeline *t, uint32_t g, uint32_t *list, struct tp_err *err);
int tp_range_finish(struct tp_timeline *t, struct tp_err *err);
void tp_range_release(struct tp_ranges *r);

/* gcwork.c */
/* Handle the begin of an assist of the subject (or the report that it is active), and its end.
 * `sum` is the subject's, or NULL. */
int tp_gcwork_assist(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
		     struct tp_err *err);
int tp_gcwork_assisted(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
		       struct tp_err *err);
int tp_gcwork_label(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err);
/* Handles a transition of a goroutine that has sum->gc set. */
int tp_gcwork_transition(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
			 struct tp_err *err);
/* Ends the goroutine's work at ts, where its lost time begins. */
int tp_gcwork_lost(struct tp_timeline *t, uint32_t g, struct tp_gsum *sum, int64_t ts,
		   struct tp_err *err);
int tp_gcwork_finish(struct tp_timeline *t, struct tp_err *err);
void tp_gcwork_release(struct tp_gcworks *s);

/* metric.c */
/* Must be called before the first event of a batch. */
void tp_metric_begin(struct tp_timeline *t, const struct tp_event *batch);
/* Writes the heap's latest size before `until`, which is an event of the batch or its end. */
int tp_metric_heap(struct tp_timeline *t, const struct tp_event *until, struct tp_err *err);
int tp_metric_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err);

/* task.c */
/* Return the task of an id, which is created if necessary; tp_task_join also counts g as working
 * for it (TP_NONE counts as a goroutine, as in Go). NULL when out of memory. Valid until the next
 * call. */
struct tp_task *tp_task_at(struct tp_tasks *s, uint64_t id);
struct tp_task *tp_task_join(struct tp_tasks *s, uint64_t id, uint32_t g);
/* Ends the task that was returned last. */
void tp_task_end(struct tp_tasks *s, struct tp_task *task, int64_t ts);
/* Must be called at the end of a segment. Returns 0 or TP_ENOMEM. */
int tp_task_settle(struct tp_tasks *s);
int tp_task_finish(struct tp_timeline *t, struct tp_err *err);
void tp_task_release(struct tp_tasks *s);

/* annotation.c */
tp_event_fn tp_annotation_of_type(uint8_t type);
/* Lets a new goroutine inherit the innermost region of its creator. */
int tp_annotation_inherit(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
			  struct tp_err *err);
/* Ends the regions of a goroutine, at its end or (ended is false) at the end of the run. */
int tp_annotation_close(struct tp_timeline *t, struct tp_gsum *sum, int64_t ts, bool ended,
			struct tp_err *err);
int tp_annotation_finish(struct tp_timeline *t, struct tp_trace *trace, struct tp_err *err);
void tp_annotation_release(struct tp_annotations *a);

/* proc.c */
int tp_proc_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err);
int tp_proc_flush(struct tp_timeline *t, int64_t until, struct tp_err *err);
int tp_proc_finish(struct tp_timeline *t, struct tp_err *err);
void tp_proc_release(struct tp_procs *p);

/* sample.c */
int tp_sample_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err);

#endif
