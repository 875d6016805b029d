/* oddprofiles: writes profiles that real producers make and that Go seldom does, for comparing our
 * reader and our numbers with pprof's. Not installed; testdata/check/oddprofiles.sh runs it.
 *
 *   oddprofiles [-n RANDOM] [-s SEED] FOLDER
 *
 * One file for each oddity (the table `odd`), and RANDOM ones with everything at once, drawn from
 * SEED. The same arguments give the same bytes. */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"
#include "oddprofiles/draft.h"
#include "oddprofiles/odd.h"

struct args {
	long random, seed;
	const char *folder, *only;
};

static const struct argp_option options[] = {
    {"random", 'n', "N", 0, "N random ones (20)", 0},
    {"seed", 's', "N", 0, "Draw others for every N (1)", 0},
    {"only", 'o', "NAME", 0, "Only the one of this name", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	long *number = key == 'n' ? &args->random : key == 's' ? &args->seed : NULL;

	if (number) {
		*number = tool_number(state, key, arg, 0, LONG_MAX);
		return 0;
	}
	switch (key) {
	case 'o':
		args->only = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (args->folder)
			argp_usage(state);
		args->folder = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int write_file(const char *folder, const char *name, struct draft *d)
{
	struct tp_buf out = {0};
	char path[4096];
	int status;

	draft_finish(d, &out);
	snprintf(path, sizeof(path), "%s/%s.pb", folder, name);
	status = tool_write(path, &out);
	tp_buf_release(&out);
	return status;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {options, on_option, "FOLDER", NULL, NULL, NULL, NULL};
	struct args args = {.random = 20, .seed = 1};
	int status = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	for (size_t i = 0; odd[i].name && !status; i++) {
		struct draft d = {0};

		if (args.only && strcmp(args.only, odd[i].name) != 0)
			continue;
		odd[i].make(&d);
		status = write_file(args.folder, odd[i].name, &d);
	}
	for (long i = 0; i < args.random && !status && !args.only; i++) {
		struct draft d = {0};
		char name[64];

		odd_random(&d, (uint64_t)args.seed * 1000003 + (uint64_t)i);
		snprintf(name, sizeof(name), "random-%ld-%ld", args.seed, i);
		status = write_file(args.folder, name, &d);
	}
	return status;
}
