#include "tprof-tui/position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_position_round_trip(void **state)
{
	char view[] = "top", arg[] = "block", goroutine[] = "^a\\.b\t(c)\n$", none[] = "";
	const struct tui_position p = {.view = view,
				       .arg = arg,
				       .run = 7,
				       .other = TP_NULL,
				       .from_ns = INT64_MIN,
				       .to_ns = 12345,
				       .filter = {goroutine, NULL, none, NULL, arg, NULL},
				       .row = 3};
	struct tui_position q;
	struct tp_buf b = {0};

	(void)state;
	assert_true(tui_position_put(&p, &b));
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	assert_null(strchr((char *)b.data, '\n'));
	assert_true(tui_position_parse((char *)b.data, &q));
	assert_string_equal(q.view, "top");
	assert_string_equal(q.arg, "block");
	assert_int_equal(q.run, 7);
	assert_true(q.other == TP_NULL);
	assert_true(q.from_ns == INT64_MIN);
	assert_int_equal(q.to_ns, 12345);
	assert_string_equal(q.filter[0], goroutine);
	assert_string_equal(q.filter[1], "");
	assert_string_equal(q.filter[4], "block");
	assert_int_equal(q.row, 3);
	tui_position_release(&q);
	tp_buf_release(&b);
}

/* The file is untrusted input. */
static void test_position_hostile(void **state)
{
	static const char *const lines[] = {
	    "",
	    "2",
	    "2\t",
	    "1\ttop\t\t1\t1\t0\t1\t\t\t\t\t\t\t0",    /* another version */
	    "2\ttop\t\t1\t1\t0\t1\t\t\t\t\t\t0",      /* a field is missing */
	    "2\ttop\t\t1\t1\t0\t1\t\t\t\t\t\t\t0\t0", /* a field too many */
	    "2\ttop\t\t1x\t1\t0\t1\t\t\t\t\t\t\t0",   /* not a number */
	    "2\ttop\t\t \t1\t0\t1\t\t\t\t\t\t\t0",    /* a blank is not a number */
	    "2\ttop\t\t\t1\t0\t1\t\t\t\t\t\t\t0",     /* an empty field is not a number */
	    "2\ttop\t\t99999999999999999999\t1\t0\t1\t\t\t\t\t\t\t0",
	    "2\ttop\t\t1\t1\t0\t1\t\033[2J\t\t\t\t\t\t0", /* a terminal's sequence */
	    "2\ttop\t\\\t1\t1\t0\t1\t\t\t\t\t\t\t0",	  /* an incomplete escape */
	    "2\ttop\t\\x\t1\t1\t0\t1\t\t\t\t\t\t\t0",	  /* an unknown escape */
	};
	struct tui_position p;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		if (tui_position_parse(lines[i], &p))
			fail_msg("taken: %s", lines[i]);
		assert_null(p.view);
	}
	assert_true(tui_position_parse("2\ttop\t\t1\t1\t0\t1\t\t\t\t\t\t\t0", &p));
	tui_position_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_position_round_trip),
	    cmocka_unit_test(test_position_hostile),
	};

	return cmocka_run_group_tests_name("position", tests, NULL, NULL);
}
