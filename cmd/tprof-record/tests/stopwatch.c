/* Runs a program and writes into a file how many seconds it took, so that what a recorder does
 * before and after it is not counted.
 *
 *	stopwatch FILE PROGRAM ARGS… */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include "log.h"

extern char **environ;

int main(int argc, char **argv)
{
	uint64_t t = log_now();
	int status = 127;
	pid_t pid;
	FILE *f;

	if (argc < 3 || posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ))
		return 127;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	t = log_now() - t;
	f = fopen(argv[1], "w");
	if (!f || fprintf(f, "%.6f\n", (double)t / 1e9) < 0 || fclose(f))
		return 3;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
