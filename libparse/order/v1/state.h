/* The state of ordering a trace of go 1.5 to 1.21. Private to order/v1.
 *   lane.c      decodes the events of one P
 *   special.c   events due at another time than their place in the file suggests
 *   advance.c   checks and applies an event, and delivers what it is converted to
 *   annotate.c  the same for ranges, tasks, regions and logs
 *   salvage.c   infers what is missing before an event that cannot happen
 *   futile.c    finds futile wake-ups of go 1.5 to 1.10, which are left out
 *   read.c      the merge of all lanes
 *
 * Rules: Go 1.27's internal/trace/internal/tracev1 (go 1.11 and later) and Go 1.19's internal/trace
 * (older); conversion: Go 1.27's internal/trace/tracev1.go. */
#ifndef TP_ORDER_V1_STATE_H
#define TP_ORDER_V1_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/v1/index.h"
#include "order/read.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Numbers of the pseudo-Ps of Go's readers. */
enum tp_v1_pseudo_p {
	TP_V1_TIMER_P = 1000001,
	TP_V1_NETPOLL_P = 1000002,
	TP_V1_SYSCALL_P = 1000003,
	TP_V1_GC_P = 1000004,
};

/* Status of a goroutine for ordering. One in a system call is V1_RUNNING until it gives up its P,
 * then V1_WAITING. */
enum tp_v1_status { V1_DEAD, V1_RUNNABLE, V1_RUNNING, V1_WAITING, V1_UNKNOWN /* salvage only */ };

#define NO_NODE UINT32_MAX

#define TP_V1_PAGE_GS 1024 /* goroutines in one allocation */
/* Of an ended goroutine, only the index is kept: in g_of, with this bit set. */
#define TP_V1_RETIRED	0x80000000u
#define TP_V1_UNINDEXED 0x7ffffffeu /* with TP_V1_RETIRED: ended without an index */

struct tp_v1_g {
	uint64_t id, seq;
	uint32_t index;	  /* in the trace, TP_NONE until it appears in an event */
	uint32_t lane;	  /* where it runs */
	uint32_t waiters; /* lanes in `aside` whose next event needs another state of it */
	uint8_t status;	  /* enum tp_v1_status */
	bool exists, ended;
	bool fresh;  /* created, not started yet: its first start has its stack */
	bool unseen; /* it existed when the trace began; its status has not been delivered yet */
	bool on_network, in_syscall, in_assist;
	bool exit_told, exit_held; /* returns from system calls: see special.c */
	bool exit_owed;
	uint8_t exit_skips;
	uint32_t regions;	/* innermost open one, or NO_NODE */
	uint32_t syscall_stack; /* of a system call that will block, up to go 1.10 */
	int64_t blocked_at;	/* ticks of its last GoSysBlock or GoInSyscall; 0: none */
	uint64_t create_stack;	/* wire id (go 1.5: PC) of its first frames */
	int64_t created;	/* ns */
	uint32_t slot;
};

/* One decoded event of a lane. */
struct tp_v1_ev {
	int64_t key; /* sort key of the merge: ticks, or go 1.5's sequence number */
	int64_t ticks;
	uint64_t v[8];		  /* all values; arguments proper start at wire.lead */
	uint64_t stack;		  /* wire id */
	const uint8_t *at, *tail; /* type byte; end of the arguments */
	uint8_t type;
};

struct tp_v1_lane {
	struct tp_v1_ev ev; /* the next event to merge */
	struct tp_v1_ev peek;
	bool has_peek;
	const uint8_t *at, *end;
	int64_t ticks;
	uint64_t seq;
	uint32_t batch, next;
	uint32_t number;
	int32_t pid;
	uint32_t p, m;		/* indices in the trace, TP_NONE for none */
	bool unusual;		/* p is not set yet, or these are the CPU samples */
	struct tp_v1_g *g;	/* running on it */
	struct tp_v1_g *target; /* goroutine whose state decides whether ev can happen, or NULL */
	bool waiting;		/* ev cannot happen yet: counted in target->waiters */
	bool samples;		/* this is the lane of CPU samples */
	bool running, seen, sweeping, stw;
	/* Salvage. */
	bool begun;   /* its first event has been decoded */
	bool gap;     /* the events from `ev` on follow a loss */
	bool unsure;  /* g is not known */
	uint8_t mark; /* TP_EVF_LOST for the next event */
};

struct tp_v1_task {
	uint64_t id, parent;
	uint32_t name; /* dictionary */
	bool alive;
};

struct tp_v1_region {
	uint64_t task, name;
	uint32_t outer; /* the enclosing region, or the next free one */
};

/* Events of one kind that special.c handles, from batches searched so far. */
struct tp_v1_queue {
	struct tp_v1_special *heap; /* by key */
	size_t n, room;
	uint32_t due;	  /* next in ix->due */
	int64_t earliest; /* key of the next one, searched or not; INT64_MAX if empty */
	enum tp_v1_kind kind;
	int64_t dawn, horizon; /* ticks; an event outside is damaged */
};

/* A lane whose next event can be merged. */
struct tp_v1_entry {
	int64_t key;
	struct tp_v1_lane *lane;
};

struct tp_v1_order {
	struct tp_input *in;
	const struct tp_trace_options *opt;
	struct tp_trace *trace;
	const struct tp_sink *sink;
	struct tp_err *err;
	struct tp_v1_index *ix;
	int version;
	unsigned lead;
	bool quiet; /* a dry run: nothing is delivered */
	int code;   /* an error that ends the read */

	/* The merge, done as Go does it so that events of equal time come in the same order:
	 * `frontier` is a heap of the lanes whose next event can happen, `aside` has the others.
	 */
	struct tp_v1_lane *lanes; /* one per P, then one for CPU samples */
	struct tp_v1_entry *frontier;
	uint32_t nfrontier;
	struct tp_v1_lane **aside;
	uint32_t naside;
	uint64_t tries, most_tries; /* checks of lanes in `aside`; their limit */
	int64_t blocked;	    /* earliest key in `aside`; INT64_MAX if empty */
	bool woken;		    /* a state that a lane in `aside` waits for has changed */
	bool unusual;		    /* nothing has been merged yet, or events are folded */

	/* Goroutines, in pages so that pointers to them stay valid. */
	struct tp_v1_g **pages;
	uint32_t ng, npages;
	uint32_t free_g;	   /* first free slot; `regions` links to the next */
	struct tp_ids g_of;	   /* id → slot, or TP_V1_RETIRED | index */
	struct tp_v1_g **starters; /* goroutines that existed when the trace began */
	uint32_t nstarters;
	size_t starters_room;
	struct tp_v1_task *tasks;
	uint32_t ntasks, free_task;
	size_t tasks_room;
	struct tp_ids task_of;
	struct tp_v1_region *regions;
	uint32_t nregions, free_region;
	size_t regions_room;
	struct tp_ids p_of, m_of; /* pid + 1, thread → index in the trace */
	uint32_t pseudo[5];	  /* indices of pseudo-Ps, by number − 1000000 */

	bool begun;	  /* `origin` is set */
	bool initialised; /* the first Gomaxprocs has been seen */
	bool in_gc, in_stw;
	uint64_t gc_seq;
	uint64_t top_g; /* highest id created */
	uint32_t stw_reason;
	int64_t origin; /* ticks of the first event */
	int64_t now;	/* key of the last event merged */
	int64_t latest; /* ticks of it */
	double ns_per_tick;
	uint64_t ns_fits;     /* ticks below this are nanoseconds that fit an int64 */
	int64_t last_ns;      /* of the last event delivered */
	int64_t last_wire_ns; /* of the last event on the wire */

	struct tp_v1_queue queues[TP_V1_NKINDS];

	/* Futile wake-ups. */
	uint8_t *futile; /* a bit per merged event: leave it out */
	size_t futile_room;
	uint64_t ordinal; /* of the event being merged */
	bool muted;	  /* the event being merged is left out */
	struct tp_v1_futile *noting;

	uint64_t wires[TP_V1_NTYPES], stacked[TP_V1_NTYPES];
	uint64_t dropped;     /* events left out because they contradict others */
	uint64_t unknown_ids; /* uses of stacks and names that no table has */
	uint64_t late;	      /* events whose time was before that of an earlier one */
	uint64_t bytes_done;
	uint32_t reasons[TP_V1_NTYPES]; /* by blocking type: dictionary ids */
	uint32_t stw_names[17];

	struct tp_event scratch;
	struct tp_event *out; /* TP_BATCH_EVENTS: the sink's room, or own */
	struct tp_event *own;
	size_t nout;
};

/* Result of a check: the event cannot happen now. */
#define NOT_READY 1

/* state.c */
/* Adds a goroutine for an id that has none, or a retired one. NULL when memory is out (o->code). */
struct tp_v1_g *tp_v1_g_new(struct tp_v1_order *o, uint64_t id);
/* Frees the slot of g, which has ended, and keeps only its index; does nothing if waiters or
 * returns from system calls still need g. */
void tp_v1_g_retire(struct tp_v1_order *o, struct tp_v1_g *g);
uint32_t tp_v1_p_index(struct tp_v1_order *o, int64_t pid);
uint32_t tp_v1_m_index(struct tp_v1_order *o, uint64_t id);
uint32_t tp_v1_g_index_slow(struct tp_v1_order *o, struct tp_v1_g *g);
uint32_t tp_v1_pseudo_p(struct tp_v1_order *o, enum tp_v1_pseudo_p which);
/* Sets o->out to room for the next batch; called before the first event and after each flush. */
void tp_v1_room(struct tp_v1_order *o);
int tp_v1_flush(struct tp_v1_order *o);
void tp_v1_begin(struct tp_v1_order *o, int64_t ticks);
int tp_v1_add_starter(struct tp_v1_order *o, struct tp_v1_g *g);
struct tp_v1_task *tp_v1_task_find(struct tp_v1_order *o, uint64_t id);
struct tp_v1_task *tp_v1_task_new(struct tp_v1_order *o, uint64_t id);
void tp_v1_task_drop(struct tp_v1_order *o, struct tp_v1_task *t);
int tp_v1_region_push(struct tp_v1_order *o, struct tp_v1_g *g, uint64_t task, uint64_t name);
void tp_v1_region_pop(struct tp_v1_order *o, struct tp_v1_g *g);
/* Resets all state except what was delivered, for another run over the lanes. Returns o->code. */
int tp_v1_order_reset(struct tp_v1_order *o);
void tp_v1_order_release(struct tp_v1_order *o);

/* lane.c */
/* Decodes the lane's next event into *e. Returns false at the lane's end or on an error (o->code).
 */
bool tp_v1_lane_next_slow(struct tp_v1_order *o, struct tp_v1_lane *l, struct tp_v1_ev *e);
/* Returns whether the goroutine's next event after the system call l->ev says that it blocks. */
bool tp_v1_lane_blocks(struct tp_v1_order *o, struct tp_v1_lane *l);

/* special.c */
void tp_v1_specials_reset(struct tp_v1_order *o);
/* Delivers the returns from system calls that are due before `key`, or all remaining ones if `all`
 * is set. Returns o->code. */
int tp_v1_exits_until(struct tp_v1_order *o, int64_t key, bool all);
/* Moves the earliest CPU sample into *s. Returns false if no sample is left or memory is out
 * (o->code). */
bool tp_v1_sample_take(struct tp_v1_order *o, struct tp_v1_special *s);
/* Returns whether a CPU sample of g lies between two keys (exclusive). */
bool tp_v1_sample_between(struct tp_v1_order *o, const struct tp_v1_g *g, int64_t from, int64_t to);

/* advance.c */
/* Applies and delivers the lane's event. Returns 0, NOT_READY (nothing has changed; *why says why),
 * or an error code. */
int tp_v1_advance(struct tp_v1_order *o, struct tp_v1_lane *l, const char **why);
void tp_v1_put_exit(struct tp_v1_order *o, struct tp_v1_g *g, int64_t ticks);
int tp_v1_advance_exit(struct tp_v1_order *o, struct tp_v1_g *g, int64_t ticks, const char **why);
void tp_v1_deliver_sample(struct tp_v1_order *o, const struct tp_v1_special *s);

/* salvage.c */
/* Infers the states that the lane's event needs. Returns false if the event must be left out. */
bool tp_v1_salvage(struct tp_v1_order *o, struct tp_v1_lane *l);
/* Records that events are lost between the lane's last event and its next. */
void tp_v1_salvage_gap(struct tp_v1_order *o, struct tp_v1_lane *l);
/* Puts g into `status` and delivers that as an inferred, lossy status event at `ticks`; l is the
 * lane it runs on, or NULL. */
void tp_v1_infer(struct tp_v1_order *o, struct tp_v1_g *g, enum tp_v1_status status,
		 struct tp_v1_lane *l, int64_t ticks);

/* futile.c */
int tp_v1_futile_find(struct tp_v1_order *o);
int tp_v1_futile_note(struct tp_v1_order *o, const struct tp_v1_lane *l);

/* read.c */
/* Merges all lanes once. Returns 0 or an error code. */
int tp_v1_run(struct tp_v1_order *o);

/* Returns the goroutine of an id, added if new; NULL when memory is out (o->code). */
static inline struct tp_v1_g *tp_v1_g_get(struct tp_v1_order *o, uint64_t id)
{
	uint32_t n = tp_ids_get(&o->g_of, id);

	return likely(n < TP_V1_RETIRED) ? &o->pages[n / TP_V1_PAGE_GS][n % TP_V1_PAGE_GS]
					 : tp_v1_g_new(o, id);
}

/* Returns nanoseconds since the first event, as Go computes them: the difference in ticks wraps, is
 * multiplied in floating point and truncated. */
static inline int64_t tp_v1_ns(const struct tp_v1_order *o, int64_t ticks)
{
	uint64_t since = (uint64_t)ticks - (uint64_t)o->origin;
	double ns;

	if (likely(since < o->ns_fits))
		return (int64_t)((double)(int64_t)since * o->ns_per_tick);
	/* Before the first event or, in damaged input, beyond an int64. */
	ns = (double)(int64_t)since * o->ns_per_tick;
	return ns > 9.2e18    ? 9200000000000000000
	       : ns < -9.2e18 ? -9200000000000000000
			      : (int64_t)ns;
}

static inline uint32_t tp_v1_g_index(struct tp_v1_order *o, struct tp_v1_g *g)
{
	if (!g)
		return TP_NONE;
	return likely(g->index != TP_NONE) ? g->index : tp_v1_g_index_slow(o, g);
}

/* Returns a new zeroed event at `ns` without context; a scratch one if nothing is delivered. */
static inline struct tp_event *tp_v1_put(struct tp_v1_order *o, unsigned type, int64_t ns)
{
	struct tp_event *ev;

	if (unlikely(o->quiet || o->muted)) {
		ev = &o->scratch;
	} else {
		if (unlikely(o->nout == TP_BATCH_EVENTS))
			tp_v1_flush(o);
		ev = &o->out[o->nout++];
		/* From go 1.11 on, Go's reader never gives two events the same time. */
		if (ns <= o->last_ns)
			ns = o->version >= 11 ? o->last_ns + 1 : o->last_ns;
		o->last_ns = ns;
	}
	*ev = (struct tp_event){.ts = ns,
				.g = TP_NONE,
				.m = TP_NONE,
				.p = TP_NONE,
				.subject = TP_NONE,
				.type = (uint8_t)type};
	return ev;
}

/* Returns a new event at `ns` on the lane's goroutine, M and P. */
static inline struct tp_event *tp_v1_put_on(struct tp_v1_order *o, struct tp_v1_lane *l,
					    unsigned type, int64_t ns)
{
	struct tp_event *ev = tp_v1_put(o, type, ns);

	ev->g = tp_v1_g_index(o, l->g);
	ev->m = l->m;
	ev->p = l->p;
	ev->flags = l->mark;
	l->mark = 0;
	return ev;
}

/* Must be called after each change of g's state. */
static inline void tp_v1_changed(struct tp_v1_order *o, const struct tp_v1_g *g)
{
	if (unlikely(g->waiters))
		o->woken = true;
}

static inline uint32_t tp_v1_known(struct tp_v1_order *o, const struct tp_ids *ids, uint64_t id)
{
	uint32_t known = id ? tp_ids_get(ids, id) : 0;

	if (likely(known != TP_NO_ID))
		return known;
	o->unknown_ids++;
	return 0;
}

static inline uint32_t tp_v1_stack(struct tp_v1_order *o, uint64_t id)
{
	return tp_v1_known(o, &o->ix->stacks, id);
}

/* Returns whether the table has the stack; does not count it in unknown_ids, as tp_v1_stack() does.
 */
static inline bool tp_v1_has_stack(const struct tp_v1_order *o, uint64_t id)
{
	uint32_t known = id ? tp_ids_get(&o->ix->stacks, id) : 0;

	return known && known != TP_NO_ID;
}

static inline uint32_t tp_v1_text(struct tp_v1_order *o, uint64_t id)
{
	return tp_v1_known(o, &o->ix->strings, id);
}

/* Returns whether the lane's next event can happen now (Go: order.go, stateTransition and
 * transitionReady). Sets l->target. */
static inline bool tp_v1_ready(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	const uint64_t *a = l->ev.v + o->lead;
	struct tp_v1_g *g;

	l->target = NULL;
	switch (l->ev.type) {
	case TP_V1_GO_CREATE:
	case TP_V1_GO_WAITING:
	case TP_V1_GO_IN_SYSCALL:
	case TP_V1_GO_START:
	case TP_V1_GO_START_LOCAL:
	case TP_V1_GO_START_LABEL:
	case TP_V1_GO_UNBLOCK:
	case TP_V1_GO_UNBLOCK_LOCAL:
	case TP_V1_GO_SYSEXIT:
	case TP_V1_GO_SYSEXIT_LOCAL:
		g = l->target = tp_v1_g_get(o, a[0]);
		if (unlikely(!g))
			return true; /* memory is out; the merge stops at it */
		break;
	case TP_V1_GO_BLOCK:
	case TP_V1_GO_BLOCK_SEND:
	case TP_V1_GO_BLOCK_RECV:
	case TP_V1_GO_BLOCK_SELECT:
	case TP_V1_GO_BLOCK_SYNC:
	case TP_V1_GO_BLOCK_COND:
	case TP_V1_GO_BLOCK_NET:
	case TP_V1_GO_BLOCK_GC:
	case TP_V1_GO_SLEEP:
	case TP_V1_GO_SCHED:
	case TP_V1_GO_PREEMPT:
	case TP_V1_GO_SYSBLOCK:
		g = l->target = l->g;
		return o->version < 7 || (g && g->status == V1_RUNNING);
	case TP_V1_GC_START:
		return o->version < 7 || o->gc_seq == a[0];
	default:
		return true;
	}
	if (unlikely(o->version < 7))
		return true; /* go 1.5 is ordered by sequence numbers */
	switch (l->ev.type) {
	case TP_V1_GO_CREATE:
		return !g->exists;
	case TP_V1_GO_WAITING:
	case TP_V1_GO_IN_SYSCALL:
		return g->status == V1_RUNNABLE && g->seq == 1;
	case TP_V1_GO_START:
	case TP_V1_GO_START_LABEL:
		return g->status == V1_RUNNABLE && g->seq == a[1];
	case TP_V1_GO_START_LOCAL:
		return g->status == V1_RUNNABLE;
	case TP_V1_GO_UNBLOCK:
	case TP_V1_GO_SYSEXIT:
		return g->status == V1_WAITING && g->seq == a[1];
	default:
		return g->status == V1_WAITING;
	}
}

/* Longest intact event other than a message or a table entry, in bytes: type, length, six values.
 */
#define TP_V1_LONGEST 72

static inline bool tp_v1_lane_next(struct tp_v1_order *o, struct tp_v1_lane *l, struct tp_v1_ev *e)
{
	const uint8_t *p = l->at;
	const struct tp_v1_shape *shape;
	unsigned form, n;

	if (unlikely(l->end - p <= TP_V1_LONGEST || o->lead == 2))
		return tp_v1_lane_next_slow(o, l, e);
	form = o->ix->wire.form[*p];
	shape = &o->ix->wire.shape[*p & 63];
	n = shape->values;
	e->at = p;
	e->type = *p++ & 63;
	if (likely(form == TP_V1_INLINE)) {
		for (unsigned i = 0; i < n; i++)
			if (unlikely(!tp_v1_uvarint(&p, &e->v[i])))
				return tp_v1_lane_next_slow(o, l, e);
	} else if (likely(form == TP_V1_SIZED && *p < 64)) {
		const uint8_t *end = p + 1 + *p;

		p++;
		for (unsigned i = 0; i < n; i++)
			if (unlikely(!tp_v1_uvarint(&p, &e->v[i])))
				return tp_v1_lane_next_slow(o, l, e);
		if (unlikely(p != end))
			return tp_v1_lane_next_slow(o, l, e);
	} else {
		return tp_v1_lane_next_slow(o, l, e);
	}
	l->at = p;
	/* NOLINTBEGIN(clang-analyzer-core.*): the first of n values is the time, the last a stack
	 */
	e->stack = shape->stack ? e->v[n - 1] : 0;
	l->ticks = (int64_t)((uint64_t)l->ticks + e->v[0]);
	/* NOLINTEND(clang-analyzer-core.*) */
	e->key = e->ticks = l->ticks;
	return true;
}

#endif
