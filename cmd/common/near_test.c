#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/near.h"

static void test_distance_edits(void **state)
{
	static const struct {
		const char *a, *b;
		int want;
	} cases[] = {
	    {"", "", 0},
	    {"a", "", 1},
	    {"focus", "focus", 0},
	    {"fokus", "focus", 1},
	    {"fcous", "focus", 1},
	    {"focu", "focus", 1},
	    {"focuss", "focus", 1},
	    {"abc", "xyz", 3},
	    {"nodecount", "node-count", 1},
	    {"goruotnie", "goroutine", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cmd_distance(cases[i].a, cases[i].b), cases[i].want);
		assert_int_equal(cmd_distance(cases[i].b, cases[i].a), cases[i].want);
	}
}

static void test_near_is_the_nearest_or_none(void **state)
{
	static const char *const words[] = {"list", "show", "last", "verify", "block", "locks"};
	static const struct {
		const char *typed, *want;
	} cases[] = {{"lst", "list"},  {"lsat", "last"}, {"verfy", "verify"},	{"xyz", NULL},
		     {"x", NULL},      {"lasso", NULL},	 {"sow", "show"},	{"lax", NULL},
		     {"hsow", "show"}, {"lt", NULL},	 {"verrfiy", "verify"}, {"vorfy", NULL},
		     {"lock", "locks"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmd_near near = {0};

		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
			cmd_near_try(&near, cases[i].typed, words[w]);
		if (cases[i].want)
			assert_string_equal(near.word, cases[i].want);
		else
			assert_null(near.word);
	}
}

static void test_near_task_other_names(void **state)
{
	static const char *const words[] = {"list", "show", "delete", "rename", "verify"};
	static const struct {
		const char *typed, *want;
	} cases[] = {{"ls", "list"},   {"rm", "delete"},    {"info", "show"}, {"mv", "rename"},
		     {"lsit", "list"}, {"check", "verify"}, {"lss", NULL},    {"sql", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmd_near near = {0};

		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
			cmd_near_task(&near, cases[i].typed, words[w]);
		if (cases[i].want)
			assert_string_equal(near.word, cases[i].want);
		else
			assert_null(near.word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_distance_edits),
	    cmocka_unit_test(test_near_is_the_nearest_or_none),
	    cmocka_unit_test(test_near_task_other_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
