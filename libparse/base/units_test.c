#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_fmt_ns_table(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
	    {0, "0s"},
	    {1, "1ns"},
	    {980, "980ns"},
	    {999, "999ns"},
	    {1000, "1us"},
	    {1004, "1us"},
	    {1005, "1.01us"},
	    {1250000, "1.25ms"},
	    {1200000, "1.2ms"},
	    {12340, "12.3us"},
	    {99949, "99.9us"},
	    {99950, "100us"},
	    {999499, "999us"},
	    {999500, "1ms"},
	    {100499999, "100ms"},
	    {999500000, "1s"},
	    {12345678901, "12.3s"},
	    {59949999999, "59.9s"},
	    {59960000000, "1m00s"},
	    {60000000000, "1m00s"},
	    {125000000000, "2m05s"},
	    {3599499999999, "59m59s"},
	    {3599600000000, "1h00m"},
	    {11220000000000, "3h07m"},
	    {86399000000000, "1d00h"},
	    {1051200000000000, "12d04h"},
	    {86399999000000000, "1000d"},
	    {INT64_MAX, "106752d"},
	    {-1, "-1ns"},
	    {-1250000, "-1.25ms"},
	    {-125000000000, "-2m05s"},
	    {-INT64_MAX, "-106752d"},
	    {INT64_MIN, ""},
	};
	char text[TP_UNITS_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(tp_fmt_ns(text, cases[i].ns), cases[i].text);
}

static void test_fmt_bytes_table(void **state)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} cases[] = {
	    {0, "0B"},
	    {1, "1B"},
	    {1023, "1023B"},
	    {1024, "1KiB"},
	    {1536, "1.5KiB"},
	    {3565158, "3.4MiB"},
	    {3596616, "3.43MiB"},
	    {102349, "100KiB"},
	    {1023 * 1024, "1023KiB"},
	    {1024 * 1024 - 1, "1MiB"},
	    {1234567890, "1.15GiB"},
	    {INT64_MAX, "8EiB"},
	    {-3565158, "-3.4MiB"},
	    {-1023 * 1024, "-1023KiB"},
	    {INT64_MIN, ""},
	};
	char text[TP_UNITS_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(tp_fmt_bytes(text, cases[i].bytes), cases[i].text);
}

static void test_fmt_width(void **state)
{
	char text[TP_UNITS_SIZE];

	(void)state;
	/* A walk over all magnitudes, dense enough to meet every carry. */
	for (uint64_t v = 1; v < INT64_MAX; v += v / 97 + 1) {
		assert_true(strlen(tp_fmt_ns(text, -(int64_t)v)) <= 8);
		assert_true(strlen(tp_fmt_ns(text, (int64_t)v)) > 1);
		assert_true(strlen(tp_fmt_bytes(text, -(int64_t)v)) <= 8);
		assert_true(strlen(tp_fmt_bytes(text, (int64_t)v)) > 1);
	}
}

static void test_parse_ns_table(void **state)
{
	static const struct {
		const char *text;
		int err;
		int64_t ns;
	} cases[] = {
	    {"0", 0, 0},
	    {"1500", 0, 1500},
	    {"980ns", 0, 980},
	    {"1.25ms", 0, 1250000},
	    {"1.5us", 0, 1500},
	    {"1.5\xc2\xb5s", 0, 1500},
	    {".5s", 0, 500000000},
	    {"2m05s", 0, 125000000000},
	    {"1h2m3.5s", 0, 3723500000000},
	    {"1d", 0, 86400000000000},
	    {"-3us", 0, -3000},
	    {"+3us", 0, 3000},
	    {"0.4", 0, 0},
	    {"0.00000000000000000000000001d", 0, 0},
	    {"9223372036854775807", 0, INT64_MAX},
	    {"9223372036854775808", TP_ELIMIT, 0},
	    {"999999999999h", TP_ELIMIT, 0},
	    {"", TP_EFORMAT, 0},
	    {"-", TP_EFORMAT, 0},
	    {".", TP_EFORMAT, 0},
	    {"ms", TP_EFORMAT, 0},
	    {"1x", TP_EFORMAT, 0},
	    {"1ms ", TP_EFORMAT, 0},
	    {" 1ms", TP_EFORMAT, 0},
	    {"1ms2x", TP_EFORMAT, 0},
	    {"12abc", TP_EFORMAT, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t ns = -77;

		assert_int_equal(tp_parse_ns(cases[i].text, &ns), cases[i].err);
		assert_int_equal(ns, cases[i].err ? -77 : cases[i].ns);
	}
}

static void test_lacks_unit_table(void **state)
{
	static const struct {
		const char *text;
		bool lacks;
	} cases[] = {
	    {"30", true},     {"0.1", true},  {".5", true},	{"+3", true},	{"1m30", true},
	    {"0", false},     {"0.0", false}, {"", false},	{".", false},	{"30ms", false},
	    {"1m30s", false}, {"x", false},   {"1.2.3", false}, {"25%", false}, {"1e5", false},
	};
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(tp_lacks_unit(cases[i].text), cases[i].lacks);
		assert_int_equal(tp_ask_unit("--min", cases[i].text, &err),
				 cases[i].lacks ? TP_EFORMAT : 0);
	}
	tp_ask_unit("--min", "30", &err);
	assert_string_equal(err.msg, "--min: 30 has no unit; write 30us, 30ms, 30s or 30m");
}

static void test_fmt_count_table(void **state)
{
	static const struct {
		int64_t n;
		const char *text;
	} cases[] = {
	    {0, "0"},
	    {999, "999"},
	    {1000, "1,000"},
	    {-999, "-999"},
	    {-123456, "-123,456"},
	    {1234567, "1,234,567"},
	    {INT64_MAX, "9,223,372,036,854,775,807"},
	    {INT64_MIN, "-9,223,372,036,854,775,808"},
	};
	char text[TP_COUNT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(tp_fmt_count(text, cases[i].n), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fmt_ns_table),    cmocka_unit_test(test_fmt_bytes_table),
	    cmocka_unit_test(test_fmt_count_table), cmocka_unit_test(test_fmt_width),
	    cmocka_unit_test(test_parse_ns_table),  cmocka_unit_test(test_lacks_unit_table),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
