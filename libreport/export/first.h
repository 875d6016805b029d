/* Finds states that have held since a run began but are recorded later. Go's tracer records the
 * state of a goroutine or P in the first generation when it first does something or, if it does
 * nothing, when the generation ends. A part of the run that ends earlier therefore requires looking
 * ahead. */
#ifndef REP_EXPORT_FIRST_H
#define REP_EXPORT_FIRST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/event.h"
#include "run.h"

/* Statuses of goroutines and Ps, each the first event of its subject, and ranges under way, in
 * their order. */
struct rep_first {
	struct tp_event *ev;
	size_t n, room;
};

struct rep_first_ask {
	int64_t since;	 /* events at or after this time; INT64_MAX: none */
	uint32_t ng, np; /* numbers of goroutines and Ps; only lower indices count */
	/* Receives every event of the first generation (up to go 1.21: the first few). May be
	 * NULL. */
	void (*look)(void *ctx, const struct tp_event *ev);
	void *ctx;
};

/* Reads the first generation unless nothing is wanted. *f must be released in every case. */
int rep_first_load(struct rep_first *f, struct tp_store *s, const struct rep_run *run,
		   const struct rep_first_ask *ask, struct tp_err *err);
void rep_first_release(struct rep_first *f);

/* Returns whether the trace is of go 1.21 or before. It then has one generation, which begins with
 * all goroutines. */
bool rep_first_is_old(const struct rep_run *run);

#endif
