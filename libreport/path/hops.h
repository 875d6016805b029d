/* The hops of a path, of which a long run has millions: most of them are packed (spans/packed.h). */
#ifndef REP_PATH_HOPS_H
#define REP_PATH_HOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spans/packed.h"

/* A part of the path on one goroutine. */
struct rep_path_hop {
	int64_t from, to;   /* ns since the run began */
	uint32_t goroutine; /* index */
	uint32_t reason;    /* string: why it was blocked, or became runnable ("": it was woken) */
	/* Running: the stack at its end. System call, blocked: the stack at its beginning. Runnable:
	 * the stack where it had been blocked or stopped. */
	uint32_t stack;
	uint32_t chain;
	/* The goroutine that is woken (or created) at `to`, to which the path goes then; why and where
	 * it waited, and the stack that woke it. TP_NONE, 0 if the path stays here. */
	uint32_t wakes, wakes_reason, wakes_stack, wake_stack;
	uint8_t kind; /* enum rep_path_kind */
	bool creates; /* `wakes` was created, not woken */
	/* Runnable: the goroutine that had used the P before; TP_NONE: unknown. */
	uint32_t holder;
};

#define REP_HOP_COLUMNS 13

/* Zero-initialised is valid and empty. */
struct rep_path_hops {
	size_t n, packed;
	struct rep_packed col[REP_HOP_COLUMNS];
	struct rep_path_hop *last; /* REP_PACKED_ROWS hops; those behind the packed ones */
};

/* Adds a hop. Returns 0 or TP_ENOMEM. */
int rep_path_hops_put(struct rep_path_hops *h, const struct rep_path_hop *hop);
/* Lets the hop that was added last begin at `from`. There must be one. */
void rep_path_hops_extend(struct rep_path_hops *h, int64_t from);
/* Returns the i-th hop that was added, from 0 on. */
struct rep_path_hop rep_path_hops_at(const struct rep_path_hops *h, size_t i);
/* Returns how long that hop takes, without unpacking the rest of it. */
int64_t rep_path_hops_ns(const struct rep_path_hops *h, size_t i);
void rep_path_hops_release(struct rep_path_hops *h);

#endif
