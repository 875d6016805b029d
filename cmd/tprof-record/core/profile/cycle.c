/* Heap profile cycles. From Go 1.8 on (mProfCycleHolder, mProf_NextCycle, mProf_Flush,
 * mProf_PostSweep of Go 1.26): allocations and explicit frees count toward cycle C+2 in the ring
 * future[3]; NextCycle makes it C+1, Flush adds what is C now to `active`, PostSweep C+1 as well.
 *
 * Go 1.5 (profiler 105) has instead of the ring changes since the last collection ("recent",
 * future[1] here) and before that ("prev", future[0]); mProf_GC adds prev to active and moves
 * recent to prev. Its MemProfile does that twice to see everything, as Flush and PostSweep do here.
 *
 * Counters are exchanged for 0, so that what threads add meanwhile is in this snapshot or the next,
 * and never lost. */
#include "tprof-record/core/profile/cycle.h"

enum { RING = 3, PREV = 0, RECENT = 1 };

/* As Go: the wrap is a multiple of the ring's length, which is no power of 2. */
#define WRAP ((uint32_t)RING * (2u << 24))

struct rec_heap_cycle *rec_cycle_now(const struct rec_arena *a, struct rec_bucket *b)
{
	uint32_t cycle;

	if (a->header->options.profiler == 105)
		return &b->u.heap.future[RECENT];
	cycle = atomic_load_explicit(&a->header->heap_cycle, memory_order_acquire) >> 1;
	return &b->u.heap.future[(cycle + 2) % RING];
}

/* Go stops the world for NextCycle, and nobody is between looking which cycle it is and counting.
 * Here somebody may be, for long: an allocation that came too late into its place in the ring could
 * be published after its free. So it is taken back and counted again. */
void rec_cycle_alloc(const struct rec_arena *a, struct rec_bucket *b)
{
	for (;;) {
		struct rec_heap_cycle *c = rec_cycle_now(a, b);

		atomic_fetch_add_explicit(&c->allocs, 1, memory_order_seq_cst);
		if (rec_cycle_now(a, b) == c)
			return;
		atomic_fetch_sub_explicit(&c->allocs, 1, memory_order_relaxed);
	}
}

void rec_cycle_free(const struct rec_arena *a, struct rec_bucket *b, int64_t n)
{
	atomic_fetch_add_explicit(&rec_cycle_now(a, b)->frees, (uint64_t)n, memory_order_release);
}

static void move(struct rec_heap_cycle *to, struct rec_heap_cycle *from)
{
	/* Frees first: one that is seen was of a block whose allocation is seen, too. */
	uint64_t frees = atomic_exchange_explicit(&from->frees, 0, memory_order_acq_rel);
	uint64_t allocs = atomic_exchange_explicit(&from->allocs, 0, memory_order_acq_rel);

	if (frees)
		atomic_fetch_add_explicit(&to->frees, frees, memory_order_relaxed);
	if (allocs)
		atomic_fetch_add_explicit(&to->allocs, allocs, memory_order_relaxed);
}

/* Heap buckets, newest first; no more steps than there can be, whatever the program has done to the
 * links. */
static struct rec_bucket *next_bucket(const struct rec_arena *a, uint32_t *at, uint32_t *steps)
{
	struct rec_bucket *b;

	if (!*at || *at > REC_NBUCKETS || ++*steps > REC_NBUCKETS)
		return NULL;
	b = &a->buckets[*at - 1];
	/* Read once: what is looked at above is what is followed. */
	*at = *(const volatile uint32_t *)&b->allnext;
	return b;
}

static void flush(const struct rec_arena *a, uint32_t index)
{
	uint32_t steps = 0, at = atomic_load_explicit(&a->header->newest[REC_HEAP_BUCKET],
						      memory_order_acquire);
	struct rec_bucket *b;

	while ((b = next_bucket(a, &at, &steps)))
		move(&b->u.heap.active, &b->u.heap.future[index]);
}

static void collect(const struct rec_arena *a)
{
	uint32_t steps = 0, at = atomic_load_explicit(&a->header->newest[REC_HEAP_BUCKET],
						      memory_order_acquire);
	struct rec_bucket *b;

	while ((b = next_bucket(a, &at, &steps))) {
		move(&b->u.heap.active, &b->u.heap.future[PREV]);
		move(&b->u.heap.future[PREV], &b->u.heap.future[RECENT]);
	}
}

void rec_next_cycle(const struct rec_arena *a)
{
	_Atomic uint32_t *holder = &a->header->heap_cycle;
	uint32_t was = atomic_load_explicit(holder, memory_order_relaxed), now;

	do {
		now = ((was >> 1) + 1) % WRAP << 1;
	} while (!atomic_compare_exchange_weak_explicit(holder, &was, now, memory_order_acq_rel,
							memory_order_relaxed));
}

void rec_flush(const struct rec_arena *a)
{
	uint32_t was = atomic_fetch_or_explicit(&a->header->heap_cycle, 1, memory_order_acq_rel);

	if (was & 1)
		return;
	if (a->header->options.profiler == 105)
		collect(a);
	else
		flush(a, (was >> 1) % RING);
}

void rec_post_sweep(const struct rec_arena *a)
{
	uint32_t cycle = atomic_load_explicit(&a->header->heap_cycle, memory_order_acquire) >> 1;

	if (a->header->options.profiler == 105)
		collect(a);
	else
		flush(a, (cycle + 1) % RING);
}
