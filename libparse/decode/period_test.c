#include "decode/period.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_cpu_period(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
	    {TP_CPU_PERIOD "10309278", 10309278},
	    {TP_CPU_PERIOD "9999999999", 9999999999},
	    {TP_CPU_PERIOD "99999999999", 0},
	    {TP_CPU_PERIOD "0", 0},
	    {TP_CPU_PERIOD, 0},
	    {TP_CPU_PERIOD "-5", 0},
	    {TP_CPU_PERIOD "5 ", 0},
	    {" " TP_CPU_PERIOD "5", 0},
	    {"tprof-record", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_dict *d = tp_dict_new();
		uint32_t at = 0, id, last;

		assert_non_null(d);
		assert_int_equal(tp_dict_string(d, "main", 4, &id), 0);
		assert_int_equal(tp_dict_string(d, cases[i].text, strlen(cases[i].text), &id), 0);
		assert_int_equal(tp_dict_string(d, "after", 5, &last), 0);
		assert_int_equal(tp_cpu_period(d, &at), cases[i].ns);
		assert_int_equal(at, cases[i].ns ? id : tp_dict_strings(d));
		tp_dict_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpu_period)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
