#include "common/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_apart(void **state)
{
	static const struct {
		const char *path, *other, *name;
	} cases[] = {
	    {"before/heap.pb.gz", "after/heap.pb.gz", "before/heap.pb.gz"},
	    {"after/heap.pb.gz", "before/heap.pb.gz", "after/heap.pb.gz"},
	    {"/data/x/before/shop/heap", "/data/x/after/shop/heap", "before/shop/heap"},
	    {"before/heap", "after/mutex", "heap"},
	    {"a/heap-1", "b/heap-2", "heap-1"},
	    /* One path is a suffix of the other, in whole names or not. */
	    {"heap", "after/heap", "heap"},
	    {"after/heap", "heap", "after/heap"},
	    {"xafter/heap", "after/heap", "xafter/heap"},
	    {"b/heap", "a/bb/heap", "b/heap"},
	    {"xheap", "heap", "xheap"},
	    {"a//heap", "b/heap", "a//heap"},
	    {"/heap", "a/heap", "/heap"},
	    /* The same file twice needs no folder. */
	    {"a/heap", "a/heap", "heap"},
	    {"-", "a/stdin", "stdin"},
	    {"a/", "b/", "a/"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *old = cases[i].other, *new = cases[i].path;
		struct cmd cmd = {.files = {{&old, 1, 1}, {&new, 1, 1}}};

		assert_string_equal(cmd_name_apart(&cmd, cases[i].path), cases[i].name);
	}
}

/* A name has the folders that are needed to distinguish it from all others. */
static void test_apart_of_many(void **state)
{
	const char *paths[] = {"1/a/heap", "2/a/heap", "2/b/heap", "heap.gz"};
	const char *const names[] = {"1/a/heap", "2/a/heap", "b/heap", "heap.gz"};
	struct cmd cmd = {.files = {{paths, 4, 4}}};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(cmd_name_apart(&cmd, paths[i]), names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_apart_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
