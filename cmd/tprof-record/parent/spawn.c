#include "tprof-record/parent/spawn.h"

#include <errno.h>
#include <pthread.h>
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

/* A program that is started. A forked child would share our pages until one of us writes to them, and each of
 * those faults takes longer than a system call. So the child is a vfork's: it has our memory, and the thread that
 * made it stands still until it executes the program. Meanwhile another thread gets everything ready. */
struct birth {
	const char *path;
	char *const *argv;
	const struct rec_signals *signals;
	int (*ready)(void *ctx, pid_t pid, struct tp_err *err);
	void *ctx;
	struct tp_err *err;
	int ours, its; /* ends of the connection */
	int code;      /* of `ready` */
	pid_t pid;     /* or a negative errno value */
};

/* Sends the pid or, negative, an errno value. */
static void tell(const struct birth *b, int number)
{
	(void)!TEMP_FAILURE_RETRY(send(b->its, &number, sizeof(number), MSG_NOSIGNAL));
}

/* Runs in the child. It executes the program once it has read a byte; an error is written to the connection,
 * which an exec closes. */
static void become(struct birth *b)
{
	const struct rec_signals *s = b->signals;
	ssize_t n;

	close(b->ours);
	tell(b, getpid());
	n = TEMP_FAILURE_RETRY(read(b->its, &(char){0}, 1));
	if (!n) /* the parent closed the connection instead */
		return;
	if (n > 0) {
		sigaction(SIGPIPE, &s->pipe, NULL);
		sigaction(SIGCHLD, &s->child, NULL);
		sigprocmask(SIG_SETMASK, &s->blocked, NULL);
		execv(b->path, b->argv);
		if (errno == ENOEXEC)
			become_script(b->path, b->argv);
	}
	tell(b, -errno);
}

static void *attend(void *arg)
{
	struct birth *b = arg;

	if (TEMP_FAILURE_RETRY(recv(b->ours, &b->pid, sizeof(b->pid), MSG_WAITALL)) !=
	    sizeof(b->pid))
		b->pid = -EIO;
	if (b->pid > 0)
		b->code = b->ready(b->ctx, b->pid, b->err);
	/* EPIPE: it was killed before; its end is noticed as any other. */
	if (b->pid > 0 && !b->code && TEMP_FAILURE_RETRY(send(b->ours, "", 1, MSG_NOSIGNAL)) != 1 &&
	    errno != EPIPE)
		b->code = tp_err_set(b->err, TP_EIO, TP_OFFSET_NONE, "cannot start it: %s",
				     strerror(errno));
	if (b->code)
		shutdown(b->ours, SHUT_RDWR);
	return NULL;
}

/* A function of its own, as a child must not return, and shares what is on the stack. */
static __attribute__((noinline)) pid_t make_child(struct birth *b)
{
	pid_t pid = vfork();

	if (!pid) {
		become(b);
		_exit(127);
	}
	/* Again, as it may have been killed before it could. Under emulators this is a fork, and comes first. */
	tell(b, pid < 0 ? -errno : pid);
	return pid;
}

pid_t rec_spawn(const char *path, char *const *argv, const struct rec_signals *s,
		int (*ready)(void *ctx, pid_t pid, struct tp_err *err), void *ctx, int *error,
		struct tp_err *err)
{
	struct birth b = {
	    .path = path, .argv = argv, .signals = s, .ready = ready, .ctx = ctx, .err = err};
	bool failed = true;
	pthread_t thread;
	int both[2], told = 0, why;
	pid_t pid;

	*error = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno)), -1;
	b.ours = both[0];
	b.its = both[1];
	why = pthread_create(&thread, NULL, attend, &b);
	if (why) {
		close(both[0]);
		close(both[1]);
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(why)), -1;
	}
	pid = make_child(&b);
	pthread_join(thread, NULL);
	/* The child's is closed, too, if it executes the program. */
	close(both[1]);
	*error = b.pid < 0 ? -b.pid : 0;
	if (pid > 0 && !b.code) {
		while (TEMP_FAILURE_RETRY(recv(both[0], &told, sizeof(told), 0)) == sizeof(told) &&
		       told > 0)
			;
		failed = told < 0;
		*error = failed ? -told : 0;
	}
	close(both[0]);
	if (!failed)
		return pid;
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!b.code)
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
