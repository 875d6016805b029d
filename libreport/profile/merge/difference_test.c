#include "profile/testing.h"

#include "profile/merge/difference.h"

static struct tp_profile *one(const char *types, const char *a, const char *b)
{
	const char *const samples[] = {a, b, NULL};

	return test_profile(types, NULL, samples);
}

static void test_difference(void **state)
{
	static const struct {
		struct rep_difference_options how;
		const char *old[2], *new[2], *want;
	} cases[] = {
	    /* Equal stacks are one sample; samples that cancel out are dropped. */
	    {{false, false}, {"3 a", "5 b"}, {"4 a", "5 b"}, "1 a"},
	    {{false, false}, {"3 a", "5 b"}, {"1 c", NULL}, "1 c | -3 a | -5 b"},
	    /* The marked base stays apart. */
	    {{false, true}, {"3 a", NULL}, {"4 a", NULL}, "4 a | -3 a pprof::base=true"},
	    /* 10 against 5: values are doubled first; halves are rounded away from zero. */
	    {{true, false}, {"6 a", "4 b"}, {"4 a", "1 b"}, "2 a | -2 b"},
	    {{true, false}, {"5 a", NULL}, {"3 a", "7 b"}, "-3 a | 4 b"},
	    /* A total of 0 cannot be scaled. */
	    {{true, false}, {"5 a", NULL}, {"1 a", "-1 b"}, "-5 a"},
	};
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_profile *old = one("n/count", cases[i].old[0], cases[i].old[1]);
		struct tp_profile *new = one("n/count", cases[i].new[0], cases[i].new[1]), *p;

		assert_int_equal(rep_profile_difference(old, new, &cases[i].how, &p, &err), 0);
		assert_samples(p, cases[i].want);
		tp_profile_free(old);
		tp_profile_free(new);
		tp_profile_free(p);
	}
}

static void test_difference_of_others(void **state)
{
	struct tp_profile *old = one("n/count", "1 a", NULL), *new = one("t/ns", "1 a", NULL), *p;
	struct rep_difference_options how = {false, false};
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_profile_difference(old, new, &how, &p, &err), TP_EFORMAT);
	assert_null(p);
	tp_profile_free(old);
	tp_profile_free(new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_difference),
	    cmocka_unit_test(test_difference_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
