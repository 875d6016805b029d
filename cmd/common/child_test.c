/* Tests how children end, and the environment that they find. */
#include "common/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/testing_jail.h"

/* ---- the terminal ---- */

static int write_to_stdin(void *ctx, unsigned has)
{
	char c;

	(void)ctx, (void)has;
	return write(STDIN_FILENO, "!", 1) == 1 ? 1 : read(STDIN_FILENO, &c, 1) == 1 ? 0 : 2;
}

/* Standard input is usually a terminal that is open for reading and writing. */
static void test_child_reads_terminal_only(void **state)
{
	struct cmd_child child = {.work = write_to_stdin};
	int before = dup(STDIN_FILENO), terminal, other, status = -1, code;
	struct tp_err err;

	(void)state;
	need_jail();
	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal)) {
		print_message("there are no terminals\n");
		skip();
	}
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(other >= 0);
	assert_int_equal(write(terminal, "typed\n", 6), 6);
	assert_int_equal(dup2(other, STDIN_FILENO), STDIN_FILENO);
	code = cmd_child_run(&child, &status, &err);
	dup2(before, STDIN_FILENO);
	close(before);
	close(other);
	close(terminal);
	assert_int_equal(code, 0);
	assert_int_equal(status, 0);
}

/* ---- how a child ends ---- */

static int end_by(void *ctx, unsigned has)
{
	(void)has;
	signal(*(int *)ctx, SIG_DFL);
	raise(*(int *)ctx);
	return 0;
}

static int abort_now(void *ctx, unsigned has)
{
	(void)ctx, (void)has;
	abort();
}

static void test_child_signals(void **state)
{
	static const struct {
		int signal, code;
		const char *says;
	} ends[] = {
	    {SIGBUS, TP_EIO, "became shorter"},
	    {SIGKILL, TP_ENOMEM, "memory"},
	    {SIGXCPU, TP_EIO, "ulimit"},
	    {SIGSEGV, TP_ELIMIT, "a bug in tprof"},
	    {SIGSYS, TP_ELIMIT, "a bug in tprof"},
	};
	struct tp_err err;
	int status;

	(void)state;
	need_jail();
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		int number = ends[i].signal;
		struct cmd_child child = {.work = end_by, .ctx = &number};

		assert_int_equal(cmd_child_run(&child, &status, &err), ends[i].code);
		assert_non_null(strstr(err.msg, ends[i].says));
	}
	assert_int_equal(cmd_child_run(&(struct cmd_child){.work = abort_now}, &status, &err),
			 TP_ELIMIT);
	assert_non_null(strstr(err.msg, "Aborted"));
}

/* Uses up processor time; the soft and the hard limit are the same, as `ulimit -t` sets them. */
static int never_end(void *ctx, unsigned has)
{
	volatile bool more = true;

	(void)ctx, (void)has;
	while (more)
		;
	return 0;
}

static int run_limited(void)
{
	const struct rlimit most = {1, 1};
	struct tp_err err;
	int status;

	if (setrlimit(RLIMIT_CPU, &most))
		return 2;
	return cmd_child_run(&(struct cmd_child){.work = never_end}, &status, &err) != TP_EIO ||
	       !strstr(err.msg, "ulimit -t");
}

static void test_child_processor_time(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	need_jail();
	pid = fork();
	if (!pid)
		_exit(run_limited());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- a file that is truncated while the child reads it ---- */

struct reader {
	char path[48];
	volatile int *mapped; /* shared */
};

static int read_slowly(void *ctx, unsigned has)
{
	struct reader *r = ctx;
	int fd = open(r->path, O_RDONLY | O_CLOEXEC), sum = 0;
	const volatile char *m = mmap(NULL, 10, PROT_READ, MAP_PRIVATE, fd, 0);

	(void)has;
	signal(SIGBUS, SIG_DFL); /* cmocka has a handler */
	*r->mapped = 1;
	for (int i = 0; i < 1000; i++) {
		sum += m[5];
		usleep(10000);
	}
	return sum != 0;
}

static int cut(void *ctx)
{
	struct reader *r = ctx;

	return *r->mapped && truncate(r->path, 0);
}

static void test_child_file_is_cut(void **state)
{
	struct reader r = {"/tmp/tprof-child-test-XXXXXX", cmd_child_share(sizeof(int))};
	struct cmd_child child = {.work = read_slowly, .meanwhile = cut, .ctx = &r};
	struct tp_err err;
	int status, fd;

	(void)state;
	need_jail();
	fd = mkstemp(r.path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	cmd_jail_allow(&child.jail, r.path);
	assert_int_equal(cmd_child_run(&child, &status, &err), TP_EIO);
	assert_non_null(strstr(err.msg, "became shorter while it was read"));
	cmd_child_unshare((void *)(uintptr_t)r.mapped, sizeof(int));
	unlink(r.path);
}

static int stop(void *ctx)
{
	(void)ctx;
	return 1;
}

static int wait_long(void *ctx, unsigned has)
{
	(void)ctx, (void)has;
	sleep(60);
	return 0;
}

static void test_child_is_stopped(void **state)
{
	struct cmd_child child = {.work = wait_long, .meanwhile = stop};
	struct tp_err err;
	int status;

	(void)state;
	need_jail();
	assert_int_equal(cmd_child_run(&child, &status, &err), TP_ECANCEL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_child_reads_terminal_only),
	    cmocka_unit_test(test_child_signals),
	    cmocka_unit_test(test_child_processor_time),
	    cmocka_unit_test(test_child_file_is_cut),
	    cmocka_unit_test(test_child_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
