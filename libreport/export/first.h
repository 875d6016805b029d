/* What has been so since a run began, but is told later. Go's tracer tells in the first generation
 * of a goroutine or P what it was doing when that does something, or, where it does nothing, when
 * the generation ends: whoever shows a part of the run that ends before has to look ahead. */
#ifndef REP_EXPORT_FIRST_H
#define REP_EXPORT_FIRST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/event.h"
#include "run.h"

/* Statuses of goroutines and Ps, each the first event of its subject, and ranges that were under
 * way; in their order. */
struct rep_first {
	struct tp_event *ev;
	size_t n, room;
};

struct rep_first_ask {
	int64_t since;	 /* what is told at this time or later; INT64_MAX: nothing */
	uint32_t ng, np; /* goroutines and Ps that are meant: indices below */
	/* Sees every event of the first generation (up to go 1.21: the first few). May be NULL. */
	void (*look)(void *ctx, const struct tp_event *ev);
	void *ctx;
};

/* Reads the first generation, unless nothing is asked. To be released in every case. */
int rep_first_load(struct rep_first *f, struct tp_store *s, const struct rep_run *run,
		   const struct rep_first_ask *ask, struct tp_err *err);
void rep_first_release(struct rep_first *f);

/* A trace of go 1.21 or before? It has one generation, which begins with all goroutines. */
bool rep_first_is_old(const struct rep_run *run);

#endif
