/* What tprof-diff is asked for, and what of it does not go together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/files.h"
#include "common/number.h"
#include "common/option.h"
#include "common/profile_options.h"

#include "diff.h"

#define DIFF_WRONG 400

enum {
	KEY_BASE = 0x4000,
	KEY_DIFF_BASE,
	KEY_AVERAGE_BY,
	KEY_SHARE_OF,
	KEY_MIN_SHARE,
	KEY_ALPHA,
	KEY_GATE,
	KEY_SELF_CHECK,
	KEY_SEED,
};

#define SETS(member) CMD_SETS(struct args, member)

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is compared:", 1},
    {"base", KEY_BASE, "OLD", OPTION_ARG_OPTIONAL | CMD_OPTION_MANY,
     "Files before -- are old; with OLD, that file is old and shares are of the sum of all changes",
     1},
    {"diff-base", KEY_DIFF_BASE, "OLD", OPTION_ARG_OPTIONAL | CMD_OPTION_MANY,
     "The same, with shares of the old total", 1},
    {"sum", SETS(sum), NULL, 0, "Add up the runs of each side instead of comparing sets", 1},
    {"average-by", KEY_AVERAGE_BY, "KEY", 0,
     "Average the runs of a side that have the same value of this label, such as host", 1},
    {"normalize", SETS(diff.normalize), NULL, 0,
     "Scale to equal totals: compare shares, not amounts", 1},
    {"by", SETS(by), "WHAT", 0,
     "Compare by function (the default), line, file, stack, label or label:KEY; for traces, show "
     "only these sections: tasks, regions, sched, reasons, groups, syscalls, gc, cpu",
     1},
    {"per", SETS(per), "WHAT", 0,
     "For traces: divide counts and totals by seconds (second, the default), complete tasks (task, "
     "task:TYPE), or nothing (run)",
     1},
    {"all-stats", SETS(diff.every_stat), NULL, 0,
     "For traces: show all statistics, not only the most important ones", 1},
    {"exact-names", SETS(diff.keys.exact), NULL, 0,
     "Match names exactly, including closure counters, versions and hashes", 1},
    {NULL, 0, NULL, 0, "What is shown:", 2},
    /* pprof's names of what is shown anyway */
    {"top", CMD_SETS_NOTHING, NULL, OPTION_HIDDEN, NULL, 2},
    {"text", CMD_SETS_NOTHING, NULL, OPTION_HIDDEN, NULL, 2},
    {"rows", 'n', "N", CMD_OPTION_LAST,
     "Show at most N rows, 0 for all (default: 20 in tables, else all)", 2},
    {"sort", 's', "KEY", CMD_OPTION_LAST,
     "Sort by delta (the default), percent, old, new, p or name", 2},
    {"changed", SETS(diff.changed), NULL, 0, "Show only rows that changed; for sets, significantly",
     2},
    {"min-share", KEY_MIN_SHARE, "PERCENT", 0,
     "Leave out rows with less than this share on both sides (default for traces: 1)", 2},
    {"share-of", KEY_SHARE_OF, "WHAT", 0,
     "Show shares of the old total (old, the default) or of the sum of all changes (change)", 2},
    {"alpha", KEY_ALPHA, "P", 0,
     "Call a row changed if its Q is at most P (default: 0.05; for sets of traces 0.03)", 2},
    {"power", SETS(power), NULL, 0,
     "Show how often changes are found for different numbers of runs, and exit", 2},
    {NULL, 0, NULL, 0, "What must not change:", 3},
    {"gate", KEY_GATE, "GATE", CMD_OPTION_MANY,
     "Exit with status 1 if GATE is exceeded: 'inuse_space>+5%,min=1MiB', 'cpu+-10%', "
     "'flat(REGEX)>+20%'; for traces 'sched.p99>+10%', 'task[NAME].p95>+5ms', 'stw.max>2ms'; may "
     "be "
     "given several times",
     3},
    {"self-check", KEY_SELF_CHECK, "N", OPTION_ARG_OPTIONAL,
     "Compare the old runs with each other N times (default: 200), and show how often each gate is "
     "exceeded by chance, and the smallest change that it finds",
     3},
    {"seed", KEY_SEED, "N", 0, "Divide the runs of --self-check in other ways (default: 0)", 3},
    {0},
};

static void set_by(struct args *args, struct argp_state *state)
{
	struct rep_diff_keys_options *keys = &args->diff.keys;
	const char *arg = args->by, *colon = strchr(arg, ':');
	size_t n = colon ? (size_t)(colon - arg) : strlen(arg);

	for (int i = 0; i < REP_NDIFF_BY; i++) {
		if (strlen(rep_diff_by[i].name) != n || strncmp(rep_diff_by[i].name, arg, n) != 0)
			continue;
		keys->by = (enum rep_diff_by)i;
		keys->label = colon ? colon + 1 : NULL;
		if (!colon || (i == REP_BY_LABEL && colon[1]))
			return;
	}
	argp_error(state, "--by: '%s' is not function, line, file, stack, label or label:KEY", arg);
}

static void set_alpha(struct args *args, struct argp_state *state, const char *arg)
{
	char unit[REP_AMOUNT_UNIT];

	if (!rep_amount_parse(arg, &args->diff.alpha, unit) || unit[0] || args->diff.alpha <= 0 ||
	    args->diff.alpha >= 1)
		argp_error(state, "--alpha: '%s' is not between 0 and 1", arg);
}

static error_t add_gate(struct args *args, const char *arg)
{
	const char **p = realloc(args->gate_text, (args->ngates + 1) * sizeof(*p));

	if (!p)
		return ENOMEM;
	args->gate_text = p;
	p[args->ngates++] = arg;
	return 0;
}

static void parse_gates(struct args *args, const struct rep_diff_kind *kind,
			struct argp_state *state)
{
	struct tp_err err;

	args->gate = calloc(args->ngates + 1, sizeof(*args->gate));
	if (!args->gate)
		argp_failure(state, CMD_SYSTEM, 0, "out of memory");
	for (size_t i = 0; args->gate && i < args->ngates; i++) {
		if (rep_gate_parse(&args->gate[i], args->gate_text[i], kind, &err)) {
			tp_err_printable(&err);
			argp_error(state, "%s", err.msg);
		}
	}
}

/* Traces are compared as such unless a view makes profiles of them. */
static enum cmd_kind kind_of(struct args *args)
{
	struct cmd *cmd = &args->cmd;
	enum cmd_kind kind;
	int status;

	if (args->view.given)
		return CMD_KIND_PROFILE;
	status = cmd_kind_of(cmd, cmd_side_files(cmd, CMD_OLD)->path[0], cmd_side_run(cmd, CMD_OLD),
			     &kind);
	if (status)
		exit(status);
	return kind;
}

/* Without new runs, the first of the old ones stands for them. */
static bool stdin_twice(const struct cmd *cmd, bool old_only)
{
	int n = 0;

	for (int side = CMD_OLD; side <= (old_only ? CMD_OLD : CMD_NEW); side++)
		for (size_t i = 0; i < cmd->files[side].n; i++)
			n += !strcmp(cmd->files[side].path[i], "-");
	return n > 1;
}

/* ---- of traces ---- */

static const char *check_by(struct args *args, char text[DIFF_WRONG])
{
	for (const char *at = args->by; at && *at;) {
		size_t n = strcspn(at, ",");
		char name[40];
		int section;

		snprintf(name, sizeof(name), "%.*s", (int)(n < 39 ? n : 39), at);
		section = rep_trace_section_find(name);
		if (section < 0) {
			int size = snprintf(
			    text, DIFF_WRONG,
			    "--by: '%s' is not a section of a diff of traces; sections are", name);

			for (int i = 0; i < REP_NTRACE_SECTIONS; i++)
				size += snprintf(text + size, DIFF_WRONG - (size_t)size, "%s %s",
						 i ? "," : "", rep_trace_sections[i].name);
			snprintf(text + size, DIFF_WRONG - (size_t)size,
				 "; --view compares traces as profiles");
			return text;
		}
		args->diff.sections |= 1u << section;
		at += n + (at[n] == ',');
	}
	return NULL;
}

static const char *check_per(struct args *args, char text[DIFF_WRONG])
{
	struct rep_per_options *per = &args->diff.per;

	if (!args->per)
		return NULL;
	if (!strncmp(args->per, "task:", 5) && args->per[5]) {
		per->per = REP_PER_TASK;
		per->task = args->per + 5;
		return NULL;
	}
	for (int i = 0; i < REP_NPER; i++) {
		if (!strcmp(args->per, rep_pers[i])) {
			per->per = (enum rep_per)i;
			return NULL;
		}
	}
	snprintf(text, DIFF_WRONG, "--per: '%.80s' is not second, task, task:TYPE or run",
		 args->per);
	return text;
}

/* Options that only profiles have must not be passed over in silence. */
static const char *check_others(const struct args *args, char text[DIFF_WRONG])
{
	static const struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	const char *given = cmd_profile_given(&args->profile, &plain, 0);
	const struct rep_trace_profile_options *view = &args->view.trace;
	const struct {
		bool given;
		const char *option;
	} others[] = {
	    {args->sum, "--sum"},
	    {args->of_change, "--share-of"},
	    {args->diff.normalize, "--normalize"},
	    {args->average_by != NULL, "--average-by"},
	    {view->filter.state, "--state"},
	    {view->filter.reason, "--reason"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!others[i].given)
			continue;
		snprintf(text, DIFF_WRONG,
			 "%s is for profiles and views, and these are traces; --view=cpu, offcpu, "
			 "… compares them as profiles",
			 others[i].option);
		return text;
	}
	if (!given)
		return NULL;
	snprintf(text, DIFF_WRONG,
		 "--%s is for profiles, and these are traces; --view=cpu, offcpu, … compares them "
		 "as profiles",
		 given);
	return text;
}

static const char *check_traces(struct args *args, char text[DIFF_WRONG])
{
	const char *wrong = check_by(args, text);

	if (!wrong)
		wrong = check_per(args, text);
	return wrong ? wrong : check_others(args, text);
}

/* ---- all of them ---- */

static void check(struct args *args, struct argp_state *state)
{
	const char *wrong = NULL;
	struct cmd_view_options others;
	enum cmd_kind kind;

	if (args->power)
		return;
	if (args->self_check)
		wrong = sides_old_only(&args->sides, &args->cmd);
	if (args->sides.old_only)
		args->sum = args->of_change = false;
	if (!wrong)
		wrong = sides_check(&args->sides, &args->cmd);
	if (!wrong && args->seed && !args->self_check)
		wrong = "--seed is for --self-check";
	if (!wrong && stdin_twice(&args->cmd, args->sides.old_only))
		wrong = "'-' is given twice, but standard input can be read only once";
	/* This is wrong, but not wrong usage. */
	if (wrong && !strcmp(wrong, SIDES_NO_MEMORY)) {
		cmd_error(&args->cmd, "%s", wrong);
		exit(CMD_SYSTEM);
	}
	if (!wrong && sides_refuse_folders(&args->cmd))
		exit(CMD_USAGE);
	if (!wrong && args->junit && args->self_check)
		wrong = "--self-check cannot be written as JUnit";
	if (!wrong && args->junit && !args->ngates)
		wrong = "--format=junit reports gates; give one with --gate";
	if (!wrong && args->pprof && (args->ngates || args->self_check))
		wrong =
		    "--format=pprof writes a difference only; leave out --gate and --self-check";
	kind = wrong ? CMD_KIND_PROFILE : kind_of(args);
	if (!wrong && args->sides.old_only && kind == CMD_KIND_PROFILE &&
	    args->cmd.files[CMD_OLD].n == 1 && !strcmp(args->cmd.files[CMD_OLD].path[0], "-"))
		wrong = "--self-check compares profiles with each other, and standard input is "
			"one; name more files";
	if (!wrong && kind == CMD_KIND_STORE_MIXED && !args->profile.sample_index)
		wrong = "the runs of a side are traces and profiles; compare profiles by "
			"--sample-index=TYPE, or traces by name: --base-label=KEY=VALUE,NAME "
			"--label=KEY=VALUE,NAME";
	if (!wrong && args->pprof && kind == CMD_KIND_TRACE)
		wrong = "the metrics of traces cannot be written as a profile; --view=offcpu, "
			"sched, … makes profiles of the traces";
	if (!wrong && kind == CMD_KIND_TRACE) {
		char text[DIFF_WRONG];

		args->traces = true;
		wrong = check_traces(args, text);
		if (wrong)
			argp_error(state, "%s", wrong);
		else
			parse_gates(args, &rep_diff_of_traces, state);
		return;
	}
	if (!wrong && args->average_by && args->sum)
		wrong = "--sum and --average-by cannot be given together: one makes one run of "
			"each side, the other one for each value of a label";
	if (!wrong && args->average_by && args->pprof)
		wrong = "--format=pprof adds up the runs of each side, so it cannot be given with "
			"--average-by";
	if (!wrong && args->average_by && args->of_change)
		wrong =
		    "--share-of=change adds up all runs, so it cannot be given with --average-by";
	if (!wrong && (args->per || args->diff.every_stat))
		wrong = "--per and --all-stats are for traces";
	if (!wrong && args->by)
		set_by(args, state);
	if (!wrong)
		parse_gates(args, &rep_diff_of_profiles, state);
	if (!wrong && args->profile.granularity != REP_FUNCTIONS && !args->by) {
		static const enum rep_diff_by by[] = {
		    [REP_FUNCTIONS] = REP_BY_FUNCTION, [REP_FILEFUNCTIONS] = REP_BY_FUNCTION,
		    [REP_FILES] = REP_BY_FILE,	       [REP_LINES] = REP_BY_LINE,
		    [REP_ADDRESSES] = REP_BY_LINE,
		};

		args->diff.keys.by = by[args->profile.granularity];
		if (args->profile.granularity == REP_ADDRESSES)
			wrong = "addresses differ from build to build; compare --by=line";
	}
	if (wrong)
		argp_error(state, "%s", wrong);
	/* Samples of profiles may have times, too. */
	others = args->view;
	others.trace.filter.from = others.trace.filter.to = NULL;
	cmd_view_need(&others, state, false);
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	static const char *const totals[] = {"old", "change"};
	struct args *args = state->input;

	switch (key) {
	case KEY_BASE:
	case KEY_DIFF_BASE:
		if (!arg)
			return 0;
		/* pprof's way: each side is one profile. */
		args->sum = true;
		args->of_change |= key == KEY_BASE;
		return cmd_add_file(&args->cmd, CMD_OLD, arg);
	case KEY_AVERAGE_BY:
		if (!*arg || strchr(arg, '='))
			argp_error(state, "--average-by: '%s' is not the key of a label", arg);
		args->average_by = arg;
		return 0;
	case 's':
		args->diff.sort =
		    (enum rep_diff_sort)CMD_ARG_WORD(state, "--sort", arg, rep_diff_sorts);
		return 0;
	case KEY_MIN_SHARE:
		args->diff.min_share = cmd_arg_percent(state, "--min-share", arg) / 100;
		return 0;
	case KEY_SHARE_OF:
		args->of_change = CMD_ARG_WORD(state, "--share-of", arg, totals);
		return 0;
	case KEY_ALPHA:
		set_alpha(args, state, arg);
		return 0;
	case KEY_GATE:
		return add_gate(args, arg);
	case KEY_SELF_CHECK:
		args->self_check = true;
		if (arg)
			args->check.rounds =
			    (size_t)cmd_arg_count(state, "--self-check", arg, REP_SELF_CHECK_MOST);
		if (arg && !args->check.rounds)
			argp_error(state, "--self-check: 0 comparisons show nothing; give a number "
					  "such as 200");
		return 0;
	case KEY_SEED:
		args->seed = true;
		args->check.seed = (uint64_t)cmd_arg_count(state, "--seed", arg, INT64_MAX);
		return 0;
	case ARGP_KEY_ARG:
		return cmd_add_file(&args->cmd, CMD_NEW, arg);
	case ARGP_KEY_SUCCESS:
		args->junit = args->cmd.more_format && !strcmp(args->cmd.more_format, "junit");
		args->pprof = args->cmd.more_format && !args->junit;
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

bool diff_takes(enum rep_profile_option o)
{
	return o != REP_OPTION_CALL_TREE && o != REP_OPTION_COMPACT_LABELS &&
	       o != REP_OPTION_EDGEFRACTION && o != REP_OPTION_INTEL_SYNTAX &&
	       o != REP_OPTION_NO_TRIM && o != REP_OPTION_NODEFRACTION &&
	       o != REP_OPTION_SHOW_COLUMNS && o != REP_OPTION_SOURCE_PATH &&
	       o != REP_OPTION_SOURCE_WITHIN && o != REP_OPTION_TRIM_PATH;
}

static const struct argp_child children[] = {{&cmd_labels_argp, 0, NULL, 0},
					     {&cmd_view_argp, 0, NULL, 0},
					     {&cmd_profile_argp, 0, NULL, 0},
					     {&cmd_argp, 0, NULL, 0},
					     {0}};
const struct argp diff_argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "OLD NEW\n[--base] OLD... -- NEW...\n"
		"--base-label=KEY=VALUE --label=KEY=VALUE STORE",
    .doc =
	"Compare two runs, or two sets of runs: execution traces by what they measure, profiles, "
	"or traces as profiles (--view).\v"
	"Sets are compared by rank tests; tprof-diff(1) says which, and what they find. "
	"--format=junit writes the answers of gates for CI systems.",
    .children = children,
};
