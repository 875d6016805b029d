/* The state of the scheduler while a trace is ordered: goroutines, Ms and Ps, as Go's reader keeps them
 * (internal/trace/order.go: gState, pState, mState), with pointers in place of ids.
 *
 * Every G, P and M gets an index in the run (struct tp_trace) when it first appears. A goroutine
 * that has ended stays in the map, dead, until the end of the next generation, because CPU samples
 * and Ms may still refer to it; then its memory is reused. So memory depends on the number of
 * goroutines alive at once, not on the length of the trace. An id may be used again (the runtime
 * reuses goroutines for calls from C to Go); each life has an index of its own. */
#ifndef TP_ORDER_V2_STATE_H
#define TP_ORDER_V2_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/idmap.h"
#include "decode/v2/wire.h"
#include "order/read.h"

/* By status of the wire: enum tp_state, and names for messages. */
extern const uint8_t tp_v2_gstate[TP_V2_NGSTATUS], tp_v2_pstate[TP_V2_NPSTATUS];
extern const char *const tp_v2_gstatus_names[TP_V2_NGSTATUS];
extern const char *const tp_v2_pstatus_names[TP_V2_NPSTATUS];

#define TP_V2_NEAR    1024
#define TP_V2_MAX_STW 16 /* stops of the world in flight on one goroutine */

struct tp_v2_region { /* an open user region; lists begin with the innermost */
	struct tp_v2_region *outer;
	uint64_t task;
	uint32_t name;
};

struct tp_v2_stw { /* stops of the world in progress: dictionary ids of their names */
	uint32_t n;
	uint32_t name[TP_V2_MAX_STW];
};

/* Which list of the state a goroutine is in:
 *   UNLISTED  in none
 *   FRESH     in `listed`: it ended in this generation, or appeared in it without beginning
 *   LISTED    in `listed`: the same happened in the generation before; it is to be forgotten
 *   PARKED    in `parked`: it ended longer ago, but Ms are still bound to it */
enum { TP_V2_UNLISTED, TP_V2_LISTED, TP_V2_FRESH, TP_V2_PARKED };

/* What happened to a goroutine that is not alive. */
enum tp_v2_past {
	TP_V2_NO_PAST, /* it has not lived */
	TP_V2_ENDED,   /* it ended */
	TP_V2_MISSED,  /* salvage ended it, because the trace no longer mentioned it */
};

struct tp_v2_g { /* 64 bytes */
	uint64_t id;
	union {
		uint64_t seq;		/* alive: the last sequence number */
		struct tp_v2_g *before; /* parked, so dead: the previous one in the list */
	};
	uint64_t seq_gen; /* the generation of seq */
	uint32_t index;
	uint32_t assisting; /* equal to tp_v2_state.ranges: it is in a mark assist */
	uint8_t status;	    /* enum tp_v2_gstatus */
	bool alive;	    /* between creation (or first status) and end */
	bool lost : 1;	    /* salvage: its last events are missing */
	uint8_t past : 2;   /* enum tp_v2_past */
	uint8_t listed;
	uint32_t pins; /* place + 1 of the first M that pins it; 0: not pinned */
	struct tp_v2_stw *stw;
	struct tp_v2_region *regions;
	struct tp_v2_g *next; /* in the list of listed, parked or free goroutines */
};

_Static_assert(offsetof(struct tp_v2_g, alive) == offsetof(struct tp_v2_g, status) + 1,
	       "both can be compared at once");

struct tp_v2_p {
	uint64_t id;
	uint64_t seq, seq_gen;
	uint32_t index;
	uint8_t status;	   /* enum tp_v2_pstatus */
	bool alive;	   /* a status was seen */
	bool held;	   /* used by tp_v2_infer_p: an M has it */
	uint32_t sweeping; /* equal to tp_v2_state.ranges: it is sweeping */
};

struct tp_v2_m {
	uint64_t id;
	struct tp_v2_g *g; /* never NULL: the state's `nobody` if it has none */
	struct tp_v2_p *p; /* never NULL: the state's `no_p` */
	uint32_t index;
	bool lost; /* salvage: events are missing before its next one */
	bool
	    alive; /* one of its events was tried, or a goroutine in a syscall on it was reported */
	bool used; /* in the list of Ms whose goroutine may change in this generation */
	uint32_t place;		      /* in all_ms */
	struct tp_v2_g *pinned;	      /* its goroutine between the last two generations */
	struct tp_v2_m *prior, *next; /* other Ms that pin the same one */
	struct tp_v2_m *next_used;
};

struct tp_v2_task {
	uint64_t parent;
	uint32_t name;
	struct tp_v2_task *next; /* in the list of free tasks */
};

struct tp_v2_state {
	struct tp_trace *trace;
	struct tp_idmap gs, ps, ms, tasks;
	struct tp_ids stw_names; /* kind of a stop of the world → its full name */
	struct tp_v2_m **all_ms;
	size_t nms, ms_room;
	struct tp_v2_g nobody;		  /* index TP_NONE, never alive */
	struct tp_v2_p no_p;		  /* likewise */
	struct tp_v2_m no_m;		  /* for events without a thread (M 2^64-1) */
	struct tp_v2_g *near[TP_V2_NEAR]; /* a cache by id; may hold dead ones */
	struct tp_v2_g *listed, *parked, *free_gs;
	struct tp_v2_m *used;
	uint64_t mentioning; /* the number of a generation */
	size_t nmentioned;   /* goroutines that it mentions and that are alive, at most */
	size_t nliving;	     /* goroutines that are alive */
	uint32_t ranges;     /* the mark of assists and sweeps in progress; never 0 */
	struct tp_v2_region *free_regions;
	struct tp_v2_task *free_tasks;
	size_t live_gs, nregions, ntasks;
	struct tp_arena arena;

	uint64_t initial_gen; /* 0 until the first event is tried */
	uint64_t gc_seq;
	enum { TP_V2_GC_UNKNOWN, TP_V2_GC_OFF, TP_V2_GC_ON } gc;
};

void tp_v2_state_init(struct tp_v2_state *s, struct tp_trace *trace);
void tp_v2_state_release(struct tp_v2_state *s);

/* Returns the goroutine if it is alive, else NULL. */
static inline struct tp_v2_g *tp_v2_g_find(const struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_g *g = tp_idmap_get(&s->gs, id);

	return g && g->alive ? g : NULL;
}

/* Returns whether the goroutine is alive and has this status. */
static inline bool tp_v2_g_is(const struct tp_v2_g *g, uint8_t status)
{
	const uint8_t want[] = {status, true};

	return !memcmp((const char *)g + offsetof(struct tp_v2_g, status), want, sizeof(want));
}

/* Returns the goroutine if it is alive and has this status, else NULL; faster for one that was looked up
 * recently. */
static inline struct tp_v2_g *tp_v2_g_near(struct tp_v2_state *s, uint64_t id, uint8_t status)
{
	struct tp_v2_g **near = &s->near[id % TP_V2_NEAR], *g = *near;

	if (__builtin_expect(g->id == id && tp_v2_g_is(g, status), 1))
		return g;
	g = tp_v2_g_find(s, id);
	if (g)
		*near = g;
	return g && g->status == status ? g : NULL;
}

static inline struct tp_v2_p *tp_v2_p_find(const struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_p *p = tp_idmap_get(&s->ps, id);

	return p && p->alive ? p : NULL;
}

/* Returns why one of the following has just failed: TP_ELIMIT (there are too many) or TP_ENOMEM. */
int tp_v2_state_refusal(const struct tp_v2_state *s);

/* Return the object with this id, dead or alive. If it does not exist, it is created, not alive. The id
 * 2^64-1 gives nobody, no_p or no_m. Return NULL when out of memory or over a limit. */
struct tp_v2_g *tp_v2_g_get(struct tp_v2_state *s, uint64_t id);
struct tp_v2_p *tp_v2_p_get(struct tp_v2_state *s, uint64_t id);
struct tp_v2_m *tp_v2_m_get(struct tp_v2_state *s, uint64_t id);

/* How a goroutine begins: it is created, or is found in a state. */
enum tp_v2_birth { TP_V2_CREATED, TP_V2_FOUND };

/* Begin and end a goroutine's life. An id that was used before gets another index, even if the creation is
 * missing, unless it continues that life: salvage may have inferred the end, or taken events of a generation
 * out of order. tp_v2_g_born returns 0 or TP_ENOMEM; then nothing has changed. */
int tp_v2_g_born(struct tp_v2_state *s, struct tp_v2_g *g, uint8_t status, uint64_t gen,
		 enum tp_v2_birth how);
void tp_v2_g_died(struct tp_v2_state *s, struct tp_v2_g *g, enum tp_v2_past how);
/* Records that generation `number` mentions a goroutine that is alive. */
static inline void tp_v2_g_mentioned(struct tp_v2_state *s, struct tp_v2_g *g, uint64_t number)
{
	if (s->mentioning != number) {
		s->mentioning = number;
		s->nmentioned = 0;
	}
	s->nmentioned += g->alive && g->seq_gen != number;
	g->seq_gen = number;
}
/* Returns whether generation `number` is known to mention all goroutines that are alive. */
static inline bool tp_v2_all_mentioned(const struct tp_v2_state *s, uint64_t number)
{
	return !s->nliving || (s->mentioning == number && s->nmentioned == s->nliving);
}

/* Return the first M that has this goroutine or P; NULL if no M has it. They examine every M. */
struct tp_v2_m *tp_v2_holder_of_g(const struct tp_v2_state *s, const struct tp_v2_g *g);
struct tp_v2_m *tp_v2_holder_of_p(const struct tp_v2_state *s, const struct tp_v2_p *p);

/* Records that the goroutine of this M may change in this generation. Ms that have events in it are recorded
 * at its beginning; only the others need tp_v2_m_bind. */
static inline void tp_v2_m_used(struct tp_v2_state *s, struct tp_v2_m *m)
{
	if (m->used || m == &s->no_m)
		return;
	m->used = true;
	m->next_used = s->used;
	s->used = m;
}
static inline void tp_v2_m_bind(struct tp_v2_state *s, struct tp_v2_m *m, struct tp_v2_g *g)
{
	m->g = g;
	tp_v2_m_used(s, m);
}

/* Unbinds Ms from goroutines that have ended. */
void tp_v2_state_unbind_dead(struct tp_v2_state *s);
/* Forgets mark assists and sweeps in progress. */
void tp_v2_state_forget_ranges(struct tp_v2_state *s);
/* Must be called between generations: forgets the goroutines that ended before the last one. The cost of this
 * and of the two functions above depends only on what happened since their last call: there can be many
 * thousands of goroutines and Ms, and as many generations that do not mention them. */
void tp_v2_state_next_generation(struct tp_v2_state *s);

/* User regions nest. tp_v2_region_push returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_v2_region_push(struct tp_v2_state *s, struct tp_v2_g *g, uint64_t task, uint32_t name);
void tp_v2_region_pop(struct tp_v2_state *s, struct tp_v2_g *g);

/* User tasks. tp_v2_task_find returns NULL if the task is not active; tp_v2_task_start returns 0,
 * TP_ENOMEM or TP_ELIMIT. */
struct tp_v2_task *tp_v2_task_find(const struct tp_v2_state *s, uint64_t id);
int tp_v2_task_start(struct tp_v2_state *s, uint64_t id, uint64_t parent, uint32_t name);
void tp_v2_task_end(struct tp_v2_state *s, uint64_t id);

/* Sets *name to "stop-the-world (KIND)" for the string KIND. Returns 0 or an error code. */
int tp_v2_stw_name(struct tp_v2_state *s, uint32_t kind, uint32_t *name);

#endif
