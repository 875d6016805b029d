#include "arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/many.h"
#include "base/units.h"

#define POLL_NS 3000000000 /* unless TPROF_SLURM_POLL is set */

/* Sets `bin` to the folder of this command, which also has the others. Returns an exit status. */
static int find_self(const struct cmd *cmd, char bin[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", bin, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return cmd_reject(cmd, CMD_SYSTEM, "cannot read /proc/self/exe: %s",
				  strerror(errno));
	bin[n] = '\0';
	slash = strrchr(bin, '/');
	if (slash)
		*slash = '\0';
	return CMD_OK;
}

/* Sets *ns to how often --wait asks Slurm. Returns false if TPROF_SLURM_POLL is not a duration. */
static bool poll_interval(const struct cmd *cmd, int64_t *ns)
{
	const char *given = getenv("TPROF_SLURM_POLL");

	*ns = POLL_NS;
	if (!given || !*given)
		return true;
	if (!tp_lacks_unit(given) && !tp_parse_ns(given, ns) && *ns > 0)
		return true;
	cmd_error(cmd, "TPROF_SLURM_POLL: '%s' is not a duration, such as 30s", given);
	return false;
}

int slurm_import(const struct args *args)
{
	const struct cmd *cmd = &args->cmd;
	char bin[PATH_MAX], script[PATH_MAX + 64], tasks[24], poll[40] = "", noptions[24];
	const char *const before[] = {
	    "sh",  script,	"submit",
	    bin,   args->store, args->slurm_options ? args->slurm_options : "",
	    tasks, poll,	noptions,
	};
	size_t nbefore = sizeof(before) / sizeof(before[0]), n = 0;
	char **argv;
	int64_t ns;
	int status = find_self(cmd, bin);

	if (status)
		return status;
	if (args->wait) {
		if (!poll_interval(cmd, &ns))
			return CMD_USAGE;
		snprintf(poll, sizeof(poll), "%" PRId64 ".%09" PRId64, ns / 1000000000,
			 ns % 1000000000);
	}
	snprintf(script, sizeof(script), "%s/../share/tprof/slurm.sh", bin);
	if (access(script, R_OK))
		return cmd_reject(cmd, CMD_SYSTEM,
				  "the script of --slurm, share/tprof/slurm.sh, is not beside the "
				  "command's folder; install it");
	snprintf(tasks, sizeof(tasks), "%d", args->tasks);
	snprintf(noptions, sizeof(noptions), "%zu", args->ntask_argv);
	argv = tp_many(nbefore + args->ntask_argv + (size_t)args->nfiles + 2, sizeof(*argv));
	if (!argv)
		return cmd_nomem(cmd);
	for (; n < nbefore; n++)
		argv[n] = (char *)(uintptr_t)before[n];
	for (size_t i = 0; i < args->ntask_argv; i++)
		argv[n++] = args->task_argv[i];
	argv[n++] = (char[]){"--"};
	for (int i = 0; i < args->nfiles; i++)
		argv[n++] = args->files[i];
	argv[n] = NULL;
	signal(SIGPIPE, SIG_DFL);
	execv("/bin/sh", argv);
	cmd_error(cmd, "/bin/sh: cannot be started: %s", strerror(errno));
	free(argv);
	return CMD_SYSTEM;
}
