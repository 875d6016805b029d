#include "common/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct row {
	const char *text;
	bool ok;
	int64_t value;
};

static void check(const struct row *rows, size_t n, bool (*parse)(const char *, int64_t *))
{
	for (size_t i = 0; i < n; i++) {
		int64_t v = -1;
		bool ok = parse(rows[i].text, &v);

		if (ok != rows[i].ok || (ok && v != rows[i].value))
			fail_msg("'%s': %s %lld", rows[i].text, ok ? "accepted as" : "refused",
				 (long long)v);
	}
}

static bool count(const char *text, int64_t *n)
{
	return cmd_parse_count(text, INT64_MAX, n);
}

static void test_parse_count_strict(void **state)
{
	static const struct row rows[] = {
	    {"0", true, 0},
	    {"12", true, 12},
	    {"9223372036854775807", true, INT64_MAX},
	    {"9223372036854775808", false, 0},
	    {"12abc", false, 0},
	    {"", false, 0},
	    {" 1", false, 0},
	    {"1 ", false, 0},
	    {"-1", false, 0},
	    {"+1", false, 0},
	    {"0x10", false, 0},
	};
	int64_t n;

	(void)state;
	check(rows, sizeof(rows) / sizeof(rows[0]), count);
	assert_false(cmd_parse_count("11", 10, &n));
}

static void test_parse_size_units(void **state)
{
	static const struct row rows[] = {
	    {"0", true, 0},
	    {"4096", true, 4096},
	    {"64K", true, 65536},
	    {"1.5MiB", true, 1572864},
	    {"10MB", true, 10000000},
	    {"2GiB", true, 2147483648},
	    {"1.5", false, 0},
	    {"12abc", false, 0},
	    {"1 MiB", false, 0},
	    {"", false, 0},
	    {"99999999999T", false, 0},
	};

	(void)state;
	check(rows, sizeof(rows) / sizeof(rows[0]), cmd_parse_size);
}

static void test_parse_percent_range(void **state)
{
	double p;

	(void)state;
	assert_true(cmd_parse_percent("12.5%", &p) && p == 12.5);
	assert_true(cmd_parse_percent("100", &p) && p == 100);
	assert_false(cmd_parse_percent("100.1", &p));
	assert_false(cmd_parse_percent("5%%", &p));
	assert_false(cmd_parse_percent("", &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parse_count_strict),
	    cmocka_unit_test(test_parse_size_units),
	    cmocka_unit_test(test_parse_percent_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
