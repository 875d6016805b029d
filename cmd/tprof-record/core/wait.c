#include "tprof-record/core/inside.h"

#include <string.h>

/* What Go's block profile has: waiting for other goroutines; not for time, the network or the
 * kernel. */
static bool is_profiled(uint32_t reason)
{
	switch (reason) {
	case REC_ON_MUTEX:
	case REC_ON_RWLOCK_R:
	case REC_ON_RWLOCK_W:
	case REC_ON_COND:
	case REC_ON_SEMAPHORE:
	case REC_ON_BARRIER:
	case REC_ON_FUTEX:
	case REC_ON_JOIN:
	case REC_ON_CHAN_SEND:
	case REC_ON_CHAN_RECEIVE:
	case REC_ON_SELECT:
		return true;
	}
	return false;
}

static bool is_lock(uint32_t reason)
{
	return reason == REC_ON_MUTEX || reason == REC_ON_RWLOCK_R || reason == REC_ON_RWLOCK_W;
}

void rec_settle_inside(void)
{
	if (!rec_self.last.unsettled)
		return;
	rec_self.last.unsettled = 0;
	rec_block_event_inside(rec_self.last.ns, rec_self.last.stack);
	/* Nobody posted, as far as we know: nobody is to blame. */
	if (is_lock(rec_self.last.reason) && rec_self.last.poster)
		rec_mutex_event_inside(rec_self.last.ns, rec_self.last.poster);
}

void rec_settle_now(void)
{
	if (!rec_enter())
		return;
	rec_settle_inside();
	rec_settle_contention();
	rec_leave();
}

static inline uint16_t kind_of(const struct rec_event *wait)
{
	return atomic_load_explicit(&wait->kind, memory_order_relaxed);
}

static inline struct rec_wait *waits_for(const struct rec_event *wait)
{
	return kind_of(wait) == REC_BLOCK && wait->object
		   ? rec_waits_of((const void *)(uintptr_t)wait->object)
		   : NULL;
}

/* ---- waits that have begun ---- */

static void not_waiting(uint64_t object)
{
	if (object)
		atomic_fetch_sub_explicit(&rec_waits_of((const void *)(uintptr_t)object)->waiters,
					  1, memory_order_relaxed);
}

enum { NOPEN = sizeof(rec_self.open) / sizeof(rec_self.open[0]) };

static bool push(const struct rec_event *wait, uint64_t object)
{
	uint32_t n = rec_self.nopen;

	if (n == NOPEN)
		return false;
	rec_self.open[n].wait = wait;
	rec_self.open[n].object = object;
	rec_self.nopen = n + 1;
	return true;
}

/* Takes the last one away; the one before it, if a signal handler's came in between, is what the
 * thread is waiting for again. */
static void pop(void)
{
	uint32_t n = --rec_self.nopen;

	not_waiting(rec_self.open[n].object);
	if (!rec_self.slot)
		return;
	if (n)
		rec_wait_store(rec_self.slot, rec_self.open[n - 1].wait);
	else
		rec_wait_clear(rec_self.slot);
}

static void account(struct rec_event *wait, uint32_t poster)
{
	const struct rec_options *o = &rec_core->arena.header->options;

	if (kind_of(wait) != REC_SYSCALL || wait->end - wait->start >= o->syscall_ns)
		rec_write_inside(wait);
	if (kind_of(wait) != REC_BLOCK || !is_profiled(wait->arg))
		return;
	rec_self.last.ns = wait->end - wait->start;
	rec_self.last.stack = wait->stack;
	rec_self.last.reason = wait->arg;
	rec_self.last.poster = poster;
	rec_self.last.unsettled = 1;
}

/* The frame that an abandoned wait was in is gone, but the arena has a copy of it. */
void rec_wait_abandon(const struct rec_event *wait)
{
	while (rec_self.nopen &&
	       (!wait || (uintptr_t)rec_self.open[rec_self.nopen - 1].wait <= (uintptr_t)wait)) {
		if (rec_self.slot && kind_of(&rec_self.slot->wait)) {
			struct rec_event copy;

			rec_settle_inside();
			memcpy(&copy, &rec_self.slot->wait, sizeof(copy));
			copy.end = rec_now();
			account(&copy, 0);
			/* Once: of those that it interrupted there is no copy. */
			rec_wait_clear(rec_self.slot);
		}
		not_waiting(rec_self.open[--rec_self.nopen].object);
	}
	if (rec_self.nopen && rec_self.slot && !kind_of(&rec_self.slot->wait))
		rec_wait_store(rec_self.slot, rec_self.open[rec_self.nopen - 1].wait);
}

__attribute__((noinline)) void rec_wait_begin(struct rec_event *wait, unsigned skip)
{
	struct rec_frame caller = REC_CALLER();
	struct rec_wait *place;

	if (!rec_enter())
		return;
	rec_known();
	if (rec_self.nopen)
		rec_wait_abandon(wait);
	rec_settle_inside();
	rec_settle_contention();
	place = waits_for(wait);
	if (!push(wait, place ? wait->object : 0)) {
		rec_leave();
		return;
	}
	/* From here on posts are logged: before the wait begins. */
	if (place)
		atomic_fetch_add_explicit(&place->waiters, 1, memory_order_relaxed);
	wait->g = rec_self.g;
	wait->m = rec_self.m;
	wait->end = 0;
	wait->stack = rec_stack_from(caller, skip);
	wait->start = rec_now();
	if (rec_self.slot)
		rec_wait_store(rec_self.slot, wait);
	rec_leave();
}

void rec_wait_end(struct rec_event *wait, unsigned flags)
{
	uint32_t poster = 0;
	struct rec_wait *place;

	/* It is not the last one if it never began: there was no arena, or no room. */
	if (!rec_self.nopen || rec_self.open[rec_self.nopen - 1].wait != wait || !rec_enter())
		return;
	if (!(flags & REC_DID_NOT_WAIT)) {
		place = waits_for(wait);
		if (place)
			poster = atomic_load_explicit(&place->poster, memory_order_relaxed);
		wait->end = rec_now();
		wait->flags = (uint16_t)flags;
		account(wait, poster);
	}
	pop();
	rec_leave();
}

__attribute__((noinline)) void rec_post(const void *object, uint32_t wakes, unsigned skip)
{
	struct rec_frame caller = REC_CALLER();
	struct rec_event post = {.kind = REC_POST, .object = (uint64_t)(uintptr_t)object};

	if (!rec_enter())
		return;
	rec_known();
	post.arg = wakes;
	post.stack = rec_stack_from(caller, skip);
	atomic_store_explicit(&rec_waits_of(object)->poster, post.stack, memory_order_relaxed);
	if (rec_tracing()) {
		post.start = post.end = rec_now();
		rec_write_inside(&post);
	}
	rec_leave();
}
