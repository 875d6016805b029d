/* Where traces are cut, by lists of their generations. */
#include "tprof-import/slurm/call.c"
#include "tprof-import/slurm/cuts.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void test_cuts_divide(void **state)
{
	static const struct {
		const char *list;
		uint64_t bytes;
		const char *want;
	} cases[] = {
	    {"", 10, ""},
	    {"1\t0\t10\n", 1, ""}, /* one piece */
	    {"1\t16\t10\n2\t26\t10\n", 10, "1-1 2-2"},
	    {"1\t16\t10\n2\t26\t10\n", 100, ""},
	    {"1\t0\t10\n2\t10\t10\n3\t20\t10\n4\t30\t10\n5\t40\t1\n", 20, "1-2 3-5"},
	    {"1\t0\t10\n2\t10\t10\n3\t20\t10\n4\t30\t10\n5\t40\t1\n", 1, "1-1 2-2 3-3 4-4 5-5"},
	    {"1\t0\t100\n2\t100\t1\n3\t101\t1\n4\t102\t100\n", 10, "1-1 2-3 4-4"},
	    {"1\t0\t0\n2\t0\t0\n3\t0\t9\n", 4, ""}, /* what holds nothing is no part */
	    /* what no list is: all of the trace by one task */
	    {"1\t16\t10\n3\t26\t10\n", 10, ""},
	    {"2\t16\t10\n3\t26\t10\n", 10, ""},
	    {"1\t16\t10\n2\t26\t10", 10, ""},
	    {"1\t16\t10\n2\t26\n", 10, ""},
	    {"1\t16\t10\n2\t26\t-1\n", 10, ""},
	    {"1\t16\t10\n\n2\t26\t10\n", 10, ""},
	    {"1 16 10\n2 26 10\n", 10, ""},
	    {"1\t0\t18446744073709551615\n2\t0\t18446744073709551615\n", 10, "1-1 2-2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char got[256] = "";
		struct cut *cuts;
		struct tp_err err;
		size_t n;

		assert_int_equal(cuts_divide(cases[i].list, cases[i].bytes, &cuts, &n, &err), 0);
		for (size_t k = 0; k < n; k++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u-%u",
				 k ? " " : "", cuts[k].first, cuts[k].last);
		assert_string_equal(got, cases[i].want);
		assert_int_equal(!cuts, !n);
		free(cuts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cuts_divide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
