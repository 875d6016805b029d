#include "common/common.h"
#include "common/limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
#include <sys/wait.h>

/* What a machine without any pager gets. */
static void copy_through(void)
{
	char block[1 << 14];
	ssize_t n;

	while ((n = read(STDIN_FILENO, block, sizeof(block))) > 0)
		for (ssize_t done = 0, put; done < n; done += put)
			if ((put = write(STDOUT_FILENO, block + done, (size_t)(n - done))) < 0)
				_exit(0);
	_exit(0);
}

/* What less is to do. -F: what fits the screen is just printed; -R: colours; -X: leave it on the
 * screen. To who has said something else of it, colours would be shown as their bytes. */
static void set_less(void)
{
	const char *set = getenv("LESS");
	char with[1024];

	setenv("LESS", "FRX", 0);
	if (set && !strpbrk(set, "Rr") &&
	    snprintf(with, sizeof(with), *set == '-' ? "-R %s" : "R%s", set) < (int)sizeof(with))
		setenv("LESS", with, 1);
}

/* Is the program there that this names first? What is more than a name is the shell's to know. */
static bool is_there(const char *pager)
{
	size_t n =
	    strspn(pager, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-");
	const char *path = getenv("PATH");
	char file[4096];

	if (!n || (pager[n] && pager[n] != ' ') || !path)
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
	if (pager && !is_there(pager))
		pager = NULL;
	if (pager)
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	else
		execlp("less", "less", (char *)NULL);
	copy_through();
}

static bool wanted(const struct cmd *cmd)
{
	const char *pager = getenv("PAGER"), *term = getenv("TERM");

	if (!cmd->tty || cmd->no_pager || !term || !strcmp(term, "dumb"))
		return false;
	return !pager || (*pager && strcmp(pager, "cat") != 0);
}

bool cmd_pager_may_come(const struct cmd *cmd)
{
	return cmd->pages && cmd->pager <= 0 && wanted(cmd);
}

void cmd_pager(struct cmd *cmd)
{
	int fd[2];

	if (cmd->pager > 0)
		return;
	if (!wanted(cmd) || pipe(fd)) {
		cmd->pages = false;
		cmd_notes_release(stderr);
		return;
	}
	fflush(stdout);
	cmd->pager = fork();
	if (cmd->pager < 0) {
		close(fd[0]);
		close(fd[1]);
		cmd->pages = false;
		cmd_notes_release(stderr);
		return;
	}
	if (cmd->pager == 0) {
		dup2(fd[0], STDIN_FILENO);
		close(fd[0]);
		close(fd[1]);
		signal(SIGPIPE, SIG_DFL);
		cmd_limit_lift();
		run_pager(getenv("PAGER"));
	}
	dup2(fd[1], STDOUT_FILENO);
	/* What is said from now on would be written over its screen. */
	cmd->terminal = isatty(STDERR_FILENO) ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	if (cmd->terminal >= 0)
		dup2(fd[1], STDERR_FILENO);
	close(fd[0]);
	close(fd[1]);
	/* ^C is the pager's: it stops a search there, and must not take the output away under it.
	 */
	signal(SIGINT, SIG_IGN);
	cmd_notes_release(stdout);
}

void cmd_pager_end(struct cmd *cmd)
{
	if (cmd->pager <= 0)
		return;
	/* The end of its input. */
	if (cmd->terminal >= 0) {
		dup2(cmd->terminal, STDOUT_FILENO);
		dup2(cmd->terminal, STDERR_FILENO);
		close(cmd->terminal);
	} else {
		close(STDOUT_FILENO);
	}
	while (waitpid(cmd->pager, NULL, 0) < 0 && errno == EINTR)
		;
	cmd->pager = 0;
}
