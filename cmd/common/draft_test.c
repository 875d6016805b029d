/* Tests the mode of files that appear as a whole, and the errors when they do not appear. */
#include "common/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char dir[] = "/tmp/tprof-file-XXXXXX", path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/out", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir); /* fails if a temporary file is left */
}

static void test_draft_has_the_mode_of_new_files(void **state)
{
	static const mode_t masks[] = {022, 077, 002};
	mode_t before = umask(0);

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct cmd_draft d;
		struct stat st;

		umask(masks[i]);
		cmd_draft_learn_mode();
		assert_int_equal(umask(0), masks[i]);
		assert_int_equal(cmd_draft_begin(&d, path, 0), 0);
		assert_int_equal(cmd_draft_end(&d, true), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0666 & ~masks[i]);
		/* A replaced file's mode takes precedence. */
		assert_int_equal(chmod(path, 0640), 0);
		assert_int_equal(cmd_draft_begin(&d, path, 0), 0);
		assert_int_equal(cmd_draft_end(&d, true), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0640);
		assert_int_equal(unlink(path), 0);
	}
	umask(before);
	cmd_draft_learn_mode();
}

static void replace(gid_t group, mode_t bits, struct stat *st)
{
	struct cmd_draft d;

	assert_int_equal(close(creat(path, 0600)), 0);
	assert_int_equal(chown(path, (uid_t)-1, group), 0);
	assert_int_equal(chmod(path, bits), 0);
	assert_int_equal(seteuid(65534), 0);
	assert_int_equal(cmd_draft_begin(&d, path, 0), 0);
	assert_int_equal(cmd_draft_end(&d, true), 0);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(stat(path, st), 0);
	assert_int_equal(unlink(path), 0);
}

/* The group of a replaced file is kept if the user belongs to it. Otherwise the new file has the user's
 * group, which gets no more permissions than others have. */
static void test_draft_is_for_the_same_group(void **state)
{
	static const struct {
		gid_t group;
		mode_t before, after;
	} cases[] = {
	    {1234, 0660, 0660}, {1234, 0640, 0640}, {4321, 0660, 0600},
	    {4321, 0644, 0644}, {4321, 0664, 0644}, {4321, 0604, 0604},
	};
	gid_t mine[64], of = getegid();
	int n = getgroups(64, mine);
	struct stat st;

	(void)state;
	if (geteuid() || n < 0) {
		print_message("only root can be of other groups\n");
		skip();
	}
	assert_int_equal(setgroups(1, (const gid_t[]){1234}), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		replace(cases[i].group, cases[i].before, &st);
		print_message("%d %o\n", (int)cases[i].group, cases[i].before);
		assert_int_equal(st.st_gid, cases[i].group == 1234 ? 1234 : of);
		assert_int_equal(st.st_mode & 0777, cases[i].after);
	}
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(setgroups((size_t)n, mine), 0);
}

/* root may give the file to the owner of the file that it replaces. */
static void test_draft_is_of_the_same_owner(void **state)
{
	struct cmd_draft d;
	struct stat st;

	(void)state;
	if (geteuid()) {
		print_message("only root can give files away\n");
		skip();
	}
	assert_int_equal(close(creat(path, 0600)), 0);
	assert_int_equal(chown(path, 65534, 1234), 0);
	assert_int_equal(cmd_draft_begin(&d, path, 0), 0);
	assert_int_equal(cmd_draft_end(&d, true), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_gid, 1234);
	assert_int_equal(unlink(path), 0);
}

/* A stream reports why it could not write, and an incomplete file does not appear. */
static void test_draft_says_why(void **state)
{
	struct rlimit before, least;
	struct cmd_draft d;
	FILE *f;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	least = before;
	least.rlim_cur = 1000;
	f = cmd_draft_open(&d, path, 0);
	assert_non_null(f);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
	for (int i = 0; i < 1 << 20; i++)
		putc('x', f);
	assert_int_equal(cmd_draft_close(&d, f, true), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(access(path, F_OK), -1);
}

/* Temporary files of killed commands are removed; files named like a store's lock are not. */
static void test_draft_leaves_locks(void **state)
{
	static const struct {
		const char *name;
		bool stays;
	} files[] = {{"out.lock", true}, {"out.part-0123456789ab", false}};
	struct cmd_draft d;
	char name[128];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, files[i].name);
		assert_int_equal(close(creat(name, 0600)), 0);
	}
	assert_int_equal(cmd_draft_begin(&d, path, 0), 0);
	assert_int_equal(cmd_draft_end(&d, true), 0);
	for (size_t i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, files[i].name);
		assert_int_equal(!access(name, F_OK), files[i].stays);
		unlink(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_draft_has_the_mode_of_new_files),
	    cmocka_unit_test(test_draft_is_for_the_same_group),
	    cmocka_unit_test(test_draft_is_of_the_same_owner),
	    cmocka_unit_test(test_draft_says_why),
	    cmocka_unit_test(test_draft_leaves_locks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
