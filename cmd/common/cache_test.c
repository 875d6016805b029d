#include "common/cache.h"

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>
#include <cmocka.h>

/* Three dumps of different content; tests are run in the root of the tree. */
static const char *const dumps[] = {
    "testdata/checkout-1.19.trace",
    "testdata/checkout-1.19.trace.gz",
    "testdata/checkout-1.19.trace.zst",
};

static int set_up(void **state)
{
	char dir[] = "/tmp/tprof-cache-XXXXXX";

	*state = mkdtemp(dir) ? strdup(dir) : NULL;
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	char pattern[64];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*", (char *)*state);
	if (!glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
		globfree(&found);
	}
	rmdir(*state);
	free(*state);
	return 0;
}

/* Opens a dump through a cache with this limit. Returns whether it had to be imported. */
static bool take(const char *dir, int64_t limit, const char *dump)
{
	static const struct tp_import_options opt = {.threads = 1};
	struct tp_import_result result;
	struct tp_store *store = NULL;
	struct cmd_cache *c;
	struct tp_err err = {0};
	bool fresh = false;

	c = cmd_cache_open(dir, limit, &err);
	if (!c || cmd_cache_store(c, dump, &opt, &store, &fresh, &result, &err))
		fail_msg("%s: %s", dump, err.msg);
	tp_store_close(store);
	cmd_cache_close(c);
	return fresh;
}

static int copy(const char *from, const char *to)
{
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	int c;

	while (in && out && (c = getc(in)) != EOF)
		putc(c, out);
	if (in)
		fclose(in);
	return !in || !out || fclose(out) ? -1 : 0;
}

static size_t entries(const char *dir, int64_t *size)
{
	char pattern[64];
	glob_t found;
	size_t n;

	*size = 0;
	snprintf(pattern, sizeof(pattern), "%s/*.tprof", dir);
	if (glob(pattern, 0, NULL, &found))
		return 0;
	n = found.gl_pathc;
	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (!stat(found.gl_pathv[i], &st))
			*size += st.st_blocks * 512;
	}
	globfree(&found);
	return n;
}

static void test_cache_reuses(void **state)
{
	int64_t size;

	assert_true(take(*state, CMD_CACHE_SIZE, dumps[0]));
	assert_false(take(*state, CMD_CACHE_SIZE, dumps[0]));
	assert_int_equal(entries(*state, &size), 1);
}

/* A dump with another name is another entry, since its run has the file's name. */
static void test_cache_renamed(void **state)
{
	char path[64];
	int64_t size;

	take(*state, CMD_CACHE_SIZE, dumps[0]);
	snprintf(path, sizeof(path), "%s/renamed.trace", (char *)*state);
	assert_int_equal(copy(dumps[0], path), 0);
	assert_true(take(*state, CMD_CACHE_SIZE, path));
	assert_false(take(*state, CMD_CACHE_SIZE, path));
	assert_false(take(*state, CMD_CACHE_SIZE, dumps[0]));
	assert_int_equal(entries(*state, &size), 2);
}

/* Waits until a new file gets a later time than before. Some file systems store times in seconds. */
static void let_time_pass(const char *dir)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	struct stat first, st;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/time", dir);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(futimens(fd, NULL) || fstat(fd, &first), 0);
	do {
		nanosleep(&pause, NULL);
		assert_int_equal(futimens(fd, NULL) || fstat(fd, &st), 0);
	} while (st.st_mtim.tv_sec == first.st_mtim.tv_sec &&
		 st.st_mtim.tv_nsec == first.st_mtim.tv_nsec);
	close(fd);
	unlink(path);
}

static void test_cache_gives_up_least_recently_used(void **state)
{
	int64_t two;

	take(*state, CMD_CACHE_SIZE, dumps[0]);
	let_time_pass(*state);
	take(*state, CMD_CACHE_SIZE, dumps[1]);
	entries(*state, &two);
	let_time_pass(*state);
	assert_false(
	    take(*state, CMD_CACHE_SIZE, dumps[0])); /* used again, so dumps[1] is older now */
	let_time_pass(*state);
	assert_true(take(*state, two + two / 4, dumps[2])); /* room for two */
	assert_int_equal(entries(*state, &two), 2);
	assert_false(take(*state, CMD_CACHE_SIZE, dumps[0]));
	assert_true(take(*state, CMD_CACHE_SIZE, dumps[1]));
}

static void test_cache_keeps_the_newest_beyond_the_limit(void **state)
{
	int64_t size;

	take(*state, 0, dumps[0]);
	take(*state, 0, dumps[1]);
	assert_int_equal(entries(*state, &size), 1);
	assert_false(take(*state, 0, dumps[1]));
}

static void test_cache_removes_leftovers(void **state)
{
	char pattern[96];
	glob_t found;
	FILE *f;

	/* Make a file as a killed import leaves it, with the name of an entry made before. */
	take(*state, CMD_CACHE_SIZE, dumps[0]);
	snprintf(pattern, sizeof(pattern), "%s/*.tprof", (char *)*state);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	snprintf(pattern, sizeof(pattern), "%s.part.part-x", found.gl_pathv[0]);
	unlink(found.gl_pathv[0]);
	globfree(&found);
	f = fopen(pattern, "w");
	assert_non_null(f);
	fclose(f);
	assert_true(take(*state, CMD_CACHE_SIZE, dumps[0]));
	assert_int_not_equal(access(pattern, F_OK), 0);
}

/* The key makes entries' names unpredictable to other users. A truncated key is replaced. */
static void test_cache_key(void **state)
{
	char key[64];
	struct stat st;
	int64_t size;

	snprintf(key, sizeof(key), "%s/key", (char *)*state);
	take(*state, CMD_CACHE_SIZE, dumps[0]);
	assert_int_equal(stat(key, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(truncate(key, 100), 0);
	assert_true(take(*state, CMD_CACHE_SIZE, dumps[0]));
	assert_int_equal(entries(*state, &size), 2);
	assert_int_equal(stat(key, &st), 0);
	assert_int_equal(st.st_size, 192);
	assert_false(take(*state, CMD_CACHE_SIZE, dumps[0]));
}

/* Entries are not used if other users could write to the folder, or if an earlier removal of such entries
 * was interrupted (the sticky bit). */
static void test_cache_others_could_write(void **state)
{
	static const struct {
		mode_t mode;
		bool trusted;
	} cases[] = {{0755, true}, {0777, false}, {0720, false}, {01777, false}, {01700, false}};
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/mine", (char *)*state);
	fclose(fopen(path, "w"));
	take(*state, CMD_CACHE_SIZE, dumps[0]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(chmod(*state, cases[i].mode), 0);
		assert_int_equal(take(*state, CMD_CACHE_SIZE, dumps[0]), !cases[i].trusted);
		assert_int_equal(stat(*state, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0700);
		assert_false(take(*state, CMD_CACHE_SIZE, dumps[0]));
	}
	/* Files that are not the cache's are kept. */
	assert_int_equal(access(path, F_OK), 0);
}

static void test_cache_folder_missing(void **state)
{
	char path[64];
	struct tp_err err;

	snprintf(path, sizeof(path), "%s/file", (char *)*state);
	fclose(fopen(path, "w"));
	assert_null(cmd_cache_open(path, 1, &err));
	assert_int_equal(err.code, TP_EIO);
}

int main(void)
{
#define CACHE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    CACHE_TEST(test_cache_reuses),
	    CACHE_TEST(test_cache_renamed),
	    CACHE_TEST(test_cache_gives_up_least_recently_used),
	    CACHE_TEST(test_cache_keeps_the_newest_beyond_the_limit),
	    CACHE_TEST(test_cache_removes_leftovers),
	    CACHE_TEST(test_cache_key),
	    CACHE_TEST(test_cache_others_could_write),
	    CACHE_TEST(test_cache_folder_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
