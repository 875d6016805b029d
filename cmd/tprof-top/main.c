/* tprof-top: what costs most, ranked: the time of an execution trace, the values of profiles. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/near.h"
#include "common/option.h"
#include "common/profile_options.h"
#include "common/profiles.h"
#include "common/what.h"
#include "tprof-top/top.h"

enum {
	KEY_OVER = 0x2010,
	KEY_INCLUDE,
	KEY_REPORT = 0x2100, /* and those of rep_profile_reports */
};

#define SETS(member) CMD_SETS(struct top_args, member)

static const struct argp_option options[] = {
    {"rows", 'n', "N", CMD_OPTION_LAST,
     "Show at most N rows, 0 for all (traces: 20 in tables, else all; profiles: all above "
     "--nodefraction)",
     0},
    {"sort", 's', "KEY", CMD_OPTION_LAST,
     "Sort by this column: flat or cum for profiles, one of the keys below for reports on traces",
     0},
    {"over", KEY_OVER, "run|time", 0,
     "Show what grows from run to run, oldest first, how fast, and whether it ever falls; or the "
     "values of "
     "one profile whose samples have times, over this time",
     0},
    {"counters", SETS(counters), NULL, 0,
     "With --over=run: follow the counters of the whole program in text profiles (HeapAlloc …)", 0},
    {"by", SETS(profile.by), "LABEL", 0,
     "With --goroutines: separate groups by the value of this label", 0},
    {"each", SETS(top.each), NULL, 0,
     "Show a row for each goroutine, task or region (reports breakdown, tasks and regions)", 8},
    {"min", SETS(top.min), "TIME", 0,
     "Keep only tasks (or regions) that took at least TIME, such as 100ms", 8},
    {"max", SETS(top.max), "TIME", 0, "Keep only tasks (or regions) that took at most TIME", 8},
    {"own", SETS(own), "REGEX", 0, CMD_OWN_DOC, 8},
    {"log", SETS(top.log), "REGEX", 0,
     "Keep only log messages whose category or text matches REGEX, or tasks with one", 8},
    {"slowest", SETS(top.slowest), "N%|N", 0,
     "Show how the slowest N% (or N) of a type differ from the middle (reports tasks and regions)",
     8},
    {NULL, 0, NULL, 0, "The report incident:", 49},
    {"last", SETS(top.incident.last), "TIME", 0,
     "Look at the last TIME of the run, such as 200ms (default: the range of --from and --to, or "
     "5% "
     "of the run, at most 200ms)",
     49},
    {"around", SETS(top.incident.around), "TIME", 0,
     "Look at the time around this moment, as long as --last says; --task=ID looks at the time of "
     "a task",
     49},
    {NULL, 0, NULL, 0, "The report mmu:", 50},
    {"include", KEY_INCLUDE, "LIST", 0,
     "Count this work of the garbage collector: stw, background, assist, sweep or all (default: "
     "the first three)",
     50},
    {"per-p", SETS(top.mmu.per_p), NULL, 0,
     "Use the utilisation of the worst P, not of all Ps together", 50},
    {"window", SETS(top.mmu.windows), "LIST", 0,
     "Use windows of these lengths, such as 1ms,10ms; for a single length, list the lowest windows",
     50},
    {"as-go", SETS(top.mmu.as_go), NULL, 0,
     "Count as go tool trace does, which overestimates background workers", 50},
    /* pprof's names of what is shown anyway */
    {"top", CMD_SETS_NOTHING, NULL, OPTION_HIDDEN, NULL, 0},
    {"text", CMD_SETS_NOTHING, NULL, OPTION_HIDDEN, NULL, 0},
    {0},
};

/* ---- reports on profiles as options, from their table ---- */

#define MAX_REPORTS 24

static struct argp_option report_options[MAX_REPORTS + 2] = {
    {NULL, 0, NULL, 0, "Profiles, other than as a table:", 3},
};

static error_t on_report(int key, char *arg, struct argp_state *state)
{
	struct top_args *args = state->input;
	size_t i = (size_t)(key - KEY_REPORT);

	if (key < KEY_REPORT || i >= MAX_REPORTS)
		return ARGP_ERR_UNKNOWN;
	if (args->text && args->text != rep_profile_reports[i])
		argp_error(state, "--%s and --%s cannot be given together", args->text->name,
			   rep_profile_reports[i]->name);
	args->text = rep_profile_reports[i];
	args->text_arg = arg;
	return 0;
}

static struct argp report_argp = {.options = report_options, .parser = on_report};

static void list_report_options(void)
{
	for (size_t i = 0; i < MAX_REPORTS && rep_profile_reports[i]; i++) {
		const struct rep_profile_report *r = rep_profile_reports[i];

		/* Formats are asked for by --format; pprof's users type them as options. */
		report_options[i + 1] = (struct argp_option){
		    .name = r->name,
		    .key = KEY_REPORT + (int)i,
		    .arg = r->arg,
		    .flags = r->format ? OPTION_HIDDEN : 0,
		    .doc = r->doc,
		    .group = 3,
		};
	}
}

static bool is_format(const char *name)
{
	const struct rep_profile_report *r = rep_profile_report_find(name);

	return !strcmp(name, "pprof") || !strcmp(name, TOP_CHART) || (r && r->format);
}

/* ---- arguments ---- */

/* Reports are words; what has a dot or a slash is a file that is not there. */
static bool may_be_report(const char *text)
{
	return !text[strspn(text, "abcdefghijklmnopqrstuvwxyz-")];
}

static void unknown_report(struct argp_state *state, const char *typed)
{
	struct cmd_near near = {0};

	for (size_t i = 0; rep_reports[i]; i++)
		cmd_near_try(&near, typed, rep_reports[i]->name);
	if (near.word)
		argp_error(state, "there is no report '%s'; did you mean %s?", typed, near.word);
	else
		argp_error(state, "there is no report '%s'; --help lists them", typed);
}

/* A second argument that is no file is meant as a report on the trace that comes first. */
static void sort_arguments(struct top_args *args, struct argp_state *state)
{
	struct cmd_files *files = &args->cmd.files[CMD_NEW];
	const char *second = files->n > 1 ? files->path[1] : NULL;

	if (!second)
		return;
	if (!may_be_report(second) || (!rep_report_find(second) && !access(second, F_OK))) {
		if (rep_report_find(files->path[0]) && access(files->path[0], F_OK))
			argp_error(state, "the file comes before the report: tprof-top %s %s",
				   second, files->path[0]);
		return;
	}
	args->report = second;
	if (files->n > 2)
		argp_error(state, "'%s' is one argument too many: a report is about one file",
			   files->path[2]);
	else if (!rep_report_find(second))
		unknown_report(state, second);
	files->n = 1;
}

/* Returns the option of the report mmu that was given, without its dashes, or NULL. */
static const char *mmu_option(const struct top_args *args)
{
	return args->top.mmu.include   ? "include"
	       : args->top.mmu.windows ? "window"
	       : args->top.mmu.per_p   ? "per-p"
	       : args->top.mmu.as_go   ? "as-go"
				       : NULL;
}

static const char *incident_option(const struct top_args *args)
{
	return args->top.incident.last ? "last" : args->top.incident.around ? "around" : NULL;
}

const char *top_pick(const struct top_args *args)
{
	return args->top.min	   ? "min"
	       : args->top.max	   ? "max"
	       : args->top.log	   ? "log"
	       : args->top.slowest ? "slowest"
	       : args->top.each	   ? "each"
	       : args->own	   ? "own"
				   : NULL;
}

static bool leaves_out(const struct top_args *args)
{
	const struct rep_profile_options *p = &args->profile;

	return args->view.request.id || p->focus || p->ignore || p->hide || p->show ||
	       p->show_from || p->prune_from || p->tag_focus || p->tag_ignore;
}

static void check(struct top_args *args, struct argp_state *state)
{
	sort_arguments(args, state);
	if (args->report && args->view.given)
		argp_error(
		    state,
		    "'%s' is a report on traces, and --view shows a profile; give one of them",
		    args->report);
	if (top_pick(args) && (args->view.given || args->over))
		argp_error(state, "--%s is for reports on traces, and %s", top_pick(args),
			   args->view.given ? "a view is a profile" : "--over is not one");
	if (args->cmd.more_format) {
		if (args->text)
			argp_error(state, "--%s and --format=%s cannot be given together",
				   args->text->name, args->cmd.more_format);
		args->text = rep_profile_report_find(args->cmd.more_format);
		args->pprof = !strcmp(args->cmd.more_format, "pprof");
	}
	if (args->over && args->pprof)
		argp_error(state,
			   "--over=%s cannot be written as a profile; its formats are "
			   "table, csv, tsv, json and svg",
			   args->over);
	if (args->over &&
	    (args->report || (args->text && args->text != rep_profile_report_find("svg"))))
		argp_error(state,
			   "--over=%s is a separate report and cannot be combined with another",
			   args->over);
	if (args->text == rep_profile_report_find("deadlock") &&
	    args->cmd.files[CMD_NEW].n + args->cmd.files[CMD_OLD].n > 1)
		argp_error(state,
			   "--deadlock is about one dump: goroutines of two processes cannot wait "
			   "for each other; give one file");
	if (args->text == rep_profile_report_find("deadlock") && leaves_out(args))
		argp_error(state,
			   "--deadlock needs all goroutines of a dump, and their whole stacks; "
			   "leave out filters and --request");
	if (args->profile.by && args->text != rep_profile_report_find("goroutines"))
		argp_error(state, "--by is an option of --goroutines, which lists the goroutines "
				  "of a profile or dump");
	if (args->view.request.id && args->over && !strcmp(args->over, "run"))
		argp_error(state, "--request selects a request of one run, and --over=run follows "
				  "many runs; give one file without --over");
	if (args->counters && (!args->over || !strcmp(args->over, "time")))
		argp_error(state, "--counters needs --over=run");
	if (mmu_option(args) && (!args->report || strcmp(args->report, "mmu") != 0))
		argp_error(state, "--%s is an option of the report mmu: tprof-top TRACE mmu",
			   mmu_option(args));
	if (incident_option(args) && (!args->report || strcmp(args->report, "incident") != 0))
		argp_error(state,
			   "--%s is an option of the report incident: tprof-top TRACE incident",
			   incident_option(args));
	cmd_view_need(&args->view, state, true);
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct top_args *args = state->input;
	struct tp_err err;

	switch (key) {
	case 's':
		args->sort = arg;
		return 0;
	case KEY_OVER:
		if (strcmp(arg, "run") != 0 && strcmp(arg, "time") != 0)
			argp_error(state, "--over: '%s' is not run or time", arg);
		args->over = arg;
		return 0;
	case KEY_INCLUDE:
		if (rep_util_parse(arg, &args->top.mmu.include, &err))
			argp_error(state, "%s", err.msg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Prints a word, on a new line if it would not fit into argp's 78 columns. */
static void print_word(size_t *column, int indent, const char *word)
{
	bool fits = *column + 1 + strlen(word) <= 78;

	printf("%s%*s%s", fits ? " " : "\n", fits ? 0 : indent, "", word);
	*column = (fits ? *column + 1 : (size_t)indent) + strlen(word);
}

/* Lists the reports and the keys each is sorted by, from the reports' own tables. */
static void list_reports(void)
{
	puts("\nReports (the first is the default) and the keys to sort them by:");
	for (size_t i = 0; rep_reports[i]; i++) {
		const struct rep_report *r = rep_reports[i];
		size_t column = (size_t)printf("  %-11s", r->name);
		char doc[160], *word, *rest = doc;

		snprintf(doc, sizeof(doc), "%s", r->doc);
		while ((word = strtok_r(rest, " ", &rest)))
			print_word(&column, 14, word);
		putchar('\n');
		if (!r->ncolumns)
			continue;
		column = 16;
		printf("              by");
		print_word(&column, 17, r->sort);
		for (size_t c = 0; c < r->ncolumns; c++) {
			const char *key = r->columns[c].key;

			if (key && strcmp(key, r->sort) != 0)
				print_word(&column, 17, key);
		}
		putchar('\n');
	}
	puts("\nTimes, counts and shares are exact, also in a time range and under a filter.");
}

static const struct argp_child children[] = {
    {&report_argp, 0, NULL, 0},	  {&cmd_view_argp, 0, NULL, 0}, {&cmd_profile_argp, 0, NULL, 0},
    {&cmd_base_argp, 0, NULL, 0}, {&cmd_argp, 0, NULL, 0},	{0}};
static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "TRACE [REPORT]\nPROFILE...",
    .doc =
	"Rank what costs most: where the time of a Go program went, from an execution trace, or "
	"which functions hold a profile's values. Files are traces, profiles of any kind (several "
	"are added up), or stores made by tprof-import.",
    .children = children,
};

static int run(struct top_args *args)
{
	enum cmd_kind kind = CMD_KIND_PROFILE;
	enum cmd_what what;
	struct tp_err err;
	bool several = args->cmd.files[CMD_NEW].n > 1, store;
	int status;

	if (args->pprof && args->cmd.tty)
		return cmd_reject(
		    &args->cmd, CMD_USAGE,
		    "--format=pprof cannot be written to a terminal; redirect it to a file");
	if (args->cmd.more_format && strcmp(args->cmd.more_format, TOP_CHART) != 0 &&
	    cmd_refuse_budget(&args->cmd, args->cmd.more_format))
		return CMD_USAGE;
	if (args->over)
		return top_series(args);
	if (!args->view.given && several && !cmd_look(cmd_path(&args->cmd), &what, &err) &&
	    what == CMD_WHAT_TRACE)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "several traces are given, and a report is about one; tprof-diff "
				  "compares two, --over=run follows the numbers of several, "
				  "--view=cpu, offcpu, … adds them up");
	if (args->view.given || several)
		return top_profile(args);
	status = cmd_kind_of(&args->cmd, cmd_path(&args->cmd), args->cmd.run_spec, &kind);
	if (status)
		return status;
	/* A sample type says which kind is meant. */
	if (kind == CMD_KIND_STORE_MIXED && args->profile.sample_index && !args->report)
		return top_profile(args);
	if (kind == CMD_KIND_STORE_MIXED && args->cmd.run_spec)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "%s: --run=%s picks traces and profiles; an id (tprof-store "
				  "list) picks one run",
				  cmd_path(&args->cmd), args->cmd.run_spec);
	if (kind == CMD_KIND_STORE_MIXED)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "%s: these runs are traces and profiles; pick one kind with "
				  "--run, or show the traces as profiles with --view",
				  cmd_path(&args->cmd));
	if (kind == CMD_KIND_TRACE)
		return top_trace(args);
	if (!args->report)
		return top_profile(args);
	store = cmd_is_store(cmd_path(&args->cmd), &err) == 1;
	return cmd_reject(&args->cmd, CMD_USAGE,
			  "'%s' is a report on traces, and %s%s is a profile; %sreports on "
			  "profiles are --tree, --peek, --list and others (see --help=all)",
			  args->report, store ? "the picked run of " : "", cmd_path(&args->cmd),
			  store ? "--run picks others; " : "");
}

/* What --help says; tprof-top(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-top [OPTION...] TRACE [REPORT]\n"
    "  or:  tprof-top [OPTION...] PROFILE...\n"
    "Rank what costs most. Of a trace, REPORT is groups (the default: goroutines by\n"
    "  entry function, and where their time went) goroutines breakdown block locks\n"
    "  sched syscalls cpu gc tasks task regions region logs outliers story procs\n"
    "  overview mmu pauses stops heap incident\n"
    "Of a profile: functions, with pprof's options (manual: man tprof-top-profile).\n"
    "\n"
    "  -n, --rows=N            At most N rows, 0 for all\n"
    "  -s, --sort=KEY          Sort by this column\n"
    "      --from=, --to=TIME  Only this part of a trace: 1.5s, 250ms, 25%\n"
    "      --goroutine=, --task=, --region=ID|REGEX   Only these\n"
    "      --focus=REGEX       Only where a function, file or package matches\n"
    "      --peek=REGEX, --list=REGEX, --tree   Callers and callees, source, graph\n"
    "      --over=run          Follow numbers over many dumps: what grows\n"
    "      --format=FORMAT     table, csv, tsv, json, markdown, pprof\n"
    "\n"
    "Examples:\n"
    "  tprof-top go.trace block --focus=Inventory\n"
    "  tprof-top -alloc_space -n 5 heap.pb.gz\n";
/* clang-format on */

int main(int argc, char **argv)
{
	struct top_args args = {
	    .cmd = {.name = "tprof-top",
		    .kinds = CMD_ANY_KIND,
		    .view = &args.view,
		    .profile = &args.profile,
		    .base = &args.base,
		    .help = help,
		    .more_help = list_reports,
		    .names_code = true,
		    .pages = true,
		    .more_formats = is_format,
		    .more_format_names = "pprof, for the reports mmu and heap chart and svg, and "
					 "for profiles callgrind, dot and svg"},
	    .profile = REP_PROFILE_OPTIONS_INIT,
	};

	args.profile.node_fraction = TOP_DEFAULT_FRACTION;
	args.profile.pprof_units = true;
	args.profile.go = cmd_go_places();
	list_report_options();
	cmd_parse(&args.cmd, &argp, argc, argv);
	return cmd_finish(&args.cmd, run(&args));
}
