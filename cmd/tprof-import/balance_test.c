/* Dividing dumps among tasks. */
#include "tprof-import/balance.c"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define MIB ((uint64_t)1 << 20)

static void test_balance_tasks_by_cost(void **state)
{
	static const struct {
		uint64_t cost;
		size_t n, most, want;
	} cases[] = {
	    {0, 1, 1000, 1},
	    {1, 10, 1000, 1},
	    {128 * MIB, 10, 1000, 1},
	    {128 * MIB + 1, 10, 1000, 2},
	    {10000 * MIB, 10000, 1000, 79},
	    {10000 * MIB, 3, 1000, 3},
	    {UINT64_MAX, 100000, 1000, 1000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(balance_tasks(cases[i].cost, cases[i].n, cases[i].most),
				 cases[i].want);
	assert_true(balance_cost(0) > 0);
	assert_true(balance_cost(UINT64_MAX) == UINT64_MAX);
}

static void test_balance_dearest_first(void **state)
{
	static const uint64_t cost[] = {3, 9, 1, 8, 2, 9, 1};
	/* 9, 9 and 8 come first, then 3 joins the 8, 2 one 9, and both 1s the other: 11, 11, 11. */
	static const uint32_t want[] = {2, 0, 1, 2, 0, 1, 1};
	uint32_t task[7];

	(void)state;
	assert_int_equal(balance(cost, 7, 3, task), 0);
	assert_memory_equal(task, want, sizeof(want));
}

/* No task exceeds the mean plus the dearest dump, no task is empty, and the result is the same each time.
 */
static void test_balance_random(void **state)
{
	static uint64_t cost[3000];
	static uint32_t task[3000], again[3000];
	static uint64_t sum[1000];
	uint64_t seed = 7;

	(void)state;
	for (size_t tasks = 1; tasks <= 1000; tasks = tasks * 3 + 1) {
		uint64_t total = 0, dearest = 0;

		for (size_t i = 0; i < 3000; i++) {
			seed = seed * 6364136223846793005U + 1442695040888963407U;
			cost[i] = balance_cost((seed >> 33) % (seed >> 60 ? 10 * MIB : 900 * MIB));
			total += cost[i];
			dearest = cost[i] > dearest ? cost[i] : dearest;
		}
		memset(sum, 0, sizeof(sum));
		assert_int_equal(balance(cost, 3000, tasks, task), 0);
		assert_int_equal(balance(cost, 3000, tasks, again), 0);
		assert_memory_equal(task, again, sizeof(task));
		for (size_t i = 0; i < 3000; i++) {
			assert_true(task[i] < tasks);
			sum[task[i]] += cost[i];
		}
		for (size_t i = 0; i < tasks; i++) {
			assert_true(sum[i] > 0);
			assert_true(sum[i] <= total / tasks + dearest);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_balance_tasks_by_cost),
	    cmocka_unit_test(test_balance_dearest_first),
	    cmocka_unit_test(test_balance_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
