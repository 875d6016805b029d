#include "clock/clock.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The wall clock runs at half speed between the first two snapshots, then at double speed. The
 * distance of the last two is the largest in 64 bits. */
static struct rep_clock_point points[] = {
    {100, 5000},
    {300, 5100},
    {400, 5300},
    {INT64_MAX - 1, 5300 + INT64_MAX / 2},
};

static void test_clock_between(void **state)
{
	static const struct {
		int64_t ts, wall;
	} cases[] = {
	    {100, 5000},
	    {0, 4900},
	    {-200, 4700},
	    {102, 5001},
	    {300, 5100},
	    {350, 5200},
	    {400, 5300},
	    {402, 5301},
	    {INT64_MAX - 1, 5300 + INT64_MAX / 2},
	    {INT64_MAX, 5301 + INT64_MAX / 2},
	};
	struct rep_clock c = {.source = REP_CLOCK_SNAPSHOT, .point = points, .n = COUNT(points)};
	int64_t got;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(rep_clock_wall(&c, cases[i].ts, &got));
		assert_int_equal(got, cases[i].wall);
		/* Converting back may lose a rounding error of less than one step of the faster
		 * clock. */
		assert_true(rep_clock_run(&c, cases[i].wall, &got));
		assert_in_range(cases[i].ts - got, 0, 2);
	}
}

static void test_clock_beyond(void **state)
{
	struct rep_clock c = {.source = REP_CLOCK_START, .point = points, .n = 1}, none = {0};
	int64_t got;

	(void)state;
	assert_true(rep_clock_wall(&c, INT64_MAX - 5000, &got));
	assert_int_equal(got, INT64_MAX - 100);
	assert_true(rep_clock_wall(&c, INT64_MAX - 4900, &got));
	assert_int_equal(got, INT64_MAX);
	assert_false(rep_clock_wall(&c, INT64_MAX - 4899, &got));
	assert_true(rep_clock_run(&c, INT64_MIN + 4901, &got));
	assert_int_equal(got, INT64_MIN + 1);
	assert_false(rep_clock_run(&c, INT64_MIN + 4900, &got));
	assert_false(rep_clock_run(&c, INT64_MIN, &got));
	assert_false(rep_clock_wall(&none, 0, &got));
	assert_false(rep_clock_run(&none, 0, &got));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_clock_between),
	    cmocka_unit_test(test_clock_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
