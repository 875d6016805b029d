#include <pthread.h>
#include <sys/resource.h>

#include "tprof-record/core/testing.h"

static const struct rec_options options = {.heap_rate = 1};

static void *block(uint64_t i)
{
	return (void *)(uintptr_t)(0x7f0000000000 + i * 16);
}

static void enter(void)
{
	begin_with(&options);
	assert_true(rec_enter());
}

static int leave(void **state)
{
	memset(rec_sampled, 0, sizeof(rec_sampled));
	rec_leave();
	return stop(state);
}

static bool add(const void *at, uint32_t bucket_of, uint32_t *was)
{
	struct rec_sample before;
	bool added = rec_sample_add(
	    (struct rec_sample){.block = (uintptr_t)at, .bucket = bucket_of}, &before);

	*was = before.bucket;
	return added;
}

static uint32_t removed(const void *at)
{
	return rec_sample_remove(at).bucket;
}

/* Against a plain array, over many additions and removals. */
static void test_sample_model(void **state)
{
	enum { N = 5000 };
	static uint32_t model[N];
	uint64_t dice = 9;
	uint32_t was, i, k;

	(void)state;
	enter();
	memset(model, 0, sizeof(model));
	for (i = 0; i < 400000; i++) {
		dice = dice * 6364136223846793005u + 1442695040888963407u;
		k = (uint32_t)(dice >> 33) % N;
		if (dice >> 63) {
			assert_true(add(block(k), i + 1, &was));
			assert_int_equal(model[k], was);
			model[k] = i + 1;
		} else {
			assert_int_equal(model[k], removed(block(k)));
			model[k] = 0;
		}
		if (model[k])
			assert_true(rec_maybe_sampled(block(k)));
	}
	for (k = 0; k < N; k++)
		assert_int_equal(model[k], removed(block(k)));
	/* No counter has run over or under. */
	for (i = 0; i < sizeof(rec_sampled); i++)
		assert_int_equal(0, rec_sampled[i]);
}

/* A counter that is stuck stays "perhaps", whatever happens. */
static void test_sample_counter_stuck(void **state)
{
	static uintptr_t same[600];
	uint64_t h, i, n = 0;
	uint32_t was;
	uint8_t *counter;

	(void)state;
	enter();
	for (i = 1; n < 600; i++) {
		h = (uint64_t)(uintptr_t)block(i) * 0x9e3779b97f4a7c15u;
		if (h >> 48 == 1234)
			same[n++] = (uintptr_t)block(i);
	}
	counter = &rec_sampled[1234];
	for (i = 0; i < 254; i++)
		add((void *)same[i], 1, &was);
	assert_int_equal(254, *counter);
	removed((void *)same[0]);
	assert_int_equal(253, *counter);
	for (i = 0; i < 600; i++)
		add((void *)same[i], 1, &was);
	assert_int_equal(255, *counter);
	for (i = 0; i < 600; i++)
		assert_int_equal(1, removed((void *)same[i]));
	assert_int_equal(255, *counter);
	assert_int_equal(0, removed((void *)same[0]));
}

static void test_sample_memory(void **state)
{
	const struct rec_shard *s = rec_state()->shard;
	uint64_t n, i, bytes;
	uint32_t was;

	(void)state;
	enter();
	s = rec_state()->shard;
	for (n = 1; n <= 300000; n++) {
		assert_true(add(block(n), 1, &was));
		if (n % 50000)
			continue;
		for (i = 0, bytes = 0; i < REC_NSHARDS; i++)
			bytes += sizeof(struct rec_sample) << s[i].bits;
		assert_true(bytes / n < 64);
	}
}

static void test_sample_no_memory(void **state)
{
	struct rlimit was_limit, none;
	uint32_t was, added = 0, i;

	(void)state;
	enter();
	assert_int_equal(0, getrlimit(RLIMIT_AS, &was_limit));
	none = was_limit;
	none.rlim_cur = 1 << 20;
	assert_int_equal(0, setrlimit(RLIMIT_AS, &none));
	for (i = 0; i < 1000; i++)
		added += add(block(i), 1, &was);
	setrlimit(RLIMIT_AS, &was_limit);
	assert_int_equal(0, added);
	assert_int_equal(1000, lost(REC_LOST_BLOCKS));
	assert_true(add(block(5), 1, &was));
	assert_int_equal(1, removed(block(5)));
	/* A table that cannot grow is filled to the last place but one. */
	for (i = 0; i < 2000; i++)
		assert_true(add(block(i), 2, &was));
	assert_int_equal(0, setrlimit(RLIMIT_AS, &none));
	for (; i < 50000; i++)
		add(block(i), 2, &was);
	setrlimit(RLIMIT_AS, &was_limit);
	added = 50000 - (uint32_t)(lost(REC_LOST_BLOCKS) - 1000);
	for (i = 0; i < 50000; i++)
		added -= removed(block(i)) == 2;
	assert_int_equal(0, added);
}

static _Atomic uint32_t wrong;

static void *add_and_remove(void *arg)
{
	uint64_t me = (uint64_t)(uintptr_t)arg, i, round;
	uint32_t was;

	rec_enter();
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 3000; i++)
			if (!add(block(me * 100000 + i), (uint32_t)me, &was) || was)
				wrong++;
		for (i = 0; i < 3000; i++)
			if (!rec_maybe_sampled(block(me * 100000 + i)) ||
			    removed(block(me * 100000 + i)) != me)
				wrong++;
	}
	return NULL;
}

static void test_sample_at_once(void **state)
{
	pthread_t thread[4];
	uint64_t i;

	(void)state;
	enter();
	wrong = 0;
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, add_and_remove, (void *)(uintptr_t)(i + 1));
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(0, wrong);
	for (i = 0; i < sizeof(rec_sampled); i++)
		assert_int_equal(0, rec_sampled[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_sample_model, leave),
	    cmocka_unit_test_teardown(test_sample_counter_stuck, leave),
	    cmocka_unit_test_teardown(test_sample_memory, leave),
	    cmocka_unit_test_teardown(test_sample_no_memory, leave),
	    cmocka_unit_test_teardown(test_sample_at_once, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
