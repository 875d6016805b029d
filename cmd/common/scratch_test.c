/* Tests that private folders are removed when their process ends, however it does, or else by the next
 * one. */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/progress.h"
#include "common/scratch.h"

static char tmp[] = "/tmp/tprof-scratch-test-XXXXXX";

static int setup(void **state)
{
	(void)state;
	strcpy(tmp + strlen(tmp) - 6, "XXXXXX");
	return !mkdtemp(tmp) || setenv("TMPDIR", tmp, 1);
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(tmp);
}

static int entries(void)
{
	DIR *dir = opendir(tmp);
	int n = -2;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void put(const char *folder, const char *name)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static void test_scratch_make_and_remove(void **state)
{
	struct cmd_scratch a, b;
	struct tp_err err;
	struct stat st;

	(void)state;
	assert_int_equal(cmd_scratch_make(&a, &err), 0);
	assert_int_equal(cmd_scratch_make(&b, &err), 0);
	assert_int_equal(stat(a.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	for (int i = 0; i < 300; i++) {
		char name[100];

		snprintf(name, sizeof(name), "%d-a-name-that-is-long-enough-for-a-second-block", i);
		put(a.path, name);
	}
	put(b.path, "x");
	assert_int_equal(entries(), 2);
	cmd_scratch_remove(&a);
	assert_null(a.path);
	assert_int_equal(entries(), 1);
	cmd_scratch_remove(&b);
	cmd_scratch_remove(&b);
	assert_int_equal(entries(), 0);
}

static void test_scratch_no_place(void **state)
{
	struct cmd_scratch a;
	struct tp_err err;

	(void)state;
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(cmd_scratch_make(&a, &err), TP_EIO);
	assert_string_equal(
	    err.msg,
	    "cannot make a folder in /nowhere (TMPDIR names it): No such file or directory");
	assert_null(a.path);
	cmd_scratch_remove(&a);
	setenv("TMPDIR", tmp, 1);
}

/* Ends a child that has made a folder by a signal, while it checks cmd_stopped(), or (`looks` false) after
 * cmd_interrupt_ends(). Returns the signal that ended it, or minus its exit status. */
static int end_child(int number, bool looks)
{
	struct cmd_scratch a;
	struct tp_err err;
	int ready[2], how;
	char c;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		cmd_interruptible();
		if (cmd_scratch_make(&a, &err))
			_exit(1);
		put(a.path, "x");
		put(a.path, "y");
		if (!looks)
			cmd_interrupt_ends();
		if (write(ready[1], "x", 1) != 1)
			_exit(2);
		while (!cmd_stopped())
			usleep(1000);
		cmd_interrupted();
		_exit(3);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	kill(pid, number);
	assert_int_equal(waitpid(pid, &how, 0), pid);
	close(ready[0]);
	close(ready[1]);
	return WIFSIGNALED(how) ? WTERMSIG(how) : -WEXITSTATUS(how);
}

static void test_scratch_signals(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (int looks = 0; looks < 2; looks++) {
			assert_int_equal(end_child(signals[i], looks), signals[i]);
			assert_int_equal(entries(), 0);
		}
}

static void test_scratch_killed(void **state)
{
	struct cmd_scratch mine, next;
	struct tp_err err;
	char other[200];

	(void)state;
	assert_int_equal(cmd_scratch_make(&mine, &err), 0);
	put(mine.path, "x");
	assert_int_equal(end_child(SIGKILL, true), SIGKILL);
	assert_int_equal(entries(), 2);
	/* A folder that is open to other users is not ours and stays. */
	snprintf(other, sizeof(other), "%s/tprof-scratch-abcdef", tmp);
	assert_int_equal(mkdir(other, 0755), 0);
	assert_int_equal(chmod(other, 0755), 0);
	assert_int_equal(cmd_scratch_make(&next, &err), 0);
	assert_int_equal(entries(), 3);
	assert_int_equal(access(mine.path, F_OK), 0);
	rmdir(other);
	cmd_scratch_remove(&next);
	cmd_scratch_remove(&mine);
	assert_int_equal(entries(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_scratch_make_and_remove, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_scratch_no_place, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_scratch_signals, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_scratch_killed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
