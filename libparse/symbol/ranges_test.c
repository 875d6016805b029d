#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbol/ranges.h"

static void test_ranges_find_innermost(void **state)
{
	static const struct {
		uint64_t low, high;
	} ranges[] = {{100, 200}, {150, 160}, {300, 310}, {150, 155}, {305, 305}, {100, 400}};
	static const struct {
		uint64_t address;
		int want; /* index above, -1 none */
	} cases[] = {{99, -1}, {100, 0}, {149, 0}, {150, 3}, {154, 3}, {155, 1}, {160, 0},
		     {199, 0}, {200, 5}, {305, 2}, {310, 5}, {399, 5}, {400, -1}};
	struct tp_ranges r = {0};

	(void)state;
	assert_null(tp_ranges_find(&r, 1));
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		assert_int_equal(tp_ranges_add(&r, ranges[i].low, ranges[i].high, i), 0);
	assert_int_equal(r.n, 5);
	assert_int_equal(tp_ranges_sort(&r), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tp_range *found = tp_ranges_find(&r, cases[i].address);

		assert_int_equal(found ? (int)found->value : -1, cases[i].want);
	}
	tp_ranges_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranges_find_innermost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
