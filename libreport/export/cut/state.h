/* What Go's reader knows at a point of the cut: the state of its ordering
 * (internal/trace/order.go), which every event that is told must fit.
 *
 * The same code runs before the range begins, where cut_put() tells nothing. */
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
	uint32_t m;		 /* index, TP_NONE: it is on none */
	uint32_t gen;		 /* generation its status was told in */
	uint32_t stack;		 /* a stack that ends in its entry function */
	uint32_t stw, stw_stack; /* of the stop of the world it is in: name, stack */
	uint32_t region;	 /* innermost that was told, of cut.regions; 0: none */
	uint8_t status;		 /* enum tp_v2_gstatus; TP_V2_G_BAD: not known */
	bool wanted, assist, stopping, seen;
};

struct cut_p {
	uint64_t id, seq;
	uint32_t m; /* that holds it */
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
	int code; /* of what failed first: nothing is told after that */
	bool telling;
	bool owes;     /* cut_begin_notes found nobody to tell them */
	uint32_t lane; /* that the last event was put on */
	bool old;      /* up to go 1.21: threads are guesses */
	bool some;     /* of the goroutines only */
	uint32_t gen;  /* 1, 2 …; 0 before the range */
	uint64_t gen_events;
	int64_t now;		/* time of the event at hand, since the run began */
	int64_t origin;		/* … plus this is time on the wire */
	uint64_t last;		/* on the wire */
	struct rep_first first; /* to be told when the range begins */
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

/* What returns a code returns c->code; so where several of these follow each other, only the last
 * one needs a look. */

/* ---- state.c ---- */
static inline int cut_nomem(struct cut *c)
{
	return c->code = tp_nomem(c->err);
}
/* A thread that holds no P and no goroutine: the hint, if it is such a one. TP_NONE: no memory. */
uint32_t cut_free_m(struct cut *c, uint32_t hint);
struct cut_task *cut_task(struct cut *c, uint64_t id);
/* The same, or a new one; NULL: no memory. */
struct cut_task *cut_task_add(struct cut *c, uint64_t id);
int cut_region_push(struct cut *c, struct cut_g *g, uint64_t task, uint32_t name);
void cut_region_pop(struct cut *c, struct cut_g *g);
void cut_release(struct cut *c);

/* ---- tell.c ---- */
/* An event on a thread (TP_NONE: on none), now. */
int cut_put(struct cut *c, uint32_t m, enum tp_v2_wire type, uint64_t a, uint64_t b, uint64_t d,
	    uint64_t e);
/* Sees to it that the generation knows the status of a goroutine or P. */
int cut_tell_g(struct cut *c, uint32_t g, uint32_t lane);
int cut_tell_p(struct cut *c, uint32_t p, uint32_t lane);
/* A thread on which a goroutine runs with a P, this goroutine's if it does; or TP_NONE. */
uint32_t cut_running_m(const struct cut *c, uint32_t g);
int cut_generation(struct cut *c);
/* All that is so when the range begins at `c->now`; `synced`: with the mark of a generation. */
int cut_begin(struct cut *c, bool synced);
/* Of what is so then, that which only a goroutine that runs can tell; again when there is one. */
int cut_begin_notes(struct cut *c);
/* That time has come to `c->now`. */
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
/* The thread on which an event of a P happens: TP_NONE where that is unknown. */
uint32_t cut_lane(const struct cut *c, const struct tp_event *ev);
/* The same, for what needs a P: it holds one. Where `any` will do, it may be another's; TP_NONE if
 * there is none. */
uint32_t cut_lane_p(struct cut *c, const struct tp_event *ev, bool any);
int cut_p_stop(struct cut *c, uint32_t p);
/* To a thread that has nothing else, which is returned. TP_NONE: no memory. */
uint32_t cut_p_move(struct cut *c, uint32_t p);
int cut_proc(struct cut *c, const struct tp_event *ev);

/* ---- go.c ---- */
int cut_go(struct cut *c, const struct tp_event *ev);
/* GoSwitch, together with the two events that follow from it. */
int cut_switch(struct cut *c, const struct tp_event *ev, bool destroy);

/* ---- note.c: all that is no transition ---- */
int cut_note(struct cut *c, const struct tp_event *ev);

#endif
