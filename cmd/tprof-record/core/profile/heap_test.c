#include <math.h>
#include <pthread.h>

#include "tprof-record/core/testing.h"

static void snapshot(void)
{
	rec_heap_publish(&rec_core->arena);
}

struct totals {
	uint64_t allocs, frees, alloc_bytes, free_bytes;
};

static struct totals totals(void)
{
	struct totals t = {0};
	uint32_t at;

	for (at = header()->newest[REC_HEAP_BUCKET]; at; at = bucket(at)->allnext) {
		const struct rec_bucket *b = bucket(at);

		t.allocs += b->u.heap.published.allocs;
		t.frees += b->u.heap.published.frees;
		t.alloc_bytes += b->u.heap.published.allocs * b->size;
		t.free_bytes += b->u.heap.published.frees * b->size;
	}
	return t;
}

/* As an interposed malloc and free do it. */
static uint64_t next_block = 0x10000;

static void *allocate(size_t size)
{
	void *p = (void *)(uintptr_t)(next_block += (size + 31) / 16 * 16);

	if ((rec_self.until_sample -= (int64_t)size) < 0)
		rec_malloc(p, size, 0);
	return p;
}

static uint32_t release(void *p)
{
	return rec_maybe_sampled(p) ? rec_free(p) : 0;
}

static void test_heap_rate_1_is_exact(void **state)
{
	const struct rec_options options = {.heap_rate = 1};
	struct totals t;
	uint64_t bytes = 0, freed = 0;
	uint32_t i;
	void *p;

	(void)state;
	begin_with(&options);
	for (i = 0; i < 10000; i++) {
		p = allocate(i % 100 + 1);
		bytes += i % 100 + 1;
		if (i % 3 == 0) {
			assert_int_not_equal(0, release(p));
			freed += i % 100 + 1;
		}
		assert_int_equal(0, release((void *)(uintptr_t)(8 + i * 16)));
	}
	assert_int_equal(0, totals().allocs);
	snapshot();
	t = totals();
	assert_true(t.allocs == 10000 && t.alloc_bytes == bytes);
	assert_true(t.frees == 3334 && t.free_bytes == freed);
}

static void test_heap_off(void **state)
{
	const struct rec_options options = {0};
	uint32_t i;

	(void)state;
	begin_with(&options);
	for (i = 0; i < 100000; i++)
		allocate(1000);
	assert_int_equal(0, header()->buckets.used);
	/* On, and off again. */
	rec_set_heap_rate(1);
	allocate(10);
	rec_set_heap_rate(0);
	for (i = 0; i < 10000; i++)
		allocate(1000);
	snapshot();
	assert_int_equal(1, totals().allocs);
}

static void *allocate_some(void *arg)
{
	uint32_t i;

	for (i = 0; i < 2000; i++)
		allocate(1024);
	rec_thread_end();
	return arg;
}

/* A thread that was idle while sampling was switched on notices, after a MiB at most. */
static void test_heap_rate_of_other_threads(void **state)
{
	const struct rec_options options = {0};
	pthread_t thread;

	(void)state;
	begin_with(&options);
	allocate(1024);
	header()->options.heap_rate = 1;
	assert_int_equal(0, pthread_create(&thread, NULL, allocate_some, NULL));
	pthread_join(thread, NULL);
	snapshot();
	assert_int_equal(2000, totals().allocs);
	allocate_some(NULL);
	rec_self.depth = 0;
	snapshot();
	assert_in_range(totals().allocs, 2000 + 2000 - 1025, 4000);
}

static void test_heap_unfree(void **state)
{
	const struct rec_options options = {.heap_rate = 1};
	struct totals t;
	uint32_t bucket;
	void *p;

	(void)state;
	begin_with(&options);
	p = allocate(100);
	bucket = release(p);
	assert_int_not_equal(0, bucket);
	snapshot();
	rec_unfree(p, bucket);
	rec_unfree(p, 0);
	snapshot();
	t = totals();
	assert_true(t.allocs == 1 && t.frees == 0);
	assert_int_equal(bucket, release(p));
	snapshot();
	t = totals();
	assert_true(t.allocs == 1 && t.frees == 1);
}

/* A block at a place whose last one went without our knowledge: that one is freed. */
static void test_heap_block_gone(void **state)
{
	const struct rec_options options = {.heap_rate = 1};
	struct totals t;

	(void)state;
	begin_with(&options);
	rec_malloc((void *)0x5000, 10, 0);
	rec_malloc((void *)0x5000, 20, 0);
	snapshot();
	t = totals();
	assert_true(t.allocs == 2 && t.alloc_bytes == 30);
	assert_true(t.frees == 1 && t.free_bytes == 10);
}

static void test_heap_seed(void **state)
{
	struct rec_options options = {.heap_rate = 65536, .seed = 42};
	uint64_t first = 0;
	uint32_t round, i;

	(void)state;
	for (round = 0; round < 3; round++) {
		begin_with(&options);
		for (i = 0; i < 10000; i++)
			allocate(500);
		snapshot();
		if (round == 1)
			assert_int_equal(first, totals().allocs);
		if (round == 2)
			assert_int_not_equal(0, totals().allocs);
		first = totals().allocs;
		options.seed += round;
	}
}

/* What each bucket has in use at the peak, against a copy of all made at each one. */
static void test_heap_peak(void **state)
{
	enum { N = 40, SIZES = 7 };
	const struct rec_options options = {.heap_rate = 1};
	uint64_t now[SIZES] = {0}, then[SIZES] = {0}, in_use = 0, peak = 0, dice = 5;
	void *block[N] = {0};
	size_t size[N];
	uint32_t at, seen = 0;

	(void)state;
	begin_with(&options);
	for (int i = 0; i < 20000; i++) {
		size_t k, s;

		dice = dice * 6364136223846793005u + 1442695040888963407u;
		k = (dice >> 33) % N;
		if (block[k]) {
			release(block[k]);
			block[k] = NULL;
			now[size[k]]--;
			in_use -= 100 + size[k];
			continue;
		}
		size[k] = s = (dice >> 50) % SIZES;
		block[k] = allocate(100 + s);
		now[s]++;
		in_use += 100 + s;
		if (in_use > peak) {
			peak = in_use;
			memcpy(then, now, sizeof(then));
		}
	}
	assert_int_equal(peak, header()->peak);
	assert_int_equal(in_use, header()->in_use);
	for (at = header()->newest[REC_HEAP_BUCKET]; at; at = bucket(at)->allnext, seen++)
		assert_int_equal(then[bucket(at)->size - 100],
				 rec_heap_at_peak(header(), bucket(at)));
	assert_int_equal(SIZES, seen);
}

/* The peak of samples is that of the bytes that they stand for: at its moment there are few large blocks. */
static void test_heap_peak_sampled(void **state)
{
	enum { N = 400000 };
	const struct rec_options options = {.heap_rate = 65536, .seed = 3};
	static void *block[N];
	double small = 0;
	uint32_t at;

	(void)state;
	begin_with(&options);
	for (size_t i = 0; i < N; i++)
		block[i] = allocate(100);
	for (size_t i = 0; i < N; i++)
		release(block[i]);
	for (size_t i = 0; i < 20; i++)
		allocate(1000000);
	assert_in_range(header()->peak, 36000000, 44000000);
	assert_in_range(header()->in_use, 19000000, 21000000);
	for (at = header()->newest[REC_HEAP_BUCKET]; at; at = bucket(at)->allnext)
		if (bucket(at)->size == 100)
			small += (double)rec_heap_at_peak(header(), bucket(at)) * 65586;
	assert_in_range((int64_t)small, 36000000, 44000000);
}

static uint64_t temporaries(void)
{
	uint64_t n = 0;

	for (uint32_t at = header()->newest[REC_HEAP_BUCKET]; at; at = bucket(at)->allnext)
		n += bucket(at)->u.heap.temporary;
	return n;
}

/* As heaptrack: freed before the thread allocates or frees anything else. */
static void test_heap_temporary(void **state)
{
	struct rec_options options = {.heap_rate = 1};
	uint32_t was;
	void *a, *b;

	(void)state;
	begin_with(&options);
	release(allocate(10));
	assert_int_equal(1, temporaries());
	a = allocate(11);
	b = allocate(10);
	release(a);
	release(b); /* after another free */
	assert_int_equal(1, temporaries());
	a = allocate(10);
	release(allocate(20));
	release(a);
	assert_int_equal(2, temporaries());
	/* A realloc that fails is no free. */
	a = allocate(30);
	was = release(a);
	assert_int_equal(3, temporaries());
	rec_unfree(a, was);
	assert_int_equal(2, temporaries());
	/* An allocation in between that is not sampled counts as well. */
	options.heap_rate = 1000;
	stop(NULL);
	begin_with(&options);
	for (int i = 0; i < 10000; i++) {
		a = allocate(500);
		if (i % 2)
			allocate(1);
		release(a);
	}
	assert_in_range(temporaries(), 1500, 2500);
}

/* Estimates of a heap that is known, unsampled as Go's pprof does it (scaleHeapSample): the rms of
 * their errors over many runs beside what a Poisson process gives in theory. */
static double measure(uint64_t rate, unsigned runs, double *theory, double *bias)
{
	enum { N = 60000 };
	static const uint32_t sizes[] = {16, 48, 200, 1000, 4096, 30000};
	double sum2 = 0, sum = 0, variance = 0, truth = 0;
	unsigned run, i;

	for (run = 0; run < runs; run++) {
		struct rec_options options = {.heap_rate = rate, .seed = run + 1};
		double estimate = 0;
		uint32_t at;

		begin_with(&options);
		truth = variance = 0;
		/* Twice as many as stay; each live block is sampled with chance p = 1 -
		 * exp(-size/rate) and stands for size/p bytes then: variance size² (1 - p)/p. */
		for (i = 0; i < N; i++) {
			uint32_t size = sizes[i * 7 % 6];
			double p = 1 - exp(-(double)size / (double)rate);

			allocate(size);
			release(allocate(size * 2));
			truth += size;
			variance += (double)size * size * (1 - p) / p;
		}
		snapshot();
		for (at = header()->newest[REC_HEAP_BUCKET]; at; at = bucket(at)->allnext) {
			const struct rec_bucket *b = bucket(at);
			double n = (double)(b->u.heap.published.allocs - b->u.heap.published.frees);

			estimate +=
			    n * (double)b->size / (1 - exp(-(double)b->size / (double)rate));
		}
		sum += estimate / truth - 1;
		sum2 += (estimate / truth - 1) * (estimate / truth - 1);
	}
	*theory = sqrt(variance) / truth;
	*bias = sum / runs;
	return sqrt(sum2 / runs);
}

static void test_heap_accuracy(void **state)
{
	static const uint64_t rates[] = {65536, 524288};
	const unsigned runs = 40;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		double theory, bias, rms = measure(rates[i], runs, &theory, &bias);

		print_message("rate %llu: rms %.2f %%, theory %.2f %%, bias %.2f %%\n",
			      (unsigned long long)rates[i], 100 * rms, 100 * theory, 100 * bias);
		/* The seeds are fixed: this passes always or never. */
		assert_true(rms < 1.3 * theory);
		assert_true(fabs(bias) < 3 * theory / sqrt(runs));
	}
}

enum { THREADS = 4 };

static void *allocate_and_free(void *arg)
{
	uint64_t at = (uint64_t)(uintptr_t)arg << 40, i;

	for (i = 0; i < 20000; i++) {
		void *p = (void *)(uintptr_t)(at + i % 64 * 16);

		if ((rec_self.until_sample -= 64) < 0)
			rec_malloc(p, 64, 0);
		if (rec_maybe_sampled(p))
			rec_free(p);
	}
	rec_thread_end();
	return NULL;
}

static _Atomic int over;
static uint64_t torn;

static void *take_snapshots(void *arg)
{
	uint64_t allocs = 0;

	while (!over) {
		struct totals t;

		snapshot();
		t = totals();
		/* Never a free without its allocation; nothing comes back, but for what a thread
		 * counts again. */
		torn += t.frees > t.allocs || t.allocs + THREADS < allocs;
		allocs = t.allocs;
	}
	return arg;
}

static void test_heap_snapshots_while_running(void **state)
{
	const struct rec_options options = {.heap_rate = 1};
	pthread_t thread[THREADS], snapper;
	struct totals t;
	size_t i;

	(void)state;
	begin_with(&options);
	over = 0;
	pthread_create(&snapper, NULL, take_snapshots, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, allocate_and_free, (void *)(i + 1));
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	over = 1;
	pthread_join(snapper, NULL);
	assert_int_equal(0, torn);
	/* What came late into the ring has been round by then. */
	for (i = 0; i < 3; i++)
		snapshot();
	t = totals();
	assert_true(t.allocs == THREADS * 20000);
	assert_true(t.frees == THREADS * 20000);
}

/* The trace has the memory in use where it has changed by 64 KiB, but not more often than once per millisecond. */
static void test_heap_in_trace(void **state)
{
	const struct rec_options options = {.heap_rate = 1, .trace = 1};

	(void)state;
	begin_with(&options);
	for (uintptr_t i = 1; i <= 10; i++)
		rec_malloc((void *)(i << 12), 10000, 0);
	assert_int_equal(1, count_events(REC_HEAP));
	assert_int_equal(70000, event_at(REC_HEAP, 0)->object);
	usleep(1100);
	for (uintptr_t i = 1; i <= 10; i++)
		rec_free((void *)(i << 12));
	assert_int_equal(2, count_events(REC_HEAP));
	assert_int_equal(0, event_at(REC_HEAP, 1)->object);
	/* The same again and again in a millisecond is told once or not at all. */
	for (uintptr_t i = 1; i <= 100; i++) {
		rec_malloc((void *)(i << 12), 70000, 0);
		rec_free((void *)(i << 12));
	}
	assert_true(count_events(REC_HEAP) < 20);
}

/* A block stands for as much when it is freed as when it was sampled, whatever the rate has become, and for no more
 * than a rate that samples can be drawn with. */
static void test_heap_rate_changes(void **state)
{
	const struct rec_options options = {.heap_rate = 1};
	void *p, *q;
	uint32_t was;

	(void)state;
	begin_with(&options);
	p = allocate(100);
	rec_set_heap_rate(1 << 20);
	rec_self.until_sample = 0;
	q = allocate(1000);
	assert_in_range(header()->in_use, 1 << 20, (1 << 20) + 1100);
	rec_set_heap_rate(UINT64_MAX);
	was = release(q);
	assert_int_equal(100, header()->in_use);
	rec_unfree(q, was);
	release(q);
	release(p);
	assert_int_equal(0, header()->in_use);
	rec_self.until_sample = 0;
	allocate(1000);
	assert_in_range(header()->in_use, 1000, 1 << 27);
}

/* Links that go round in a circle, or nowhere, end. */
static void test_heap_broken_links(void **state)
{
	const struct rec_options options = {.heap_rate = 1};
	uint32_t at;

	(void)state;
	begin_with(&options);
	assert_true(rec_enter());
	at = rec_bucket_of(REC_HEAP_BUCKET, 0, 8);
	rec_leave();
	bucket(at)->u.heap.now.allocs = 3;
	bucket(at)->u.heap.now.frees = 1;
	bucket(at)->allnext = at;
	snapshot();
	bucket(at)->allnext = UINT32_MAX;
	snapshot();
	assert_int_equal(3, bucket(at)->u.heap.published.allocs);
	assert_int_equal(1, bucket(at)->u.heap.published.frees);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_heap_broken_links, stop),
	    cmocka_unit_test_teardown(test_heap_rate_1_is_exact, stop),
	    cmocka_unit_test_teardown(test_heap_rate_changes, stop),
	    cmocka_unit_test_teardown(test_heap_in_trace, stop),
	    cmocka_unit_test_teardown(test_heap_off, stop),
	    cmocka_unit_test_teardown(test_heap_rate_of_other_threads, stop),
	    cmocka_unit_test_teardown(test_heap_unfree, stop),
	    cmocka_unit_test_teardown(test_heap_block_gone, stop),
	    cmocka_unit_test_teardown(test_heap_seed, stop),
	    cmocka_unit_test_teardown(test_heap_peak, stop),
	    cmocka_unit_test_teardown(test_heap_peak_sampled, stop),
	    cmocka_unit_test_teardown(test_heap_temporary, stop),
	    cmocka_unit_test_teardown(test_heap_accuracy, stop),
	    cmocka_unit_test_teardown(test_heap_snapshots_while_running, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
