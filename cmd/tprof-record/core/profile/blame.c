/* Each release of a lock is charged with the time that all its waiters have waited since the release before
 * it, that is, while its holder had the lock (Go: runtime/sema.go, semrelease1 and dequeue, where each
 * release resets the waiters' acquiretime).
 *
 * Only sums are kept for the waiters of a place. Each waiter has a baseline: the time when it came, or the
 * last release since. So n waiters have waited n × now - (sum of baselines) that is not charged yet. When a
 * wait ends, the remainder, the time from the release until the thread ran, is charged to the same release;
 * it does not count as another contention. So charges add up to waits.
 *
 * Times are read under the lock, so they only grow from one change to the next. Objects with the same hash
 * share a place. */
#include "tprof-record/core/inside.h"

static struct rec_blame *place_of(uint64_t object)
{
	return &rec_state()
		    ->blame[rec_waits_of((const void *)(uintptr_t)object) - rec_core->arena.waits];
}

bool rec_blame_due(uint64_t object)
{
	return atomic_load_explicit(&place_of(object)->n, memory_order_relaxed) != 0;
}

uint64_t rec_blame_join(uint64_t object)
{
	struct rec_blame *b = place_of(object);
	uint64_t now;

	rec_lock(&b->lock);
	now = rec_now();
	atomic_store_explicit(&b->n, atomic_load_explicit(&b->n, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	b->sum += now;
	rec_unlock(&b->lock);
	return now;
}

uint64_t rec_blame_leave(uint64_t object, uint64_t start, bool waited)
{
	struct rec_blame *b = place_of(object);
	uint64_t now, base = start;
	uint32_t poster;
	bool posted = false;

	rec_lock(&b->lock);
	now = rec_now();
	if (b->posted > start) {
		base = b->posted;
		posted = true;
	}
	atomic_store_explicit(&b->n, atomic_load_explicit(&b->n, memory_order_relaxed) - 1,
			      memory_order_relaxed);
	b->sum -= base;
	poster = b->poster;
	rec_unlock(&b->lock);
	/* If no release was seen during the wait (the waiter gave up, for example), the one before it is
	 * charged. */
	if (waited && poster)
		rec_due(REC_MUTEX_BUCKET, now - base, poster, !posted);
	return now;
}

uint64_t rec_blame_post(uint64_t object, uint32_t stack)
{
	struct rec_blame *b = place_of(object);
	uint64_t now, ns;
	uint32_t n;

	rec_lock(&b->lock);
	now = rec_now();
	n = atomic_load_explicit(&b->n, memory_order_relaxed);
	ns = n * now - b->sum;
	b->sum = n * now;
	b->posted = now;
	b->poster = stack;
	rec_unlock(&b->lock);
	if (n)
		rec_due(REC_MUTEX_BUCKET, ns, stack, 1);
	return now;
}

uint64_t rec_blame_begin(uint64_t object)
{
	uint64_t now;

	if (!rec_enter())
		return 0;
	now = rec_blame_join(object);
	rec_leave();
	return now;
}

void rec_blame_end(uint64_t object, uint64_t start, bool posted, uint32_t stack)
{
	if (!start || !rec_enter())
		return;
	rec_known();
	if (posted)
		rec_blame_post(object, stack);
	rec_blame_leave(object, start, false);
	rec_settle_inside();
	rec_settle_contention();
	rec_leave();
}
