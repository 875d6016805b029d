#include "tprof-record/parent/spawn.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int kill_it(void *ctx, pid_t pid, struct tp_err *err)
{
	siginfo_t end;

	(void)err;
	kill(pid, *(int *)ctx);
	/* Until it has ended, which its parent is still to be told. */
	return waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT) ? TP_EIO : 0;
}

static pid_t spawn(const char *path, int (*ready)(void *ctx, pid_t pid, struct tp_err *err),
		   int signal, int *error, struct tp_err *err)
{
	char *argv[] = {"program", NULL};
	struct rec_signals s;

	rec_signals_keep(&s);
	sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	return rec_spawn(path, argv, &s, ready, &signal, error, err);
}

/* Somebody kills it when it is there and not yet the program: the end is the program's. */
static void test_spawn_killed_before(void **state)
{
	struct tp_err err = {0};
	int status, error;
	pid_t pid = spawn("/bin/true", kill_it, SIGKILL, &error, &err);

	(void)state;
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static int be_ready(void *ctx, pid_t pid, struct tp_err *err)
{
	(void)ctx;
	(void)pid;
	(void)err;
	return 0;
}

static int refuse(void *ctx, pid_t pid, struct tp_err *err)
{
	(void)ctx;
	(void)pid;
	return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "not this one");
}

static void test_spawn(void **state)
{
	struct tp_err err = {0};
	int status, error;
	pid_t pid = spawn("/bin/true", be_ready, 0, &error, &err);

	(void)state;
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));

	assert_int_equal(spawn("/bin/none", be_ready, 0, &error, &err), -1);
	assert_int_equal(error, ENOENT);
	assert_int_equal(err.code, TP_EIO);
	assert_int_equal(spawn("/bin/true", refuse, 0, &error, &err), -1);
	assert_int_equal(err.code, TP_ELIMIT);
	assert_string_equal(err.msg, "not this one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_spawn),
	    cmocka_unit_test(test_spawn_killed_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
