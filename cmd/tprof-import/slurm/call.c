#include "call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/many.h"

void call_add(struct call *c, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n >= 0 && c->n + 1 >= c->room) {
		char **grown = tp_more(c->argv, c->room + 32, sizeof(*grown));

		if (grown) {
			c->argv = grown;
			c->room += 32;
		}
	}
	if (n < 0 || c->n + 1 >= c->room) {
		c->failed = true;
		if (n >= 0)
			free(text);
		return;
	}
	c->argv[c->n++] = text;
	c->argv[c->n] = NULL;
}

void call_release(struct call *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->argv[i]);
	free(c->argv);
	*c = (struct call){0};
}

/* Signals are as a program expects them, whatever ours are. */
static int start(const struct call *c, int out, int error, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t signals;
	int why = posix_spawn_file_actions_init(&files);

	if (why)
		return why;
	why = posix_spawnattr_init(&how);
	if (why) {
		posix_spawn_file_actions_destroy(&files);
		return why;
	}
	sigemptyset(&signals);
	why = posix_spawnattr_setsigmask(&how, &signals);
	sigaddset(&signals, SIGPIPE);
	if (!why)
		why = posix_spawnattr_setsigdefault(&how, &signals);
	if (!why)
		why =
		    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!why)
		why = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
						       0);
	if (!why)
		why = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (!why)
		why = posix_spawn_file_actions_adddup2(&files, error, STDERR_FILENO);
	if (!why)
		why = posix_spawnp(pid, c->argv[0], &files, &how, c->argv, environ);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return why;
}

/* Reads what both pipes have until they end. */
static int collect(int fds[2], struct tp_buf *to[2])
{
	struct pollfd p[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};
	char block[4096];

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		if (poll(p, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			return TP_EIO;
		}
		for (int i = 0; i < 2; i++) {
			ssize_t n;

			if (p[i].fd < 0 || !p[i].revents)
				continue;
			n = read(p[i].fd, block, sizeof(block));
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				p[i].fd = -1;
			else if (tp_buf_put(to[i], block, (size_t)n))
				return TP_ENOMEM;
		}
	}
	for (int i = 0; i < 2; i++) {
		if (tp_buf_put(to[i], "", 1))
			return TP_ENOMEM;
		to[i]->size--;
	}
	return 0;
}

int call_run(const struct call *c, struct tp_buf *out, struct tp_buf *error, int *status,
	     struct tp_err *err)
{
	int a[2] = {-1, -1}, b[2] = {-1, -1}, why = 0, code = 0, how = 0;
	struct tp_buf *to[2] = {out, error};
	pid_t pid = -1, got;

	if (c->failed)
		return tp_nomem(err);
	if (pipe2(a, O_CLOEXEC) || pipe2(b, O_CLOEXEC))
		why = errno;
	else
		why = start(c, a[1], b[1], &pid);
	if (a[1] >= 0)
		close(a[1]);
	if (b[1] >= 0)
		close(b[1]);
	if (!why)
		code = collect((int[2]){a[0], b[0]}, to);
	if (a[0] >= 0)
		close(a[0]);
	if (b[0] >= 0)
		close(b[0]);
	if (why)
		return tp_err_set(err, why == ENOENT ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE,
				  "%s: cannot be started: %s", c->argv[0], strerror(why));
	do
		got = waitpid(pid, &how, 0);
	while (got < 0 && errno == EINTR);
	if (code == TP_ENOMEM)
		return tp_nomem(err);
	if (code || got < 0)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s: cannot be waited for: %s",
				  c->argv[0], strerror(errno));
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	return 0;
}
