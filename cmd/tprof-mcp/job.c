#include "tprof-mcp/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/spawn.h"
#include "tprof-mcp/folder.h"

#define CLOSED_NS 2000000 /* how often such a command is looked at */

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Lists a folder in a process of its own, so that it can be ended and its crash does no harm. */
static pid_t start_list(const struct mcp_call *call, int out, int errors, const sigset_t *mask)
{
	pid_t parent = getpid(), pid = fork();
	struct tp_err err;
	int code;

	if (pid) {
		if (pid > 0)
			setpgid(pid, pid);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (getppid() != parent || dup2(out, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
		_exit(4);
	code = mcp_folder_list(call->folder, &err);
	if (code)
		dprintf(STDERR_FILENO, "%s\n", err.msg);
	fflush(stdout);
	_exit(code ? 4 : 0);
}

int mcp_job_start(struct mcp_job *job, int64_t seconds, const sigset_t *mask, struct tp_err *err)
{
	int out[2] = {-1, -1}, errors[2] = {-1, -1};
	pid_t pid = -1;

	if (!pipe2(out, O_CLOEXEC) && !pipe2(errors, O_CLOEXEC))
		pid = job->call.line[0] ? cmd_spawn(job->call.line, out[1], errors[1], mask)
					: start_list(&job->call, out[1], errors[1], mask);
	if (pid < 0)
		tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot start a process: %s",
			   strerror(errno));
	if (out[1] >= 0)
		close(out[1]);
	if (errors[1] >= 0)
		close(errors[1]);
	if (pid < 0) {
		if (out[0] >= 0)
			close(out[0]);
		if (errors[0] >= 0)
			close(errors[0]);
		return TP_EIO;
	}
	job->pid = pid;
	job->fd[0] = out[0];
	job->fd[1] = errors[0];
	job->until_ns = now_ns() + seconds * 1000000000;
	return 0;
}

void mcp_job_poll(const struct mcp_job *job, struct pollfd p[2])
{
	for (int i = 0; i < 2; i++)
		p[i] = (struct pollfd){.fd = job->pid ? job->fd[i] : -1, .events = POLLIN};
}

int64_t mcp_job_left_ns(const struct mcp_job *job)
{
	int64_t left = job->until_ns - now_ns();

	/* Nothing but time tells that a command has ended which has closed its output. */
	if (job->fd[0] < 0 && job->fd[1] < 0 && left > CLOSED_NS)
		left = CLOSED_NS;
	return left > 0 ? left : 0;
}

static void end_with(struct mcp_job *job, enum mcp_end end)
{
	if (job->end == MCP_ENDED)
		job->end = end;
	kill(-job->pid, SIGKILL);
}

static void take(struct mcp_job *job, int i)
{
	struct tp_buf *to = &job->text[i];
	size_t most = i ? MCP_ERRORS : MCP_OUTPUT;
	ssize_t n = -1;

	if (tp_buf_reserve(to, 1 << 16))
		end_with(job, MCP_LOST);
	else
		n = read(job->fd[i], to->data + to->size, 1 << 16);
	if (n > 0)
		to->size += (size_t)n;
	/* Of messages the beginning is enough. */
	if (to->size > most && i) {
		to->size = most;
		job->cut = true;
	} else if (to->size > most) {
		end_with(job, MCP_TOO_LONG);
	}
	if (n == 0 || (n < 0 && errno != EINTR)) {
		close(job->fd[i]);
		job->fd[i] = -1;
	}
}

static void finish(struct mcp_job *job)
{
	siginfo_t info;
	int how;

	/* What it has started ends as well, while its id is still its own. */
	waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOWAIT);
	kill(-job->pid, SIGKILL);
	if (waitpid(job->pid, &how, 0) == job->pid && WIFEXITED(how))
		job->status = WEXITSTATUS(how);
	else if (job->end == MCP_ENDED)
		job->end = MCP_LOST;
	job->pid = 0;
	for (int i = 0; i < 2; i++)
		if (job->fd[i] >= 0)
			close(job->fd[i]);
}

/* A command may close its output long before it ends. */
static bool has_exited(const struct mcp_job *job)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOWAIT | WNOHANG) || info.si_pid;
}

bool mcp_job_step(struct mcp_job *job, const struct pollfd p[2])
{
	if (!job->pid)
		return false;
	for (int i = 0; i < 2; i++)
		if (job->fd[i] >= 0 && p[i].revents)
			take(job, i);
	if (!mcp_job_left_ns(job))
		end_with(job, MCP_LATE);
	/* What was killed is not waited for to close its output. */
	if (job->end == MCP_ENDED && (job->fd[0] >= 0 || job->fd[1] >= 0 || !has_exited(job)))
		return false;
	finish(job);
	return true;
}

void mcp_job_release(struct mcp_job *job)
{
	if (job->pid) {
		kill(-job->pid, SIGKILL);
		finish(job);
	}
	for (int i = 0; i < 2; i++)
		tp_buf_release(&job->text[i]);
	mcp_call_release(&job->call);
}
