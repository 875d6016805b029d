#include "tprof-record/parent/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_request_complete(void **state)
{
	struct rec_request none = REC_REQUEST_INIT, heap = REC_REQUEST_INIT, old = REC_REQUEST_INIT;

	(void)state;
	rec_request_complete(&none);
	assert_true(none.trace);
	assert_true(none.profile[REC_PROFILE_CPU] && none.profile[REC_PROFILE_HEAP] &&
		    none.profile[REC_PROFILE_BLOCK] && none.profile[REC_PROFILE_MUTEX]);
	assert_false(none.profile[REC_PROFILE_GOROUTINE] || none.profile[REC_PROFILE_LEAK] ||
		     none.profile[REC_PROFILE_THREADCREATE]);
	heap.profile[REC_PROFILE_HEAP] = true;
	rec_request_complete(&heap);
	assert_false(heap.trace || heap.profile[REC_PROFILE_BLOCK]);
	assert_int_equal(none.options.cpu_hz, 97);
	assert_int_equal(heap.options.cpu_hz, 0);
	old.options.profiler = 105;
	rec_request_complete(&old);
	assert_true(old.trace && old.profile[REC_PROFILE_BLOCK]);
	assert_false(old.profile[REC_PROFILE_MUTEX]);
}

static void test_request_settings(void **state)
{
	struct rec_request r = REC_REQUEST_INIT;
	char text[256], little[16];
	size_t n;

	(void)state;
	r.profile[REC_PROFILE_HEAP] = r.children = true;
	r.options.heap_rate = 65536;
	rec_request_complete(&r);
	n = rec_request_settings(&r, "tprof-record.1.x", text, sizeof(text));
	assert_int_equal(n, strlen(text));
	/* What was not asked for is off. */
	assert_string_equal(text,
			    "tprof-record.1.x heap=65536 block=0 mutex=0 trace=0 depth=128 "
			    "profiler=126 threadcreate=0 syscall=20000 cpu=0 mmap=1 children=1");
	assert_int_equal(rec_request_settings(&r, "tprof-record.1.x", little, sizeof(little)), n);
	assert_string_equal(little, "tprof-record.1.");
}

static void test_request_environment(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
	    {NULL, "/l/p.so"},
	    {"", "/l/p.so"},
	    {"/a.so", "/l/p.so:/a.so"},
	    {"/a.so /b.so", "/l/p.so:/a.so:/b.so"},
	    /* An outer recorder's. */
	    {"/m/tprof-preload.so:/a.so", "/l/p.so:/a.so"},
	    {":/a.so: /m/tprof-preload.so", "/l/p.so:/a.so"},
	    {"/l/tprof-preload.soo", "/l/p.so:/l/tprof-preload.soo"},
	};
	char **all = environ;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char again[64] = "LD_PRELOAD=/twice.so";
		char *env[] = {"A=1", "TPROF_RECORD=outer heap=1", NULL, NULL, NULL};
		char list[64];
		size_t n = 0;

		environ = env;
		snprintf(list, sizeof(list), "LD_PRELOAD=%s",
			 cases[i].before ? cases[i].before : "");
		if (cases[i].before) {
			env[2] = list;
			env[3] = again;
		}
		assert_int_equal(rec_request_environment("inner heap=2", "", "/l/p.so"), 0);
		assert_string_equal(getenv("LD_PRELOAD"), cases[i].after);
		assert_string_equal(getenv("TPROF_RECORD"), "inner heap=2");
		assert_string_equal(getenv("A"), "1");
		while (environ[n])
			n++;
		assert_int_equal(n, 3);
	}
	environ = all;
}

static void test_request_environment_first(void **state)
{
	char *env[] = {"LD_PRELOAD=/a.so", NULL}, **all = environ;

	(void)state;
	environ = env;
	assert_int_equal(rec_request_environment("s", "libasan.so.8", "/l/p.so"), 0);
	assert_string_equal(getenv("LD_PRELOAD"), "libasan.so.8:/l/p.so:/a.so");
	environ = all;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_request_complete),
	    cmocka_unit_test(test_request_settings),
	    cmocka_unit_test(test_request_environment),
	    cmocka_unit_test(test_request_environment_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
