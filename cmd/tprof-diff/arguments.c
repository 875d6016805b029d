/* What tprof-diff is asked for, and what of it does not go together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/engine/engine.h"
#include "common/jail.h"
#include "common/number.h"
#include "common/option.h"
#include "common/profile_options.h"

#include "diff.h"

#define DIFF_WRONG 400

enum {
	KEY_BASE = 0x4000,
	KEY_DIFF_BASE,
	KEY_SUM,
	KEY_AVERAGE_BY,
	KEY_BY,
	KEY_PER,
	KEY_ALL_STATS,
	KEY_EXACT_NAMES,
	KEY_NORMALIZE,
	KEY_SHARE_OF,
	KEY_CHANGED,
	KEY_MIN_SHARE,
	KEY_ALPHA,
	KEY_GATE,
	KEY_POWER,
	KEY_SELF_CHECK,
	KEY_TABLE, /* pprof's -top and -text: what is shown anyway */
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is compared:", 1},
    {"base", KEY_BASE, "OLD", OPTION_ARG_OPTIONAL | CMD_OPTION_MANY,
     "What stands before -- is old; or OLD is, and shares are of the sum of all changes", 1},
    {"diff-base", KEY_DIFF_BASE, "OLD", OPTION_ARG_OPTIONAL | CMD_OPTION_MANY,
     "The same with shares of the old total", 1},
    {"sum", KEY_SUM, NULL, 0, "Add up the runs of each side, in place of comparing sets", 1},
    {"average-by", KEY_AVERAGE_BY, "KEY", 0,
     "Take runs of a side with the same value of this label for one, their average: those of a "
     "host",
     1},
    {"normalize", KEY_NORMALIZE, NULL, 0, "Scale to equal totals: compare shares, not amounts", 1},
    {"by", KEY_BY, "WHAT", 0,
     "Rows by function (the default), line, file, stack, label or label:KEY; of traces only these "
     "sections: tasks, regions, sched, reasons, groups, syscalls, gc, cpu",
     1},
    {"per", KEY_PER, "WHAT", 0,
     "Traces: divide counts and totals by seconds (the default), complete tasks (task, task:TYPE), "
     "or nothing (run)",
     1},
    {"all-stats", KEY_ALL_STATS, NULL, 0,
     "Traces: all statistics of everything, not only those that matter most", 1},
    {"exact-names", KEY_EXACT_NAMES, NULL, 0,
     "Match names letter by letter, closure counters, versions and hashes included", 1},
    {NULL, 0, NULL, 0, "What is shown:", 2},
    {"top", KEY_TABLE, NULL, OPTION_HIDDEN, NULL, 2},
    {"text", KEY_TABLE, NULL, OPTION_HIDDEN, NULL, 2},
    {"rows", 'n', "N", CMD_OPTION_LAST,
     "Show at most N rows, 0 for all (default: 20 in tables, else all)", 2},
    {"sort", 's', "KEY", CMD_OPTION_LAST,
     "Sort by delta (the default), percent, old, new, p or name", 2},
    {"changed", KEY_CHANGED, NULL, 0, "Only rows that changed; of sets, significantly", 2},
    {"min-share", KEY_MIN_SHARE, "PERCENT", 0,
     "Leave out rows with less than this share of both sides (of traces: 1)", 2},
    {"share-of", KEY_SHARE_OF, "WHAT", 0,
     "Shares are of the old total (old, the default) or of the sum of all changes (change)", 2},
    {"alpha", KEY_ALPHA, "P", 0,
     "What is called changed has Q at most P (default: 0.05; of sets of traces 0.03)", 2},
    {"power", KEY_POWER, NULL, 0, "Show how often changes are found, by number of runs, and exit",
     2},
    {NULL, 0, NULL, 0, "What must not change:", 3},
    {"gate", KEY_GATE, "GATE", CMD_OPTION_MANY,
     "Exit with status 1 if GATE is exceeded: 'inuse_space>+5%,min=1MiB', 'cpu+-10%', "
     "'flat(REGEX)>+20%'; of traces 'sched.p99>+10%', 'task[NAME].p95>+5ms', 'stw.max>2ms'; may be "
     "given several times",
     3},
    {"self-check", KEY_SELF_CHECK, NULL, 0,
     "Compare the old runs with each other, 200 times in two halves, and show how often a change "
     "is "
     "found where there is none",
     3},
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

static void set_sort(struct args *args, struct argp_state *state, const char *arg)
{
	for (int i = 0; i < REP_NDIFF_SORTS; i++) {
		if (!strcasecmp(rep_diff_sorts[i].name, arg)) {
			args->diff.sort = (enum rep_diff_sort)i;
			return;
		}
	}
	argp_error(state, "--sort: '%s' is not delta, percent, old, new, p or name", arg);
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
static bool are_traces(struct args *args)
{
	const struct sides *s = &args->sides;
	struct cmd cmd = args->cmd;
	enum cmd_kind kind;
	int status;

	if (args->view.given)
		return false;
	if (s->labels.new)
		cmd.run_spec = s->labels.old;
	status = cmd_kind_of(&cmd, s->labels.new ? s->path[0] : s->old[0], &kind);
	if (status)
		exit(status);
	return kind == CMD_KIND_TRACE;
}

static bool stdin_twice(const struct sides *s)
{
	int n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += !strcmp(s->path[i], "-");
	for (size_t i = 0; i < s->nold; i++)
		n += !strcmp(s->old[i], "-");
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
			int size = snprintf(text, DIFF_WRONG,
					    "--by: '%s' is no section of a diff of traces; there "
					    "are",
					    name);

			for (int i = 0; i < REP_NTRACE_SECTIONS; i++)
				size += snprintf(text + size, DIFF_WRONG - (size_t)size, "%s %s",
						 i ? "," : "", rep_trace_sections[i].name);
			snprintf(text + size, DIFF_WRONG - (size_t)size,
				 "; with --view a trace is compared like a profile");
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
	const struct rep_profile_options none = REP_PROFILE_OPTIONS_INIT;
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
		snprintf(
		    text, DIFF_WRONG,
		    "%s is for profiles and views, and these are traces; --view=cpu, offcpu, … "
		    "looks at them as profiles",
		    others[i].option);
		return text;
	}
	for (size_t i = 0; i < REP_NPROFILE_OPTIONS; i++) {
		if (!rep_profile_option_differs(&args->profile, &none, (enum rep_profile_option)i))
			continue;
		snprintf(
		    text, DIFF_WRONG,
		    "--%s is for profiles, and these are traces; --view=cpu, offcpu, … looks at "
		    "them as profiles",
		    rep_profile_options[i].name);
		return text;
	}
	return NULL;
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

	if (args->power)
		return;
	wrong = sides_check(&args->sides, args->cmd.run_spec);
	if (!wrong && stdin_twice(&args->sides))
		wrong = "- is standard input, which can be read once; it is named twice";
	/* Said to be wrong, but no wrong usage. */
	if (wrong && !strcmp(wrong, SIDES_NO_MEMORY)) {
		cmd_error(&args->cmd, "%s", wrong);
		exit(CMD_SYSTEM);
	}
	if (!wrong && args->junit && args->self_check)
		wrong = "--self-check has a table, no JUnit";
	if (!wrong && args->junit && !args->ngates)
		wrong = "--format=junit reports gates; give one with --gate";
	if (!wrong && args->pprof && (args->ngates || args->self_check))
		wrong = "--format=pprof writes the difference alone, neither gates nor checks";
	if (!wrong && args->pprof && are_traces(args))
		wrong = "what traces are compared by is no profile; --view=offcpu, sched, … "
			"--format=pprof writes the difference of views";
	if (!wrong && are_traces(args)) {
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
		wrong =
		    "--sum makes one run of a side, --average-by one for each value of a label: "
		    "which is meant?";
	if (!wrong && args->average_by && args->pprof)
		wrong = "--format=pprof adds up the runs of each side; it does not go with "
			"--average-by";
	if (!wrong && args->average_by && args->of_change)
		wrong = "--share-of=change adds up all runs; it does not go with --average-by";
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
	cmd_view_need(&args->view, state, false);
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->sides.labels;
		state->child_inputs[1] = &args->view;
		state->child_inputs[2] = &args->profile;
		state->child_inputs[3] = &args->cmd;
		return 0;
	case KEY_BASE:
		args->sides.marked = true;
		args->of_change = args->of_change || arg;
		/* pprof's way: each side is one profile. */
		args->sum = args->sum || arg;
		return arg ? sides_add_old(&args->sides, arg) : 0;
	case KEY_DIFF_BASE:
		args->sides.marked = true;
		args->sum = args->sum || arg;
		return arg ? sides_add_old(&args->sides, arg) : 0;
	case KEY_SUM:
		args->sum = true;
		return 0;
	case KEY_AVERAGE_BY:
		if (!*arg || strchr(arg, '='))
			argp_error(state, "--average-by: '%s' is not the key of a label", arg);
		args->average_by = arg;
		return 0;
	case KEY_NORMALIZE:
		args->diff.normalize = true;
		return 0;
	case KEY_BY:
		args->by = arg;
		return 0;
	case KEY_PER:
		args->per = arg;
		return 0;
	case KEY_ALL_STATS:
		args->diff.every_stat = true;
		return 0;
	case KEY_EXACT_NAMES:
		args->diff.keys.exact = true;
		return 0;
	case 'n':
		args->rows =
		    cmd_arg_count(state, cmd_typed(state, arg, "-n", "--rows"), arg, UINT32_MAX);
		return 0;
	case 's':
		set_sort(args, state, arg);
		return 0;
	case KEY_CHANGED:
		args->diff.changed = true;
		return 0;
	case KEY_MIN_SHARE:
		args->diff.min_share = cmd_arg_percent(state, "--min-share", arg) / 100;
		return 0;
	case KEY_SHARE_OF:
		args->of_change = !strcmp(arg, "change");
		if (!args->of_change && strcmp(arg, "old") != 0)
			argp_error(state, "--share-of: '%s' is not old or change", arg);
		return 0;
	case KEY_ALPHA:
		set_alpha(args, state, arg);
		return 0;
	case KEY_POWER:
		args->power = true;
		return 0;
	case KEY_GATE:
		return add_gate(args, arg);
	case KEY_SELF_CHECK:
		args->self_check = true;
		return 0;
	case KEY_TABLE:
		return 0;
	case ARGP_KEY_ARG:
		return sides_add(&args->sides, arg);
	case ARGP_KEY_SUCCESS:
		args->pprof = args->cmd.more_format != NULL;
		args->junit = args->cmd.own_chosen;
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The shared options of profiles, without those about graphs, sources and pictures. */
static struct argp_option profile_options[REP_NPROFILE_OPTIONS + 16];
static struct argp profile_argp = {.options = profile_options};

void diff_pick_profile_options(void)
{
	static const char *const others[] = {
	    "call-tree", "compact-labels", "edgefraction", "flat",	  "intel-syntax",
	    "no-trim",	 "nodefraction",   "show-columns", "source-path", "trim-path"};
	const struct argp_option *o = cmd_profile_argp.options;
	size_t n = 0;

	profile_argp.parser = cmd_profile_argp.parser;
	for (; o->name || o->key || o->doc; o++) {
		bool other = false;

		for (size_t i = 0; o->name && i < sizeof(others) / sizeof(others[0]); i++)
			other = other || !strcmp(o->name, others[i]);
		if (!other && n + 1 < sizeof(profile_options) / sizeof(profile_options[0]))
			profile_options[n++] = *o;
	}
}

static const struct argp_child children[] = {{&cmd_labels_argp, 0, NULL, 0},
					     {&cmd_view_argp, 0, NULL, 0},
					     {&profile_argp, 0, NULL, 0},
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
