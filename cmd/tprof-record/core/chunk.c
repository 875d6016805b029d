/* Stripes and chunks. A thread writes to the stripe that its number gives it; 16 stripes keep
 * threads out of each other's way, and many short threads do not need a buffer each. The chunk of a
 * stripe is replaced by whoever finds it full and exchanges the stripe's word for LOCKED. The
 * others look a few times whether that is over, so that their records stay in order, and then go to
 * the next stripe, so that nobody waits for somebody who will not come back.
 *
 * A record may land in a chunk that has been emptied, or taken by another stripe, since its writer
 * looked: that is as good a place as any. */
#include "tprof-record/core/inside.h"

#include <linux/futex.h>

#include "tprof-record/core/list.h"

#define LOCKED UINT32_MAX
/* The bell is rung each time so many chunks have been filled. */
enum { RING_AFTER = 16 };

static void ring(struct rec_header *h)
{
	atomic_fetch_add_explicit(&h->doorbell, 1, memory_order_release);
	/* The recorder is another process: not a private futex. */
	rec_call(SYS_futex, (long)&h->doorbell, FUTEX_WAKE, 1, 0, 0, 0);
}

/* Index + 1; 0 when there is none. */
static uint32_t take_chunk(void)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t at =
	    rec_list_take(&a->header->free_chunks, &a->chunks[0].next, sizeof(struct rec_chunk));

	if (!at || at > REC_NCHUNKS) {
		uint32_t used = atomic_load_explicit(&a->header->chunks.used, memory_order_relaxed);

		do {
			if (used >= REC_NCHUNKS || !rec_reserve(REC_PART_chunks, used + 1))
				return 0;
		} while (!atomic_compare_exchange_weak_explicit(&a->header->chunks.used, &used,
								used + 1, memory_order_acq_rel,
								memory_order_relaxed));
		at = used + 1;
	}
	atomic_store_explicit(&a->chunks[at - 1].turn,
			      atomic_fetch_add_explicit(&a->header->turns, 1, memory_order_relaxed),
			      memory_order_relaxed);
	return at;
}

void rec_chunk_give(const struct rec_arena *a, uint32_t index)
{
	struct rec_chunk *c = &a->chunks[index];
	uint32_t i;

	for (i = 0; i < REC_CHUNK_EVENTS; i++)
		atomic_store_explicit(&c->event[i].kind, REC_NOTHING, memory_order_relaxed);
	atomic_store_explicit(&c->full, 0, memory_order_relaxed);
	atomic_store_explicit(&c->reserved, 0, memory_order_release);
	rec_list_give(&a->header->free_chunks, &a->chunks[0].next, sizeof(*c), index + 1);
}

/* The stripe's chunk is full, or it has none: gives it another. false: somebody else is at it. */
static bool refill(_Atomic uint32_t *stripe, uint32_t was)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t taken;

	if (!atomic_compare_exchange_strong_explicit(stripe, &was, LOCKED, memory_order_acquire,
						     memory_order_relaxed))
		return false;
	if (was) {
		struct rec_chunk *c = &a->chunks[was - 1];

		if (atomic_load_explicit(&c->reserved, memory_order_acquire) < REC_CHUNK_EVENTS) {
			/* It has been emptied and come back to this stripe since we looked. */
			atomic_store_explicit(stripe, was, memory_order_release);
			return true;
		}
		atomic_store_explicit(&c->full, 1, memory_order_release);
	}
	atomic_store_explicit(stripe, take_chunk(), memory_order_release);
	taken = atomic_fetch_add_explicit(&rec_state()->taken, 1, memory_order_relaxed) + 1;
	if (taken % RING_AFTER == 0)
		ring(a->header);
	return true;
}

static struct rec_event *reserve(void)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t tries, patience = 100;

	for (tries = 0; tries < 2 * REC_NSTRIPES; tries++) {
		_Atomic uint32_t *stripe = &a->header->stripe[rec_self.stripe];
		uint32_t at = atomic_load_explicit(stripe, memory_order_acquire);

		if (at && at <= REC_NCHUNKS) {
			struct rec_chunk *c = &a->chunks[at - 1];
			uint32_t i =
			    atomic_fetch_add_explicit(&c->reserved, 1, memory_order_acquire);

			if (__builtin_expect(i < REC_CHUNK_EVENTS, 1))
				return &c->event[i];
		}
		if (at != LOCKED && refill(stripe, at)) {
			if (!atomic_load_explicit(stripe, memory_order_relaxed))
				return NULL; /* no chunk is free */
			continue;
		}
		if (patience-- > 0) {
			rec_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
			tries--;
			continue;
		}
		rec_self.stripe = (rec_self.stripe + 1) % REC_NSTRIPES;
	}
	return NULL;
}

void rec_write_inside(const struct rec_event *event)
{
	uint16_t kind = atomic_load_explicit(&event->kind, memory_order_relaxed);
	struct rec_event *e;

	if (!rec_tracing() && (kind < REC_TRACE_STOP || kind > REC_PROCESS_EXIT))
		return;
	e = reserve();
	if (!e) {
		rec_lose(REC_LOST_EVENTS, 1);
		return;
	}
	e->flags = event->flags;
	e->stack = event->stack;
	e->start = event->start;
	e->end = event->end;
	e->object = event->object;
	e->g = event->g ? event->g : rec_self.g;
	e->m = event->m ? event->m : rec_self.m;
	e->arg = event->arg;
	e->extra = event->extra;
	atomic_store_explicit(&e->kind, kind, memory_order_release);
}

void rec_write(const struct rec_event *event)
{
	if (!rec_enter())
		return;
	rec_known();
	rec_write_inside(event);
	rec_leave();
}
