#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/pprof.h"

static void test_pprof_advice(void **state)
{
	static const struct {
		const char *command, *option, *part; /* part NULL: pprof has no such option */
	} cases[] = {
	    {"tprof-top", "http=:8080", "tprof-flame -o page.html FILE"},
	    {"tprof-diff", "http=:8080", "tprof-flame --base=OLD -o change.html NEW"},
	    {"tprof-top", "proto", "tprof-export --format=pprof"},
	    {"tprof-diff", "proto", "--diff-base=OLD"},
	    {"tprof-top", "no_browser", "there is no server"},
	    {"tprof-top", "no-browser", "there is no server"},
	    {"tprof-top", "nobrowser", "there is no server"},
	    {"tprof-top", "output=x.svg", "tprof-top writes to standard output"},
	    {"tprof-export", "seconds=30", "then tprof-export cpu.pb.gz"},
	    {"tprof-flame", "nodefraction=0", "--min-width"},
	    {"tprof-export", "unit=ms", "tprof-export has no such option; tprof-top has"},
	    {"tprof-top", "symbolize=local", "--binary=PROGRAM"},
	    {"tprof-top", "symbolize=none", ""},
	    {"tprof-top", "silly", NULL},
	    {"tprof-top", "prot", NULL},
	    {"tprof-top", "protos", NULL},
	    {"tprof-top", "", NULL},
	};
	char text[CMD_PPROF_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *got = cmd_pprof_advice(cases[i].command, cases[i].option, text);

		if (!cases[i].part)
			assert_null(got);
		else if (!*cases[i].part)
			assert_string_equal(got, "");
		else
			assert_true(got && strstr(got, cases[i].part));
	}
}

static void test_pprof_url(void **state)
{
	(void)state;
	assert_true(cmd_pprof_url("http://localhost:6060/debug/pprof/heap"));
	assert_true(cmd_pprof_url("https://example.com/x"));
	assert_true(cmd_pprof_url("localhost:6060/debug/pprof/heap"));
	assert_false(cmd_pprof_url("heap.pb.gz"));
	assert_false(cmd_pprof_url("dir/debug/heap"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pprof_advice),
	    cmocka_unit_test(test_pprof_url),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
