#include "order/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Checks the line of an event whose stack is one function of this name. */
static void check(const char *name, const char *stack)
{
	struct tp_dict *dict = tp_dict_new();
	struct tp_listing l = {.dict = dict};
	struct tp_function function = {0};
	struct tp_frame frame = {.line = 7};
	struct tp_event ev = {.type = TP_EV_SYNC, .g = TP_NONE, .m = TP_NONE, .p = TP_NONE};
	struct tp_buf out = {0};
	const char *last;

	assert_non_null(dict);
	assert_int_equal(tp_dict_string(dict, name, strlen(name), &function.name), 0);
	assert_int_equal(tp_dict_function(dict, &function, &frame.function), 0);
	assert_int_equal(tp_dict_frame(dict, &frame, &ev.stack), 0);
	assert_int_equal(tp_dict_stack(dict, 0, ev.stack, &ev.stack), 0);
	assert_int_equal(tp_listing_line(&l, &ev, &out), 0);
	assert_int_equal(tp_buf_put(&out, "", 1), 0);
	last = strrchr((const char *)out.data, '\t');
	assert_non_null(last);
	assert_string_equal(last + 1, stack);
	tp_buf_release(&out);
	tp_dict_free(dict);
}

/* A name is printed as it is, except for bytes that would control a terminal or look like another
 * field or line. */
static void test_listing_line_names(void **state)
{
	(void)state;
	check("main.(*T[...]).run", "main.(*T[...]).run:7\n");
	check("gr\xc3\xbc\xc3\x9f.e", "gr\xc3\xbc\xc3\x9f.e:7\n");
	check("a\033[2J\tb\n", "a\\x1b[2J\\x09b\\x0a:7\n");
	check("\xc2\x9b"
	      "2J\x7f",
	      "\\xc2\\x9b2J\\x7f:7\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_listing_line_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
