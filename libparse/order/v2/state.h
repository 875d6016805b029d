/* What ordering knows about goroutines, Ms and Ps: the scheduler state that Go's reader keeps too
 * (internal/trace/order.go: gState, pState, mState), with pointers in place of ids.
 *
 * Every G, P and M has an index of the run (struct tp_trace) from when it is first met. A goroutine
 * that ended stays in the map, dead, until the end of the next generation, because CPU samples and
 * stale bindings may still name it; then its memory is used again. So memory follows the number of
 * goroutines alive at once, not the length of the trace. An id that comes again (where C calls Go,
 * the runtime gives its goroutines back and takes them again) has another index in each life. */
#ifndef TP_ORDER_V2_STATE_H
#define TP_ORDER_V2_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/idmap.h"
#include "decode/v2/wire.h"
#include "order/read.h"

/* By status of the wire: enum tp_state, and words for messages. */
extern const uint8_t tp_v2_gstate[TP_V2_NGSTATUS], tp_v2_pstate[TP_V2_NPSTATUS];
extern const char *const tp_v2_gstatus_names[TP_V2_NGSTATUS];
extern const char *const tp_v2_pstatus_names[TP_V2_NPSTATUS];

#define TP_V2_NEAR    1024
#define TP_V2_MAX_STW 16 /* stops of the world in flight on one goroutine */

struct tp_v2_region { /* an open user region, the innermost first */
	struct tp_v2_region *outer;
	uint64_t task;
	uint32_t name;
};

struct tp_v2_stw { /* open stops of the world: dictionary ids of their names */
	uint32_t n;
	uint32_t name[TP_V2_MAX_STW];
};

/* Where the state keeps a goroutine because of how it ended: in no list, in that of those that may
 * have to be forgotten (fresh: it ended in this generation, or was met in it without beginning), or
 * in that of those that ended long ago and are kept for the Ms bound to them. */
enum { TP_V2_UNLISTED, TP_V2_LISTED, TP_V2_FRESH, TP_V2_PARKED };

/* What the index of a goroutine that is not alive stands for. */
enum tp_v2_past {
	TP_V2_NO_PAST, /* it has not lived */
	TP_V2_ENDED,   /* a life that ended */
	TP_V2_MISSED,  /* a life that salvage ended, as nothing was heard of it */
};

struct tp_v2_g { /* 64 bytes */
	uint64_t id;
	union {
		uint64_t seq;		/* of the living: the last sequence number */
		struct tp_v2_g *before; /* of the parked, which are dead */
	};
	uint64_t seq_gen; /* the generation of seq */
	uint32_t index;
	uint32_t assisting; /* tp_v2_state.ranges: a mark assist is in flight */
	uint8_t status;	    /* enum tp_v2_gstatus */
	bool alive;	    /* between creation (or first status) and end */
	bool lost : 1;	    /* salvage: what it did last is not known */
	uint8_t past : 2;   /* enum tp_v2_past */
	uint8_t listed;
	uint32_t pins; /* place + 1 of the first of the Ms that pin it; 0: none does */
	struct tp_v2_stw *stw;
	struct tp_v2_region *regions;
	struct tp_v2_g *next; /* of the listed, of the parked, or of the free */
};

struct tp_v2_p {
	uint64_t id;
	uint64_t seq, seq_gen;
	uint32_t index;
	uint8_t status;	   /* enum tp_v2_pstatus */
	bool alive;	   /* a status was seen */
	bool held;	   /* scratch: an M has it */
	uint32_t sweeping; /* tp_v2_state.ranges: a sweep is in flight */
};

struct tp_v2_m {
	uint64_t id;
	struct tp_v2_g *g; /* never NULL: state's `nobody` when there is none */
	struct tp_v2_p *p; /* likewise */
	uint32_t index;
	bool lost;  /* salvage: events of it are missing before its next one */
	bool alive; /* an event of it was tried, or a goroutine in a syscall on it was reported */
	bool used;  /* in the list of those that may be bound anew in this generation */
	uint32_t place;		      /* in all_ms */
	struct tp_v2_g *pinned;	      /* what it was bound to between generations */
	struct tp_v2_m *prior, *next; /* of those that pin it */
	struct tp_v2_m *next_used;
};

struct tp_v2_task {
	uint64_t parent;
	uint32_t name;
	struct tp_v2_task *next; /* of the free */
};

struct tp_v2_state {
	struct tp_trace *trace;
	struct tp_idmap gs, ps, ms, tasks;
	struct tp_ids stw_names; /* kind of a stop of the world → its full name */
	struct tp_v2_m **all_ms;
	size_t nms, ms_room;
	struct tp_v2_g nobody;		  /* index TP_NONE, never alive */
	struct tp_v2_p no_p;		  /* likewise */
	struct tp_v2_m no_m;		  /* events of no thread (M 2^64-1) */
	struct tp_v2_g *near[TP_V2_NEAR]; /* by id: goroutines met lately, dead ones too */
	struct tp_v2_g *listed, *parked, *free_gs;
	struct tp_v2_m *used;
	uint64_t telling; /* the number of a generation, and how many goroutines it has */
	size_t ntold;	  /* mentioned and not ended, at most */
	size_t nliving;	  /* goroutines that are alive */
	uint32_t ranges;  /* what marks an assist or a sweep of now, never 0 */
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

/* The goroutine if it is alive, else NULL. */
static inline struct tp_v2_g *tp_v2_g_find(const struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_g *g = tp_idmap_get(&s->gs, id);

	return g && g->alive ? g : NULL;
}

/* The same for one that is met again and again. */
static inline struct tp_v2_g *tp_v2_g_near(struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_g **near = &s->near[id % TP_V2_NEAR];

	if (__builtin_expect((*near)->id != id || !(*near)->alive, 0)) {
		struct tp_v2_g *g = tp_v2_g_find(s, id);

		if (!g)
			return NULL;
		*near = g;
	}
	return *near;
}

static inline struct tp_v2_p *tp_v2_p_find(const struct tp_v2_state *s, uint64_t id)
{
	struct tp_v2_p *p = tp_idmap_get(&s->ps, id);

	return p && p->alive ? p : NULL;
}

/* Why one of these was refused just now: TP_ELIMIT, as there are too many, or TP_ENOMEM. */
int tp_v2_state_refusal(const struct tp_v2_state *s);

/* Whatever has this id, dead or alive, made if need be (then it is not alive). The id 2^64-1 gives
 * nobody, no_p, no_m. NULL when memory or a limit is out. */
struct tp_v2_g *tp_v2_g_get(struct tp_v2_state *s, uint64_t id);
struct tp_v2_p *tp_v2_p_get(struct tp_v2_state *s, uint64_t id);
struct tp_v2_m *tp_v2_m_get(struct tp_v2_state *s, uint64_t id);

/* How a goroutine begins: it is created, or found in a state. */
enum tp_v2_birth { TP_V2_CREATED, TP_V2_FOUND };

/* A goroutine begins and ends. One whose id had a life before gets another index, also where its
 * creation is missing, unless it goes on with that life: where salvage guessed the end, or took
 * the events of a generation out of their order. born: 0 or TP_ENOMEM, then nothing has changed. */
int tp_v2_g_born(struct tp_v2_state *s, struct tp_v2_g *g, uint8_t status, uint64_t gen,
		 enum tp_v2_birth how);
void tp_v2_g_died(struct tp_v2_state *s, struct tp_v2_g *g, enum tp_v2_past how);
/* Generation `number` says something of a goroutine that lives. */
static inline void tp_v2_g_told(struct tp_v2_state *s, struct tp_v2_g *g, uint64_t number)
{
	if (s->telling != number) {
		s->telling = number;
		s->ntold = 0;
	}
	s->ntold += g->alive && g->seq_gen != number;
	g->seq_gen = number;
}
/* Does generation `number` mention all that live? No, where that is not known. */
static inline bool tp_v2_all_told(const struct tp_v2_state *s, uint64_t number)
{
	return !s->nliving || (s->telling == number && s->ntold == s->nliving);
}

/* Returns the first M that has this goroutine or P; NULL if none has. Looks at every M. */
struct tp_v2_m *tp_v2_holder_of_g(const struct tp_v2_state *s, const struct tp_v2_g *g);
struct tp_v2_m *tp_v2_holder_of_p(const struct tp_v2_state *s, const struct tp_v2_p *p);

/* What goroutine this M is bound to may change in this generation. All Ms with events of their own
 * are among those from the start: only others have to be bound by tp_v2_m_bind. */
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

/* No M is bound to a goroutine that ended. */
void tp_v2_state_unbind_dead(struct tp_v2_state *s);
/* No mark assist and no sweep is in flight. */
void tp_v2_state_forget_ranges(struct tp_v2_state *s);
/* Between generations: forgets those that ended before the one that is over. What this costs, and
 * what the two above do, follows what happened since the last time: there can be many thousands of
 * goroutines and Ms, and as many generations that say nothing of them. */
void tp_v2_state_next_generation(struct tp_v2_state *s);

/* User regions nest; 0 or TP_ENOMEM or TP_ELIMIT. */
int tp_v2_region_push(struct tp_v2_state *s, struct tp_v2_g *g, uint64_t task, uint32_t name);
void tp_v2_region_pop(struct tp_v2_state *s, struct tp_v2_g *g);

/* User tasks: NULL when not active. start: 0 or TP_ENOMEM or TP_ELIMIT. */
struct tp_v2_task *tp_v2_task_find(const struct tp_v2_state *s, uint64_t id);
int tp_v2_task_start(struct tp_v2_state *s, uint64_t id, uint64_t parent, uint32_t name);
void tp_v2_task_end(struct tp_v2_state *s, uint64_t id);

/* "stop-the-world (KIND)" for the string KIND. */
int tp_v2_stw_name(struct tp_v2_state *s, uint32_t kind, uint32_t *name);

#endif
