#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"

static void test_set_fills(void **state)
{
	struct tp_err err = {0};

	(void)state;
	assert_int_equal(tp_err_set(&err, TP_EFORMAT, 42, "batch %d is odd", 7), TP_EFORMAT);
	assert_int_equal(err.code, TP_EFORMAT);
	assert_int_equal(err.offset, 42);
	assert_string_equal(err.msg, "batch 7 is odd");
	assert_int_equal(tp_err_set(NULL, TP_EIO, 0, "x"), TP_EIO);
}

static void test_prefix_puts_in_front(void **state)
{
	struct tp_err err = {0};

	(void)state;
	tp_err_set(&err, TP_EFORMAT, 1, "varint overflow");
	tp_err_prefix(&err, "batch at 0x%x", 0x1f2c);
	tp_err_prefix(&err, "generation %d", 3);
	assert_string_equal(err.msg, "generation 3: batch at 0x1f2c: varint overflow");
	assert_int_equal(err.code, TP_EFORMAT);
	tp_err_prefix(NULL, "x");
}

/* A message begins with the path and keeps its end, however long the path is. */
static void test_long_paths(void **state)
{
	static const char sentence[] = "the file ends too early";
	struct tp_err set, prefixed;
	char path[5 * sizeof(set.msg)];

	(void)state;
	for (size_t n = 1; n < sizeof(path); n++) {
		char whole[sizeof(path) + sizeof(sentence) + 2];

		memset(path, 'n', n);
		path[0] = '/';
		path[n] = 0;
		memset(&set, 0xff, sizeof(set)); /* like reused memory */
		memset(&prefixed, 0xff, sizeof(prefixed));
		tp_err_set(&set, TP_EIO, 0, "%s: %s", path, sentence);
		tp_err_set(&prefixed, TP_EIO, 0, sentence);
		tp_err_prefix(&prefixed, "%s", path);
		snprintf(whole, sizeof(whole), "%s: %s", path, sentence);
		if (strlen(whole) < sizeof(set.msg)) {
			assert_string_equal(set.msg, whole);
			assert_string_equal(prefixed.msg, whole);
			continue;
		}
		assert_int_equal(strlen(set.msg), sizeof(set.msg) - 1);
		assert_int_equal(strlen(prefixed.msg), sizeof(set.msg) - 1);
		assert_non_null(strstr(set.msg, "n..."));
		assert_int_equal(set.msg[0], '/');
		assert_int_equal(prefixed.msg[0], '/');
		assert_non_null(strstr(set.msg, "n: the file ends too early"));
		assert_non_null(strstr(prefixed.msg, "n: the file ends too early"));
	}
}

static void test_printable_hides_control_bytes(void **state)
{
	struct tp_err err = {0};

	(void)state;
	tp_err_set(&err, TP_EIO, 0,
		   "a\x1b[31mb\x7f\nc\xc2\x9b"
		   "d é");
	tp_err_printable(&err);
	assert_null(strpbrk(err.msg, "\x1b\x7f\n"));
	assert_null(strstr(err.msg, "\xc2\x9b"));
	assert_non_null(strstr(err.msg, "é"));
}

static void test_exit_status_by_code(void **state)
{
	static const struct {
		int code, status;
	} cases[] = {{TP_OK, 0},       {TP_EFORMAT, 3}, {TP_ETRUNC, 3},	 {TP_EVERSION, 3},
		     {TP_EUNKNOWN, 3}, {TP_ELIMIT, 3},	{TP_ENOENT, 3},	 {TP_ESTORE, 3},
		     {TP_EIO, 4},      {TP_ENOMEM, 4},	{TP_ECANCEL, 4}, {TP_EBUSY, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tp_err_exit_status(cases[i].code), cases[i].status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_fills),
	    cmocka_unit_test(test_prefix_puts_in_front),
	    cmocka_unit_test(test_long_paths),
	    cmocka_unit_test(test_printable_hides_control_bytes),
	    cmocka_unit_test(test_exit_status_by_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
