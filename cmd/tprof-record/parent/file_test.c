#include "tprof-record/parent/file.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/file_test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

/* How many files there are, those that begin with a dot, too; removes them. */
static int count(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int n = 0;

	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		n++;
		unlinkat(dirfd(d), e->d_name, 0);
	}
	closedir(d);
	return n;
}

static int end(void **state)
{
	(void)state;
	count();
	return rmdir(folder);
}

static void read_back(const char *name, char text[64])
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	text[fread(text, 1, 63, f)] = 0;
	fclose(f);
}

static void test_file_put(void **state)
{
	char text[64];

	(void)state;
	assert_int_equal(rec_file_put(folder, "a", "old", 3, NULL), 0);
	assert_int_equal(rec_file_put(folder, "a", "newer", 5, NULL), 0);
	read_back("a", text);
	assert_string_equal(text, "newer");
	assert_int_equal(count(), 1);
}

static void test_file_begin_end(void **state)
{
	struct rec_file f;
	char text[64], *much = calloc(1, 1000000);
	struct tp_err err;

	(void)state;
	assert_int_equal(rec_file_put(folder, "a", "old", 3, NULL), 0);
	/* Given up: what was there stays. */
	assert_int_equal(rec_file_begin(&f, folder, "a", &err), 0);
	assert_int_equal(f.out.write(f.out.ctx, much, 1000000, &err), 0);
	assert_int_equal(rec_file_end(&f, TP_ECANCEL, &err), TP_ECANCEL);
	read_back("a", text);
	assert_string_equal(text, "old");
	/* Abandoned by a recorder that dies. */
	assert_int_equal(rec_file_begin(&f, folder, "a", &err), 0);
	rec_file_abandon();
	assert_int_equal(rec_file_end(&f, 0, &err), TP_EIO);
	assert_int_equal(count(), 1);
	free(much);
	assert_int_equal(rec_file_begin(&f, "/nowhere", "a", &err), TP_EIO);
	assert_non_null(strstr(err.msg, strerror(ENOENT)));
}

static void test_file_full(void **state)
{
	struct rlimit before, little;
	struct tp_err err;
	char data[10000] = {0};

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	little = before;
	little.rlim_cur = 5000;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &little);
	assert_int_equal(rec_file_put(folder, "a", data, sizeof(data), &err), TP_EIO);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(err.msg, strerror(EFBIG)));
	assert_int_equal(count(), 0);
}

static void test_folder_is_ours(void **state)
{
	static const struct {
		const char *name;
		int ours;
	} cases[] = {
	    {"trace.out", 1},
	    {"trace.out.symbols", 1},
	    {"heap.pb.gz", 1},
	    {"heap.0001.pb.gz", 1},
	    {"heap.12345.txt", 1},
	    {"goroutineleak.pb.gz", 1},
	    {"trace.out.part-0123456789ab", 1},
	    {"heap.0002.pb.gz.part-f", 1},
	    {"heap", 0},
	    {"heap.1.pb.gz", 0},
	    {"heap.0001", 0},
	    {"trace.out.tprof", 0},
	    {"my.heap.pb.gz", 0},
	    {"heap.pb.gz.bak", 0},
	    {"trace.out.part-", 0},
	    {"trace.out.part-4711x", 0},
	    {".trace.out", 0},
	    {"notes", 0},
	    {"", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(rec_folder_is_ours(cases[i].name), cases[i].ours);
}

static void test_folder_make(void **state)
{
	char path[128];
	struct tp_err err;
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/a/b//c/", folder);
	assert_int_equal(rec_folder_make(path, &err), 0);
	assert_int_equal(rec_folder_make(path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder,
			 ((const char *[]){"a/b/c", "a/b", "a"})[i]);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(rec_file_put(folder, "a", "", 0, NULL), 0);
	snprintf(path, sizeof(path), "%s/a", folder);
	assert_int_equal(rec_folder_make(path, &err), TP_EIO);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
	    TEST(test_file_put),       TEST(test_file_begin_end), TEST(test_file_full),
	    TEST(test_folder_is_ours), TEST(test_folder_make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
