#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hist.h"

static uint64_t dice(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void test_bucket_bounds_tile_all_values(void **state)
{
	(void)state;
	assert_int_equal(tp_hist_lower(0), 0);
	for (int b = 0; b < TP_HIST_BUCKETS; b++) {
		assert_int_equal(tp_hist_bucket(tp_hist_lower(b)), b);
		assert_int_equal(tp_hist_bucket(tp_hist_upper(b)), b);
		assert_int_equal(tp_hist_bucket(tp_hist_mid(b)), b);
		if (b)
			assert_int_equal(tp_hist_lower(b), tp_hist_upper(b - 1) + 1);
	}
	assert_true(tp_hist_upper(TP_HIST_BUCKETS - 1) == UINT64_MAX);
	assert_int_equal(tp_hist_lower(-3), 0);
	assert_true(tp_hist_upper(99999) == UINT64_MAX);
}

/* Stores contain bucket numbers, so they must never change. */
static void test_bucket_known_numbers(void **state)
{
	static const struct {
		uint64_t ns;
		int bucket;
	} cases[] = {{0, 0},	     {63, 63},		 {64, 64},	    {127, 127},
		     {128, 128},     {129, 128},	 {130, 129},	    {1000, 317},
		     {1000000, 954}, {1000000000, 1591}, {UINT64_MAX, 3775}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tp_hist_bucket(cases[i].ns), cases[i].bucket);
	assert_int_equal(tp_hist_bucket_of(1000), 317);
	assert_int_equal(tp_hist_bucket_of(-1), 0);
	assert_int_equal(tp_hist_bucket_of(INT64_MIN), 0);
}

static void test_mid_relative_error(void **state)
{
	uint64_t x = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t v = dice(&x) >> (dice(&x) & 63), mid = tp_hist_mid(tp_hist_bucket(v));
		uint64_t off = v > mid ? v - mid : mid - v;

		assert_true(off <= v / 128 + (v < 128 ? 0 : 1));
		assert_true((double)off <= 0.01 * (double)v);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

#define N 10000

static void test_percentile_within_one_percent(void **state)
{
	static const double qs[] = {0, 0.01, 0.5, 0.9, 0.99, 0.999, 1};
	static struct tp_hist h;
	static struct tp_hist_count pairs[TP_HIST_BUCKETS];
	static uint64_t values[N];
	uint64_t x = 2463534242u;
	size_t n = 0;

	(void)state;
	memset(&h, 0, sizeof(h));
	for (size_t i = 0; i < N; i++) {
		values[i] = dice(&x) % 1000000000u >> (dice(&x) % 24);
		tp_hist_add(&h, tp_hist_bucket(values[i]), 1);
	}
	qsort(values, N, sizeof(values[0]), by_value);
	for (uint32_t b = 0; b < TP_HIST_BUCKETS; b++)
		if (h.count[b])
			pairs[n++] = (struct tp_hist_count){b, h.count[b]};
	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		size_t at = (size_t)(qs[i] * N + 0.5);
		uint64_t want = values[at ? at - 1 : 0], got = tp_hist_quantile(&h, qs[i]);

		assert_true((double)(got > want ? got - want : want - got) <= 0.01 * (double)want);
		assert_int_equal(tp_hist_percentile(pairs, n, qs[i]), got);
	}
}

static void test_percentile_nearest_rank(void **state)
{
	static const struct tp_hist_count c[] = {{1, 1}, {2, 98}, {3, 1}};

	(void)state;
	assert_int_equal(tp_hist_percentile(c, 3, 0.01), 1);
	assert_int_equal(tp_hist_percentile(c, 3, 0.011), 2);
	assert_int_equal(tp_hist_percentile(c, 3, 0.99), 2);
	assert_int_equal(tp_hist_percentile(c, 3, 0.991), 3);
	assert_int_equal(tp_hist_percentile(c, 3, 7), 3);
	assert_int_equal(tp_hist_percentile(c, 3, -1), 1);
	assert_int_equal(tp_hist_percentile(c, 0, 0.5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bucket_bounds_tile_all_values),
	    cmocka_unit_test(test_bucket_known_numbers),
	    cmocka_unit_test(test_mid_relative_error),
	    cmocka_unit_test(test_percentile_within_one_percent),
	    cmocka_unit_test(test_percentile_nearest_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
