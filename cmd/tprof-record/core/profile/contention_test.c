#include <math.h>
#include <pthread.h>

#include "tprof-record/core/testing.h"

static uint64_t dice;

static uint64_t roll(uint64_t n)
{
	dice = dice * 6364136223846793005u + 1442695040888963407u;
	return (dice >> 20) % n;
}

struct totals {
	double count, ns;
};

static struct totals totals(enum rec_bucket_kind kind, uint32_t stack)
{
	const struct rec_bucket *b = bucket_with(kind, stack);

	return b ? (struct totals){count_of(b), (double)b->u.block.cycles} : (struct totals){0};
}

static void assert_about(double expected, double is, double tolerance)
{
	if (fabs(is - expected) > tolerance * expected)
		fail_msg("%g is not about %g", is, expected);
}

static void test_block_rate_1(void **state)
{
	static const uint32_t profilers[] = {105, 108, 118, 126};
	uint32_t stack;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct rec_options options = {.block_rate = 1, .profiler = profilers[i]};

		begin_with(&options);
		stack = stack_with(1);
		rec_block_event(100, stack);
		rec_block_event(0, stack); /* counts as 1 */
		assert_true(totals(REC_BLOCK_BUCKET, stack).count == 2);
		assert_true(totals(REC_BLOCK_BUCKET, stack).ns == 101);
		options.block_rate = 0;
		begin_with(&options);
		rec_block_event(100, stack_with(1));
		assert_int_equal(0, header()->buckets.used);
	}
}

/* Short and long waits at a rate between them: what the profile says on average. */
static void test_block_expectation(void **state)
{
	static const uint32_t profilers[] = {105, 108, 118, 126};
	const uint64_t rate = 10000;
	size_t i;
	uint32_t k;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct rec_options options = {
		    .block_rate = rate, .profiler = profilers[i], .seed = 5};
		struct totals truth = {0}, biased = {0}, t;
		uint32_t stack;

		begin_with(&options);
		stack = stack_with(1);
		dice = 1;
		for (k = 0; k < 200000; k++) {
			uint64_t ns = k % 4 ? 1 + roll(5000) : 1000 + roll(50000);
			double chance = ns >= rate ? 1 : (double)ns / (double)rate;

			rec_block_event(ns, stack);
			truth.count++;
			truth.ns += (double)ns;
			biased.count += chance;
			biased.ns += chance * (double)ns;
		}
		t = totals(REC_BLOCK_BUCKET, stack);
		if (profilers[i] >= 118) {
			assert_about(truth.count, t.count, 0.05);
			assert_about(truth.ns, t.ns, 0.05);
			assert_true(biased.count < 0.9 * truth.count);
		} else {
			assert_about(biased.count, t.count, 0.05);
			assert_about(biased.ns, t.ns, 0.05);
		}
	}
}

static void test_mutex_expectation(void **state)
{
	static const struct {
		uint32_t profiler;
		uint64_t fraction;
		double scale;
	} cases[] = {{105, 1, 0}, {108, 1, 1},	{108, 10, 0.1}, {118, 10, 0.1},
		     {126, 1, 1}, {126, 10, 1}, {126, 3, 1},	{126, 0, 0}};
	size_t i;
	uint32_t k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rec_options options = {
		    .mutex_fraction = cases[i].fraction, .profiler = cases[i].profiler, .seed = 6};
		struct totals truth = {0}, t;
		uint32_t stack;

		begin_with(&options);
		stack = stack_with(1);
		dice = 2;
		for (k = 0; k < 200000; k++) {
			uint64_t ns = roll(10000);

			rec_mutex_event(ns, stack);
			truth.count++;
			truth.ns += (double)ns;
		}
		t = totals(REC_MUTEX_BUCKET, stack);
		assert_about(truth.count * cases[i].scale, t.count, 0.05);
		assert_about(truth.ns * cases[i].scale, t.ns, 0.05);
	}
}

/* The recorder's own: one frame, in a function whose name says it. */
static void test_contention_is_settled(void **state)
{
	struct rec_options options = {.mutex_fraction = 1};
	const struct rec_bucket *b;
	const struct rec_node *node;

	(void)state;
	begin_with(&options);
	rec_self.contention = 12345;
	rec_mutex_event(1, stack_with(1));
	assert_int_equal(0, rec_self.contention);
	assert_int_equal(12345, lost(REC_LOST_CONTENTION));
	b = bucket(header()->newest[REC_MUTEX_BUCKET]);
	assert_true(count_of(b) == 1 && b->u.block.cycles == 12345);
	node = &rec_core->arena.nodes[b->stack];
	assert_int_equal(1, node->depth);
	assert_int_equal(0, node->parent);
}

/* ---- locks ---- */

static _Atomic uint32_t lock;
static uint64_t counter;

static void *count(void *arg)
{
	uint32_t i;

	for (i = 0; i < 100000; i++) {
		rec_lock(&lock);
		counter++;
		rec_unlock(&lock);
	}
	return arg;
}

static void test_lock_excludes(void **state)
{
	pthread_t thread[4];
	size_t i;

	(void)state;
	lock = 0;
	counter = 0;
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, count, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_true(counter == 400000);
	assert_int_equal(0, lock);
}

/* Somebody died with it: whoever comes next has it after a while, and the time is on record. */
static void test_lock_outlives_its_owner(void **state)
{
	uint64_t start = rec_now();

	(void)state;
	rec_self.contention = 0;
	lock = 1;
	rec_lock(&lock);
	assert_true(rec_now() - start >= 400000000);
	assert_true(rec_self.contention >= 400000000);
	rec_self.contention = 0;
	rec_unlock(&lock);
	rec_lock(&lock);
	assert_int_equal(0, rec_self.contention);
	rec_unlock(&lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_block_rate_1, stop),
	    cmocka_unit_test_teardown(test_block_expectation, stop),
	    cmocka_unit_test_teardown(test_mutex_expectation, stop),
	    cmocka_unit_test_teardown(test_contention_is_settled, stop),
	    cmocka_unit_test(test_lock_excludes),
	    cmocka_unit_test(test_lock_outlives_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
