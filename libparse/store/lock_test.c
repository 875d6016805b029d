/* Temporary files and locks beside a store: whose they are, and who may look into them. */
#include "store/lock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[32], path[64];

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-lock-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/flake", folder);
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? -1 : 0;
}

static void put(const char *suffix, const char *text)
{
	char name[128];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	f = fopen(name, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static bool is_there(const char *suffix)
{
	char name[128];

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return access(name, F_OK) == 0;
}

/* What is named only a little like a temporary file or a lock is somebody's, as the parts of a file
 * that was split, and flake.lock, are: they were removed when something was written beside them. */
static void test_temp_sweep_leaves_files_of_others(void **state)
{
	static const struct {
		const char *suffix, *text;
		bool swept;
	} files[] = {
	    {".part-aa", "part", false},
	    {".part-", "part", false},
	    {".part-0123456789a", "part", false},
	    {".part-0123456789abc", "part", false},
	    {".part-0123456789AB", "part", false},
	    {"y.part-0123456789ab", "of flakey", false},
	    {".lock", "pinned", false},
	    {".part-0123456789ab", "part", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put(files[i].suffix, files[i].text);
	tp_temp_sweep(path);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		print_message("%s\n", files[i].suffix);
		assert_int_equal(is_there(files[i].suffix), !files[i].swept);
	}
}

static void test_lock_release_removes_its_own_only(void **state)
{
	struct tp_err err;
	int fd;

	(void)state;
	assert_int_equal(tp_lock_take(path, 0, &fd, &err), 0);
	assert_true(is_there(".lock"));
	tp_lock_release(path, fd);
	assert_false(is_there(".lock"));
	put(".lock", "pinned");
	assert_int_equal(tp_lock_take(path, 0, &fd, &err), 0);
	tp_lock_release(path, fd);
	assert_true(is_there(".lock"));
}

/* What is being added to a private store is as private. */
static void test_temp_create_mode(void **state)
{
	static const struct {
		mode_t there, mode; /* 0: nothing is */
	} cases[] = {{0, 0644}, {0600, 0600}, {0640, 0640}, {0666, 0644}, {0400, 0600}};
	mode_t mask = umask(022);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_err err;
		struct stat st;
		char *name;
		int fd;

		unlink(path);
		if (cases[i].there) {
			put("", "");
			assert_int_equal(chmod(path, cases[i].there), 0);
		}
		assert_int_equal(tp_temp_create(path, &name, &fd, &err), 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode & 0777, cases[i].mode);
		unlink(name);
		free(name);
		close(fd);
	}
	umask(mask);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_temp_sweep_leaves_files_of_others),
	    TEST(test_lock_release_removes_its_own_only),
	    TEST(test_temp_create_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
