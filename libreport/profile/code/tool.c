#include "profile/code/tool.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The tool's standard input, output and error. Input and error are files in memory, output is a
 * pipe, so we wait for only one of them. */
enum { IN, OUT, WORDS, NFILES };

struct tool {
	const char *name;
	pid_t pid;
	int theirs[NFILES], ours; /* -1: not open */
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
 * runs under the limit for a moment only. */
static void give_back_memory(pid_t pid)
{
	struct rlimit data;

	if (!prlimit(pid, RLIMIT_DATA, NULL, &data)) {
		data.rlim_cur = data.rlim_max;
		prlimit(pid, RLIMIT_DATA, &data, NULL);
	}
}

/* Writes the input to a file, and leaves its offset at 0 for the reader. Returns 0, or -1 with
 * errno set. */
static int fill(int fd, const struct tp_buf *input)
{
	size_t size = input ? input->size : 0;

	for (size_t at = 0; at < size;) {
		ssize_t n = pwrite(fd, input->data + at, size - at, (off_t)at);

		if (n < 0 && errno != EINTR)
			return -1;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int open_files(struct tool *t, const struct tp_buf *input)
{
	int fd[2];

	t->theirs[IN] = memfd_create("input", MFD_CLOEXEC);
	t->theirs[WORDS] = memfd_create("words", MFD_CLOEXEC);
	if (t->theirs[IN] < 0 || t->theirs[WORDS] < 0 || fill(t->theirs[IN], input) ||
	    pipe2(fd, O_CLOEXEC))
		return -1;
	t->ours = fd[0];
	t->theirs[OUT] = fd[1];
	return 0;
}

static int start(struct tool *t, const char *const *argv, const struct tp_buf *input,
		 struct tp_err *err)
{
	int failed = open_files(t, input) ? errno : 0;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	/* We ignore SIGPIPE; the tool must not. */
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	for (int i = 0; i < NFILES && !failed; i++)
		failed = posix_spawn_file_actions_adddup2(&actions, t->theirs[i], i);
	if (!failed)
		failed = posix_spawnp(&t->pid, argv[0], &actions, &attr,
				      (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	shut(&t->theirs[OUT]);
	if (!failed) {
		give_back_memory(t->pid);
		return 0;
	}
	errno = failed;
	return fail(err, argv[0]);
}

static int pass_on(struct tool *t, const struct rep_sink *output, struct tp_err *err)
{
	char data[1 << 14];
	int code = 0;

	for (ssize_t n = 1; n && !code;) {
		n = read(t->ours, data, sizeof(data));
		if (n > 0)
			code = output->write(output->ctx, data, (size_t)n, err);
		else if (n < 0 && errno != EINTR)
			code = tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot read from %s: %s",
					  t->name, strerror(errno));
	}
	return code;
}

static int finish(struct tool *t, int code, struct tp_err *err)
{
	char words[200] = "";
	int status = 0;

	shut(&t->ours);
	if (code)
		kill(t->pid, SIGTERM);
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (code || (WIFEXITED(status) && !WEXITSTATUS(status)))
		return code;
	if (WIFSIGNALED(status))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s was ended by signal %d", t->name,
				  WTERMSIG(status));
	if (pread(t->theirs[WORDS], words, sizeof(words) - 1, 0) > 0)
		words[strcspn(words, "\n")] = '\0';
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s failed with status %d%s%s", t->name,
			  WEXITSTATUS(status), *words ? ": " : "", words);
}

int rep_tool_run(const char *const *argv, const struct tp_buf *input, const struct rep_sink *output,
		 struct tp_err *err)
{
	struct tool t = {.name = argv[0], .theirs = {-1, -1, -1}, .ours = -1};
	int code = start(&t, argv, input, err);

	if (!code)
		code = finish(&t, pass_on(&t, output, err), err);
	for (int i = 0; i < NFILES; i++)
		shut(&t.theirs[i]);
	shut(&t.ours);
	return code;
}
