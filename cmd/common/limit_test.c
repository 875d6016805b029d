/* Tests the limits on memory. Each case runs in its own process, since limits cannot be raised again. */
#include "common/limit.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MB 1000000
#define MI (1 << 20)

static char folder[32];

/* Makes a sparse file of `size` bytes that begins with `head`. */
static void put(const char *name, const char *head, off_t size)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, head, strlen(head)), strlen(head));
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-limit-test-XXXXXX");
	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	put("small", "go 1.26 trace", MB / 2);
	put("large", "go 1.26 trace", 10 * MB);
	put("small.gz", "\x1f\x8b\x08\x01", MB / 2);
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? -1 : 0;
}

#define NOT_SET (255 * 16)

/* Returns the limit in MiB; 0: no limit, NOT_SET: the system ignored the call. */
static int limit_of(char **argv, const char *given)
{
	static const struct cmd cmd = CMD_INIT("tprof-test");
	int argc = 0, how;
	pid_t pid = fork();

	if (!pid) {
		struct rlimit data;

		while (argv[argc])
			argc++;
		if (given)
			setenv("TPROF_MEMORY", given, 1);
		else
			unsetenv("TPROF_MEMORY");
		cmd_limit_memory(&cmd, argc, argv);
		getrlimit(RLIMIT_DATA, &data);
		if (cmd_limit() && data.rlim_cur != (rlim_t)cmd_limit())
			_exit(NOT_SET / 16);
		_exit((int)(cmd_limit() / MI / 16));
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_true(WIFEXITED(how));
	return WEXITSTATUS(how) * 16;
}

/* Skips the test if there are no limits: sanitizer builds set none, and an emulator may ignore them. */
static void need_limits(void)
{
	char *argv[] = {(char *)"tprof-test", (char *)"small", NULL};
	int most = limit_of(argv, NULL);

	if (!most || most == NOT_SET) {
		print_message("memory is not limited here\n");
		skip();
	}
}

static void test_limit_memory(void **state)
{
	static const struct {
		const char *argument[3], *given;
		int most; /* MiB, in steps of 16 */
	} cases[] = {
	    {{"small"}, NULL, 240},
	    {{"-n", "small"}, NULL, 240},
	    {{"large"}, NULL, 2400},
	    {{"large", "small"}, NULL, 2512},
	    {{"--output=large", "small"}, NULL, 2512},
	    {{"small.gz"}, NULL, 144},
	    {{"small"}, "1GiB", 1024},
	    {{"small"}, "unlimited", 0},
	    {{"small", "--symbol-path=/usr/lib/debug"}, NULL, 0},
	    {{"small", "--symbol-path=/usr/lib/debug"}, "512MiB", 512},
	    {{"no-such-file"}, NULL, 0},
	    {{"."}, NULL, 0},
	};

	(void)state;
	need_limits();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *argv[5] = {(char *)"tprof-test"};

		for (size_t k = 0; k < 3; k++)
			argv[k + 1] = (char *)(uintptr_t)cases[i].argument[k];
		print_message("%s %s\n", cases[i].argument[0],
			      cases[i].given ? cases[i].given : "");
		assert_int_equal(limit_of(argv, cases[i].given), cases[i].most);
	}
}

static void *nothing(void *ctx)
{
	return ctx;
}

/* Stacks count with their whole size. If the session permits large ones (ulimit -s), threads could not be
 * started. */
static void test_limit_leaves_room_for_threads(void **state)
{
	char *argv[] = {(char *)"tprof-test", (char *)"small", NULL};
	static const struct cmd cmd = CMD_INIT("tprof-test");
	pid_t pid;
	int how;

	(void)state;
	need_limits();
	pid = fork();
	if (!pid) {
		pthread_attr_t attr;
		pthread_t thread[4];

		pthread_attr_init(&attr);
		if (pthread_attr_setstacksize(&attr, (size_t)256 * MI) ||
		    pthread_setattr_default_np(&attr))
			_exit(2);
		cmd_limit_memory(&cmd, 2, argv);
		for (int i = 0; i < 4; i++)
			if (pthread_create(&thread[i], NULL, nothing, NULL))
				_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_int_equal(how, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_limit_memory),
	    cmocka_unit_test(test_limit_leaves_room_for_threads),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
