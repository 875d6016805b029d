/* As much of cmocka as the tests of libparse's decoders use, for a C library that Debian has no
 * cmocka for. Says what cmocka says, as far as testdata/check/unit.sh reads it. */
#ifndef TPROF_PORTS_CMOCKA_H
#define TPROF_PORTS_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*run)(void **state);
};

static jmp_buf cmocka_failed;

#define cmocka_unit_test(f)                                                                        \
	{                                                                                          \
#f, f                                                                              \
	}
#define cmocka_run_group_tests(tests, up, down)                                                    \
	cmocka_run(tests, sizeof(tests) / sizeof((tests)[0]), (up), (down))
#define cmocka_run_group_tests_name(name, tests, up, down) cmocka_run_group_tests(tests, up, down)

#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define fail_msg(...)                                                                              \
	do {                                                                                       \
		print_error(__VA_ARGS__);                                                          \
		print_error("\n%s:%d: failed\n", __FILE__, __LINE__);                              \
		longjmp(cmocka_failed, 1);                                                         \
	} while (0)
#define cmocka_check(good, ...)                                                                    \
	do {                                                                                       \
		if (!(good))                                                                       \
			fail_msg(__VA_ARGS__);                                                     \
	} while (0)

#define assert_true(c)	cmocka_check((c), "%s", #c)
#define assert_false(c) cmocka_check(!(c), "not %s", #c)
#define assert_int_equal(a, b)                                                                     \
	do {                                                                                       \
		uintmax_t cmocka_a = (uintmax_t)(a), cmocka_b = (uintmax_t)(b);                    \
		cmocka_check(cmocka_a == cmocka_b, "%#jx != %#jx", cmocka_a, cmocka_b);            \
	} while (0)
#define assert_int_not_equal(a, b)                                                                 \
	cmocka_check((uintmax_t)(a) != (uintmax_t)(b), "%s == %s", #a, #b)
#define assert_in_range(a, low, high)                                                              \
	cmocka_check((uintmax_t)(a) >= (uintmax_t)(low) && (uintmax_t)(a) <= (uintmax_t)(high),    \
		     "%s is not within %s to %s", #a, #low, #high)
#define assert_ptr_equal(a, b)                                                                     \
	cmocka_check((const void *)(a) == (const void *)(b), "%s != %s", #a, #b)
#define assert_null(p)	   cmocka_check((p) == NULL, "%s is not NULL", #p)
#define assert_non_null(p) cmocka_check((p) != NULL, "%s is NULL", #p)
#define assert_memory_equal(a, b, n)                                                               \
	cmocka_check(memcmp((a), (b), (n)) == 0, "%s is not %s", #a, #b)
#define assert_string_equal(a, b)                                                                  \
	do {                                                                                       \
		const char *cmocka_a = (a), *cmocka_b = (b);                                       \
		cmocka_check(strcmp(cmocka_a, cmocka_b) == 0, "\"%s\" != \"%s\"", cmocka_a,        \
			     cmocka_b);                                                            \
	} while (0)
#define assert_string_not_equal(a, b) cmocka_check(strcmp((a), (b)) != 0, "%s is %s", #a, #b)

static int cmocka_run(const struct CMUnitTest *test, size_t n, int (*up)(void **),
		      int (*down)(void **))
{
	void *state = NULL;
	volatile int failed = 0; /* as longjmp comes back to it */

	if (up && up(&state))
		return 1;
	for (volatile size_t i = 0; i < n; i++) {
		if (setjmp(cmocka_failed) == 0) {
			test[i].run(&state);
			continue;
		}
		printf("[  FAILED  ] %s\n", test[i].name);
		failed++;
	}
	if (down && down(&state))
		failed++;
	printf("[  PASSED  ] %d test(s).\n", (int)n - failed);
	if (failed)
		printf("[  FAILED  ] %d test(s), listed below:\n", failed);
	return failed;
}

#endif
