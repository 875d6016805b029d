#include "common/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS	 50
#define NO_JAIL	 64 /* exit status: a part of the required jail is missing (plus cmd_jail_has) */
#define ORPHANED 80 /* exit status: the parent has died */

void *cmd_child_share(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void cmd_child_unshare(void *memory, size_t size)
{
	if (memory)
		munmap(memory, size);
}

/* Opens standard input again for reading only if it is a terminal: usually that can be written to, too. */
static void read_only_terminal(void)
{
	int fd;

	if (!isatty(STDIN_FILENO))
		return;
	fd = open("/proc/self/fd/0", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		dup2(fd, STDIN_FILENO);
		close(fd);
	}
}

/* Sets the child up. Only the parent stops it: a signal to both must not end the child first. The child is
 * killed when the parent dies. */
static void settle(pid_t parent, const struct cmd_child *child)
{
	static const int for_parent[] = {SIGINT, SIGTERM, SIGHUP};
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(ORPHANED);
	for (size_t i = 0; i < sizeof(for_parent) / sizeof(for_parent[0]); i++)
		signal(for_parent[i], SIG_IGN);
	read_only_terminal();
	/* The child must not write its memory to a core file. */
	prctl(PR_SET_DUMPABLE, 0);
	if (child->speaks)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
}

static void be_child(pid_t parent, const struct cmd_child *child)
{
	unsigned has;

	settle(parent, child);
	has = child->free ? 0 : cmd_jail_enter(&child->jail);
	if (child->require && has != (CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP))
		_exit(NO_JAIL + (int)has);
	_exit(child->work(child->ctx, has));
}

/* Returns whether the child used up its processor time. The kernel sends SIGXCPU at the soft limit and
 * SIGKILL at the hard limit. The shell's ulimit sets both to the same value. */
static bool used_up_time(const struct rusage *used)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_CPU, &most) || most.rlim_max == RLIM_INFINITY)
		return false;
	return (rlim_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) + 1 >= most.rlim_max;
}

static int explain_signal(int number, const struct rusage *used, struct tp_err *err)
{
	if (number == SIGXCPU || (number == SIGKILL && used_up_time(used)))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "decoding it used up the processor time that this session "
				  "allows; see ulimit -t in your shell's manual");
	if (number == SIGBUS)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "the file became shorter while it was read, or its disk cannot "
				  "be read; try again with a copy of the whole file");
	if (number == SIGKILL)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE,
				  "decoding it was killed, most likely because memory ran out");
	if (number == SIGXFSZ)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "decoding it went beyond a limit of this session (%s); see "
				  "ulimit in your shell's manual",
				  strsignal(number));
	return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
			  "decoding it crashed (%s), which is a bug in tprof; please report it, "
			  "with the file. Nothing was changed",
			  strsignal(number));
}

static int explain(int how, const struct rusage *used, int *status, struct tp_err *err)
{
	if (WIFSIGNALED(how))
		return explain_signal(WTERMSIG(how), used, err);
	*status = WEXITSTATUS(how);
	if (*status >= NO_JAIL && *status < ORPHANED) {
		bool landlock = *status & CMD_JAIL_LANDLOCK, seccomp = *status & CMD_JAIL_SECCOMP;

		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "not decoded: TPROF_JAIL=require needs %s%s%s, which this system "
				  "does not have",
				  landlock ? "" : "Landlock", landlock || seccomp ? "" : " and ",
				  seccomp ? "" : "seccomp filters");
	}
	return 0;
}

int cmd_child_start(const struct cmd_child *child, struct cmd_process *p, struct tp_err *err)
{
	pid_t parent = getpid(), pid;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot start a process: %s",
				  strerror(errno));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		be_child(parent, child);
	}
	close(fd[1]);
	if (pid < 0) {
		int code = tp_err_set(err, errno == ENOMEM ? TP_ENOMEM : TP_EIO, TP_OFFSET_NONE,
				      "cannot start a process: %s", strerror(errno));

		close(fd[0]);
		return code;
	}
	*p = (struct cmd_process){.pid = pid, .end = fd[0]};
	return 0;
}

void cmd_child_end(struct cmd_process *p)
{
	if (!p->ended)
		kill(p->pid, SIGKILL);
	p->ended = true;
}

int cmd_child_finish(struct cmd_process *p, int *status, struct tp_err *err)
{
	struct rusage used;
	int how;

	close(p->end);
	while (wait4(p->pid, &how, 0, &used) < 0)
		if (errno != EINTR)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					  "cannot wait for a process: %s", strerror(errno));
	if (p->ended)
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	return explain(how, &used, status, err);
}

/* Waits until the child has ended, which closes its end of the pipe. */
static void wait_for_end(const struct cmd_child *child, struct cmd_process *process)
{
	struct pollfd p = {.fd = process->end, .events = 0};

	for (;;) {
		int n = poll(&p, 1, child->meanwhile ? TICK_MS : -1);

		if (n > 0 || (n < 0 && errno != EINTR))
			return;
		if (!process->ended && child->meanwhile && child->meanwhile(child->ctx))
			cmd_child_end(process);
	}
}

int cmd_child_run(const struct cmd_child *child, int *status, struct tp_err *err)
{
	struct cmd_process p;
	int code = cmd_child_start(child, &p, err);

	if (code)
		return code;
	wait_for_end(child, &p);
	return cmd_child_finish(&p, status, err);
}
