#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/perfetto/json.h"

static void assert_json(struct rep_perfetto *p, const char *expected)
{
	assert_int_equal(p->code, 0);
	assert_int_equal(p->buf.size, strlen(expected));
	assert_memory_equal(p->buf.data, expected, p->buf.size);
	p->buf.size = 0;
}

static void test_text_is_valid_whatever_it_was(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *expected;
	} cases[] = {
	    {"main.main", 9, "{\"k\":\"main.main\""},
	    {"", 0, "{\"k\":\"\""},
	    {"a\"b\\c", 5, "{\"k\":\"a\\\"b\\\\c\""},
	    {"\0\n\x1b\x7f", 4, "{\"k\":\"\\\\x00\\\\n\\\\x1b\\\\x7f\""},
	    {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9,
	     "{\"k\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
	    /* Incomplete sequences, stray bytes, and reversed text. */
	    {"\xe2\x82", 2, "{\"k\":\"\\\\xe2\\\\x82\""},
	    {"\x80\xff", 2, "{\"k\":\"\\\\x80\\\\xff\""},
	    {"\xe2\x80\xae", 3, "{\"k\":\"\\\\u202e\""},
	};
	struct rep_perfetto p = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_raw(&p, "{");
		json_text(&p, "k", cases[i].text, cases[i].size);
		assert_json(&p, cases[i].expected);
	}
	tp_buf_release(&p.buf);
	tp_buf_release(&p.shown);
}

static void test_times_are_microseconds(void **state)
{
	static const struct {
		int64_t ns;
		const char *expected;
	} cases[] = {
	    {0, "{\"ts\":0"},
	    {1, "{\"ts\":0.001"},
	    {1500, "{\"ts\":1.500"},
	    {1000000, "{\"ts\":1000"},
	    {-1500, "{\"ts\":-1.500"},
	    {INT64_MAX, "{\"ts\":9223372036854775.807"},
	    {INT64_MIN, "{\"ts\":-9223372036854775.808"},
	};
	struct rep_perfetto p = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_raw(&p, "{");
		json_ts(&p, "ts", cases[i].ns);
		assert_json(&p, cases[i].expected);
	}
	tp_buf_release(&p.buf);
}

static void test_members_are_separated(void **state)
{
	struct rep_perfetto p = {.pid = 5};

	(void)state;
	json_begin(&p, 'C', PERFETTO_COUNTERS, 7);
	json_args(&p);
	json_uint(&p, "a", UINT64_MAX);
	json_int(&p, "b", INT64_MIN);
	json_args_end(&p);
	json_end(&p);
	json_name(&p, "thread_name", PERFETTO_PS, 1, "x", 1);
	assert_json(&p, "\n{\"ph\":\"C\",\"pid\":8,\"tid\":7,\"args\":{\"a\":18446744073709551615,"
			"\"b\":-9223372036854775808}}"
			",\n{\"ph\":\"M\",\"pid\":5,\"tid\":1,\"name\":\"thread_name\","
			"\"args\":{\"name\":\"x\"}}");
	tp_buf_release(&p.buf);
	tp_buf_release(&p.shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_is_valid_whatever_it_was),
	    cmocka_unit_test(test_times_are_microseconds),
	    cmocka_unit_test(test_members_are_separated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
