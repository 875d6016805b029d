/* The folder of an import that is under way: made, opened again, refused. */
#include "tprof-import/slurm/balance.c"
#include "tprof-import/slurm/call.c"
#define out_of_memory lists_out_of_memory
#define failed	      lists_failed
#include "tprof-import/slurm/lists.c"
#undef out_of_memory
#undef failed
#undef MOST_TASKS
#include "tprof-import/slurm/folder.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static char place[] = "/tmp/tprof-folder-XXXXXX";
static struct tp_buf command = {(uint8_t *)(uintptr_t) "a\0b", 4, 4};

static int setup(void **state)
{
	(void)state;
	return mkdtemp(place) ? chdir(place) : -1;
}

static int teardown(void **state)
{
	char remove[80];

	(void)state;
	snprintf(remove, sizeof(remove), "rm -r %s", place);
	return chdir("/") || system(remove);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* n dumps, every seventh of them named. */
static void make(struct folder *f, size_t n, size_t tasks, int want)
{
	struct path *list = calloc(n, sizeof(*list));
	struct paths paths = {.list = list, .n = n};
	struct tp_err err = {0};

	for (size_t i = 0; i < n; i++) {
		list[i] =
		    (struct path){.name = (char *)(uintptr_t) "x", .bytes = i, .named = i % 7 == 0};
		paths.bytes += i;
	}
	f->known = true;
	assert_int_equal(folder_make(f, "all.tprof", &paths, tasks, &command, &err), want);
	free(list);
}

static void test_folder_levels(void **state)
{
	static const struct {
		size_t dumps, tasks, want, levels, last;
	} cases[] = {
	    {1, 0, 1, 1, 1},	    {2, 1, 2, 1, 2}, /* named and found are apart */
	    {100, 16, 16, 1, 16},   {100, 17, 17, 2, 2},
	    {300, 256, 256, 2, 16}, {300, 257, 257, 3, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct folder f = {0}, again = {0};
		struct tp_err err;
		size_t left;
		char *text;

		make(&f, cases[i].dumps, cases[i].tasks, 0);
		assert_int_equal(f.tasks, cases[i].want);
		assert_int_equal(f.levels, cases[i].levels);
		assert_int_equal(f.count[f.levels - 1], cases[i].last);
		assert_int_equal(folder_open(&again, "all.tprof", &command, &err), 0);
		assert_int_equal(again.tasks, f.tasks);
		assert_int_equal(again.levels, f.levels);
		assert_int_equal(again.dumps, cases[i].dumps);
		assert_true(again.known);
		text = folder_left(&f, 0, &left);
		assert_int_equal(left, f.tasks);
		assert_int_equal(text[0], '1');
		free(text);
		folder_remove(&f);
		assert_int_equal(access("all.tprof.slurm", F_OK), -1);
		folder_release(&f);
		folder_release(&again);
	}
}

static void test_folder_left(void **state)
{
	static const struct {
		const char *done, *want;
		size_t left;
	} cases[] = {
	    {"", "1-5", 5},	{"1", "2-5", 4},   {"5", "1-4", 4},
	    {"24", "1,3,5", 3}, {"135", "2,4", 2}, {"12345", "", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct folder f = {0};
		size_t left;
		char *text;

		make(&f, 20, 5, 0);
		for (const char *n = cases[i].done; *n; n++) {
			char *path = folder_file(&f, 0, (size_t)(*n - '0'), "report");

			put(path, "");
			free(path);
		}
		text = folder_left(&f, 0, &left);
		assert_string_equal(text, cases[i].want);
		assert_int_equal(left, cases[i].left);
		free(text);
		assert_int_equal(system("rm -r all.tprof.slurm"), 0);
		folder_release(&f);
	}
}

static void test_folder_open_refuses(void **state)
{
	static const char *const plans[] = {
	    "",
	    "x",
	    "tprof-slurm 2\ntasks 1\ndumps 1\nbytes 1\nknown 0\n",
	    "tprof-slurm 1\ntasks 0\ndumps 1\nbytes 1\nknown 0\n",
	    "tprof-slurm 1\ntasks 1\ndumps 1\nbytes 1\nknown",
	    "tprof-slurm 1\ntasks 1\ndumps -1\nbytes 1\nknown 0\n",
	    "tprof-slurm 1\ntasks -1\ndumps 1\nbytes 1\nknown 0\n",
	    "tprof-slurm 1\ntasks 99999999999\ndumps 1\nbytes 1\nknown 0\n",
	};
	struct tp_buf other = {(uint8_t *)(uintptr_t) "a\0c", 4, 4};
	struct folder f = {0}, g = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(folder_open(&g, "all.tprof", &command, &err), TP_ENOENT);
	folder_release(&g);
	make(&f, 3, 0, 0);
	assert_int_equal(folder_open(&g, "all.tprof", &other, &err), TP_EIO);
	assert_non_null(strstr(err.msg, "other arguments"));
	folder_release(&g);
	/* The second to come leaves nothing behind. */
	make(&g, 3, 0, TP_EIO);
	folder_release(&g);
	assert_int_equal(system("test $(ls | wc -l) -eq 1"), 0);
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		put("all.tprof.slurm/plan", plans[i]);
		assert_int_equal(folder_open(&g, "all.tprof", &command, &err), TP_EFORMAT);
		folder_release(&g);
	}
	unlink("all.tprof.slurm/plan");
	assert_false(folder_there(&f));
	assert_int_equal(folder_open(&g, "all.tprof", &command, &err), TP_EFORMAT);
	folder_release(&g);
	assert_int_equal(system("rm -r all.tprof.slurm"), 0);
	folder_release(&f);
}

/* One at a time looks for jobs and submits them, from the moment on at which the folder is there.
 */
static void test_folder_lock(void **state)
{
	struct folder f = {0}, g = {0};
	struct tp_err err;

	(void)state;
	make(&f, 3, 0, 0);
	assert_int_equal(folder_open(&g, "all.tprof", &command, &err), 0);
	assert_int_equal(folder_lock(&g, &err), TP_EBUSY);
	assert_non_null(strstr(err.msg, "another tprof-import is submitting its jobs"));
	folder_unlock(&f);
	assert_int_equal(folder_lock(&g, &err), 0);
	assert_int_equal(folder_lock(&f, &err), TP_EBUSY);
	folder_release(&g);
	assert_int_equal(folder_lock(&f, &err), 0);
	/* The last job ends meanwhile. */
	assert_true(folder_held(&f));
	assert_int_equal(rename("all.tprof.slurm/plan", "all.tprof.slurm/other"), 0);
	assert_false(folder_held(&f));
	put("all.tprof.slurm/plan", "x");
	assert_false(folder_held(&f));
	assert_int_equal(rename("all.tprof.slurm/other", "all.tprof.slurm/plan"), 0);
	assert_true(folder_held(&f));
	folder_unlock(&f);
	assert_int_equal(system("rm -r all.tprof.slurm"), 0);
	assert_int_equal(folder_lock(&f, &err), TP_ENOENT);
	folder_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_folder_lock),
	    cmocka_unit_test(test_folder_levels),
	    cmocka_unit_test(test_folder_left),
	    cmocka_unit_test(test_folder_open_refuses),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
