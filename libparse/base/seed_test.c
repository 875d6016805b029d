#include "base/seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Two seeds differ, so an attacker cannot know both in advance. */
static void test_seed_differs(void **state)
{
	(void)state;
	assert_int_not_equal(tp_seed(), tp_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_seed_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
