#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clock/when.h"

#define S(n) ((int64_t)(n)*1000000000)

static void test_when(void **state)
{
	static const struct {
		const char *text;
		int64_t ns; /* -1: invalid */
	} cases[] = {
	    {"1970-01-01T00:00:00Z", 0},
	    {"2026-11-21T10:00:00Z", S(1795255200)},
	    {"2026-11-21 10:00Z", S(1795255200)},
	    {"2026-11-21T11:30:00.25+01:30", S(1795255200) + 250000000},
	    {"2026-11-21T05:00:00-0500", S(1795255200)},
	    {"2024-02-29T00:00:00Z", S(1709164800)},
	    {"2000-02-29T23:59:59.999999999Z", S(951868799) + 999999999},
	    {"@1795255200", S(1795255200)},
	    {"@1795255200.5", S(1795255200) + 500000000},
	    {"@0.0000000001", 0},
	    {"2026-11-21T10:00:00", -1}, /* the zone is missing */
	    {"2026-11-21", -1},
	    {"2026-02-29T00:00:00Z", -1},
	    {"2100-02-29T00:00:00Z", -1},
	    {"2026-13-01T00:00:00Z", -1},
	    {"2026-11-21T24:00:00Z", -1},
	    {"2026-11-21T10:00:00.Z", -1},
	    {"2026-11-21T10:00:00Zx", -1},
	    {"1969-12-31T23:59:59Z", -1},
	    {"9999-12-31T23:59:59Z", -1},
	    {"@", -1},
	    {"@-1", -1},
	    {"@99999999999999999999", -1},
	    {"@9223372036", -1},
	    {"@9223372035", S(9223372035)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = -1;
		char text[REP_WHEN_SIZE];

		assert_true(rep_is_when(cases[i].text));
		if (rep_when(cases[i].text, &ns) != (cases[i].ns >= 0) || ns != cases[i].ns)
			fail_msg("%s is %lld", cases[i].text, (long long)ns);
		/* Convert back. */
		if (ns >= 0 && (!rep_when(rep_when_text(text, ns), &ns) || ns != cases[i].ns))
			fail_msg("%s is %s", cases[i].text, text);
	}
	assert_false(rep_is_when("1.5s"));
	assert_false(rep_is_when("25%"));
	assert_false(rep_is_when("2026"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_when)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
