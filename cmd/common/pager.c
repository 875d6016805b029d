#include "common/common.h"
#include "common/limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Sets options of less. -F: print output that fits the screen and exit; -R: show colours; -X: leave the
 * output on the screen. If the user has set options, adds only -R: without it, less shows colours as
 * bytes. */
static void set_less(void)
{
	const char *set = getenv("LESS");
	char with[1024];

	setenv("LESS", "FRX", 0);
	/* Names and charts are UTF-8, whatever the locale is; without this less would show their bytes. */
	setenv("LESSCHARSET", "utf-8", 0);
	if (set && !strpbrk(set, "Rr") &&
	    snprintf(with, sizeof(with), *set == '-' ? "-R %s" : "R%s", set) < (int)sizeof(with))
		setenv("LESS", with, 1);
}

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"

/* Words of the shell that may precede a command and are not files in PATH. */
static const char *const shell_words[] = {"exec", "command", "builtin", "eval", "env", "."};

/* Returns whether the program that this command line names first exists. A command line that is more
 * than plain words, or begins with a word of the shell, is left to the shell. */
static bool is_there(const char *pager)
{
	size_t n = strspn(pager, PLAIN);
	const char *path = getenv("PATH");
	char file[4096];

	if (!n || pager[strspn(pager, PLAIN " ")] || !path)
		return true;
	for (size_t i = 0; i < sizeof(shell_words) / sizeof(shell_words[0]); i++)
		if (strlen(shell_words[i]) == n && !memcmp(pager, shell_words[i], n))
			return true;
	if (memchr(pager, '/', n)) {
		snprintf(file, sizeof(file), "%.*s", (int)n, pager);
		return !access(file, X_OK);
	}
	for (const char *end; *path; path = end + (*end != '\0')) {
		end = strchrnul(path, ':');
		snprintf(file, sizeof(file), "%.*s/%.*s", (int)(end - path), path, (int)n, pager);
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

static void run_pager(const char *pager)
{
	set_less();
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

/* Returns the pager that output goes to, or NULL if it goes to the terminal. */
static const char *find_pager(const struct cmd *cmd)
{
	const char *pager = getenv("PAGER"), *term = getenv("TERM");

	if (!cmd->tty || cmd->no_pager || !term || !strcmp(term, "dumb"))
		return NULL;
	if (pager && (!*pager || !strcmp(pager, "cat")))
		return NULL;
	if (pager && is_there(pager))
		return pager;
	return is_there("less") ? "less" : NULL;
}

bool cmd_pager_may_come(const struct cmd *cmd)
{
	return cmd->pages && cmd->pager <= 0 && find_pager(cmd);
}

/* Prints waiting notes, as there will be no pager. */
static void do_without(struct cmd *cmd)
{
	cmd->pages = false;
	cmd_notes_release(stderr);
}

void cmd_pager(struct cmd *cmd)
{
	const char *pager = find_pager(cmd);
	int fd[2];

	if (cmd->pager > 0)
		return;
	cmd->old_stdout = pager ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	if (cmd->old_stdout < 0) {
		do_without(cmd);
		return;
	}
	if (pipe(fd)) {
		close(cmd->old_stdout);
		do_without(cmd);
		return;
	}
	fflush(stdout);
	cmd->pager = fork();
	if (cmd->pager < 0) {
		close(fd[0]);
		close(fd[1]);
		close(cmd->old_stdout);
		do_without(cmd);
		return;
	}
	if (cmd->pager == 0) {
		dup2(fd[0], STDIN_FILENO);
		close(fd[0]);
		close(fd[1]);
		signal(SIGPIPE, SIG_DFL);
		cmd_limit_lift();
		run_pager(pager);
	}
	cmd->pages = false;
	dup2(fd[1], STDOUT_FILENO);
	/* Messages from now on would be written over its screen. */
	cmd->old_stderr = isatty(STDERR_FILENO) ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	if (cmd->old_stderr >= 0)
		dup2(fd[1], STDERR_FILENO);
	close(fd[0]);
	close(fd[1]);
	/* ^C is for the pager, where it stops a search. It must not end this process, which still writes. */
	signal(SIGINT, SIG_IGN);
	cmd_notes_pass();
}

/* Opens the reading end of the pipe, to find out what the pager left unread. It cannot be kept open all the
 * time, as writes would then never fail. Returns -1 if it cannot be opened. */
static int open_rest(void)
{
	int fd = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && S_ISFIFO(st.st_mode)))
		return fd;
	close(fd);
	return -1;
}

static void give_back(int *kept, int fd)
{
	if (*kept < 0)
		return;
	if (dup2(*kept, fd) < 0) /* at least end the pager's input */
		close(fd);
	close(*kept);
	*kept = -1;
}

void cmd_pager_end(struct cmd *cmd)
{
	int rest, status = 0;
	bool taken;

	cmd->pages = false;
	if (cmd->pager <= 0)
		return;
	rest = open_rest();
	/* Ends the pager's input. */
	give_back(&cmd->old_stdout, STDOUT_FILENO);
	give_back(&cmd->old_stderr, STDERR_FILENO);
	while (waitpid(cmd->pager, &status, 0) < 0 && errno == EINTR)
		;
	cmd->pager = 0;
	/* A pager that failed may have read notes without showing them. */
	taken = !status && (rest < 0 || !cmd_notes_are_in(rest));
	cmd_notes_passed(taken);
	if (rest >= 0)
		close(rest);
}
