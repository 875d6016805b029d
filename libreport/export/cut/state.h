/* The state that Go's reader has at a point of the cut (internal/trace/order.go). Every event that
 * is written must fit it.
 *
 * The same code runs before the range begins; cut_put() then writes nothing. */
#ifndef REP_EXPORT_CUT_STATE_H
#define REP_EXPORT_CUT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/event.h"
#include "decode/v2/encode.h"
#include "base/idmap.h"
#include "export/cut/cut.h"
#include "export/first.h"

enum cut_gc { CUT_GC_UNKNOWN, CUT_GC_OFF, CUT_GC_ON };

struct cut_g {
	uint64_t id, seq;
	uint32_t m;		 /* index; TP_NONE: on no thread */
	uint32_t gen;		 /* generation with its last status */
	uint32_t stack;		 /* a stack that ends in its entry function */
	uint32_t stw, stw_stack; /* the stop of the world it is in: name, stack */
	uint32_t region;	 /* innermost one recorded, of cut.regions; 0: none */
	uint8_t status;		 /* enum tp_v2_gstatus; TP_V2_G_BAD: unknown */
	bool wanted, assist, stopping, seen;
};

struct cut_p {
	uint64_t id, seq;
	uint32_t m; /* thread that holds it */
	uint32_t gen;
	uint8_t status;
	bool sweeping, none;		  /* none: a pseudo P of old traces */
	bool in_call, running, abandoned; /* what its first status must have been */
};

struct cut_m {
	uint64_t id;
	uint32_t g, p; /* TP_NONE: none */
};

struct cut_region {
	uint64_t task;
	uint32_t name, outer;
};

struct cut_task {
	uint64_t id, parent;
	uint32_t name, stack, g;
	bool active;
	bool told;
};

struct cut {
	const struct rep_cut_options *opt;
	struct rep_cut_result *result;
	struct tp_dict *dict;
	struct tp_v2_encoder *e;
	struct tp_err *err;
	int code; /* first error: nothing is written after it */
	bool telling;
	bool owes;     /* cut_begin_notes found no running goroutine */
	uint32_t lane; /* thread of the last event */
	bool old;      /* up to go 1.21: threads are guesses */
	bool some;     /* only some of the goroutines */
	uint32_t gen;  /* 1, 2 …; 0 before the range */
	uint64_t gen_events;
	int64_t now;		/* time of the current event, since the run began */
	int64_t origin;		/* … plus this is time on the wire */
	uint64_t last;		/* on the wire */
	struct rep_first first; /* to be written when the range begins */
	struct cut_g *gs;
	struct cut_p *ps;
	struct cut_m *ms;
	uint32_t ng, np, nm, real_ms;
	size_t m_room;
	uint64_t next_m_id;
	uint8_t gc;
	uint64_t gc_seq;
	uint64_t procs; /* GOMAXPROCS, 0 unknown */
	struct cut_region *regions;
	uint32_t nregions, free_region;
	size_t region_room;
	struct cut_task *tasks;
	uint32_t ntasks;
	size_t task_room;
	struct tp_ids task_of;
};

/* Functions with a code as result return c->code, so after several of these only the last result
 * has to be checked. */

/* ---- state.c ---- */
static inline int cut_nomem(struct cut *c)
{
	return c->code = tp_nomem(c->err);
}
/* Returns a thread without a P or goroutine: the hint if it is one. TP_NONE: memory is out. */
uint32_t cut_free_m(struct cut *c, uint32_t hint);
struct cut_task *cut_task(struct cut *c, uint64_t id);
/* Returns the same task, or a new one; NULL: memory is out. */
struct cut_task *cut_task_add(struct cut *c, uint64_t id);
int cut_region_push(struct cut *c, struct cut_g *g, uint64_t task, uint32_t name);
void cut_region_pop(struct cut *c, struct cut_g *g);
void cut_release(struct cut *c);

/* ---- tell.c ---- */
/* Writes an event on a thread (TP_NONE: on none), at the current time. */
int cut_put(struct cut *c, uint32_t m, enum tp_v2_wire type, uint64_t a, uint64_t b, uint64_t d,
	    uint64_t e);
/* Make sure that the generation has the status of a goroutine or P. */
int cut_tell_g(struct cut *c, uint32_t g, uint32_t lane);
int cut_tell_p(struct cut *c, uint32_t p, uint32_t lane);
/* Returns a thread on which a goroutine runs with a P: this goroutine's if it runs, or TP_NONE. */
uint32_t cut_running_m(const struct cut *c, uint32_t g);
int cut_generation(struct cut *c);
/* Writes all states at the beginning of the range, at `c->now`; `synced`: with the start of a
 * generation. */
int cut_begin(struct cut *c, bool synced);
/* Writes the states that only a running goroutine can record; called again when one runs. */
int cut_begin_notes(struct cut *c);
/* Records that the time `c->now` was reached. */
int cut_end(struct cut *c);

static inline void cut_mend(struct cut *c)
{
	c->result->mended += c->telling;
}

static inline int cut_leave_out(struct cut *c)
{
	c->result->left_out += c->telling;
	return c->code;
}

/* ---- proc.c ---- */
/* Returns the thread on which an event of a P happens, TP_NONE if it is unknown. */
uint32_t cut_lane(const struct cut *c, const struct tp_event *ev);
/* Like cut_lane, but the thread holds a P. With `any`, it may be another P. TP_NONE if there is
 * none. */
uint32_t cut_lane_p(struct cut *c, const struct tp_event *ev, bool any);
int cut_p_stop(struct cut *c, uint32_t p);
/* Moves a P to a thread that has nothing else, which is returned. TP_NONE: memory is out. */
uint32_t cut_p_move(struct cut *c, uint32_t p);
int cut_proc(struct cut *c, const struct tp_event *ev);

/* ---- go.c ---- */
int cut_go(struct cut *c, const struct tp_event *ev);
/* Writes GoSwitch together with the two events that follow from it. */
int cut_switch(struct cut *c, const struct tp_event *ev, bool destroy);

/* ---- note.c: everything but transitions ---- */
int cut_note(struct cut *c, const struct tp_event *ev);

#endif
