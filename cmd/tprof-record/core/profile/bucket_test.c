#include <pthread.h>

#include "tprof-record/core/testing.h"

static const struct rec_options options = {.block_rate = 1};

static void test_bucket_key(void **state)
{
	uint64_t pcs[] = {0x401000, 0x402000, 0x7f0000001234};
	uint32_t stack, a, b, c, d;

	(void)state;
	begin_with(&options);
	stack = stack_of(pcs, 3);
	assert_true(rec_enter());
	a = rec_bucket_of(REC_HEAP_BUCKET, stack, 24);
	b = rec_bucket_of(REC_HEAP_BUCKET, stack, 32);
	c = rec_bucket_of(REC_BLOCK_BUCKET, stack, 24);
	d = rec_bucket_of(REC_HEAP_BUCKET, 0, 24);
	assert_int_equal(a, rec_bucket_of(REC_HEAP_BUCKET, stack, 24));
	assert_int_equal(c, rec_bucket_of(REC_BLOCK_BUCKET, stack, 24));
	rec_leave();
	assert_int_equal(1, a);
	assert_int_equal(2, b);
	assert_int_equal(3, c);
	assert_int_equal(4, d);
	/* Newest first, each kind by itself. */
	assert_int_equal(d, header()->newest[REC_HEAP_BUCKET]);
	assert_int_equal(b, bucket(d)->allnext);
	assert_int_equal(a, bucket(b)->allnext);
	assert_int_equal(0, bucket(a)->allnext);
	assert_int_equal(c, header()->newest[REC_BLOCK_BUCKET]);
	assert_int_equal(0, bucket(c)->allnext);
}

/* Each bucket is found by its key, and is in the list of its kind. */
static void check_lists(void)
{
	uint32_t i, at, n = 0;

	assert_true(rec_enter());
	for (i = 1; i <= header()->buckets.used; i++)
		assert_int_equal(i, rec_bucket_of((enum rec_bucket_kind)bucket(i)->kind,
						  bucket(i)->stack, bucket(i)->size));
	rec_leave();
	for (i = 1; i < REC_NBUCKET_KINDS; i++)
		for (at = header()->newest[i]; at; at = bucket(at)->allnext, n++)
			assert_int_equal(i, bucket(at)->kind);
	assert_int_equal(n, header()->buckets.used);
}

static void test_bucket_full(void **state)
{
	uint32_t i, got = 0, stack;

	(void)state;
	begin_with(&options);
	stack = stack_with(77);
	assert_true(rec_enter());
	for (i = 0; i < REC_NBUCKETS(0) + 100; i++)
		got += rec_bucket_of(REC_HEAP_BUCKET, stack, i) != 0;
	rec_leave();
	assert_int_equal(REC_NBUCKETS(0), got);
	assert_int_equal(100, lost(REC_LOST_BUCKETS));
	check_lists();
}

enum { THREADS = 4, SIZES = 2000 };
static uint32_t result[THREADS][SIZES];

static void *find_all(void *arg)
{
	uint32_t *mine = arg, i, k, stack = stack_with(99);

	for (k = 0; k < 5; k++) {
		assert_true(rec_enter());
		for (i = 0; i < SIZES; i++)
			mine[i] = rec_bucket_of(REC_HEAP_BUCKET, stack, i);
		rec_leave();
		for (i = 0; i < SIZES; i++)
			rec_block_event(10, stack);
	}
	rec_thread_end();
	return NULL;
}

static void test_bucket_at_once(void **state)
{
	pthread_t thread[THREADS];
	const struct rec_bucket *b;
	size_t i;

	(void)state;
	begin_with(&options);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, find_all, result[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 1; i < THREADS; i++)
		assert_memory_equal(result[0], result[i], sizeof(result[0]));
	check_lists();
	assert_int_equal(SIZES + 1, header()->buckets.used);
	b = bucket_with(REC_BLOCK_BUCKET, stack_with(99));
	assert_true(count_of(b) == THREADS * 5 * SIZES);
	assert_true(b->u.block.cycles == THREADS * 5 * SIZES * 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_bucket_key, stop),
	    cmocka_unit_test_teardown(test_bucket_full, stop),
	    cmocka_unit_test_teardown(test_bucket_at_once, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
