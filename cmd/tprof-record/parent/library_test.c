#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tprof-record/parent/library.h"

static char dir[64];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", dir);
	return system(line);
}

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* What is given is what counts, and why it cannot be used is said. */
static void test_library_find_given(void **state)
{
	char path[PATH_MAX], own[PATH_MAX];
	struct tp_err err = {0};

	(void)state;
	assert_int_equal(fclose(fopen(in_dir("there.so"), "w")), 0);
	assert_int_equal(rec_library_find(path, in_dir("there.so"), &err), 0);
	assert_string_equal(path, realpath(in_dir("there.so"), own));
	assert_int_equal(rec_library_find(path, in_dir("gone.so"), &err), TP_ENOENT);
	assert_non_null(strstr(err.msg, "No such file"));
	assert_int_equal(fclose(fopen(in_dir("a b.so"), "w")), 0);
	assert_int_equal(rec_library_find(path, in_dir("a b.so"), &err), TP_ENOENT);
	assert_non_null(strstr(err.msg, "a space or a colon"));
}

/* A library beside the command that cannot be reached is not one that is missing. */
static void test_library_find_beside(void **state)
{
	static const struct {
		const char *setup;
		int code;
		const char *says;
	} cases[] = {
	    {"true", TP_ENOENT, "is not beside the command"},
	    {"mkdir lib && ln -s tprof-preload.so lib/tprof-preload.so", TP_EIO, "symbolic links"},
	    {"mkdir -p lib/tprof && ln -s x lib/tprof/x && ln -s x/y lib/tprof/tprof-preload.so",
	     TP_EIO, "symbolic links"},
	    {"mkdir -p lib/tprof && : >lib/tprof/tprof-preload.so", 0, NULL},
	};
	char own[PATH_MAX], line[PATH_MAX + 300];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	(void)state;
	assert_true(n > 0);
	own[n] = 0;
	if (getenv("LIBRARY_TEST_BESIDE")) { /* we are the copy */
		struct tp_err err = {0};
		int code = rec_library_find(line, NULL, &err);

		printf("%d %s\n", code, code ? err.msg : "");
		fflush(stdout);
		_exit(0);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char said[600] = "";
		FILE *p;

		snprintf(line, sizeof(line),
			 "cd %s && rm -rf bin lib && mkdir bin && cp %s bin/test && { %s; } && "
			 "LIBRARY_TEST_BESIDE=1 bin/test 2>/dev/null",
			 dir, own, cases[i].setup);
		p = popen(line, "r");
		assert_non_null(p);
		assert_non_null(fgets(said, sizeof(said), p));
		assert_int_equal(pclose(p), 0);
		assert_int_equal(atoi(said), cases[i].code);
		assert_true(!cases[i].says || strstr(said, cases[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_library_find_given),
	    cmocka_unit_test(test_library_find_beside),
	};

	if (getenv("LIBRARY_TEST_BESIDE"))
		test_library_find_beside(NULL);
	return cmocka_run_group_tests(tests, setup, teardown);
}
