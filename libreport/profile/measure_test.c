#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/measure.h"

/* Results of pprof's measurement.ScaledLabel. */
static const struct {
	int64_t value;
	const char *from, *to, *label;
} labels[] = {
    {0, "bytes", "auto", "0"},
    {1, "bytes", "auto", "1B"},
    {1023, "byte", "auto", "1023B"},
    {1024, "bytes", "auto", "1kB"},
    {1536, "Bytes", "minimum", "1.50kB"},
    {1 << 20, "bytes", "kilobytes", "1024kB"},
    {-1536, "bytes", "auto", "-1.50kB"},
    {1, "kb", "bytes", "1024B"},
    {3, "gigabytes", "mb", "3072MB"},
    {1000, "ns", "auto", "1us"},
    {1500000000, "nanoseconds", "auto", "1.50s"},
    {60, "seconds", "ms", "60000ms"},
    {3600, "s", "auto", "1hrs"},
    {1, "nanoseconds", "s", "0"},
    {12345678, "nanoseconds", "seconds", "0.01s"},
    {5, "ms", "bananas", "0.01s"},
    {5, "nanogcus", "auto", "5n*GCU"},
    {5000, "milligcu", "auto", "5GCU"},
    {7, "count", "auto", "7"},
    {7, "count", "minimum", "7"},
    {7, "samples", "count", "7"},
    {7, "widgets", "widgets", "7widgets"},
    {7, "", "ms", "7ms"},
    {INT64_MIN, "count", "auto", "-9223372036854775808"},
    {INT64_MAX, "bytes", "auto", "8192PB"},
};

static void test_scaled_label(void **state)
{
	char text[REP_MEASURE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		assert_string_equal(
		    rep_scaled_label(text, labels[i].value, labels[i].from, labels[i].to),
		    labels[i].label);
	assert_string_equal(rep_binary_label(text, -1536, "bytes", "auto"), "-1.50KiB");
	assert_string_equal(rep_binary_label(text, 3, "gigabytes", "MiB"), "3072MiB");
	assert_string_equal(rep_binary_label(text, 1023, "bytes", "auto"), "1023B");
	assert_string_equal(rep_binary_label(text, 0, "bytes", "MB"), "0");
	assert_string_equal(rep_binary_label(text, 7, "kBananas", "count"), "7");
	assert_string_equal(rep_binary_label(text, 5, "GCU", "auto"), "5GCU");
}

static const struct {
	int64_t value, total;
	const char *text;
} shares[] = {
    {0, 100, "    0%"},	     {0, 0, "    0%"},		{5, 0, "    0%"},
    {100, 100, "  100%"},    {9996, 10000, "  100%"},	{9994, 10000, "99.94%"},
    {1, 100, " 1.00%"},	     {999, 100000, "    1%"},	{1, 3, "33.33%"},
    {-1, 3, "33.33%"},	     {1, -3, "33.33%"},		{123, 100000, " 0.12%"},
    {3, 1000000, "0.0003%"}, {1, 1000000000, "1e-07%"}, {250, 100, "250.00%"},
};

static void test_percentage(void **state)
{
	char text[REP_PERCENTAGE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		assert_string_equal(rep_percentage(text, shares[i].value, shares[i].total),
				    shares[i].text);
	assert_string_equal(rep_percentage_trimmed(text, 1, 100), "1.00%");
}

static void test_units_compatible(void **state)
{
	(void)state;
	assert_true(rep_units_compatible("ms", "seconds"));
	assert_true(rep_units_compatible("widgets", "widgets"));
	assert_false(rep_units_compatible("ms", "bytes"));
	assert_false(rep_units_compatible("count", "widgets"));
	assert_true(rep_unit_ratio("ms", "ns") == 1e6);
	assert_true(rep_unit_ratio("ns", "ms") == 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scaled_label),
	    cmocka_unit_test(test_percentage),
	    cmocka_unit_test(test_units_compatible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
