/* Lists of dumps, written and read again. */
#include "tprof-import/balance.c"
#include "tprof-import/lists.c"
#include "tprof-import/paths.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static char place[] = "/tmp/tprof-lists-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(place) ? chdir(place) : -1;
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || rmdir(place);
}

static char *text(const char *s)
{
	return (char *)(uintptr_t)s;
}

static void assert_same(const struct path *a, const struct path *b)
{
	/* In a list, a name that begins with a tab gets "./" in front. */
	assert_string_equal(a->name, b->name + (*a->name == '\t' ? 2 : 0));
	assert_int_equal(a->named, b->named);
	assert_int_equal(a->as != NULL, b->as != NULL);
	if (a->as)
		assert_string_equal(a->as, b->as);
	assert_int_equal(a->nlabels, b->nlabels);
	for (size_t i = 0; i < a->nlabels; i++)
		assert_string_equal(a->label[i], b->label[i]);
}

static void test_lists_round_trip(void **state)
{
	char *labels[] = {text("host=a b"), text("odd=\t\n$(x)")};
	struct path all[] = {
	    {.name = text("named")},
	    {.name = text("found"), .as = text("host/found")},
	    {.name = text("two\nlines \t'$(x)'"), .label = labels, .nlabels = 2},
	    {.name = text("\ttab"), .as = text("\ttab"), .label = labels, .nlabels = 1},
	};
	struct paths paths = {.list = all, .n = 4}, again = {0};
	struct tp_err err;
	size_t tasks = 1;

	(void)state;
	all[0].named = all[2].named = true;
	assert_int_equal(lists_write("l", &paths, &tasks, &err), 0);
	assert_int_equal(tasks, 1);
	assert_int_equal(paths_add(&again, "@l/1", &err), 0);
	assert_int_equal(again.n, paths.n);
	for (size_t i = 0; i < paths.n; i++)
		assert_same(&paths.list[i], &again.list[i]);
	paths_release(&again);
	/* An existing folder is left unchanged. */
	assert_int_equal(lists_write("l", &paths, &tasks, &err), TP_EIO);
	assert_int_equal(access("l/1", F_OK), 0);
	remove_lists("l", 1);
}

static void test_lists_tasks(void **state)
{
	static const struct {
		size_t dumps, asked, tasks;
		uint64_t bytes; /* of each */
	} rows[] = {
	    {1, 0, 1, 0}, {5, 9, 5, 1}, {100, 17, 17, 1}, {100, 0, 1, 1}, {10, 0, 10, 1 << 30},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct path *list = calloc(rows[i].dumps, sizeof(*list));
		struct paths paths = {.list = list, .n = rows[i].dumps};
		size_t tasks = rows[i].asked, found = 0;
		struct tp_err err;

		for (size_t k = 0; k < paths.n; k++)
			list[k] = (struct path){.name = text("no-such-dump"), .bytes = rows[i].bytes};
		assert_int_equal(lists_write("l", &paths, &tasks, &err), 0);
		assert_int_equal(tasks, rows[i].tasks);
		for (size_t n = 1; n <= tasks; n++) {
			struct paths again = {0};
			char name[32];

			snprintf(name, sizeof(name), "@l/%zu", n);
			assert_int_equal(paths_add(&again, name, &err), 0);
			assert_true(again.n > 0);
			found += again.n;
			paths_release(&again);
		}
		assert_int_equal(found, paths.n);
		remove_lists("l", tasks);
		assert_int_equal(access("l", F_OK), -1);
		free(list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lists_round_trip),
	    cmocka_unit_test(test_lists_tasks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
