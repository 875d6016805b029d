/* Tests which messages have the id of a request. Whole requests: testdata/cli/request.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "task/request.h"

static struct tp_text text_of(const char *text)
{
	return (struct tp_text){text, (uint32_t)strlen(text)};
}

static void test_request_in(void **state)
{
	static const struct {
		const char *message, *key, *id;
		bool in;
	} cases[] = {
	    {"4bf9", "", "4bf9", true},
	    {"closed, errand 10 waits", "", "10", true},
	    {"closed, errand 100 waits", "", "10", false},
	    {"x10", "", "10", false},
	    {"x_10", "", "10", false},
	    {"\xc3\xa4"
	     "10",
	     "", "10", false},
	    {"100 10", "", "10", true},
	    {"00-4bf9-0102-01", "", "4bf9", true},
	    {"trace_id=4bf9 span_id=0102", "trace_id", "4bf9", true},
	    {"trace_id=4bf9 span_id=0102", "span_id", "4bf9", false},
	    {"trace_id=4bf9 span_id=0102", "span_id", "0102", true},
	    {"trace_id=4bf9 span_id=0102", "id", "0102", false},
	    {"{\"trace_id\": \"4bf9\"}", "trace_id", "4bf9", true},
	    {"{'trace_id' : '4bf9'}", "trace_id", "4bf9", true},
	    {"trace_id 4bf9", "trace_id", "4bf9", false},
	    {"4bf9 trace_id=4bf9", "trace_id", "4bf9", true},
	    {"=4bf9", "trace_id", "4bf9", false},
	    {"4bf9", "trace_id", "4bf9", false},
	    {"", "", "4bf9", false},
	    {"4bf9", "", "", false},
	    {"aaaa", "", "aa", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (rep_request_in(text_of(cases[i].message), text_of(cases[i].key),
				   text_of(cases[i].id)) != cases[i].in)
			fail_msg("'%s', key '%s', id '%s'", cases[i].message, cases[i].key,
				 cases[i].id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_request_in)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
