#include "tprof-record/parent/spawn.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
 * those faults takes longer than a system call; after vfork we could not get everything ready. So the child has our
 * memory and a stack of its own until it executes the program. It has our errno, too: where its calls can fail, we
 * wait for it. */
struct birth {
	const char *path;
	char *const *argv;
	const struct rec_signals *signals;
	int ours, its; /* ends of the connection */
};

enum { STACK = 256 << 10 };

/* Runs in the child. It executes the program once it has read a byte; an error is written to the connection,
 * which an exec closes. */
static int become(void *arg)
{
	const struct birth *b = arg;
	const struct rec_signals *s = b->signals;
	int error;

	close(b->ours);
	/* Unless the parent closed the connection instead. */
	if (TEMP_FAILURE_RETRY(read(b->its, &(char){0}, 1)) == 1) {
		sigaction(SIGPIPE, &s->pipe, NULL);
		sigaction(SIGCHLD, &s->child, NULL);
		sigprocmask(SIG_SETMASK, &s->blocked, NULL);
		execv(b->path, b->argv);
		if (errno == ENOEXEC)
			become_script(b->path, b->argv);
		error = errno;
		(void)!TEMP_FAILURE_RETRY(send(b->its, &error, sizeof(error), MSG_NOSIGNAL));
	}
	return 127;
}

/* Returns the child, or -1 and errno. */
static pid_t make_child(struct birth *b, char *stack)
{
	pid_t pid = clone(become, stack + STACK, CLONE_VM | SIGCHLD, b);

	/* Emulators know this for threads only. */
	return pid < 0 && errno == EINVAL ? clone(become, stack + STACK, SIGCHLD, b) : pid;
}

/* Tells the child to go on. Returns 0 and in *error what its exec failed with, or 0; else a code. */
static int let_go(const struct birth *b, int *error, struct tp_err *err)
{
	/* EPIPE: it was killed before; its end is noticed as any other. */
	if (TEMP_FAILURE_RETRY(send(b->ours, "", 1, MSG_NOSIGNAL)) != 1 && errno != EPIPE)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot start it: %s",
				  strerror(errno));
	if (TEMP_FAILURE_RETRY(recv(b->ours, error, sizeof(*error), 0)) != sizeof(*error))
		*error = 0;
	return *error ? tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot be executed: %s",
				   strerror(*error))
		      : 0;
}

pid_t rec_spawn(const char *path, char *const *argv, const struct rec_signals *s,
		int (*ready)(void *ctx, pid_t pid, struct tp_err *err), void *ctx, int *error,
		struct tp_err *err)
{
	struct birth b = {.path = path, .argv = argv, .signals = s};
	char *stack;
	int both[2], code = 0;
	pid_t pid;

	*error = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno)), -1;
	b.ours = both[0];
	b.its = both[1];
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK,
		     -1, 0);
	pid = stack == MAP_FAILED ? -1 : make_child(&b, stack);
	if (pid < 0) {
		*error = errno;
		code = tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot be executed: %s",
				  strerror(*error));
	}
	/* The child's is closed, too, if it executes the program. */
	close(b.its);
	if (!code)
		code = ready(ctx, pid, err);
	if (!code)
		code = let_go(&b, error, err);
	close(b.ours);
	while (code && pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (stack != MAP_FAILED)
		munmap(stack, STACK);
	return code ? -1 : pid;
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
