/* Block and mutex profiles: blockevent, blocksampled, mutexevent and saveBlockEventStack of Go's
 * runtime/mprof.go, with times in ns.
 *
 * options.profiler says what a sample adds:
 *	105, 108       1 and ns, whatever its probability was
 *	118	       for a block shorter than the rate: rate/ns and rate
 *	126	       … and for a mutex event: fraction and fraction × ns */
#include "tprof-record/core/inside.h"

#include <string.h>

static void add_count(_Atomic uint64_t *count, double n)
{
	uint64_t was = atomic_load_explicit(count, memory_order_relaxed), now;
	double sum;

	do {
		memcpy(&sum, &was, sizeof(sum));
		sum += n;
		memcpy(&now, &sum, sizeof(now));
	} while (!atomic_compare_exchange_weak_explicit(count, &was, now, memory_order_relaxed,
							memory_order_relaxed));
}

static void save(enum rec_bucket_kind kind, uint32_t stack, double n, uint64_t ns)
{
	uint32_t at = rec_bucket_of(kind, stack, 0);
	struct rec_bucket *b;

	if (!at)
		return;
	b = &rec_core->arena.buckets[at - 1];
	add_count(&b->u.block.count, n);
	atomic_fetch_add_explicit(&b->u.block.cycles, (int64_t)ns, memory_order_relaxed);
}

void rec_block_event_inside(uint64_t ns, uint32_t stack)
{
	const struct rec_options *o = &rec_core->arena.header->options;
	uint64_t rate = atomic_load_explicit(&o->block_rate, memory_order_relaxed);

	if (!ns)
		ns = 1;
	if (!rate || (rate > ns && rec_random() % rate > ns))
		return;
	if (o->profiler >= 118 && ns < rate)
		save(REC_BLOCK_BUCKET, stack, (double)rate / (double)ns, rate);
	else
		save(REC_BLOCK_BUCKET, stack, 1, ns);
}

void rec_mutex_event_inside(uint64_t ns, uint32_t stack, uint32_t n)
{
	const struct rec_options *o = &rec_core->arena.header->options;
	uint64_t fraction = atomic_load_explicit(&o->mutex_fraction, memory_order_relaxed);

	if (!fraction || o->profiler == 105 || (fraction > 1 && rec_random() % fraction))
		return;
	if (o->profiler >= 126)
		save(REC_MUTEX_BUCKET, stack, (double)(fraction * n), fraction * ns);
	else
		save(REC_MUTEX_BUCKET, stack, n, ns);
}

void rec_create_event_inside(uint32_t stack)
{
	save(REC_CREATE_BUCKET, stack, 1, 0);
}

void rec_block_event(uint64_t ns, uint32_t stack)
{
	if (!rec_enter())
		return;
	rec_known();
	rec_block_event_inside(ns, stack);
	rec_settle_contention();
	rec_leave();
}

void rec_mutex_event(uint64_t ns, uint32_t stack)
{
	if (!rec_enter())
		return;
	rec_known();
	rec_mutex_event_inside(ns, stack, 1);
	rec_settle_contention();
	rec_leave();
}

/* ---- deferred events ---- */

void rec_settle_inside(void)
{
	uint32_t i, n = rec_self.ndue;

	rec_self.ndue = 0;
	for (i = 0; i < n; i++) {
		if (rec_self.due[i].kind == REC_BLOCK_BUCKET)
			rec_block_event_inside(rec_self.due[i].ns, rec_self.due[i].stack);
		else
			rec_mutex_event_inside(rec_self.due[i].ns, rec_self.due[i].stack,
					       rec_self.due[i].n);
	}
}

void rec_due(enum rec_bucket_kind kind, uint64_t ns, uint32_t stack, uint32_t n)
{
	uint32_t i = rec_self.ndue;

	if (i == sizeof(rec_self.due) / sizeof(rec_self.due[0])) {
		rec_settle_inside();
		i = 0;
	}
	rec_self.due[i].kind = (uint16_t)kind;
	rec_self.due[i].n = (uint16_t)n;
	rec_self.due[i].ns = ns;
	rec_self.due[i].stack = stack;
	rec_self.ndue = i + 1;
}

void rec_settle_now(void)
{
	if (!rec_enter())
		return;
	rec_settle_inside();
	rec_settle_contention();
	rec_leave();
}

/* ---- the recorder's own contention ---- */

/* Go charges the cost of its runtime's locks, where it cannot say which unlock caused the wait, to a function
 * with this meaning (runtime._LostContendedRuntimeLock). The bucket's only frame is inside this function. */
__attribute__((visibility("default"), noinline)) void rec_lost_contended_lock(void);
void rec_lost_contended_lock(void)
{
	__asm__ volatile("nop\n\tnop");
}

void rec_settle_contention(void)
{
	uint64_t ns = rec_self.contention, pc = (uint64_t)(uintptr_t)rec_lost_contended_lock + 1;

	if (__builtin_expect(!ns, 1))
		return;
	rec_self.contention = 0;
	rec_lose(REC_LOST_CONTENTION, ns);
	/* Contention that arises in here is left for the next call, so it does not feed itself. */
	rec_mutex_event_inside(ns, rec_tree_add(&pc, 1), 1);
}
