#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tprof-record/api/lib.h"

enum { ROOM = 64, N = 20000 };

static __attribute__((noinline)) int deep(int n)
{
	if (n)
		return deep(n - 1) + 1;
	tprof_block_event(100);
	API_STAY();
	return 0;
}

struct sums {
	int64_t count, cycles;
};

static struct sums sum(size_t (*profile)(struct tprof_block_record *, size_t, bool *))
{
	struct tprof_block_record p[ROOM];
	size_t n = profile(p, ROOM, NULL);
	struct sums s = {0};

	for (size_t i = 0; i < n; i++) {
		s.count += p[i].count;
		s.cycles += p[i].cycles;
	}
	return s;
}

static bool about(int64_t got, int64_t want)
{
	return got > want / 2 && got < want * 2;
}

/* Results of the releases of Go's profiler for the same program: waits of 1 us at a rate of 100 us,
 * and unlocks of which one in ten is sampled. */
static const struct version {
	unsigned release;
	struct sums block, mutex;
} versions[] = {
    /* Block samples are not corrected, and the mutex profile does not exist. */
    {105, {N / 100, N / 100 * 1000}, {0, 0}},
    /* Neither profile is scaled up. */
    {108, {N / 100, N / 100 * 1000}, {N / 10, N / 10 * 500}},
    /* A sampled short wait also counts for those that were not sampled. */
    {118, {N, N * 1000}, {N / 10, N / 10 * 500}},
    {126, {N, N * 1000}, {N, N * 500}},
};

static int follow(const struct version *v)
{
	struct sums block, mutex;

	if (tprof_set_profiler(v->release))
		return 1;
	tprof_set_block_rate(100000);
	tprof_set_mutex_fraction(10);
	if (tprof_set_profiler(v->release) != EBUSY)
		return 2;
	for (int i = 0; i < N; i++) {
		tprof_block_event(1000);
		tprof_unlock_event(500);
	}
	block = sum(tprof_block_profile);
	mutex = sum(tprof_mutex_profile);
	if (!about(block.count, v->block.count) || !about(block.cycles, v->block.cycles))
		return 3;
	if (v->mutex.count
		? !about(mutex.count, v->mutex.count) || mutex.cycles != mutex.count * 500
		: mutex.count != 0)
		return 4;
	return 0;
}

/* Each release needs its own process, because a process can choose only once. */
static void test_set_profiler_versions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit(follow(&versions[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static void test_set_stack_depth(void **state)
{
	struct tprof_block_record p[ROOM];

	(void)state;
	assert_int_equal(tprof_set_stack_depth(0), EINVAL);
	assert_int_equal(tprof_set_stack_depth(1025), EINVAL);
	assert_int_equal(tprof_set_stack_depth(5), 0);
	tprof_set_block_rate(1);
	assert_int_equal(tprof_set_stack_depth(6), EBUSY);
	assert_int_equal(deep(20), 20);
	assert_int_equal(tprof_block_profile(p, ROOM, NULL), 1);
	assert_int_not_equal(p[0].stack.stack[4], 0);
	assert_int_equal(p[0].stack.stack[5], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_profiler_versions),
	    cmocka_unit_test(test_set_stack_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
