/* The state of a run at a point of its events, and the output made from it. The state of every P
 * and goroutine is kept from event to event: a slice is written when it ends. */
#ifndef REP_EXPORT_PERFETTO_SHOW_H
#define REP_EXPORT_PERFETTO_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/event.h"
#include "export/perfetto/json.h"
#include "export/perfetto/perfetto.h"
#include "goid.h"
#include "store/rows.h"

/* The state of a goroutine at a point of the run. */
struct g_state {
	uint64_t id; /* id of its thread in the file: Go's id; for an earlier life an unused one */
	struct rep_goid goid; /* life: 0 if there is only one */
	uint32_t name;	      /* of its entry function */
	bool wanted, named;
	uint8_t state;
	int64_t since;	 /* of the state */
	uint32_t reason; /* of waiting */
	uint32_t stack;	 /* where it stopped */
	uint32_t shown;	 /* stack of its last slice; TP_NONE: no slice yet */
	/* On a P, with or without a system call. */
	uint32_t p;
	int64_t on_since;
	int64_t call_since; /* INT64_MIN: in none */
	uint32_t call_stack;
	int64_t assist_since, stw_since; /* INT64_MIN: in none */
	uint32_t stw, range_stack;
	/* The event that made it ready, shown when it runs. */
	int64_t cause_ts; /* INT64_MIN: nothing to show */
	uint32_t cause_p, cause_stack;
	uint32_t cause_reason; /* reason of the wait that ended; TP_NONE: it was created */
};

struct p_state {
	int64_t id;
	uint32_t in_call; /* goroutine in the system call it serves, TP_NONE */
	bool named;
	int64_t sweep_since; /* INT64_MIN: none */
	uint32_t sweep_stack;
};

struct show {
	struct rep_perfetto *p;
	const struct rep_perfetto_run *opt;
	struct tp_dict *dict;
	struct g_state *gs;
	struct p_state *ps;
	uint32_t ng, np;
	int64_t from, to; /* the range within the run */
	int64_t now;
	int64_t gc_since;
	uint32_t gc_stack;
	bool gc_named;
	int64_t count[TP_NSTATES], gc_waiting, running_ps;
	int64_t told, step; /* counters of goroutines: last written, least distance */
	bool stale;
	uint64_t heap, goal, procs;
};

/* ---- slice.c: pieces of events, names, slices ---- */

/* Returns whether the current time is in the range. */
bool show_in_range(const struct show *s);
/* Writes a time of the run on the clock that all runs share. */
void show_ts(struct show *s, int64_t at);
/* Writes a string of the dump with a prefix and a suffix. */
void show_text(struct show *s, const char *key, const char *before, uint32_t string,
	       const char *after);

/* Writes a goroutine's name. Names of threads are written once, before their first use. */
void show_g_arg(struct show *s, const char *key, const struct g_state *g);
void show_g_name(const struct show *s, const struct g_state *g, char name[240]);
void show_name_g(struct show *s, struct g_state *g);
void show_name_p(struct show *s, uint32_t p);
/* Returns whether p is a P, and not a pseudo P of a damaged run. */
bool show_real_p(const struct show *s, uint32_t p);

/* Begins a complete event of [since, now), cut to the range. Returns false if none of it is in the
 * range. An event without length at the edge belongs to the range that begins there. */
bool show_slice(struct show *s, enum perfetto_section section, uint64_t tid, int64_t since);
bool show_p_slice(struct show *s, uint32_t p, int64_t since);
/* Writes a complete slice called `name`; nothing if since is INT64_MIN. */
void show_range_slice(struct show *s, uint32_t p, int64_t since, uint32_t name, uint32_t stack);
/* Ends a system call of the goroutine; `blocked`: it had lost its P. */
void show_call_end(struct show *s, struct g_state *g, bool blocked);
/* Takes a goroutine off its P, or puts it on one; its ranges continue where it runs next. */
void show_leave_p(struct show *s, struct g_state *g, uint32_t stack);
void show_enter_p(struct g_state *g, uint32_t p, int64_t since);
/* Writes an event without length at the current time. */
void show_instant(struct show *s, enum perfetto_section section, uint64_t tid, const char *name,
		  uint32_t stack);

/* ---- state.c: goroutines and Ps change their states ---- */

void show_go_transition(struct show *s, const struct tp_event *ev);
void show_proc_transition(struct show *s, const struct tp_event *ev);
/* Writes the state since g->since as a slice that ends now. */
void show_state_slice(struct show *s, struct g_state *g);
/* Adds n to the number of goroutines in its state. */
void show_count(struct show *s, const struct g_state *g, int n);
/* Writes the number of goroutines in each state if it is time; `last`: always. */
void show_counters(struct show *s, bool last);

/* ---- event.c ---- */

void show_event(struct show *s, const struct tp_event *ev);
/* Ends everything that is open when the range or the run ends. */
void show_end(struct show *s, int64_t end);

/* ---- tasks.c: rows of the tables task and region, for tp_rows_visit; ctx is the struct show ---- */

#define SHOW_TASK_COLUMNS                                                                          \
	(1u << TP_COL(TASK, id) | 1u << TP_COL(TASK, parent) | 1u << TP_COL(TASK, name) |          \
	 1u << TP_COL(TASK, goroutine) | 1u << TP_COL(TASK, stack) |                               \
	 1u << TP_COL(TASK, start_ns) | 1u << TP_COL(TASK, end_ns))
#define SHOW_REGION_COLUMNS                                                                        \
	(1u << TP_COL(REGION, name) | 1u << TP_COL(REGION, task) |                                 \
	 1u << TP_COL(REGION, goroutine) | 1u << TP_COL(REGION, stack) |                           \
	 1u << TP_COL(REGION, start_ns) | 1u << TP_COL(REGION, end_ns))
int show_tasks(void *ctx, const struct tp_rows *t, size_t first, struct tp_err *err);
int show_regions(void *ctx, const struct tp_rows *t, size_t first, struct tp_err *err);

#endif
