/* Queries of addresses, decoded. */
#include "tprof-web/query.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static struct web_query q;

static int parse(const char *text)
{
	/* A copy of exactly that size lets sanitizers see reads beyond its end. */
	size_t size = strlen(text);
	char *copy = test_malloc(size + !size);
	int code;

	memcpy(copy, text, size);
	code = web_query_parse(&q, copy, size, NULL);
	test_free(copy);
	return code;
}

static void test_query_pairs(void **state)
{
	static const struct {
		const char *text, *pairs; /* "name=value|" of each */
	} tests[] = {
	    {"", ""},
	    {"a=1", "a=1|"},
	    {"a=1&a=2&b", "a=1|a=2|b=|"},
	    {"a=b=c", "a=b=c|"},
	    {"=&", "=|"},
	    {"&&", "=|=|"},
	    {"a=%41%2b+%e2%82%ac", "a=A+ \xe2\x82\xac|"},
	    {"%26=%3d", "&==|"},
	    {"a=%ff%0a", "a=\xff\n|"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		char all[200] = "";

		assert_int_equal(parse(tests[i].text), 0);
		for (size_t k = 0; k < q.n; k++)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s=%s|",
				 q.pair[k].name, q.pair[k].value);
		assert_string_equal(all, tests[i].pairs);
	}
	assert_int_equal(parse("a=1&b=2&a=3"), 0);
	assert_string_equal(web_query_get(&q, "a"), "1");
	assert_null(web_query_get(&q, "c"));
}

static void test_query_refuses(void **state)
{
	static const char *const wrong[] = {"%", "a=%4", "a=%4g", "a=%-1", "a=%00", "a=%", "%zz=1"};
	char *most = test_malloc(WEB_QUERY_SIZE + 2);

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(parse(wrong[i]), TP_EFORMAT);
	assert_int_equal(web_query_parse(&q, "a\0b", 3, NULL), TP_EFORMAT);
	memset(most, '&', WEB_QUERY_SIZE + 1);
	assert_int_equal(web_query_parse(&q, most, WEB_QUERY_PAIRS, NULL), 0);
	assert_int_equal(q.n, WEB_QUERY_PAIRS);
	assert_int_equal(web_query_parse(&q, most, WEB_QUERY_PAIRS + 1, NULL), TP_EFORMAT);
	/* The longest text of the most pairs fits. */
	memset(most, 'x', WEB_QUERY_SIZE + 1);
	memset(most, '&', WEB_QUERY_PAIRS - 1);
	assert_int_equal(web_query_parse(&q, most, WEB_QUERY_SIZE, NULL), 0);
	assert_int_equal(q.n, WEB_QUERY_PAIRS);
	assert_int_equal(web_query_parse(&q, most, WEB_QUERY_SIZE + 1, NULL), TP_EFORMAT);
	test_free(most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_query_pairs),
	    cmocka_unit_test(test_query_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
