#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "diff/power.h"
#include "diff/stats.h"

static struct rep_comparison compare(const double *old, size_t n, const double *new, size_t m)
{
	double a[64], b[64];
	struct rep_comparison c;
	struct rep_stats *s;

	memcpy(a, old, n * sizeof(*a));
	memcpy(b, new, m * sizeof(*b));
	assert_int_equal(rep_stats_new(&s, n, m, 0.95), 0);
	rep_stats_compare(s, a, b, &c);
	rep_stats_free(s);
	return c;
}

static void about(double got, double want)
{
	if (fabs(got - want) > 1e-4)
		fail_msg("%.6f, not %.6f", got, want);
}

/* The example of R's wilcox.test (Hollander and Wolfe 1973, p. 69): W = 35, p = 0.2544. */
static void test_stats_compare_known(void **state)
{
	static const double term[] = {80, 83, 189, 104, 145, 138, 191, 164, 73, 146};
	static const double early[] = {115, 88, 90, 74, 121};
	struct rep_comparison c = compare(early, 5, term, 10);

	(void)state;
	about(c.u, 35);
	about(c.p, 0.2544);
	assert_int_equal(c.old.median, 90);
	assert_int_equal(c.new.median, 141); /* between 138 and 145 */
	assert_false(c.old.interval.known);  /* five values bound no median at 95 % */
	assert_true(c.new.interval.known);   /* the second and the ninth of ten */
	assert_int_equal(c.new.interval.low, 80);
	assert_int_equal(c.new.interval.high, 189);
}

static void test_stats_compare_apart(void **state)
{
	static const double low[] = {1, 2, 3, 4, 5}, high[] = {11, 12, 13, 14, 15};

	(void)state;
	about(compare(low, 3, high, 3).p, 0.1);
	about(compare(low, 5, high, 5).p, 2.0 / 252);
	about(compare(low, 5, high, 5).u, 25);
	about(compare(high, 5, low, 5).u, 0);
	about(compare(high, 5, low, 5).p, 2.0 / 252);
	about(compare(low, 5, low, 5).p, 1);
	about(rep_stats_least_p(5, 5), 2.0 / 252);
	about(rep_stats_least_p(1, 1), 1);
	about(rep_stats_least_p(3, 3), 0.1);
	assert_int_equal(rep_stats_least_runs(1), 1);
	assert_int_equal(rep_stats_least_runs(0.1), 3);
	assert_int_equal(rep_stats_least_runs(0.05), 4);
	assert_int_equal(rep_stats_least_runs(0.01 / 50), 8);
	about(rep_stats_at_most(0, 200), 1 - pow(0.05, 1.0 / 200));
	about(rep_stats_at_most(9, 10), pow(0.95, 1.0 / 10));
	about(rep_stats_at_most(10, 10), 1);
}

/* How many runs are named: so many are enough, and one less is not. */
static void test_stats_advice(void **state)
{
	static const struct {
		size_t n, m, tests;
		double alpha;
		const char *want; /* NULL: there are enough */
	} rows[] = {
	    {3, 3, 1, 0.01, "use 5 on each side"},
	    {3, 3, 43, 0.01, "use 5 on each side, or 8 on each side to find a single change among"},
	    {6, 6, 43, 0.01, "use 8 on each side, or compare fewer rows (--by)"},
	    {3, 7, 43, 0.01, "use 4 old ones with these 7, or 8 on each side to find"},
	    {24, 3, 43, 0.01, "use 4 new ones with these 24, or compare"},
	    {3, 24, 43, 0.01, "use 4 old ones with these 24, or compare"},
	    {24, 1, 1, 0.05,
	     "with 24 old and 1 new, p is at least 0.08, but alpha is 0.05; "
	     "use 2 new ones with these 24"},
	    {1, 1, 1, 0.05, "use 4 on each side"},
	    {8, 8, 43, 0.01, NULL},
	    {0, 4, 1, 0.05, "with 4 new, p is at least 0.062, but alpha is 0.05; use 5"},
	    {0, 5, 1, 0.05, NULL},
	};
	char text[REP_STATS_ADVICE];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rep_stats_advice(rows[i].n, rows[i].m, rows[i].tests, rows[i].alpha, "rows", "--by",
				 text);
		if (rows[i].want ? !strstr(text, rows[i].want) : *text)
			fail_msg("%zu: %s", i, text);
	}
	assert_true(rep_stats_least_p(24, 4) <= 0.01 / 43);
	assert_true(rep_stats_least_p(24, 3) > 0.01 / 43);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* P by going through all ways to deal the values out. */
static double all_ways(const double *old, size_t n, const double *new, size_t m)
{
	double v[16];
	double mean = (double)(n * m) / 2, seen = 0, far = 0, total = 0;

	memcpy(v, old, n * sizeof(*v));
	memcpy(v + n, new, m * sizeof(*v));
	for (int first = 1; first >= 0; first--) {
		for (uint32_t set = 0; set < 1u << (n + m); set++) {
			double u = 0;

			if ((size_t)__builtin_popcount(set) != n || (first && set != (1u << n) - 1))
				continue;
			for (size_t i = 0; i < n + m; i++)
				for (size_t j = 0; j < n + m; j++)
					if ((set >> i & 1) && !(set >> j & 1))
						u += v[j] > v[i] ? 1 : v[j] == v[i] ? 0.5 : 0;
			if (first)
				seen = fabs(u - mean);
			else
				far += fabs(u - mean) >= seen - 1e-9;
			total += !first;
		}
	}
	return far / total;
}

static void test_stats_compare_ties(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 60; round++) {
		double old[5], new[4], differences[20];
		struct rep_comparison c;

		for (int i = 0; i < 5; i++)
			old[i] = trunc(rep_power_normal(&seed) * 2);
		for (int i = 0; i < 4; i++)
			new[i] = trunc(rep_power_normal(&seed) * 2 + (round & 1 ? 3 : 0));
		c = compare(old, 5, new, 4);
		about(c.p, all_ways(old, 5, new, 4));
		/* 2 P(U < 2) = 4/126 <= 0.05 < 8/126: the second and last but one difference */
		for (int i = 0; i < 20; i++)
			differences[i] = new[i % 4] - old[i / 4];
		qsort(differences, 20, sizeof(*differences), by_value);
		assert_true(c.delta.known);
		assert_true(c.delta.low == differences[1]);
		assert_true(c.delta.high == differences[18]);
	}
}

/* Where the exact test ends, the normal one goes on from about there. */
static void test_stats_compare_many(void **state)
{
	double old[30], new[30];
	struct rep_comparison exact, normal;

	(void)state;
	for (int i = 0; i < 30; i++) {
		old[i] = i * 10;
		new[i] = i * 10 + 55;
	}
	exact = compare(old, 25, new, 25);
	normal = compare(old, 26, new, 26);
	assert_true(exact.p < 0.05 * 3 && exact.p > 0.001);
	assert_true(fabs(log(exact.p) - log(normal.p)) < 0.3);
	assert_true(exact.delta.low < 55 && exact.delta.high > 55);
	assert_true(normal.delta.low < 55 && normal.delta.high > 55);
}

static void test_stats_compare_extremes(void **state)
{
	static const double low[] = {-1e300, -1e300, -1, 0}, high[] = {1e300, 1e300, 1, 0};
	struct rep_comparison c = compare(low, 4, high, 4);

	(void)state;
	assert_true(c.p > 0 && c.p <= 1);
	assert_true(c.delta.known);
	assert_true(c.delta.low <= c.delta.high);
}

static void test_stats_adjust(void **state)
{
	/* Benjamini and Hochberg 1995, section 3.1 */
	static const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
				   0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
	double q[16];
	size_t found = 0;

	(void)state;
	assert_int_equal(rep_stats_adjust(p, 15, q), 0);
	for (size_t i = 0; i < 15; i++)
		found += q[i] <= 0.05;
	assert_int_equal(found, 4); /* as they find */
	about(q[0], 0.0015);
	about(q[3], 0.0095 * 15 / 4);
	about(q[14], 1);
	/* what is no test counts for nothing */
	memcpy(q, p, sizeof(p));
	q[15] = (double)NAN;
	assert_int_equal(rep_stats_adjust(q, 16, q), 0);
	about(q[0], 0.0015);
	assert_true(isnan(q[15]));
	assert_int_equal(rep_stats_adjust(NULL, 0, NULL), 0);
}

/* What no outcome can be below is reached by the clearest one, to the last bit: else a gate whose
 * alpha is just that would call such sets too small, or let them pass. */
static void test_stats_least_reached(void **state)
{
	static const struct {
		size_t n, m;
		double p;
	} cases[] = {
	    {2, 3, 0.2}, {3, 3, 0.1}, {3, 6, 2.0 / 84}, {5, 5, 2.0 / 252}, {7, 7, 2.0 / 3432}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double old[] = {1, 2, 3, 4, 5, 6, 7}, new[] = {11, 12, 13, 14, 15, 16, 17};
		struct rep_comparison c;
		struct rep_stats *s;

		assert_true(rep_stats_least_p(cases[i].n, cases[i].m) == cases[i].p);
		assert_int_equal(rep_stats_new(&s, cases[i].n, cases[i].m, 0.95), 0);
		rep_stats_compare(s, old, new, &c);
		assert_true(c.p == cases[i].p);
		rep_stats_free(s);
	}
}

/* Of any sizes, and with ties among the old ones: what is said to be within reach is. */
static void test_stats_least_reached_by_all_sizes(void **state)
{
	static const size_t sizes[][2] = {{24, 1}, {24, 2},  {1, 39},	{2, 48},  {49, 1},
					  {60, 1}, {60, 2},  {1, 3000}, {15, 14}, {16, 15},
					  {20, 9}, {30, 25}, {100, 100}};
	static double old[3000], new[3000];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int ties = 0; ties < 2; ties++) {
			size_t n = sizes[i][0], m = sizes[i][1];
			double least = rep_stats_least_p(n, m);
			struct rep_comparison c;
			struct rep_stats *s;

			for (size_t k = 0; k < n; k++)
				old[k] = (double)(k / (1 + (size_t)ties));
			for (size_t k = 0; k < m; k++)
				new[k] = 10000 + (double)k;
			assert_int_equal(rep_stats_new(&s, n, m, 0.95), 0);
			rep_stats_compare(s, old, new, &c);
			rep_stats_free(s);
			if (ties ? c.p > least * 1.02 + 1e-15 : c.p != least)
				fail_msg("%zu and %zu, ties %d: %.17g, not %.17g", n, m, (int)ties,
					 c.p, least);
		}
}

/* Rows of four and four runs; of 70 ways to divide eight, two are as far apart as these. */
static void test_stats_joint_apart(void **state)
{
	double value[5][8] = {
	    {1, 2, 3, 4, 50, 60, 70, 80},	/* all new ones above */
	    {5, 6, 5, 7, 6, 5, 7, 5},		/* neither */
	    {0, 0, 0, 0, 3, 3, 4, 5},		/* from nothing */
	    {9, 9, 9, 9, 9, 9, 9, 9},		/* no test */
	    {1, 2, 3, (double)NAN, 5, 6, 7, 8}, /* no test */
	};
	double p[5], q[5];

	(void)state;
	assert_int_equal(rep_stats_joint(value[0], 5, 4, 4, false, p, q), 0);
	about(p[0], 2.0 / 70);
	about(q[0], 2.0 / 70);
	about(p[2], 2.0 / 70);
	about(q[2], 2.0 / 70);
	assert_true(p[1] > 0.5 && q[1] >= p[1]);
	assert_true(isnan(p[3]) && isnan(q[3]) && isnan(p[4]) && isnan(q[4]));
	/* Two runs cannot be told from each other; three and one are four ways. */
	assert_int_equal(rep_stats_joint(value[0], 4, 1, 1, false, p, q), 0);
	assert_true(isnan(p[0]));
	assert_int_equal(rep_stats_joint((double[]){1, 2, 3, 9}, 1, 3, 1, false, p, q), 0);
	about(p[0], 0.25);
}

/* Runs of one build that differ as a whole, as a machine does from day to day: no row of them is
 * independent of the others. In at most one of twenty comparisons is any row called changed. Where
 * one row of a hundred has changed to three times its value, five and five runs find it. */
static void test_stats_joint_alarms(void **state)
{
	enum { ROWS = 100, N = 5, ROUNDS = 200 };
	static double value[ROWS * 2 * N], p[ROWS], q[ROWS];
	unsigned alarms[2] = {0, 0}, found = 0;
	uint64_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < 2 * ROUNDS; round++) {
		unsigned others = 0;

		for (size_t run = 0; run < 2 * N; run++) {
			double day = 0.2 * rep_power_normal(&seed);

			for (size_t i = 0; i < ROWS; i++) {
				double spread = 0.02 * (double)(1 + i % 10);

				value[i * 2 * N + run] =
				    exp(day + spread * rep_power_normal(&seed)) *
				    (round >= ROUNDS && i == 42 && run >= N ? 3 : 1);
			}
		}
		assert_int_equal(rep_stats_joint(value, ROWS, N, N, false, p, q), 0);
		for (size_t i = 0; i < ROWS; i++)
			others += q[i] <= 0.05 && (round < ROUNDS || i != 42);
		if (round >= ROUNDS)
			found += q[42] <= 0.05;
		alarms[round >= ROUNDS] += others > 0;
	}
	/* of 200; the expectation is at most 10 */
	assert_in_range(alarms[0], 1, 18);
	assert_in_range(alarms[1], 1, 18);
	assert_true(found >= 195);
}

/* More runs than there are ways to try: some are drawn, the same each time. */
static void test_stats_joint_drawn(void **state)
{
	double value[2 * 24], p[2], q[2], again[2];

	(void)state;
	for (size_t i = 0; i < 24; i++) {
		value[i] = (double)(i % 5 + 1) + (i < 12 ? 0 : 10);
		value[24 + i] = (double)(i % 7 + 1);
	}
	assert_int_equal(rep_stats_joint(value, 2, 12, 12, true, p, q), 0);
	about(p[0], 1.0 / 2000);
	assert_true(p[1] > 0.1);
	assert_int_equal(rep_stats_joint(value, 2, 12, 12, true, p, again), 0);
	assert_true(!memcmp(q, again, sizeof(q)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stats_least_reached),
	    cmocka_unit_test(test_stats_least_reached_by_all_sizes),
	    cmocka_unit_test(test_stats_advice),
	    cmocka_unit_test(test_stats_compare_known),
	    cmocka_unit_test(test_stats_compare_apart),
	    cmocka_unit_test(test_stats_compare_ties),
	    cmocka_unit_test(test_stats_compare_many),
	    cmocka_unit_test(test_stats_compare_extremes),
	    cmocka_unit_test(test_stats_adjust),
	    cmocka_unit_test(test_stats_joint_apart),
	    cmocka_unit_test(test_stats_joint_alarms),
	    cmocka_unit_test(test_stats_joint_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
