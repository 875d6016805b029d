/* Files that appear as a whole: their mode, and why one does not. */
#include "common/draft.h"

#include <errno.h>
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
	return rmdir(dir); /* no part stays */
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
		assert_int_equal(cmd_draft_begin(&d, path, false), 0);
		assert_int_equal(cmd_draft_end(&d, true), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0666 & ~masks[i]);
		/* What it replaces says it otherwise. */
		assert_int_equal(chmod(path, 0640), 0);
		assert_int_equal(cmd_draft_begin(&d, path, false), 0);
		assert_int_equal(cmd_draft_end(&d, true), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0640);
		assert_int_equal(unlink(path), 0);
	}
	umask(before);
	cmd_draft_learn_mode();
}

/* A stream says why it could not write, and what is not whole has no name. */
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
	f = cmd_draft_open(&d, path, false);
	assert_non_null(f);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
	for (int i = 0; i < 1 << 20; i++)
		putc('x', f);
	assert_int_equal(cmd_draft_close(&d, f, true), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_draft_has_the_mode_of_new_files),
	    cmocka_unit_test(test_draft_says_why),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
