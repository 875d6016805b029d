#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static struct tp_json text_of(const char *text)
{
	return tp_json(text, strlen(text));
}

/* Writes the parts of a text, "key=value|", and what is wrong behind them. */
static const char *parts(struct tp_json text)
{
	static char out[500];
	struct tp_json_walk w = tp_json_walk(text);
	size_t n = 0;

	out[0] = '\0';
	while (tp_json_next(&w) && n < 400)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%.*s=%.*s|",
				      (int)(w.key.end - w.key.at), w.key.at ? w.key.at : "",
				      (int)(w.value.end - w.value.at), w.value.at);
	if (w.wrong)
		snprintf(out + n, sizeof(out) - n, "%s at %d", w.wrong, (int)(w.at - text.at));
	assert_false(tp_json_next(&w));
	return out;
}

static void test_json_walk(void **state)
{
	static const struct {
		const char *text, *parts;
	} cases[] = {
	    {"{}", ""},
	    {" [ ] ", ""},
	    {"7", ""},
	    {"\xef\xbb\xbf{\"a\" : 1 , \"b\":[1,{\"c\":\"]\\\"}\"}],\"a\":null}",
	     "a=1|b=[1,{\"c\":\"]\\\"}\"}]|a=null|"},
	    {"[-0.5e+3,true,\"x\",[],{}]", "=-0.5e+3|=true|=\"x\"|=[]|={}|"},
	    /* damage, and what there is in front of it */
	    {"[", "ends within an array at 1"},
	    {"{", "ends within an object at 1"},
	    {"[1,2", "=1|=2|ends within an array at 4"},
	    {"[1,[2,3", "=1|=[2,3|ends within an array at 7"},
	    {"[1,\"abc", "=1|=\"abc|ends within a string at 7"},
	    {"[\"a\\", "=\"a\\|ends within a string at 4"},
	    {"[1,tr", "=1|=tr|ends within a word at 5"},
	    {"[1.", "=1.|ends within a number at 3"},
	    {"[1,]", "=1|is not JSON at this place at 3"},
	    {"[1 2]", "=1|lacks a comma at 3"},
	    {"[,1]", "is not JSON at this place at 1"},
	    {"[01]", "=01|is not JSON at this place at 3"},
	    {"[NaN]", "is not JSON at this place at 1"},
	    {"[Infinity]", "is not JSON at this place at 1"},
	    {"[/**/1]", "is not JSON at this place at 1"},
	    {"['a']", "is not JSON at this place at 1"},
	    {"[\"a\nb\"]", "=\"a|has a control character within a string at 3"},
	    {"{a:1}", "has an object with a member that has no name at 1"},
	    {"{\"a\"}", "has an object with a name and no value at 4"},
	    {"{\"a\":1,}", "a=1|has an object with a member that has no name at 7"},
	    {"[[1}]", "=[1|is not JSON at this place at 3"},
	    /* what no reader uses may be of any size */
	    {"{\"a\\u0000\":18446744073709551616,\"b\":-12345678901234567890123}",
	     "a\\u0000=18446744073709551616|b=-12345678901234567890123|"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(parts(text_of(cases[i].text)), cases[i].parts);
}

static void test_json_depth(void **state)
{
	char text[200];
	struct tp_json_walk w;

	(void)state;
	/* 64 inside the one that is walked over */
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	w = tp_json_walk((struct tp_json){text, text + 130});
	assert_true(tp_json_next(&w));
	assert_null(w.wrong);
	memset(text, '[', 66);
	memset(text + 66, ']', 66);
	w = tp_json_walk((struct tp_json){text, text + 132});
	assert_true(tp_json_next(&w));
	assert_string_equal(w.wrong, "is nested too deeply");
	assert_int_equal(w.at - text, 65);
}

static void test_json_scaled(void **state)
{
	static const struct {
		const char *text;
		unsigned places;
		int64_t number;
		int rounded; /* 2: not read */
	} cases[] = {
	    {"0", 9, 0, 0},
	    {"-12", 0, -12, 0},
	    {"1.5", 3, 1500, 0},
	    {"0.0000000005", 9, 1, 1},
	    {"0.00000000049", 9, 0, 1},
	    {"-0.5", 0, -1, 1},
	    {"9.99", 1, 100, 1},
	    {"1.25e2", 0, 125, 0},
	    {"1.25E+1", 0, 13, 1},
	    {"125e-2", 1, 13, 1},
	    {"5e-1", 0, 1, 1},
	    {"5e-2", 0, 0, 1},
	    {"1.0000", 0, 1, 0},
	    {"9223372036854775807", 0, INT64_MAX, 0},
	    {"-9223372036854775808", 0, INT64_MIN, 0},
	    {"9223372036854775808", 0, 0, 2},
	    {"9223372036.854775807", 9, INT64_MAX, 0},
	    {"9223372036.8547758075", 9, 0, 2},
	    {"1e400", 0, 0, 2},
	    {"0e99999999999999999999", 9, 0, 0},
	    {"1e-99999999999999999999", 9, 0, 1},
	    {"1606003200.123456789", 9, 1606003200123456789, 0},
	    {"\"1\"", 0, 0, 2},
	    {"null", 0, 0, 2},
	    {"1x", 0, 0, 2},
	    {"", 0, 0, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t number = 0;
		bool rounded = false;
		bool read =
		    tp_json_scaled(text_of(cases[i].text), cases[i].places, &number, &rounded);

		assert_int_equal(read, cases[i].rounded != 2);
		if (read) {
			assert_true(number == cases[i].number);
			assert_int_equal(rounded, cases[i].rounded);
		}
	}
}

static void test_json_text(void **state)
{
	static const struct {
		const char *text, *is; /* NULL: refused */
		size_t size;
	} cases[] = {
	    {"\"\"", "", 0},
	    {"\"plain\xff\"", "plain\xff", 6},
	    {"\"\\u00e4\\n\\u0000/\\/\\\\\\\"\"", "\xc3\xa4\n\0//\\\"", 8},
	    {"\"a\\ud83d\\ude00\\uD83D\\uDE00b\"",
	     "a\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "b",
	     10},
	    /* halves of a character */
	    {"\"\\ud83d\"", "\xef\xbf\xbd", 3},
	    {"\"\\ud83d\\ud83d\\ude00x\"", "\xef\xbf\xbd\xf0\x9f\x98\x80x", 8},
	    {"\"\\ude00\\u0041\"",
	     "\xef\xbf\xbd"
	     "A",
	     4},
	    {"7", NULL, 0},
	    {"\"", NULL, 0},
	    {"", NULL, 0},
	    {"\"\\\"", NULL, 0},
	    {"\"\\x41\"", NULL, 0},
	    {"\"\\u12\"", NULL, 0},
	    {"\"\\u12\\n3\"", NULL, 0},
	    {"\"\\u12g4\"", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0};
		struct tp_err err;

		assert_int_equal(tp_json_text(text_of(cases[i].text), &b, &err),
				 cases[i].is ? 0 : TP_EFORMAT);
		if (cases[i].is) {
			assert_int_equal(b.size, cases[i].size);
			assert_memory_equal(b.data ? b.data : (const uint8_t *)"", cases[i].is,
					    b.size);
		}
		tp_buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_json_walk),
	    cmocka_unit_test(test_json_depth),
	    cmocka_unit_test(test_json_scaled),
	    cmocka_unit_test(test_json_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
