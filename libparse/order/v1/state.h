/* What ordering a trace up to go 1.21 knows while it goes on. Private to order/v1.
 *
 *   lane.c      the events of one P, decoded one after the other
 *   special.c   events that are due at another time than where they stand
 *   advance.c   whether an event can happen now, what it changes, and the events it becomes
 *   annotate.c  the same for ranges, tasks, regions and logs
 *   salvage.c   what is done about an event that cannot happen
 *   futile.c    wake-ups for nothing, which go 1.5 to 1.10 fold
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

/* Numbers that Go's readers give to Ps that are none. */
enum tp_v1_pseudo_p {
	TP_V1_TIMER_P = 1000001,
	TP_V1_NETPOLL_P = 1000002,
	TP_V1_SYSCALL_P = 1000003,
	TP_V1_GC_P = 1000004,
};

/* Of a goroutine, as ordering sees it. A system call is Running until the P is given up, then
 * Waiting. */
enum tp_v1_status { V1_DEAD, V1_RUNNABLE, V1_RUNNING, V1_WAITING, V1_UNKNOWN /* salvage only */ };

#define NO_NODE UINT32_MAX

#define TP_V1_PAGE_GS 1024 /* goroutines in one allocation */
/* Of goroutines that have ended only the index is kept, in g_of, with this bit. */
#define TP_V1_RETIRED	0x80000000u
#define TP_V1_UNINDEXED 0x7ffffffeu /* with that bit: ended without an index */

struct tp_v1_g {
	uint64_t id, seq;
	uint32_t index;	  /* in the trace, TP_NONE until it appears in an event */
	uint32_t lane;	  /* where it runs */
	uint32_t waiters; /* lanes aside whose next event needs this goroutine in another state */
	uint8_t status;	  /* enum tp_v1_status */
	bool exists, ended;
	bool fresh;  /* created, not started yet: its first start tells its stack */
	bool unseen; /* there when the trace began, its state not told yet */
	bool on_network, in_syscall, in_assist;
	bool exit_told, exit_held; /* its return from a system call: see special.c */
	bool exit_owed;
	uint8_t exit_skips;
	uint32_t regions;	/* innermost open one, or NO_NODE */
	uint32_t syscall_stack; /* of a call that will block, up to go 1.10 */
	int64_t blocked_at;	/* ticks at which it was found blocked in a system call; 0: never */
	uint64_t create_stack;	/* wire id (go 1.5: PC) of its first frames */
	int64_t created;	/* ns */
	uint32_t slot;
};

/* One decoded event of a lane. */
struct tp_v1_ev {
	int64_t key; /* what lanes are merged by: ticks, or go 1.5's sequence number */
	int64_t ticks;
	uint64_t v[8];		  /* all values; arguments proper start at wire.lead */
	uint64_t stack;		  /* wire id */
	const uint8_t *at, *tail; /* type byte; behind the arguments */
	uint8_t type;
};

struct tp_v1_lane {
	struct tp_v1_ev ev; /* the next one to be merged */
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
	struct tp_v1_g *target; /* whose state decides about ev, or NULL */
	bool waiting;		/* ev cannot happen yet: counted in target->waiters */
	bool samples;		/* the lane of CPU samples */
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
	uint32_t outer; /* or the next free one */
};

/* Specials of one kind whose batches have been searched. */
struct tp_v1_queue {
	struct tp_v1_special *heap; /* by key */
	size_t n, room;
	uint32_t due;	  /* next in ix->due */
	int64_t earliest; /* key of the next one, searched or not; INT64_MAX: there is none */
	enum tp_v1_kind kind;
	int64_t dawn, horizon; /* ticks beyond which they are damaged */
};

/* A lane whose event can be merged. */
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
	bool quiet; /* a rehearsal: nothing is delivered */
	int code;   /* an error that ends the read */

	/* The merge, in Go's own way, so that events of equal time come in the order they do there:
	 * the frontier is a heap of the lanes whose next event can happen; the others wait aside.
	 */
	struct tp_v1_lane *lanes; /* one per P, then one for CPU samples */
	struct tp_v1_entry *frontier;
	uint32_t nfrontier;
	struct tp_v1_lane **aside;
	uint32_t naside;
	uint64_t tries, most_tries; /* how often lanes aside were looked at */
	int64_t blocked;	    /* earliest key aside, INT64_MAX for none */
	bool woken;		    /* something that a lane aside waits for has changed */
	bool unusual;		    /* nothing has been merged yet, or events are folded */

	/* Goroutines, in pages so that they stay where they are. */
	struct tp_v1_g **pages;
	uint32_t ng, npages;
	uint32_t free_g;	   /* slot, linked by regions */
	struct tp_ids g_of;	   /* id → slot, or what is left of a retired one */
	struct tp_v1_g **starters; /* there when the trace began */
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

	/* Folding. */
	uint8_t *futile; /* bit per merged event */
	size_t futile_room;
	uint64_t ordinal; /* of the event being merged */
	bool muted;	  /* it is folded */
	struct tp_v1_futile *noting;

	uint64_t wires[TP_V1_NTYPES], stacked[TP_V1_NTYPES];
	uint64_t dropped;     /* events left out because they contradict the others */
	uint64_t unknown_ids; /* how often events use stacks and names that no table has */
	uint64_t late;	      /* events whose time was before that of an earlier one */
	uint64_t bytes_done;
	uint32_t reasons[TP_V1_NTYPES]; /* by blocking type: dictionary ids */
	uint32_t stw_names[17];

	struct tp_event scratch;
	struct tp_event *out; /* TP_BATCH_EVENTS: the sink's room, or own */
	struct tp_event *own;
	size_t nout;
};

/* What a failed check leaves for the message. */
#define NOT_READY 1

/* state.c */
struct tp_v1_g *tp_v1_g_new(struct tp_v1_order *o, uint64_t id); /* NULL: out of memory, o->code */
/* g has ended: forgets all but its index, unless something about it is still to come. */
void tp_v1_g_retire(struct tp_v1_order *o, struct tp_v1_g *g);
uint32_t tp_v1_p_index(struct tp_v1_order *o, int64_t pid);
uint32_t tp_v1_m_index(struct tp_v1_order *o, uint64_t id);
uint32_t tp_v1_g_index_slow(struct tp_v1_order *o, struct tp_v1_g *g);
uint32_t tp_v1_pseudo_p(struct tp_v1_order *o, enum tp_v1_pseudo_p which);
/* Takes room for the next batch: before the first event, and after each flush. */
void tp_v1_room(struct tp_v1_order *o);
int tp_v1_flush(struct tp_v1_order *o);
void tp_v1_begin(struct tp_v1_order *o, int64_t ticks);
int tp_v1_add_starter(struct tp_v1_order *o, struct tp_v1_g *g);
struct tp_v1_task *tp_v1_task_find(struct tp_v1_order *o, uint64_t id);
struct tp_v1_task *tp_v1_task_new(struct tp_v1_order *o, uint64_t id);
void tp_v1_task_drop(struct tp_v1_order *o, struct tp_v1_task *t);
int tp_v1_region_push(struct tp_v1_order *o, struct tp_v1_g *g, uint64_t task, uint64_t name);
void tp_v1_region_pop(struct tp_v1_order *o, struct tp_v1_g *g);
/* Forgets everything but what has been delivered, for another run over the lanes. */
int tp_v1_order_reset(struct tp_v1_order *o);
void tp_v1_order_release(struct tp_v1_order *o);

/* lane.c */
/* Decodes the lane's next event into *e; false at its end. */
bool tp_v1_lane_next_slow(struct tp_v1_order *o, struct tp_v1_lane *l, struct tp_v1_ev *e);
/* Whether, after the system call l->ev, the next event of that goroutine says that it blocks. */
bool tp_v1_lane_blocks(struct tp_v1_order *o, struct tp_v1_lane *l);

/* special.c */
void tp_v1_specials_reset(struct tp_v1_order *o);
/* Delivers the returns from system calls that are due before `key`; all that are left when `all`.
 */
int tp_v1_exits_until(struct tp_v1_order *o, int64_t key, bool all);
/* Takes the earliest CPU sample; false when there is none, or memory is out (o->code). */
bool tp_v1_sample_take(struct tp_v1_order *o, struct tp_v1_special *s);
/* Whether a CPU sample of g lies between two keys. */
bool tp_v1_sample_between(struct tp_v1_order *o, const struct tp_v1_g *g, int64_t from, int64_t to);

/* advance.c */
/* Merges it: 0, NOT_READY (nothing has changed, *why says it), or an error code. */
int tp_v1_advance(struct tp_v1_order *o, struct tp_v1_lane *l, const char **why);
void tp_v1_put_exit(struct tp_v1_order *o, struct tp_v1_g *g, int64_t ticks);
int tp_v1_advance_exit(struct tp_v1_order *o, struct tp_v1_g *g, int64_t ticks, const char **why);
void tp_v1_deliver_sample(struct tp_v1_order *o, const struct tp_v1_special *s);

/* salvage.c */
/* Makes true what the lane's event needs; false when the event is to be left out. */
bool tp_v1_salvage(struct tp_v1_order *o, struct tp_v1_lane *l);
/* The lane's events so far end in a loss. */
void tp_v1_salvage_gap(struct tp_v1_order *o, struct tp_v1_lane *l);
/* g, in whatever state, is in another one now. */
void tp_v1_infer(struct tp_v1_order *o, struct tp_v1_g *g, enum tp_v1_status status,
		 struct tp_v1_lane *l, int64_t ticks);

/* futile.c */
int tp_v1_futile_find(struct tp_v1_order *o);
int tp_v1_futile_note(struct tp_v1_order *o, const struct tp_v1_lane *l);

/* read.c: one run over all lanes. */
int tp_v1_run(struct tp_v1_order *o);

/* The goroutine of an id; NULL when memory is out (o->code). */
static inline struct tp_v1_g *tp_v1_g_get(struct tp_v1_order *o, uint64_t id)
{
	uint32_t n = tp_ids_get(&o->g_of, id);

	return likely(n < TP_V1_RETIRED) ? &o->pages[n / TP_V1_PAGE_GS][n % TP_V1_PAGE_GS]
					 : tp_v1_g_new(o, id);
}

/* Ticks since the first event, as Go computes it: the difference wraps, is multiplied in floating
 * point, and truncated. */
static inline int64_t tp_v1_ns(const struct tp_v1_order *o, int64_t ticks)
{
	uint64_t since = (uint64_t)ticks - (uint64_t)o->origin;
	double ns;

	if (likely(since < o->ns_fits))
		return (int64_t)((double)(int64_t)since * o->ns_per_tick);
	/* Before the first, or, in damaged input, what no int64 holds. */
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

/* A new event at `ns`, zeroed, without context; where nothing is to be delivered, a scratch one. */
static inline struct tp_event *tp_v1_put(struct tp_v1_order *o, unsigned type, int64_t ns)
{
	struct tp_event *ev;

	if (unlikely(o->quiet || o->muted)) {
		ev = &o->scratch;
	} else {
		if (unlikely(o->nout == TP_BATCH_EVENTS))
			tp_v1_flush(o);
		ev = &o->out[o->nout++];
		/* From go 1.11 on Go's reader lets no two events have the same time. */
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

/* The same where the lane's event happened. */
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

/* g is in another state than before. */
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

/* Asks no more than that: where it is lost, the event that has it says so. */
static inline bool tp_v1_has_stack(const struct tp_v1_order *o, uint64_t id)
{
	uint32_t known = id ? tp_ids_get(&o->ix->stacks, id) : 0;

	return known && known != TP_NO_ID;
}

static inline uint32_t tp_v1_text(struct tp_v1_order *o, uint64_t id)
{
	return tp_v1_known(o, &o->ix->strings, id);
}

/* Whether the order of events allows the lane's next one (Go: order.go, stateTransition and
 * transitionReady); sets l->target. */
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
			return true; /* memory is out, which merging will find */
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
		return true; /* its sequence number is the order */
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

/* An event without a message or a table entry is at most this long when its varints are sound:
 * type, length, six values. */
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
