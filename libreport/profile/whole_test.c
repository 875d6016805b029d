/* Tests stacks that are too deep to be written whole, and others that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/whole.h"

/* Makes a chain of calls with a sample at each call, or only at the last. */
static struct tp_profile *chain(size_t calls, bool each)
{
	struct tp_profile *p = tp_profile_new();
	uint32_t type, stack = 0;
	int64_t value = 1;

	assert_non_null(p);
	assert_int_equal(tp_dict_string(p->dict, "samples", 7, &type), 0);
	assert_int_equal(tp_profile_add_type(p, type, type), 0);
	for (size_t i = 0; i < calls; i++) {
		struct tp_location l = {.address = 1 + i};

		assert_int_equal(tp_profile_push_location(p, &stack, &l, NULL, 0), 0);
		if (each || i + 1 == calls)
			assert_int_equal(tp_profile_add_sample(p, stack, 0, &value), 0);
	}
	return p;
}

static void test_stacks_whole(void **state)
{
	static const struct {
		size_t calls;
		bool each;
		int code;
	} cases[] = {{0, true, 0}, {3000, true, 0}, {200000, false, 0}, {20000, true, TP_ELIMIT}};
	struct tp_err err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_profile *p = chain(cases[i].calls, cases[i].each);

		assert_int_equal(rep_stacks_whole(p, &err), cases[i].code);
		tp_profile_free(p);
	}
	assert_non_null(strstr(err.msg, "20000 samples have 200010000 frames"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stacks_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
