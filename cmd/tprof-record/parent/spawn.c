#include "tprof-record/parent/spawn.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void rec_signals_keep(struct rec_signals *s)
{
	sigprocmask(SIG_BLOCK, NULL, &s->blocked);
	sigaction(SIGPIPE, NULL, &s->pipe);
	sigaction(SIGCHLD, NULL, &s->child);
}

/* Runs a file that the kernel cannot execute by the shell, as execvp does. */
static void become_script(const char *path, char *const *argv)
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
	execv("/bin/sh", (char *const *)(uintptr_t)shell);
	free(shell);
}

/* Runs in the child. It executes the program once it has read a byte; an error is written to the connection,
 * which an exec closes. */
static void become(const char *path, char *const *argv, const struct rec_signals *s, int connection)
{
	ssize_t n = TEMP_FAILURE_RETRY(read(connection, &(char){0}, 1));

	if (!n) /* the parent closed the connection instead */
		return;
	if (n > 0) {
		sigaction(SIGPIPE, &s->pipe, NULL);
		sigaction(SIGCHLD, &s->child, NULL);
		sigprocmask(SIG_SETMASK, &s->blocked, NULL);
		execv(path, argv);
		if (errno == ENOEXEC)
			become_script(path, argv);
	}
	(void)!TEMP_FAILURE_RETRY(send(connection, &errno, sizeof(errno), MSG_NOSIGNAL));
}

pid_t rec_spawn(const char *path, char *const *argv, const struct rec_signals *s,
		int (*ready)(void *ctx, pid_t pid, struct tp_err *err), void *ctx, int *error,
		struct tp_err *err)
{
	bool failed = true;
	int both[2], code = 0;
	pid_t pid;

	*error = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno)), -1;
	pid = fork();
	if (!pid) {
		close(both[0]);
		become(path, argv, s, both[1]);
		_exit(127);
	}
	*error = pid < 0 ? errno : 0;
	close(both[1]);
	if (pid > 0)
		code = ready(ctx, pid, err);
	/* EPIPE: it was killed before; its end is noticed as any other. */
	if (pid > 0 && !code && TEMP_FAILURE_RETRY(send(both[0], "", 1, MSG_NOSIGNAL)) != 1 &&
	    errno != EPIPE)
		code =
		    tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot start it: %s", strerror(errno));
	if (pid > 0 && !code)
		failed =
		    TEMP_FAILURE_RETRY(recv(both[0], error, sizeof(*error), 0)) == sizeof(*error);
	close(both[0]);
	if (!failed)
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
