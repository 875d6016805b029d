/* Stripes and chunks. A thread's number selects the stripe that it writes to. 16 stripes keep threads out of
 * each other's way, and many short threads do not need a buffer each.
 *
 * The first thread that finds a stripe's chunk full and exchanges the stripe's word for LOCKED replaces the
 * chunk. The others check a few times whether that is done, which keeps their records in order. Then they
 * move to the next stripe, so that they never wait for a thread that was cancelled.
 *
 * A record may land in a chunk that has been emptied, or that another stripe has taken, since its writer
 * looked. That is equally good. */
#include "tprof-record/core/inside.h"

#include <linux/futex.h>

#include "tprof-record/core/list.h"

#define LOCKED UINT32_MAX
/* The recorder is woken each time this many chunks have been taken. */
enum { RING_AFTER = 16 };

static void ring(struct rec_header *h)
{
	atomic_fetch_add_explicit(&h->doorbell, 1, memory_order_release);
	/* Not a private futex, as the recorder is another process. */
	rec_call(SYS_futex, (long)&h->doorbell, FUTEX_WAKE, 1, 0, 0, 0);
}

/* Takes a free or a new chunk. Returns its index + 1, or 0 if there is none. */
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

/* Gives the stripe another chunk, if its chunk is full or it has none. Returns false if another thread is
 * doing so. */
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
			/* The chunk has been emptied and has come back to this stripe since we looked. */
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
			if (rec_may(REC_NEED_YIELD))
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
	e->cpu = event->cpu;
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
