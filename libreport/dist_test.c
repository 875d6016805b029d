#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hist.h"
#include "dist.h"
#include "keys.h"

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Compares values of several shapes with sorting. */
static void test_dist_solve_exact(void **state)
{
	static const double q[] = {0.50, 0.90, 0.99};
	uint64_t seed = 7;

	(void)state;
	for (size_t n = 1; n < 3000; n = n * 2 + 1) {
		for (int shape = 0; shape < 4; shape++) {
			struct rep_dist d = {0};
			struct rep_percentiles p[2];
			int64_t *v = malloc(n * sizeof(*v));

			for (size_t i = 0; i < n; i++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				v[i] = shape == 0   ? (int64_t)(seed >> 40)
				       : shape == 1 ? (int64_t)i
				       : shape == 2 ? (int64_t)(seed >> 62)
						    : (int64_t)(n - i);
				assert_int_equal(rep_dist_put(&d, 1, v[i]), 0);
			}
			assert_int_equal(rep_dist_put(&d, 7, 1), 0); /* an owner outside */
			assert_int_equal(rep_dist_solve(&d, p, 2), 0);
			qsort(v, n, sizeof(*v), by_value);
			assert_false(p[0].known);
			assert_true(p[1].known && p[1].exact);
			for (int i = 0; i < REP_NPERCENTILES; i++) {
				/* The smallest value such that at least q of all values are not
				 * above it. */
				size_t r = 0;

				while ((double)(r + 1) < q[i] * (double)n - 1e-6)
					r++;
				assert_int_equal(p[1].ns[i], v[r]);
			}
			rep_dist_release(&d);
			free(v);
		}
	}
}

static void test_dist_solve_mixed_within_one_percent(void **state)
{
	struct rep_dist d = {0};
	struct rep_percentiles p;

	(void)state;
	for (int64_t ns = 1; ns <= 1000000; ns++) {
		if (ns % 1000)
			assert_int_equal(
			    rep_dist_put_bucket(&d, 0, tp_hist_bucket((uint64_t)ns), 1), 0);
		else
			assert_int_equal(rep_dist_put(&d, 0, ns), 0);
	}
	assert_int_equal(rep_dist_put_bucket(&d, 0, -1, 5), 0);
	assert_int_equal(rep_dist_put_bucket(&d, 0, TP_HIST_BUCKETS, 5), 0);
	assert_int_equal(rep_dist_solve(&d, &p, 1), 0);
	assert_true(p.known && !p.exact);
	assert_in_range(p.ns[REP_P50], 495000, 505000);
	assert_in_range(p.ns[REP_P90], 891000, 909000);
	assert_in_range(p.ns[REP_P99], 980100, 999900);
	rep_dist_release(&d);
}

static void test_keys_add_and_find(void **state)
{
	struct rep_keys k = {0};
	uint32_t at;

	(void)state;
	assert_false(rep_keys_find(&k, 1, 2, 3, 4, &at));
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			assert_int_equal(rep_keys_add(&k, i, i % 7, 0, i / 3, &at), 0);
			assert_int_equal(at, i);
		}
	}
	assert_int_equal(k.n, 5000);
	assert_true(rep_keys_find(&k, 14, 0, 0, 4, &at));
	assert_int_equal(at, 14);
	assert_false(rep_keys_find(&k, 14, 0, 0, 5, &at));
	rep_keys_release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dist_solve_exact),
	    cmocka_unit_test(test_dist_solve_mixed_within_one_percent),
	    cmocka_unit_test(test_keys_add_and_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
