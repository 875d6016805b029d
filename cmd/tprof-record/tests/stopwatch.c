/* Runs a program and writes to a file how many seconds it took, by the clock and of processor time,
 * so that work of a recorder before and after it is not counted.
 *
 *	stopwatch FILE PROGRAM ARGS… */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "log.h"

extern char **environ;

int main(int argc, char **argv)
{
	uint64_t t = log_now();
	struct rusage usage;
	int status = 127;
	pid_t pid;
	FILE *f;

	if (argc < 3 || posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ))
		return 127;
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 127;
	t = log_now() - t;
	f = fopen(argv[1], "w");
	if (!f ||
	    fprintf(f, "%.6f\n%.6f\n", (double)t / 1e9,
		    (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6) < 0 ||
	    fclose(f))
		return 3;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
