#include "profile/code/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IN, OUT, WORDS, NPIPES };

struct tool {
	const char *name;
	pid_t pid;
	int ours[NPIPES]; /* our ends, -1 when closed */
	char words[200];  /* the first line it wrote to standard error */
	size_t nwords;
};

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int fail(struct tp_err *err, const char *name)
{
	return tp_err_set(err, errno == ENOENT ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE,
			  "cannot run %s: %s", name, strerror(errno));
}

/* Lifts the memory limit of our process, which is made for reading dumps, for the tool. The tool
 * has not done much yet, as it has no input. */
static void give_back_memory(pid_t pid)
{
	struct rlimit data;

	if (!prlimit(pid, RLIMIT_DATA, NULL, &data)) {
		data.rlim_cur = data.rlim_max;
		prlimit(pid, RLIMIT_DATA, &data, NULL);
	}
}

static int start(struct tool *t, const char *const *argv, struct tp_err *err)
{
	int theirs[NPIPES] = {-1, -1, -1}, failed = 0;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;

	for (int i = 0; i < NPIPES && !failed; i++) {
		int fd[2];

		failed = pipe2(fd, O_CLOEXEC) ? errno : 0;
		if (!failed) {
			t->ours[i] = fd[i == IN];
			theirs[i] = fd[i != IN];
			fcntl(t->ours[i], F_SETFL, O_NONBLOCK);
		}
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	/* We ignore SIGPIPE; it should not. */
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	for (int i = 0; i < NPIPES && !failed; i++)
		failed = posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
	if (!failed)
		failed = posix_spawnp(&t->pid, argv[0], &actions, &attr,
				      (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	for (int i = 0; i < NPIPES; i++)
		shut(&theirs[i]);
	if (!failed) {
		give_back_memory(t->pid);
		return 0;
	}
	errno = failed;
	return fail(err, argv[0]);
}

/* Writes to the tool. A tool that stops reading is not an error. */
static int feed(struct tool *t, const struct tp_buf *input, size_t *fed, struct tp_err *err)
{
	ssize_t n = write(t->ours[IN], input->data + *fed, input->size - *fed);

	if (n > 0)
		*fed += (size_t)n;
	if (n < 0 && errno != EAGAIN && errno != EINTR && errno != EPIPE)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot write to %s: %s", t->name,
				  strerror(errno));
	if ((n < 0 && errno == EPIPE) || *fed == input->size)
		shut(&t->ours[IN]);
	return 0;
}

static int read_output(struct tool *t, int which, rep_tool_fn output, void *ctx, struct tp_err *err)
{
	char data[1 << 14];
	ssize_t n = read(t->ours[which], data, sizeof(data));

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot read from %s: %s", t->name,
				  strerror(errno));
	if (n == 0)
		shut(&t->ours[which]);
	if (n <= 0)
		return 0;
	if (which == OUT)
		return output(ctx, data, (size_t)n, err);
	for (ssize_t i = 0; i < n && t->nwords + 1 < sizeof(t->words); i++)
		t->words[t->nwords++] = data[i];
	return 0;
}

static int exchange(struct tool *t, const struct tp_buf *input, rep_tool_fn output, void *ctx,
		    struct tp_err *err)
{
	size_t fed = 0;
	int code = 0;

	if (!input || !input->size)
		shut(&t->ours[IN]);
	while (!code && (t->ours[OUT] >= 0 || t->ours[WORDS] >= 0)) {
		struct pollfd p[NPIPES] = {
		    {t->ours[IN], POLLOUT, 0},
		    {t->ours[OUT], POLLIN, 0},
		    {t->ours[WORDS], POLLIN, 0},
		};

		if (poll(p, NPIPES, -1) < 0) {
			if (errno != EINTR)
				return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "poll: %s",
						  strerror(errno));
			continue;
		}
		if (input && p[IN].revents)
			code = feed(t, input, &fed, err);
		for (int i = OUT; i <= WORDS && !code; i++)
			if (p[i].revents)
				code = read_output(t, i, output, ctx, err);
	}
	return code;
}

static int finish(struct tool *t, int code, struct tp_err *err)
{
	int status = 0;

	for (int i = 0; i < NPIPES; i++)
		shut(&t->ours[i]);
	if (code)
		kill(t->pid, SIGTERM);
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	t->words[t->nwords] = 0;
	t->words[strcspn(t->words, "\n")] = 0;
	if (code || (WIFEXITED(status) && !WEXITSTATUS(status)))
		return code;
	if (WIFSIGNALED(status))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s was ended by signal %d", t->name,
				  WTERMSIG(status));
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s failed with status %d%s%s", t->name,
			  WEXITSTATUS(status), t->words[0] ? ": " : "", t->words);
}

int rep_tool_run(const char *const *argv, const struct tp_buf *input, rep_tool_fn output, void *ctx,
		 struct tp_err *err)
{
	struct tool t = {.name = argv[0], .ours = {-1, -1, -1}};
	int code = start(&t, argv, err);

	if (code) {
		for (int i = 0; i < NPIPES; i++)
			shut(&t.ours[i]);
		return code;
	}
	return finish(&t, exchange(&t, input, output, ctx, err), err);
}
