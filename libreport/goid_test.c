#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "goid.h"

static void test_goid_parse(void **state)
{
	static const struct {
		const char *text;
		int code;
		int64_t goid, life;
	} cases[] = {
	    {"17", 1, 17, 0},
	    {"17/2", 1, 17, 2},
	    {"9223372036854775807", 1, INT64_MAX, 0},
	    {"9223372036854775808", TP_EFORMAT, 0, 0},
	    {"99999999999999999999999999", TP_EFORMAT, 0, 0},
	    {"17/0", TP_EFORMAT, 0, 0},
	    {"17/99999999999999999999", TP_EFORMAT, 0, 0},
	    {"", 0, 0, 0},
	    {"/2", 0, 0, 0},
	    {"17/", 0, 0, 0},
	    {"-17", 0, 0, 0},
	    {"main.f", 0, 0, 0},
	    {"a/17", 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_goid g;
		int code = rep_goid_parse(cases[i].text, &g);

		if (code != cases[i].code)
			fail_msg("%s: %d", cases[i].text, code);
		if (code == 1 && (g.goid != cases[i].goid || g.life != cases[i].life))
			fail_msg("%s: %lld/%lld", cases[i].text, (long long)g.goid,
				 (long long)g.life);
	}
}

static void test_goid_match(void **state)
{
	struct rep_goid_life of[] = {{-2, 17, 2, "17/2"}, {-1, 17, 1, "17/1"}, {17, 17, 3, "17/3"}};
	const struct rep_goids g = {of, 3}, none = {0};
	const struct rep_goid all = {17, 0}, first = {17, 1}, last = {17, 3}, other = {40, 1};
	char text[REP_GOID_SIZE];

	(void)state;
	assert_true(rep_goids_match(&g, &all, -2) && rep_goids_match(&g, &all, 17));
	assert_true(rep_goids_match(&g, &first, -1) && !rep_goids_match(&g, &first, 17));
	assert_true(rep_goids_match(&g, &last, 17) && !rep_goids_match(&g, &last, -2));
	assert_true(rep_goids_match(&g, &other, 40) && rep_goids_match(&none, &first, 17));
	assert_false(rep_goids_match(&none, &last, 17));
	assert_string_equal(rep_goids_text(&g, -2, text), "17/2");
	assert_string_equal(rep_goids_text(&g, 40, text), "40");
	assert_string_equal(rep_goids_text(&none, 17, text), "17");
	assert_int_equal(rep_goids_name(&g, -1).life, 1);
	assert_false(rep_goid_is(&(struct rep_goid){rep_goids_name(&g, REP_NO_GOID).goid, 0}));
	assert_int_equal(rep_goids_value(&g, 40).type, REP_TYPE_INT);
	assert_int_equal(rep_goids_value(&g, 17).type, REP_TYPE_TEXT);
	assert_int_equal(rep_goids_value(&g, REP_NO_GOID).type, REP_TYPE_NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_goid_parse),
	    cmocka_unit_test(test_goid_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
