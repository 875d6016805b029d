#include "common/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/limit.h"

/* Turns this process, a child, into the command. */
static void become(const char *const *line, int out, int errors, pid_t parent, const sigset_t *mask)
{
	char path[PATH_MAX], program[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	while (n > 0 && path[n - 1] != '/')
		n--;
	/* Without it, a program of this name in the current folder would be started. */
	if (n <= 0)
		_exit(127);
	snprintf(program, sizeof(program), "%.*s%s", (int)n, path, line[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	cmd_limit_lift();
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	execv(program, (char *const *)(uintptr_t)line);
	dprintf(STDERR_FILENO, "%s cannot be started: %s\n", line[0], strerror(errno));
	_exit(127);
}

pid_t cmd_spawn(const char *const *line, int out, int errors, const sigset_t *mask)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid)
		become(line, out, errors, parent, mask);
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}
