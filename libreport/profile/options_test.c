#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/options.h"

/* pprof's spellings, without dashes; name NULL: not an option. */
static const struct {
	const char *text, *name, *value;
	bool ignored;
} spellings[] = {
    {"tagfocus=a=b", "tag-focus", "a=b", false},
    {"show_from", "show-from", NULL, false},
    {"noinlines", "no-inlines", NULL, false},
    {"noinlines=false", "no-inlines", NULL, true},
    {"lines", "granularity", "lines", false},
    {"lines=false", "granularity", "lines", true},
    {"inuse_space", "sample-index", "inuse_space", false},
    {"total_delay", "sample-index", "delay", false},
    {"sample_index=1", "sample-index", "1", false},
    {"trim=false", "no-trim", NULL, false},
    {"trim", "no-trim", NULL, true},
    {"no-trim", "no-trim", NULL, false},
    {"mean=yes", "mean", NULL, false},
    {"mean=perhaps", NULL, NULL, false},
    {"flat", "flat", NULL, false},
    {"focus", "focus", NULL, false},
    {"focu", NULL, NULL, false},
    {"format=csv", NULL, NULL, false},
    {"", NULL, NULL, false},
};

static void test_option_pprof(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		const char *name, *value;
		bool ignored;
		bool known = rep_profile_option_pprof(spellings[i].text, &name, &value, &ignored);

		assert_int_equal(known, spellings[i].name != NULL);
		if (!known)
			continue;
		assert_string_equal(name, spellings[i].name);
		assert_int_equal(ignored, spellings[i].ignored);
		if (spellings[i].value)
			assert_string_equal(value, spellings[i].value);
		else
			assert_null(value);
	}
}

static void test_option_set(void **state)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT, plain = opt;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_NODECOUNT, "12", &err), 0);
	assert_int_equal(opt.node_count, 12);
	assert_true(rep_profile_option_differs(&opt, &plain, REP_OPTION_NODECOUNT));
	assert_false(rep_profile_option_differs(&opt, &plain, REP_OPTION_FOCUS));
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_NODECOUNT, "12x", &err),
			 TP_EFORMAT);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_NODECOUNT, "-1", &err), 0);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_NODECOUNT, "-2", &err),
			 TP_EFORMAT);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_NODEFRACTION, "1", &err), 0);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_NODEFRACTION, "-1", &err),
			 TP_EFORMAT);
	assert_non_null(strstr(err.msg, "--nodefraction takes a share from 0 to 1"));
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_EDGEFRACTION, "1.5", &err),
			 TP_EFORMAT);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_DIVIDE_BY, "0", &err), TP_EFORMAT);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_DIVIDE_BY, "nan", &err),
			 TP_EFORMAT);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_GRANULARITY, "lines", &err), 0);
	assert_int_equal(opt.granularity, REP_LINES);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_GRANULARITY, "words", &err),
			 TP_EFORMAT);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_FOCUS, "", &err), 0);
	assert_null(opt.focus);
	assert_int_equal(rep_profile_option_set(&opt, REP_OPTION_MEAN, NULL, &err), 0);
	assert_true(opt.mean);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_option_pprof),
	    cmocka_unit_test(test_option_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
