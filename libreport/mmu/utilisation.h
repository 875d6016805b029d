/* Mutator utilisation: the share of the Ps that is left to the program, as a function of time.
 *
 * The collector takes Ps away by stopping the world, by background workers, by mark assists of the
 * program's own goroutines and by sweeping; each can be counted or left out. There is one function
 * for the whole program (of four Ps with one taken, it is 0.75), or one for each P (0 or 1).
 *
 * The rules are those of Go's tool (internal/trace/gc.go, MutatorUtilizationV2), with two
 * exceptions. From go 1.22 on the tool counts a worker's start twice, once for its transition and
 * once for its label, but its stop once: from a worker's second start on its P stays taken, and the
 * curve falls to 0. Up to go 1.21 it did not. And the tool counts every goroutine that was labelled
 * as a worker: the runtime labels whatever a P runs while a worker should run there, which at times
 * is an ordinary goroutine. We count as Go 1.21 did, and only workers; `as_go` gives the tool's
 * numbers. */
#ifndef REP_MMU_UTILISATION_H
#define REP_MMU_UTILISATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "decode/dict.h"
#include "spans/packed.h"
#include "store/store.h"

/* Work of the collector that counts. */
enum {
	REP_UTIL_STW = 1,	 /* stops of the world by the collector */
	REP_UTIL_BACKGROUND = 2, /* background mark workers; with per_p not the dedicated ones */
	REP_UTIL_ASSIST = 4,
	REP_UTIL_SWEEP = 8,
	REP_UTIL_USUAL = 7, /* the default of Go's page */
	REP_UTIL_ALL = 15,
};

/* Their names for options, in the order of the bits; ends with a NULL. */
extern const char *const rep_util_names[];
/* Parses "stw,assist" or "all" into bits. Returns 0, or TP_EFORMAT with a sentence. */
int rep_util_parse(const char *text, unsigned *include, struct tp_err *err);

struct rep_util_options {
	unsigned include; /* REP_UTIL_… */
	bool per_p;
	bool as_go;	  /* needs rep_gc_facts_as_go */
	int64_t from, to; /* ns since the run began; INT64_MIN, INT64_MAX: all of it */
};
#define REP_UTIL_OPTIONS_INIT                                                                      \
	{                                                                                          \
		.include = REP_UTIL_USUAL, .from = INT64_MIN, .to = INT64_MAX                      \
	}

/* The value from ts on, up to the next step. */
struct rep_util_step {
	int64_t ts;
	double util;
};

/* At least two steps, each later than the one before. The last one is the end of the function; its
 * value is 0 and has no meaning. As a long run has millions of steps, one takes 8 bytes: its time,
 * and in the lowest bits the number of its value among those that occur. If times may need these bits, values
 * are kept apart. */
struct rep_util {
	uint64_t *step;
	double *value; /* by step, if shift is 0 */
	size_t n, room, room_values;
	unsigned shift; /* of the time */
	int64_t p;	/* id of the P; -1: all of them */
	size_t run;	/* as given to rep_utils_add */
};

/* Zero-initialised is valid and empty. */
struct rep_utils {
	struct rep_util *series;
	size_t n, room;
	double *level; /* the values of steps: few, as there are few Ps */
	size_t nlevels, room_levels;
	struct tp_table levels;
	uint64_t seed;
};
void rep_utils_release(struct rep_utils *u);

/* Appends a function without steps, whose times are from 0 to `end`. Returns 0 or TP_ENOMEM. */
int rep_util_new(struct rep_utils *u, int64_t end);
/* Appends a step to function i. Returns 0, TP_ENOMEM, or TP_ELIMIT if there are more different values
 * than the lowest bits can number. */
int rep_util_put(struct rep_utils *u, size_t i, struct rep_util_step step);

static inline int64_t rep_util_ts(const struct rep_util *u, size_t step)
{
	return (int64_t)(u->step[step] >> u->shift);
}

static inline double rep_util_at(const struct rep_utils *all, const struct rep_util *u, size_t step)
{
	return u->shift ? all->level[u->step[step] & (((uint64_t)1 << u->shift) - 1)]
			: u->value[step];
}

/* The kinds of rows of the tables gc_work and range, by their names. */
enum rep_gc_kind {
	REP_GC_NOTHING, /* and stops of the world that are not the collector's */
	REP_GC_STW,
	REP_GC_MARK,
	REP_GC_SWEEP,
	REP_GC_ASSIST,
	REP_GC_DEDICATED,
	REP_GC_FRACTIONAL,
	REP_GC_IDLE,
	REP_GC_UNLABELLED,
};
/* The kinds of rows of the table metric. */
enum rep_metric_kind { REP_METRIC_OTHER, REP_METRIC_PROCS, REP_METRIC_GOAL, REP_METRIC_HEAP };

/* A step as Go's tool counts (asgo.c). */
enum { REP_GO_ASSIST = 1, REP_GO_LABELLED = 2, REP_GO_DEDICATED = 4 };
struct rep_go_step {
	int64_t ts;
	uint32_t p;	  /* index */
	int8_t delta;	  /* +1, -1 */
	uint8_t causes;	  /* REP_GO_…; the step counts if one of them is included */
	bool since_start; /* if counted for all Ps together, it applies since the beginning */
};

/* Returns whether a run is of programs without a garbage collector: a trace of the kernel's scheduler. */
bool rep_gc_has_none(const struct tp_run *run);

/* Rows of a table, of which a long run has millions. */
struct rep_gc_rows {
	struct rep_packed col[TP_MAX_COLUMNS]; /* empty: not loaded */
	uint8_t *kind;			       /* by row: enum rep_gc_kind */
	size_t n, room;
};
#define REP_GC_AT(f, rows, TABLE, column, i) rep_packed_at(&(f)->rows.col[TP_COL(TABLE, column)], i)

/* The parts of a run's tables from which utilisation is computed. Must be released in every
 * case. */
struct rep_gc_facts {
	struct rep_gc_rows work, range; /* only rows that count */
	struct tp_rows metric, proc;
	struct tp_rows goroutine; /* a name is 1 for a worker's, else 0 */
	uint8_t *metric_kind;	  /* enum rep_metric_kind */
	int64_t duration_ns;
	bool no_collector;	  /* of the run */
	bool procs_known;	  /* the trace records the number of Ps */
	struct rep_go_step *step; /* nsteps, after rep_gc_facts_as_go */
	size_t nsteps;
	bool steps_known;
};
/* Loads the facts for the work in `include`; dict is the run's. Returns TP_EVERSION if the store is
 * older than the tables of assists and workers. */
int rep_gc_facts_load(struct rep_gc_facts *f, struct tp_store *store, const struct tp_run *run,
		      const struct tp_dict *dict, unsigned include, struct tp_err *err);
/* Adds what `as_go` needs from all events, which takes a third of a second for 15 million. */
int rep_gc_facts_as_go(struct rep_gc_facts *f, struct tp_store *store, const struct tp_run *run,
		       const struct tp_dict *dict, struct tp_err *err);
void rep_gc_facts_release(struct rep_gc_facts *f);

/* Returns whether a row of gc_work belongs to a background worker, and not to another goroutine
 * that was labelled as one. */
bool rep_gc_is_worker(const struct rep_gc_facts *f, size_t row);

/* Appends the functions of a run: one or, with per_p, one for each period in which a P existed; no
 * function if nothing is known or there is no collector. Returns 0, TP_ENOMEM or TP_ELIMIT (too many Ps). */
int rep_utils_add(struct rep_utils *u, const struct rep_gc_facts *f,
		  const struct rep_util_options *opt, size_t run, struct tp_err *err);

#endif
