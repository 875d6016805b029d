/* Each key of each dump is new only once. */
#include "tprof-import/labelled.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void test_labelled_first_once(void **state)
{
	struct labelled l = {0};
	char hash[33];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < 3000; i++) {
			snprintf(hash, sizeof(hash), "%032x", i);
			assert_int_equal(labelled_first(&l, hash, "host=a"), !round);
			assert_int_equal(labelled_first(&l, hash, "hos=a"), !round);
			assert_int_equal(labelled_first(&l, hash, "host=b=a"), 0);
		}
	assert_int_equal(l.n, 6000);
	labelled_release(&l);
	assert_int_equal(labelled_first(&l, hash, "host="), 1);
	labelled_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_labelled_first_once)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
