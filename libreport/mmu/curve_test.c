#include "mmu/curve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EXACT 1e-9

static struct rep_utils utils;
static struct rep_mmu *mmu;

static void add(const struct rep_util_step *step, size_t n)
{
	assert_int_equal(rep_util_new(&utils, step[n - 1].ts), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(rep_util_put(&utils, utils.n - 1, step[i]), 0);
}

static void open_curve(void)
{
	struct tp_err err = {0};

	assert_int_equal(rep_mmu_new(&mmu, &utils, &err), 0);
}

static int end(void **state)
{
	(void)state;
	rep_mmu_free(mmu);
	mmu = NULL;
	rep_utils_release(&utils);
	return 0;
}

#define ADD(...)                                                                                   \
	do {                                                                                       \
		const struct rep_util_step steps[] = {__VA_ARGS__};                                \
		add(steps, sizeof(steps) / sizeof(steps[0]));                                      \
	} while (0)

/* ---- functions with known results ---- */

/* The world stops from 40 to 50 of 100. */
static void test_minimum_one_stop(void **state)
{
	const struct {
		int64_t window;
		double util;
		int64_t at;
	} cases[] = {
	    {1, 0, 40}, {10, 0, 40}, {20, 0.5, 30}, {40, 0.75, 10}, {100, 0.9, 0}, {1000, 0.9, 0},
	};

	(void)state;
	ADD({0, 1}, {40, 0}, {50, 1}, {100, 0});
	open_curve();
	assert_int_equal(rep_mmu_length(mmu), 100);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_mmu_window w = rep_mmu_minimum(mmu, cases[i].window);

		assert_true(fabs(w.util - cases[i].util) < EXACT);
		assert_int_equal(w.at, cases[i].at);
	}
	assert_int_equal(rep_mmu_minimum(mmu, 1000).length, 100);
	assert_true(fabs(rep_mmu_mean(mmu, 0, 45, 55) - 0.5) < EXACT);
	assert_true(fabs(rep_mmu_mean(mmu, 0, -5, 1000) - 0.9) < EXACT);
}

static void test_worst_do_not_overlap(void **state)
{
	struct rep_mmu_window w[5];
	size_t n;

	(void)state;
	/* two stops of length 10, and one of half the Ps */
	ADD({0, 1}, {100, 0}, {110, 1}, {300, 0.5}, {320, 1}, {500, 0}, {510, 1}, {600, 0});
	open_curve();
	n = rep_mmu_worst(mmu, 20, w, 5);
	assert_int_equal(n, 5);
	assert_true(fabs(w[0].util - 0.5) < EXACT);
	assert_true(fabs(w[1].util - 0.5) < EXACT);
	assert_true(fabs(w[2].util - 0.5) < EXACT);
	assert_true(w[3].util > 0.9);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(w[i].at + w[i].length <= w[j].at ||
				    w[j].at + w[j].length <= w[i].at);
	/* as many as fit beside the lowest */
	n = rep_mmu_worst(mmu, 250, w, 5);
	assert_true(n == 1 || n == 2);
	assert_int_equal(rep_mmu_worst(mmu, 10000, w, 5), 1);
}

static void test_several_functions(void **state)
{
	struct rep_mmu_window w;

	(void)state;
	ADD({0, 1}, {1000, 0});
	ADD({200, 1}, {250, 0}, {300, 1}, {400, 0});
	open_curve();
	w = rep_mmu_minimum(mmu, 100);
	assert_int_equal(w.series, 1);
	assert_int_equal(w.at, 200);
	assert_true(fabs(w.util - 0.5) < EXACT);
	assert_int_equal(rep_mmu_length(mmu), 1000);
}

static void test_nothing_known(void **state)
{
	struct tp_err err = {0};
	const double share = 0.01;
	double util = 0;

	(void)state;
	open_curve();
	assert_int_equal(rep_mmu_minimum(mmu, 10).at, TP_NULL);
	assert_true(rep_mmu_minimum(mmu, 10).util == 1);
	assert_int_equal(rep_mmu_quantiles(mmu, 10, &share, &util, 1, &err), 0);
	assert_true(util == 1);
	assert_true(rep_mmu_mean(mmu, 0, 0, 10) == 1);
}

static void test_windows(void **state)
{
	int64_t w[REP_MMU_WINDOWS];

	(void)state;
	assert_int_equal(rep_mmu_windows(999, w), 0);
	assert_int_equal(rep_mmu_windows(6000000, w), 6);
	assert_int_equal(w[0], 1000);
	assert_int_equal(w[3], 1000000);
	assert_int_equal(w[5], 5000000);
	assert_true(rep_mmu_windows(INT64_MAX, w) <= REP_MMU_WINDOWS);
}

/* ---- against brute force ---- */

#define SPAN 400

static double at_ns[SPAN]; /* utilisation of each ns */
static double means[SPAN];

static uint32_t seed = 1;

static uint32_t dice(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* A function of up to SPAN ns with values n/4. */
static int64_t random_function(void)
{
	struct rep_util_step step[SPAN];
	int64_t length = 2 + dice(SPAN - 2), ts = 0;
	double last = -1;
	size_t n = 0;

	while (ts < length) {
		double util = dice(3) ? dice(5) / 4.0 : 1;
		int64_t next = ts + 1 + dice(1 + dice(40));

		if (util != last)
			step[n++] = (struct rep_util_step){ts + 1000, util};
		last = util;
		for (; ts < next && ts < length; ts++)
			at_ns[ts] = util;
	}
	step[n++] = (struct rep_util_step){length + 1000, 0};
	add(step, n);
	return length;
}

static double mean_of(int64_t from, int64_t window)
{
	double sum = 0;

	for (int64_t t = from; t < from + window; t++)
		sum += at_ns[t];
	return sum / (double)window;
}

static int compare(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

/* Steps are at whole ns, so the mean is linear between windows that begin at whole ns, and its
 * distribution lies between those of the lower and of the upper ends of these pieces. */
static void check_quantiles(int64_t length, int64_t window)
{
	static const double share[] = {0.001, 0.01, 0.05, 0.3, 0.5, 0.9};
	static double low[SPAN], high[SPAN];
	size_t n = (size_t)(length - window);
	double util[6];
	struct tp_err err = {0};

	for (size_t i = 0; i < n; i++) {
		low[i] = fmin(means[i], means[i + 1]);
		high[i] = fmax(means[i], means[i + 1]);
	}
	qsort(low, n, sizeof(*low), compare);
	qsort(high, n, sizeof(*high), compare);
	assert_int_equal(rep_mmu_quantiles(mmu, window, share, util, 6, &err), 0);
	for (int q = 0; q < 6; q++) {
		double below = 0;
		size_t rank = (size_t)ceil(share[q] * (double)n);

		rank = rank ? rank - 1 : 0;
		if (util[q] < low[rank] - EXACT || util[q] > high[rank] + EXACT)
			fail_msg("window %lld of %lld, share %g: %.12f is not in %.12f … %.12f",
				 (long long)window, (long long)length, share[q], util[q], low[rank],
				 high[rank]);
		/* Exactly this share of all windows is below. */
		for (size_t i = 0; i < n; i++) {
			double a = fmin(means[i], means[i + 1]), b = fmax(means[i], means[i + 1]);

			below += b <= util[q] + EXACT ? 1
				 : a >= util[q]	      ? 0
						      : (util[q] - a) / (b - a);
		}
		assert_true(below >= share[q] * (double)n - 1e-6);
	}
}

static void test_against_brute_force(void **state)
{
	for (int round = 0; round < 300; round++) {
		int64_t length = random_function();

		open_curve();
		for (int64_t window = 1; window <= length; window += 1 + dice(30)) {
			struct rep_mmu_window w = rep_mmu_minimum(mmu, window);
			int64_t first = 0;

			for (int64_t at = 0; at + window <= length; at++) {
				means[at] = mean_of(at, window);
				if (means[at] < means[first] - EXACT)
					first = at;
			}
			assert_true(fabs(w.util - means[first]) < EXACT);
			assert_true(fabs(mean_of(w.at - 1000, window) - means[first]) < EXACT);
			if (window < length)
				check_quantiles(length, window);
		}
		end(state);
	}
}

/* A function of so many steps that not every sum is kept: half of every 2 ns, but for one stop. */
static void test_many_steps(void **state)
{
	const size_t n = 3000001, stop = 1234567;
	struct rep_util_step *step = malloc(n * sizeof(*step));

	(void)state;
	assert_non_null(step);
	for (size_t i = 0; i < n; i++)
		step[i] = (struct rep_util_step){(int64_t)i, i % 2 ? 1 : 0};
	step[stop].util = 0;
	add(step, n);
	free(step);
	open_curve();
	for (int64_t at = 0; at < 100; at++)
		assert_true(fabs(rep_mmu_mean(mmu, 0, at * 29, at * 29 + 1000000) - 0.5) < EXACT);
	for (int64_t at = 0; at < 100; at++)
		assert_true(fabs(rep_mmu_mean(mmu, 0, 1000000 + at, 2000000 + at) - 0.499999) <
			    EXACT);
	assert_true(fabs(rep_mmu_minimum(mmu, 1000000).util - 0.499999) < EXACT);
}

#define T(f) cmocka_unit_test_teardown(f, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(test_minimum_one_stop),  T(test_worst_do_not_overlap),
	    T(test_several_functions), T(test_nothing_known),
	    T(test_windows),	       T(test_against_brute_force),
	    T(test_many_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
