/* Sampling of the heap: a Poisson process over the bytes allocated, as in Go's nextSample. Profiles show what
 * was counted when the counts were last published.
 *
 * What each bucket had in use at the moment of the highest use costs no walk over all buckets: peaks are
 * numbered, and a bucket keeps what it has in use just before its first change after a peak. */
#include "tprof-record/core/inside.h"

#include <string.h>

/* Bytes after which a thread checks whether sampling is on again. */
#define WHEN_OFF (1 << 20)
/* The highest mean that samples are drawn with. */
#define MOST_RATE 0x7000000

/* log2 of x > 0: exponent, and log2(m) = 2/ln 2 · artanh((m - 1) / (m + 1)) with m in [√½, √2); seven terms
 * give 1e-12. The core cannot call libm. */
static double log_2(double x)
{
	uint64_t bits;
	int exponent;
	double m, t, t2, sum;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
	memcpy(&m, &bits, sizeof(m));
	if (m > 1.4142135623730951) {
		m /= 2;
		exponent++;
	}
	t = (m - 1) / (m + 1);
	t2 = t * t;
	sum =
	    1 +
	    t2 * (1. / 3 +
		  t2 * (1. / 5 + t2 * (1. / 7 + t2 * (1. / 9 + t2 * (1. / 11 + t2 * (1. / 13))))));
	return exponent + 2.8853900817779268 * t * sum;
}

/* fastexprand of Go's runtime/malloc.go: an exponential variate with that mean, from 26 random bits. A mean
 * beyond 0x7000000 would overflow Go's variable. */
static int64_t exponential(uint64_t mean)
{
	double q, log_q;

	if (mean > MOST_RATE)
		mean = MOST_RATE;
	q = (double)(rec_random() >> 38) + 1;
	log_q = log_2(q) - 26;
	if (log_q > 0)
		log_q = 0;
	return (int64_t)(log_q * (-0.6931471805599453 * (double)mean)) + 1;
}

static int64_t next_sample(uint64_t rate)
{
	return rate == 0 ? WHEN_OFF : rate == 1 ? 0 : exponential(rate);
}

static uint64_t heap_rate(void)
{
	return atomic_load_explicit(&rec_core->arena.header->options.heap_rate,
				    memory_order_relaxed);
}

/* Returns how many bytes a block that is sampled now stands for beside its own: of size/(1 - e^-x) with x =
 * size/rate, as the profile scales it (Go: scaleHeapSample). They are less than the rate. e^-x is the 64th power of
 * e^-y. */
static uint32_t excess(uint64_t size)
{
	uint64_t rate = heap_rate() < MOST_RATE ? heap_rate() : MOST_RATE;
	double x = rate > 1 ? (double)size / (double)rate : 0, y = x / 64, power;

	if (x <= 0 || x > 32)
		return 0;
	power = 1 - y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4 * (1 - y / 5))));
	for (int i = 0; i < 6; i++)
		power *= power;
	return (uint32_t)((double)size * (power / (1 - power)));
}

static void keep_peak(struct rec_bucket *b, uint32_t number)
{
	uint64_t in_use;

	if (atomic_load_explicit(&b->u.heap.peak_number, memory_order_relaxed) == number)
		return;
	in_use = rec_heap_in_use(&b->u.heap.now);
	atomic_store_explicit(&b->u.heap.peak, in_use < UINT32_MAX ? (uint32_t)in_use : UINT32_MAX,
			      memory_order_relaxed);
	atomic_store_explicit(&b->u.heap.peak_number, number, memory_order_relaxed);
}

/* Writes how much is in use into the trace, where that has changed enough: at most once per millisecond, but a
 * new maximum always. A thread that is over leaves it to the next one. */
static void tell(int64_t in_use)
{
	struct rec_event e = {.kind = REC_HEAP, .object = in_use > 0 ? (uint64_t)in_use : 0};
	struct rec_state *s = rec_state();
	int64_t change = in_use - atomic_load_explicit(&s->heap_told, memory_order_relaxed);

	if ((change < REC_HEAP_CHANGE && change > -REC_HEAP_CHANGE) || !rec_tracing() ||
	    !rec_self.g)
		return;
	e.start = e.end = rec_now();
	if (in_use > atomic_load_explicit(&s->heap_most, memory_order_relaxed))
		atomic_store_explicit(&s->heap_most, in_use, memory_order_relaxed);
	else if (e.end - atomic_load_explicit(&s->heap_told_ns, memory_order_relaxed) < 1000000)
		return;
	atomic_store_explicit(&s->heap_told, in_use, memory_order_relaxed);
	atomic_store_explicit(&s->heap_told_ns, e.end, memory_order_relaxed);
	rec_write_inside(&e);
}

void rec_heap_count(uint32_t bucket, uint64_t allocs, uint64_t frees, int64_t bytes)
{
	struct rec_header *h = rec_core->arena.header;
	struct rec_bucket *b = &rec_core->arena.buckets[bucket - 1];
	int64_t now, peak;

	keep_peak(b, atomic_load_explicit(&h->peaks, memory_order_relaxed));
	if (allocs)
		atomic_fetch_add_explicit(&b->u.heap.now.allocs, allocs, memory_order_relaxed);
	if (frees)
		atomic_fetch_add_explicit(&b->u.heap.now.frees, frees, memory_order_release);
	now = atomic_fetch_add_explicit(&h->in_use, bytes, memory_order_relaxed) + bytes;
	tell(now);
	peak = atomic_load_explicit(&h->peak, memory_order_relaxed);
	while (now > peak) {
		if (!atomic_compare_exchange_weak_explicit(
			&h->peak, &peak, now, memory_order_relaxed, memory_order_relaxed))
			continue;
		atomic_fetch_add_explicit(&h->peaks, 1, memory_order_relaxed);
		break;
	}
}

static uint64_t size_of(uint32_t bucket)
{
	return rec_core->arena.buckets[bucket - 1].size;
}

/* The rate may be another one now than when the block was sampled. */
static int64_t weight(struct rec_sample s)
{
	return (int64_t)(size_of(s.bucket) + s.excess);
}

static void count_free(struct rec_sample was)
{
	rec_heap_count(was.bucket, 0, 1, -weight(was));
}

/* As heaptrack does, which compares sites and sizes, not blocks. */
static void count_temporary(uint32_t bucket, uint64_t n)
{
	atomic_fetch_add_explicit(&rec_core->arena.buckets[bucket - 1].u.heap.temporary, n,
				  memory_order_relaxed);
}

static void sample(void *block, size_t size, struct rec_frame caller, unsigned skip)
{
	struct rec_sample s = {.block = (uintptr_t)block, .excess = excess(size)}, was;

	s.bucket = rec_bucket_of(REC_HEAP_BUCKET, rec_stack_from(caller, skip), size);
	/* Counted only if its free will be seen; a full table must not look like a leak. */
	if (!s.bucket || !rec_sample_add(s, &was))
		return;
	if (was.bucket)
		count_free(was);
	rec_heap_count(s.bucket, 1, 0, weight(s));
	rec_self.last.bucket = s.bucket;
	rec_self.last.until_sample = rec_self.until_sample;
}

__attribute__((noinline)) void rec_malloc(void *block, size_t size, unsigned skip)
{
	struct rec_frame caller = REC_CALLER();
	uint64_t rate;

	if (!rec_enter()) {
		if (!rec_alive())
			rec_self.until_sample = WHEN_OFF;
		return;
	}
	rec_known();
	rate = heap_rate();
	if (rec_self.heap_rate != rate) {
		/* This is the thread's first allocation, or until_sample was drawn for another rate, so it
		 * says nothing about this block. */
		rec_self.heap_rate = rate;
		rec_self.until_sample = next_sample(rate) - (int64_t)size;
		if (rec_self.until_sample >= 0)
			goto done;
	}
	rec_self.until_sample = next_sample(rate);
	if (rate && block) {
		sample(block, size, caller, skip);
		rec_settle_contention();
	}
done:
	rec_leave();
}

uint32_t rec_free(void *block)
{
	struct rec_sample was;

	if (!block || !rec_enter())
		return 0;
	was = rec_sample_remove(block);
	if (was.bucket) {
		count_free(was);
		rec_self.last.was_temporary = rec_self.last.bucket == was.bucket &&
					      rec_self.last.until_sample == rec_self.until_sample;
		if (rec_self.last.was_temporary)
			count_temporary(was.bucket, 1);
		rec_self.last.bucket = 0;
		rec_self.last.excess = was.excess;
	}
	rec_leave();
	return was.bucket;
}

void rec_unfree(void *block, uint32_t bucket)
{
	struct rec_sample s = {.block = (uintptr_t)block,
			       .bucket = bucket,
			       .excess = rec_self.last.excess},
			  was;

	if (!block || !bucket || !rec_enter())
		return;
	if (bucket <= REC_NBUCKETS(rec_core->arena.scale) && rec_sample_add(s, &was)) {
		if (was.bucket)
			count_free(was);
		rec_heap_count(bucket, 0, (uint64_t)-1, weight(s));
		if (rec_self.last.was_temporary)
			count_temporary(bucket, (uint64_t)-1);
	}
	rec_leave();
}

void rec_set_heap_rate(uint64_t rate)
{
	if (!rec_alive())
		return;
	atomic_store_explicit(&rec_core->arena.header->options.heap_rate, rate,
			      memory_order_relaxed);
	rec_self.heap_rate = rate;
	rec_self.until_sample = next_sample(rate);
}

void rec_heap_publish(const struct rec_arena *a)
{
	uint32_t at =
	    atomic_load_explicit(&a->header->newest[REC_HEAP_BUCKET], memory_order_acquire);
	uint32_t most = REC_NBUCKETS(a->scale);

	/* Newest first. The number of steps is bounded, as the program may have overwritten the links. */
	for (uint32_t steps = 0; at && at <= most && steps < most; steps++) {
		struct rec_bucket *b = &a->buckets[at - 1];
		struct rec_heap_counts *to = &b->u.heap.published, *from = &b->u.heap.now;
		/* Frees first, so every free that is published has its allocation published too. */
		uint64_t frees = atomic_load_explicit(&from->frees, memory_order_acquire);
		uint64_t allocs = atomic_load_explicit(&from->allocs, memory_order_relaxed);

		atomic_store_explicit(&to->frees, frees, memory_order_relaxed);
		atomic_store_explicit(&to->allocs, allocs, memory_order_relaxed);
		/* Read once, so that the value checked above is the value followed. */
		at = *(const volatile uint32_t *)&b->allnext;
	}
}
