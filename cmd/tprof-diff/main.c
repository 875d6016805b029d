/* tprof-diff: two runs, or two sets of runs, compared; and gates on what may change. */
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/profile_options.h"
#include "diff/power.h"

#include "diff.h"

static int show_power(struct args *args)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	int status = cmd_output(&args->cmd, false, &out), code;

	if (status)
		return status;
	code = rep_power_table(out, &err);
	return cmd_output_end(&args->cmd, out, NULL, code, &err);
}

static int run(struct args *args)
{
	struct cmd_shared same;
	int status;

	if (args->power)
		return show_power(args);
	if (args->cmd.more_format && cmd_refuse_budget(&args->cmd, args->cmd.more_format))
		return CMD_USAGE;
	/* Runs on both sides hide what changed. --self-check compares old ones alone. */
	status = cmd_sides_share(&args->cmd, &same);
	if (!status && !args->self_check)
		status = cmd_shared_tell(&args->cmd, &same, args->ngates > 0, CMD_LABELS_INSTEAD);
	if (status)
		return status;
	return args->pprof ? diff_write_pprof(args) : diff_run(args);
}

/* What --help says; tprof-diff(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-diff [OPTION...] OLD NEW\n"
    "  or:  tprof-diff [OPTION...] --base OLD... -- NEW...\n"
    "  or:  tprof-diff [OPTION...] --base-label=KEY=VALUE --label=KEY=VALUE STORE\n"
    "Compare two runs, or two sets of runs by rank tests: traces by what they\n"
    "measure, profiles function by function.\n"
    "\n"
    "      --gate=GATE         Exit with status 1 if exceeded: 'inuse_space>+5%',\n"
    "                          'flat(REGEX)>+20%', 'sched.p99>+10%', 'stw.max>2ms'\n"
    "      --changed           Only rows that changed\n"
    "      --by=WHAT           function, line, file, stack, label; of traces tasks,\n"
    "                          regions, sched, reasons, groups, syscalls, gc, cpu\n"
    "      --sample-index=TYPE What to compare: alloc_space, inuse_space, cpu …\n"
    "  -n, --rows=N            At most N rows, 0 for all\n"
    "      --format=FORMAT     table, csv, tsv, json, markdown, junit\n"
    "      --self-check[=N]    How often is each gate exceeded by chance, and which\n"
    "                          change does it find? (old runs only)\n"
    "\n"
    "Examples:\n"
    "  tprof-diff -inuse_space old.pb.gz new.pb.gz\n"
    "  tprof-diff --gate='alloc_space>+5%' --base old-*.pb.gz -- new-*.pb.gz\n";
/* clang-format on */

static bool is_format(const char *name)
{
	return !strcmp(name, "pprof") || !strcmp(name, "junit");
}

int main(int argc, char **argv)
{
	struct args args = {
	    .cmd = {.name = "tprof-diff",
		    .view = &args.view,
		    .profile = &args.profile,
		    .help = help,
		    .more_formats = is_format,
		    .more_format_names = "pprof and junit",
		    .names_code = true,
		    .pages = true},
	    .profile = REP_PROFILE_OPTIONS_INIT,
	    .diff = REP_DIFF_OPTIONS_INIT,
	};
	int status, given;

	cmd_keep_memory();
	cmd_profile_take(diff_takes);
	given = argc;
	argc = sides_spell(argc, argv);
	if (argc < 0)
		return cmd_nomem(&args.cmd);
	sides_init(&args.sides, argc, argv);
	args.sides.spelled = argc < given;
	cmd_parse(&args.cmd, &diff_argp, argc, argv);
	status = run(&args);
	for (size_t i = 0; args.gate && i < args.ngates; i++)
		rep_gate_release(&args.gate[i]);
	free(args.gate);
	free(args.gate_text);
	return cmd_finish(&args.cmd, status);
}
