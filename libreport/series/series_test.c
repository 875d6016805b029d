/* Trends and slopes of numbers with known answers, the order of runs, and missing numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "series/series.h"
#include "series/trend.h"

#define N(a) (sizeof(a) / sizeof(*(a)))

static void test_trend(void **state)
{
	static const struct {
		const char *name;
		double y[12];
		size_t n;
		enum rep_trend trend;
	} cases[] = {
	    {"two say nothing", {1, 2}, 2, REP_TREND_NONE},
	    {"three do", {1, 2, 3}, 3, REP_TREND_RISES},
	    {"standing still is no rise", {2, 2, 2}, 3, REP_TREND_NONE},
	    {"standing still in between", {1, 2, 2, 3}, 4, REP_TREND_RISES},
	    {"once, at the end", {1, 1, 2}, 3, REP_TREND_RISES},
	    {"once, and no more", {0, 8, 8}, 3, REP_TREND_NONE},
	    {"once, and no more", {0, 8, 8, 8, 8, 8, 8, 8}, 8, REP_TREND_NONE},
	    {"down, and no more", {8, 0, 0, 0}, 4, REP_TREND_NONE},
	    {"down", {3, 1, 1, 0}, 4, REP_TREND_FALLS},
	    {"up and down", {1, 3, 2, 4}, 4, REP_TREND_NONE},
	    {"gaps are passed over", {1, NAN, 2, NAN, 5}, 5, REP_TREND_RISES},
	    {"gaps leave two", {1, NAN, 2}, 3, REP_TREND_NONE},
	    {"one step back of ten", {1, 2, 3, 4, 5, 4.5, 6, 7, 8, 9}, 10, REP_TREND_MOSTLY_RISES},
	    {"one step up of ten", {9, 8, 7, 6, 5, 5.5, 4, 3, 2, 1}, 10, REP_TREND_MOSTLY_FALLS},
	    {"one step back of seven", {1, 2, 3, 4, 3.5, 6, 7}, 7, REP_TREND_NONE},
	    {"saw", {1, 9, 2, 8, 3, 7, 4, 6, 5, 5}, 10, REP_TREND_NONE},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++)
		if (rep_trend(cases[i].y, cases[i].n) != cases[i].trend)
			fail_msg("%s: %s", cases[i].name,
				 rep_trend_names[rep_trend(cases[i].y, cases[i].n)]);
}

/* Values of R's cor.test(1:n, y, method = "kendall", exact = FALSE, continuity = TRUE). */
static void test_tau(void **state)
{
	const double up[] = {1, 2, 3, 4, 5, 6, 7, 8}, tied[] = {1, 1, 2, 2, 3, 3, 2, 5};
	const double same[] = {4, 4, 4};
	double p;

	(void)state;
	assert_true(fabs(rep_tau(up, 8, &p) - 1) < 1e-12);
	/* S = 28, variance 8*7*21/18 = 65.333 */
	assert_true(fabs(p - erfc(27 / sqrt(2 * 65.333333333333333))) < 1e-12);
	/* S = 19; pairs 28, tied in y 1 + 3 + 1; variance (1176 - (18 + 66 + 18)) / 18 */
	assert_true(fabs(rep_tau(tied, 8, &p) - 19 / sqrt(28.0 * 23)) < 1e-12);
	assert_true(fabs(p - erfc(18 / sqrt(2 * (1176 - 102) / 18.0))) < 1e-12);
	assert_true(isnan(rep_tau(same, 3, &p)));
	assert_true(p == 1);
}

/* Few random series may seem to have a trend: 1 in 100, by the chosen limit. */
static void test_trend_cries_wolf(void **state)
{
	uint64_t seed = 1;
	size_t found = 0;

	(void)state;
	for (int run = 0; run < 20000; run++) {
		double y[10];

		for (size_t i = 0; i < N(y); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			y[i] = (double)(seed >> 40);
		}
		found += rep_trend(y, N(y)) != REP_TREND_NONE;
	}
	assert_in_range(found, 20, 300);
}

static void test_slope(void **state)
{
	const double x[] = {0, 1, 2, 3}, line[] = {5, 7, 9, 11}, gap[] = {5, NAN, 9, 11};
	const double far[] = {1e15, 1e15 + 2, 1e15 + 4, 1e15 + 6}, one[] = {NAN, NAN, 2, NAN};

	(void)state;
	assert_true(fabs(rep_slope(x, line, 4) - 2) < 1e-12);
	assert_true(fabs(rep_slope(x, gap, 4) - 2) < 1e-12);
	assert_true(fabs(rep_slope(x, far, 4) - 2) < 1e-9);
	assert_true(isnan(rep_slope(x, one, 4)));
}

static void put(struct rep_series *s, const char *name, enum rep_series_absent absent, double value)
{
	const struct rep_series_number number = {.name = name,
						 .size = strlen(name),
						 .kind = REP_COUNT,
						 .absent = absent,
						 .value = value};

	assert_int_equal(rep_series_put(s, &number, NULL), 0);
}

static const struct rep_series_row *row_of(const struct rep_series *s, const char *name)
{
	const struct rep_series_row *row = s->row;

	for (size_t i = 0; i < s->nrows; i++)
		if (row[i].size == strlen(name) && !memcmp(row[i].name, name, row[i].size))
			return &row[i];
	fail_msg("there is no %s", name);
	return NULL;
}

/* Runs are sorted by their times, and slopes are per unit of time. */
static void test_series_timed(void **state)
{
	const int64_t minute = 60000000000, start = 1700000000000000000;
	struct rep_series *s;
	const struct rep_series_row *row;
	double y[3];

	(void)state;
	assert_int_equal(rep_series_new(&s, NULL), 0);
	assert_int_equal(rep_series_point(s, "c", start + 20 * minute, NULL), 0);
	put(s, "f", REP_SERIES_ZERO, 50);
	assert_int_equal(rep_series_point(s, "a", start, NULL), 0);
	put(s, "f", REP_SERIES_ZERO, 10);
	put(s, "g", REP_SERIES_GAP, 7);
	assert_int_equal(rep_series_point(s, "b", start + 10 * minute, NULL), 0);
	put(s, "f", REP_SERIES_ZERO, 25);
	put(s, "f", REP_SERIES_ZERO, 5);
	put(s, "f", REP_SERIES_ZERO, NAN);
	assert_int_equal(rep_series_finish(s, REP_SERIES_BY_GROWTH, NULL), 0);
	assert_string_equal(s->unit->name, "minute");
	assert_string_equal(s->point[0].name, "a");
	assert_string_equal(s->point[2].name, "c");
	row = row_of(s, "f");
	rep_series_values(s, row, y);
	assert_true(y[0] == 10 && y[1] == 30 && y[2] == 50);
	assert_true(fabs(row->slope - 2) < 1e-12);
	assert_true(row->growth == 40 && row->first == 10 && row->last == 50);
	assert_int_equal(row->trend, REP_TREND_RISES);
	row = row_of(s, "g");
	rep_series_values(s, row, y);
	assert_true(y[0] == 7 && isnan(y[1]) && isnan(y[2]));
	assert_true(isnan(row->slope) && row->growth == 0 && row->runs == 1);
	rep_series_free(s);
}

/* Without times, or with two equal ones, runs keep the given order. */
static void test_series_untimed(void **state)
{
	static const int64_t times[][3] = {{3, 0, 1}, {5, 5, 1}};

	(void)state;
	for (size_t i = 0; i < N(times); i++) {
		struct rep_series *s;
		const struct rep_series_row *row;
		double y[3];

		assert_int_equal(rep_series_new(&s, NULL), 0);
		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(rep_series_point(s, "x", times[i][k], NULL), 0);
			if (k != 1)
				put(s, "f", REP_SERIES_ZERO, (double)k + 1);
		}
		assert_int_equal(rep_series_finish(s, REP_SERIES_BY_NAME, NULL), 0);
		assert_int_equal(s->unit->ns, 0);
		row = row_of(s, "f");
		rep_series_values(s, row, y);
		assert_true(y[0] == 1 && y[1] == 0 && y[2] == 3);
		assert_int_equal(row->trend, REP_TREND_NONE);
		rep_series_free(s);
	}
}

static void test_series_order(void **state)
{
	static const char *const want[REP_NSERIES_SORTS] = {
	    [REP_SERIES_BY_GROWTH] = "b a c", [REP_SERIES_BY_SLOPE] = "b a c",
	    [REP_SERIES_BY_LAST] = "c b a",   [REP_SERIES_BY_NAME] = "a b c",
	    [REP_SERIES_BY_SUM] = "c b a",
	};

	(void)state;
	for (int sort = 0; sort < REP_NSERIES_SORTS; sort++) {
		static const double value[3][3] = {{1, 4, 9}, {2, 9, 9}, {3, 14, 9}};
		const struct rep_series_row *row;
		struct rep_series *s;
		char text[8];

		assert_int_equal(rep_series_new(&s, NULL), 0);
		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(rep_series_point(s, "x", 0, NULL), 0);
			put(s, "a", REP_SERIES_ZERO, value[k][0]);
			put(s, "b", REP_SERIES_ZERO, value[k][1] - 7);
			put(s, "c", REP_SERIES_ZERO, value[k][2]);
		}
		assert_int_equal(rep_series_finish(s, (enum rep_series_sort)sort, NULL), 0);
		row = s->row;
		assert_int_equal(s->nrows, 3);
		snprintf(text, sizeof(text), "%c %c %c", *row[0].name, *row[1].name, *row[2].name);
		assert_string_equal(text, want[sort]);
		rep_series_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trend),
	    cmocka_unit_test(test_tau),
	    cmocka_unit_test(test_trend_cries_wolf),
	    cmocka_unit_test(test_slope),
	    cmocka_unit_test(test_series_timed),
	    cmocka_unit_test(test_series_untimed),
	    cmocka_unit_test(test_series_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
