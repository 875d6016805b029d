#include <json-c/json.h>
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
	    {"{\"a\\u0000b\":1}", "has an object with a name that has a NUL in it at 11"},
	    {"[[1}]", "=[1|is not JSON at this place at 3"},
	    {"[18446744073709551615,-9223372036854775808]",
	     "=18446744073709551615|=-9223372036854775808|"},
	    {"[18446744073709551616]", "has an integer of more than 64 bits at 1"},
	    {"[-9223372036854775809]", "=-|has an integer of more than 64 bits at 2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(parts(text_of(cases[i].text)), cases[i].parts);
}

static void test_json_depth(void **state)
{
	char text[200];
	struct json_object *o;
	struct tp_err err;
	struct tp_json_walk w;

	(void)state;
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	assert_int_equal(tp_json_parse((struct tp_json){text, text + 128}, &o, &err), 0);
	json_object_put(o);
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	assert_int_equal(tp_json_parse((struct tp_json){text, text + 130}, &o, &err), TP_EFORMAT);
	assert_string_equal(err.msg, "is nested too deeply");
	assert_int_equal(err.offset, 64);
	w = tp_json_walk((struct tp_json){text, text + 130});
	assert_true(tp_json_next(&w));
	assert_null(w.wrong);
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

static void test_json_parse(void **state)
{
	struct tp_json text = text_of(
	    "{\"s\":\"a\\u0000b\\ud83d\\ude00\xff\",\"n\":[18446744073709551615,"
	    "-9223372036854775808,1e3,\"77\",1.5,\"18446744073709551615\",\"7\\u0000\",true],"
	    "\"o\":{\"s\":null}}");
	struct json_object *o, *s, *n;
	struct tp_err err;
	uint64_t u;
	int64_t i;

	(void)state;
	assert_int_equal(tp_json_parse(text, &o, &err), 0);
	s = json_object_object_get(o, "s");
	assert_int_equal(json_object_get_string_len(s), 8);
	assert_memory_equal(json_object_get_string(s), "a\0b\xf0\x9f\x98\x80\xff", 8);
	n = json_object_object_get(o, "n");
	assert_true(tp_json_uint64(json_object_array_get_idx(n, 0), &u) && u == UINT64_MAX);
	assert_false(tp_json_int64(json_object_array_get_idx(n, 0), &i));
	assert_true(tp_json_int64(json_object_array_get_idx(n, 1), &i) && i == INT64_MIN);
	assert_false(tp_json_uint64(json_object_array_get_idx(n, 1), &u));
	assert_true(tp_json_int64(json_object_array_get_idx(n, 2), &i) && i == 1000);
	assert_true(tp_json_uint64(json_object_array_get_idx(n, 3), &u) && u == 77);
	assert_false(tp_json_int64(json_object_array_get_idx(n, 4), &i));
	assert_true(tp_json_uint64(json_object_array_get_idx(n, 5), &u) && u == UINT64_MAX);
	assert_false(tp_json_uint64(json_object_array_get_idx(n, 6), &u));
	assert_false(tp_json_int64(json_object_array_get_idx(n, 7), &i));
	json_object_put(o);
	assert_int_equal(tp_json_parse(text_of("null"), &o, &err), 0);
	assert_null(o);
	assert_int_equal(tp_json_parse(text_of("12"), &o, &err), 0);
	assert_int_equal(json_object_get_int(o), 12);
	json_object_put(o);
}

static void test_json_refused(void **state)
{
	static const struct {
		const char *text;
		int offset;
		const char *why;
	} cases[] = {
	    {"{\"a\":1,\"b\":{\"a\":2,\"a\":3}}", 0, "has an object with two members of one name"},
	    {"[1] 2", 3, "has text behind its end"},
	    {"", 0, "ends where a value should be"},
	    {"[123456789012345678901234]", 1, "has an integer of more than 64 bits"},
	};
	struct json_object *o;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(tp_json_parse(text_of(cases[i].text), &o, &err), TP_EFORMAT);
		assert_string_equal(err.msg, cases[i].why);
		assert_int_equal(err.offset, cases[i].offset);
		assert_null(o);
	}
}

static void test_json_room(void **state)
{
	size_t n = 300000;
	char *text = malloc(n);
	struct json_object *o;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < n; i++)
		text[i] = "{},"[i % 3];
	text[0] = '[', text[1] = '7', text[n - 1] = ']';
	assert_int_equal(tp_json_parse((struct tp_json){text, text + n}, &o, &err), TP_ELIMIT);
	assert_null(o);
	free(text);
}

static void test_json_text(void **state)
{
	struct tp_buf b = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_json_text(text_of("\"plain \""), &b, &err), 0);
	assert_int_equal(tp_json_text(text_of("\"\\u00e4\\n\\u0000/\\/\""), &b, &err), 0);
	assert_int_equal(b.size, 12);
	assert_memory_equal(b.data, "plain \xc3\xa4\n\0//", 12);
	assert_int_equal(tp_json_text(text_of("7"), &b, &err), TP_EFORMAT);
	assert_int_equal(tp_json_text(text_of("\""), &b, &err), TP_EFORMAT);
	tp_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_json_walk),	 cmocka_unit_test(test_json_depth),
	    cmocka_unit_test(test_json_scaled),	 cmocka_unit_test(test_json_parse),
	    cmocka_unit_test(test_json_refused), cmocka_unit_test(test_json_room),
	    cmocka_unit_test(test_json_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
