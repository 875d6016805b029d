#include "common/common.h"
#include "common/limit.h"

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

static void run_pager(const char *pager)
{
	set_less();
	if (pager)
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	else
		execlp("less", "less", (char *)NULL);
	copy_through();
}

void cmd_pager(struct cmd *cmd)
{
	const char *pager = getenv("PAGER"), *term = getenv("TERM");
	int fd[2];

	if (!cmd->tty || cmd->no_pager || cmd->pager > 0 || !term || !strcmp(term, "dumb"))
		return;
	if (pager && (!*pager || !strcmp(pager, "cat")))
		return;
	if (pipe(fd))
		return;
	fflush(stdout);
	cmd->pager = fork();
	if (cmd->pager < 0) {
		close(fd[0]);
		close(fd[1]);
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
	dup2(fd[1], STDOUT_FILENO);
	close(fd[0]);
	close(fd[1]);
	/* ^C is the pager's: it stops a search there, and must not take the output away under it.
	 */
	signal(SIGINT, SIG_IGN);
}
