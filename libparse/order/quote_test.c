#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "order/listing.h"

/* The results of Go 1.27's strconv.Quote. */
static void test_quote_as_go(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *quoted;
	} cases[] = {
	    {"", 0, "\"\""},
	    {"plain", 5, "\"plain\""},
	    {"tab\there \"q\" b\\s", 16, "\"tab\\there \\\"q\\\" b\\\\s\""},
	    {"\a\b\f\n\r\t\v", 7, "\"\\a\\b\\f\\n\\r\\t\\v\""},
	    {"\0\x1b\x7f", 3, "\"\\x00\\x1b\\x7f\""},
	    {"\xff\xfe", 2, "\"\\xff\\xfe\""},
	    /* Cut off, too long, a surrogate, beyond the last. */
	    {"\xc5", 1, "\"\\xc5\""},
	    {"\xc0\x80", 2, "\"\\xc0\\x80\""},
	    {"\xed\xa0\x80", 3, "\"\\xed\\xa0\\x80\""},
	    {"\xf4\x90\x80\x80", 4, "\"\\xf4\\x90\\x80\\x80\""},
	    {"\xc5\xbelu \xf0\x9f\x90\x8e", 9, "\"\xc5\xbelu \xf0\x9f\x90\x8e\""},
	    /* Valid but invisible: NBSP, soft hyphen, line separator, BOM, a C1 control, a private
	     * code point, an unassigned one. */
	    {"\xc2\xa0\xc2\xad", 4, "\"\\u00a0\\u00ad\""},
	    {"\xe2\x80\xa8\xef\xbb\xbf", 6, "\"\\u2028\\ufeff\""},
	    {"\xc2\x85\xee\x80\x80", 5, "\"\\u0085\\ue000\""},
	    {"\xf4\x8f\xbf\xbf", 4, "\"\\U0010ffff\""},
	    {"\xef\xbf\xbd", 3, "\"\xef\xbf\xbd\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf out = {0};

		assert_int_equal(tp_quote(&out, cases[i].text, cases[i].size), 0);
		assert_int_equal(out.size, strlen(cases[i].quoted));
		assert_memory_equal(out.data, cases[i].quoted, out.size);
		tp_buf_release(&out);
	}
}

static void test_escape(void **state)
{
	static const struct {
		const char *text, *escaped;
	} cases[] = {
	    {"main.(*T).f·1", "main.(*T).f·1"},
	    {"a\x1b[2J\n\x7f", "a\\x1b[2J\\x0a\\x7f"},
	    {"\x9b"
	     "31m\xc2\x9b"
	     "31m",
	     "\\x9b31m\\xc2\\x9b31m"},
	    {"\xe2\x80\xae"
	     "exe",
	     "\\xe2\\x80\\xaeexe"},
	    {"\xed\xa0\x80\xe2\x80", "\\xed\\xa0\\x80\\xe2\\x80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf out = {0};

		assert_int_equal(tp_escape(&out, cases[i].text, strlen(cases[i].text)), 0);
		assert_int_equal(tp_buf_put(&out, "", 1), 0);
		assert_string_equal((char *)out.data, cases[i].escaped);
		tp_buf_release(&out);
	}
}

static void test_is_print_at_the_edges(void **state)
{
	static const struct {
		uint32_t rune;
		bool print;
	} cases[] = {{0, false},       {' ', true},	{'~', true},	 {0x7f, false},
		     {0xa0, false},    {0xa1, true},	{0xac, true},	 {0xad, false},
		     {0xae, true},     {0x377, true},	{0x378, false},	 {0x37a, true},
		     {0x2028, false},  {0x1f40e, true}, {0xe01ef, true}, {0xe01f0, false},
		     {0x10ffff, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tp_is_print(cases[i].rune), cases[i].print);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quote_as_go),
	    cmocka_unit_test(test_escape),
	    cmocka_unit_test(test_is_print_at_the_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
