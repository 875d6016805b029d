/* conformance: compares what we make of dumps with what Go's own readers make of them. Not
 * installed; `make conformance` runs it.
 *
 * DIR/traces/NAME.trace with NAME.expect.json: imported into a store, read back from it, and
 * compared with every number of the expectation. DIR/broken/NAME.trace: what was kept, and whether
 * it is true (truth.h). DIR/profiles/NAME with what pprof prints of it (profile.h). One line per
 * dump, differences beneath, and a closing line. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/check.h"

struct args {
	const char *dir;
	const char *raw;
	bool selftest;
	struct check_options check;
};

static const char doc[] =
    "Compares imports of the dumps in DIR with the expectations beside them (NAME.expect.json, "
    "written by Go's own readers).\v"
    "Compared is every number and name of an expectation but `reader`; `mmu` (minimum mutator "
    "utilisation) to 1e-9, by the rules of Go's own tool. Exit status: 0 no difference, 1 "
    "differences, 2 usage, 3 DIR or "
    "a "
    "file in it cannot be read.";

enum { OPT_SELFTEST = 256, OPT_RAW };

static const struct argp_option options[] = {
    {"differences", 'd', "N", 0, "Name at most N differences per dump (default 5)", 0},
    {"only", 'o', "TEXT", 0, "Only dumps whose name holds TEXT", 0},
    {"raw", OPT_RAW, "FILE", 0,
     "Compare, by content, what `pprof -raw` printed into FILE with such a text in DIR, and "
     "nothing "
     "else",
     0},
    {"selftest", OPT_SELFTEST, NULL, 0,
     "Check the check: with any number of an expectation or any byte of a listing altered, it must "
     "find a difference",
     0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	char *end;

	switch (key) {
	case 'd':
		args->check.differences = (int)strtol(arg, &end, 10);
		if (!*arg || *end || args->check.differences < 0)
			argp_error(state, "N is a number");
		return 0;
	case 'o':
		args->check.only = arg;
		return 0;
	case OPT_RAW:
		args->raw = arg;
		return 0;
	case OPT_SELFTEST:
		args->selftest = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->dir)
			argp_usage(state);
		args->dir = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {options, on_option, "DIR", doc, NULL, NULL, NULL};
	struct args args = {.check = {.differences = 5}};
	struct check_total total = {0};
	int status;

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	args.check.selftest = args.selftest;
	if (args.raw)
		return check_texts(args.raw, args.dir, &args.check);
	status = check_corpus(args.dir, &args.check, &total);
	if (status)
		return status;
	if (args.selftest) {
		printf("%lld files, %lld alterations, %lld not noticed\n", (long long)total.files,
		       (long long)total.compared, (long long)total.differences);
	} else {
		printf("%lld files, %lld compared, %lld differences\n", (long long)total.files,
		       (long long)total.compared, (long long)total.differences);
	}
	return total.differences ? 1 : 0;
}
