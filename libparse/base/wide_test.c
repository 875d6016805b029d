#include "base/wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MOST	 UINT64_MAX

typedef bool scale_fn(uint64_t value, uint64_t by, uint64_t of, uint64_t *result);

static void check_scale(scale_fn *scale)
{
	static const struct {
		uint64_t value, by, of;
		bool fits;
		uint64_t result;
	} cases[] = {
	    {0, 0, 1, true, 0},
	    {0, MOST, MOST, true, 0},
	    {7, 3, 2, true, 10},
	    {MOST, MOST, MOST, true, MOST},
	    {MOST, 1, 1, true, MOST},
	    {MOST, 2, 2, true, MOST},
	    {MOST, 2, 1, false, 0},
	    {MOST, MOST, MOST - 1, false, 0},
	    {MOST - 1, MOST, MOST, true, MOST - 1},
	    {MOST - 1, MOST - 1, MOST, true, MOST - 2},
	    {(uint64_t)1 << 63, 2, 1, false, 0},
	    {(uint64_t)1 << 63, 2, 2, true, (uint64_t)1 << 63},
	    {(uint64_t)1 << 32, (uint64_t)1 << 32, 2, true, (uint64_t)1 << 63},
	    {UINT32_MAX, UINT32_MAX, 1, true, UINT64_C(0xfffffffe00000001)},
	    {UINT64_C(1234567890123456789), 1000000007, 1000000009, true,
	     UINT64_C(1234567887654321030)},
	    {UINT64_C(0xffffffff00000001), UINT64_C(0xfffffffeffffffff),
	     UINT64_C(0xfffffffffffffffe), true, UINT64_C(0xfffffffe00000002)},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t result = 0;

		assert_int_equal(scale(cases[i].value, cases[i].by, cases[i].of, &result),
				 cases[i].fits);
		assert_int_equal(result, cases[i].result);
	}
}

static void test_scale_table(void **state)
{
	(void)state;
	check_scale(tp_scale);
}

static void test_scale_slow_table(void **state)
{
	(void)state;
	check_scale(tp_scale_slow);
}

/* Both functions agree for numbers of all sizes. For products below 2^64, plain division gives the
 * same result. */
static void test_scale_both_ways(void **state)
{
	uint64_t x = 88172645463325252;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t n[3], fast = 1, slow = 1;
		bool fits;

		for (int k = 0; k < 3; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			n[k] = x >> (x >> 3) % 64;
		}
		n[2] += !n[2];
		fits = tp_scale_slow(n[0], n[1], n[2], &slow);
		assert_int_equal(tp_scale(n[0], n[1], n[2], &fast), fits);
		assert_int_equal(fast, slow);
		if (n[0] <= UINT32_MAX && n[1] <= UINT32_MAX)
			assert_true(fits && slow == n[0] * n[1] / n[2]);
	}
}

static void test_moments(void **state)
{
	static const struct {
		int64_t at;
		uint64_t by;
		bool after, before;
	} cases[] = {
	    {0, 0, true, true},
	    {0, INT64_MAX, true, true},
	    {0, (uint64_t)INT64_MAX + 1, false, false},
	    {INT64_MAX, 1, false, true},
	    {INT64_MAX, MOST - 1, false, true},
	    {INT64_MAX, MOST, false, false},
	    {INT64_MIN + 1, MOST - 1, true, false},
	    {INT64_MIN + 1, 0, true, true},
	    {INT64_MIN, 0, false, false},
	    {INT64_MIN, MOST, true, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t at = cases[i].at, to = 0;

		assert_int_equal(tp_after(at, cases[i].by, &to), cases[i].after);
		if (cases[i].after)
			assert_true(to >= at && tp_apart(to, at) == cases[i].by);
		assert_int_equal(tp_before(at, cases[i].by, &to), cases[i].before);
		if (cases[i].before)
			assert_true(to <= at && tp_apart(at, to) == cases[i].by);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scale_table),
	    cmocka_unit_test(test_scale_slow_table),
	    cmocka_unit_test(test_scale_both_ways),
	    cmocka_unit_test(test_moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
