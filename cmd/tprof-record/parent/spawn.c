#include "tprof-record/parent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void rec_signals_keep(struct rec_signals *s)
{
	sigprocmask(SIG_BLOCK, NULL, &s->blocked);
	sigaction(SIGPIPE, NULL, &s->pipe);
	sigaction(SIGCHLD, NULL, &s->child);
}

static bool read_all(int fd, void *data, size_t size)
{
	ssize_t n;

	while ((n = read(fd, data, size)) < 0 && errno == EINTR)
		;
	return n == (ssize_t)size;
}

static bool write_all(int fd, const void *data, size_t size)
{
	ssize_t n;

	while ((n = write(fd, data, size)) < 0 && errno == EINTR)
		;
	return n == (ssize_t)size;
}

/* As execvp: a file that the kernel does not know is run by the shell. */
static void become_script(const char *path, char *const *argv, char *const *env)
{
	const char **shell;
	size_t n = 0;

	while (argv[n])
		n++;
	shell = calloc(n + 2, sizeof(*shell));
	if (!shell)
		return;
	shell[0] = "sh";
	shell[1] = path;
	for (size_t i = 1; i < n; i++)
		shell[i + 1] = argv[i];
	execve("/bin/sh", (char *const *)(uintptr_t)shell, env);
	free(shell);
}

/* Runs in the child when it may go on. An error is written to `tell`, which an exec closes. */
static void become(const char *path, char *const *argv, char *const *env,
		   const struct rec_signals *s, int tell)
{
	int error;

	sigaction(SIGPIPE, &s->pipe, NULL);
	sigaction(SIGCHLD, &s->child, NULL);
	sigprocmask(SIG_SETMASK, &s->blocked, NULL);
	execve(path, argv, env);
	if (errno == ENOEXEC)
		become_script(path, argv, env);
	error = errno;
	write_all(tell, &error, sizeof(error));
}

pid_t rec_spawn(const char *path, char *const *argv, char *const *env, const struct rec_signals *s,
		int (*ready)(void *ctx, pid_t pid, struct tp_err *err), void *ctx, int *error,
		struct tp_err *err)
{
	int tell[2], go[2], code = 0;
	bool failed;
	char byte = 1;
	pid_t pid;

	*error = 0;
	if (pipe2(tell, O_CLOEXEC))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno)), -1;
	if (pipe2(go, O_CLOEXEC)) {
		close(tell[0]);
		close(tell[1]);
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno)), -1;
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		errno = 0;
		if (read_all(go[0], &byte, 1))
			become(path, argv, env, s, tell[1]);
		else if (errno) /* else it was told not to */
			write_all(tell[1], &errno, sizeof(errno));
		_exit(127);
	}
	*error = pid < 0 ? errno : 0;
	close(tell[1]);
	close(go[0]);
	if (pid > 0)
		code = ready(ctx, pid, err);
	/* EPIPE: it was killed before; its end is noticed as any other. */
	if (pid > 0 && !code && !write_all(go[1], &byte, 1) && errno != EPIPE)
		code =
		    tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot start it: %s", strerror(errno));
	close(go[1]);
	failed = pid > 0 && !code && read_all(tell[0], error, sizeof(*error));
	close(tell[0]);
	if (pid > 0 && !failed && !code)
		return pid;
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!code)
		tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot be executed: %s", strerror(*error));
	return -1;
}

int rec_end_like(int status)
{
	struct rlimit none = {0};
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t set;
	int sig;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	sig = WTERMSIG(status);
	/* A core file, if any, is the program's. */
	setrlimit(RLIMIT_CORE, &none);
	sigaction(sig, &plain, NULL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), sig);
	return 128 + sig;
}
