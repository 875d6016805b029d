#include "tprof-web/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/allowed.h"
#include "common/spawn.h"

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	if (number != SIGCHLD)
		stopped = 1;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- starting ---- */

/* Makes words of a message. Returns the command, or NULL if it may not run. */
static const struct cmd_allowed *read_words(char *message, size_t size, struct cmd_words *words)
{
	const struct cmd_allowed *c = cmd_allowed(message);
	char *end = message + size;

	words->n = 0;
	for (char *at = message + strlen(message) + 1; at < end; at += strlen(at) + 1) {
		if (words->n == CMD_WORDS)
			return NULL;
		words->word[words->n++] = at;
	}
	return c && !cmd_allowed_check(c, words, NULL) ? c : NULL;
}

static struct web_child *find_free(struct web_runner *r)
{
	for (size_t i = 0; i < WEB_RUNS; i++)
		if (!r->run[i].pid)
			return &r->run[i];
	return NULL;
}

static bool make_pipes(int pipes[WEB_NPIPES][2])
{
	for (int i = 0; i < WEB_NPIPES; i++)
		if (pipe2(pipes[i], O_CLOEXEC)) {
			pipes[i][0] = pipes[i][1] = -1;
			return false;
		}
	return true;
}

/* Starts a command. Returns whether that worked; the reading ends are then open. */
static bool start(struct web_runner *r, char *message, size_t size, int pipes[WEB_NPIPES][2],
		  const sigset_t *mask)
{
	struct web_child *run = find_free(r);
	const struct cmd_allowed *c;
	struct cmd_words words;
	struct cmd_line line;
	pid_t pid;

	c = size && !message[size - 1] ? read_words(message, size, &words) : NULL;
	if (!c || !run || !make_pipes(pipes))
		return false;
	cmd_allowed_line(c, &words, r->store, r->source, &line);
	/* It is in use, so the cache must not remove it. A store of the reader's is left as it is. */
	if (r->cached)
		(void)utimensat(AT_FDCWD, r->store, NULL, 0);
	pid = cmd_spawn(line.word, pipes[WEB_OUT][1], pipes[WEB_ERRORS][1], mask);
	if (pid < 0)
		return false;
	*run = (struct web_child){.pid = pid,
				  .end = pipes[WEB_END][1],
				  .until_ns = now_ns() + (int64_t)WEB_RUN_SECONDS * 1000000000};
	pipes[WEB_END][1] = -1;
	return true;
}

static void answer(int channel, int code, int pipes[WEB_NPIPES][2])
{
	int fds[WEB_NPIPES];
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(fds))];
	} control = {0};
	struct iovec iov = {.iov_base = &code, .iov_len = sizeof(code)};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *head;

	for (int i = 0; i < WEB_NPIPES; i++)
		fds[i] = pipes[i][0];
	if (!code) {
		m.msg_control = control.room;
		m.msg_controllen = sizeof(control.room);
		head = CMSG_FIRSTHDR(&m);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(fds));
		memcpy(CMSG_DATA(head), fds, sizeof(fds));
	}
	(void)sendmsg(channel, &m, MSG_NOSIGNAL);
}

/* Returns false if the server has closed the channel. */
static bool take_request(struct web_runner *r, const sigset_t *mask)
{
	static char message[WEB_MESSAGE];
	int pipes[WEB_NPIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
	ssize_t n = recv(r->channel, message, sizeof(message), MSG_DONTWAIT);
	bool started;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	started = start(r, message, (size_t)n, pipes, mask);
	answer(r->channel, started ? 0 : 1, pipes);
	for (int i = 0; i < 2 * WEB_NPIPES; i++)
		if (pipes[i / 2][i % 2] >= 0)
			close(pipes[i / 2][i % 2]);
	return true;
}

/* ---- ending ---- */

static void stop(struct web_child *run)
{
	run->stopped = true;
	kill(-run->pid, SIGKILL);
}

/* Waits for a command that has ended, or is about to, and tells the server how it did. What it has started
 * ends as well. */
static void finish(struct web_child *run)
{
	struct web_end end = {.late = run->late, .status = -1};
	ssize_t n;
	int how;

	stop(run);
	if (waitpid(run->pid, &how, 0) == run->pid && WIFEXITED(how))
		end.status = WEXITSTATUS(how);
	n = write(run->end, &end, sizeof(end));
	(void)n; /* nobody may want to know */
	close(run->end);
	*run = (struct web_child){0};
}

static void reap(struct web_runner *r)
{
	for (size_t i = 0; i < WEB_RUNS; i++) {
		siginfo_t ended = {0};

		if (r->run[i].pid &&
		    !waitid(P_PID, (id_t)r->run[i].pid, &ended, WEXITED | WNOHANG | WNOWAIT) &&
		    ended.si_pid)
			finish(&r->run[i]);
	}
}

/* Kills commands whose time is over. Returns how long the next one has, NULL: there is none. */
static struct timespec *check_times(struct web_runner *r, struct timespec *left)
{
	int64_t now = now_ns(), next = INT64_MAX;

	for (size_t i = 0; i < WEB_RUNS; i++) {
		struct web_child *run = &r->run[i];

		if (!run->pid || run->stopped)
			continue;
		if (run->until_ns <= now) {
			run->late = true;
			stop(run);
		} else if (run->until_ns < next) {
			next = run->until_ns;
		}
	}
	if (next == INT64_MAX)
		return NULL;
	left->tv_sec = (time_t)((next - now) / 1000000000);
	left->tv_nsec = (long)((next - now) % 1000000000);
	return left;
}

/* Waits for something to do, and does it. Returns false once the server has ended. */
static bool step(struct web_runner *r, const sigset_t *mask)
{
	/* A question waits until a command may be started. */
	struct pollfd p[2 + WEB_RUNS] = {{.fd = find_free(r) ? r->channel : -1, .events = POLLIN},
					 {.fd = r->server, .events = 0}};
	struct timespec left;

	/* A writing end reports an error when the reading end is closed. */
	for (size_t i = 0; i < WEB_RUNS; i++)
		p[2 + i] =
		    (struct pollfd){.fd = r->run[i].pid && !r->run[i].stopped ? r->run[i].end : -1};
	if (ppoll(p, 2 + WEB_RUNS, check_times(r, &left), mask) < 0)
		return errno == EINTR;
	for (size_t i = 0; i < WEB_RUNS; i++)
		if (p[2 + i].revents && r->run[i].pid)
			stop(&r->run[i]);
	return !p[1].revents && (!p[0].revents || take_request(r, mask));
}

bool web_runner_serve(struct web_runner *r)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t blocked, before;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction old;

		sigaddset(&blocked, numbers[i]);
		/* What nohup ignores stays ignored. */
		if (!sigaction(numbers[i], NULL, &old) &&
		    (numbers[i] != SIGHUP || old.sa_handler != SIG_IGN))
			sigaction(numbers[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &blocked, &before);
	while (!stopped && step(r, &before))
		reap(r);
	for (size_t i = 0; i < WEB_RUNS; i++)
		if (r->run[i].pid)
			finish(&r->run[i]);
	return stopped;
}
