#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "common/number.h"
#include "common/option.h"
#include "paths.h"

#define MOST_TASKS 1000000

enum {
	KEY_LABEL = 0x2000,
	KEY_COMPRESS,
	KEY_THREADS,
	KEY_BINARY,
	KEY_REPORT,
	KEY_SLURM,
	KEY_TASKS,
	KEY_LISTS,
};

/* Flags in addition to those of argp and common/option.h. */
#define PASSED_ON 0x100000 /* Slurm's tasks get the option, too */
#define AT_ONCE	  0x200000 /* the option imports many dumps at once */

#define SETS(member) CMD_SETS(struct args, member)

const struct argp_option arguments_options[] = {
    {"output", 'o', "STORE", 0,
     "Import into STORE (default: one store for each dump, beside it, named .tprof)", 0},
    {"jobs", 'j', "N", CMD_OPTION_LAST | AT_ONCE,
     "Decode N dumps at a time (0: one per processor, the default for folders, patterns and "
     "lists), and print a summary at the end",
     0},
    {"slurm", KEY_SLURM, "OPTIONS", OPTION_ARG_OPTIONAL | AT_ONCE,
     "Import by jobs of Slurm: an array job that imports, and jobs that merge; OPTIONS are passed "
     "to sbatch",
     0},
    {"tasks", KEY_TASKS, "N", 0,
     "With --slurm or --lists: use N tasks (default: as many as pay, at most 1000)", 0},
    {"wait", SETS(wait), NULL, 0, "With --slurm: wait for the end and print the summary", 0},
    {"lists", KEY_LISTS, "FOLDER", AT_ONCE,
     "Import nothing; write FOLDER/1, FOLDER/2 and so on, a list of dumps for each task", 0},
    {"sum-reports", SETS(sum_reports), NULL, AT_ONCE,
     "Import nothing; add up and show reports (--report), which PATHs name", 0},
    {"known", SETS(known), "STORE", PASSED_ON | AT_ONCE, "Skip dumps that STORE has as well", 0},
    {"skip-others", SETS(skip_others), NULL, PASSED_ON | AT_ONCE,
     "Count named files that are not dumps instead of reporting errors, as for files in folders",
     0},
    {"report", KEY_REPORT, "FILE", AT_ONCE, "Write to FILE what happened to each dump", 0},
    {"name", SETS(import.name), "NAME", 0, "Name the run NAME (default: the dump's file name)", 0},
    {"label", KEY_LABEL, "KEY=VALUE", CMD_OPTION_MANY | PASSED_ON,
     "Label the run; may be given several times", 0},
    {"folder-labels", SETS(keys), "KEYS", PASSED_ON,
     "Label the dumps of a folder by their folders below it, for example host/version", 0},
    {"strict", SETS(import.strict), NULL, PASSED_ON,
     "Refuse a damaged dump (default: keep what can be read, and record what was lost)", 0},
    {"compress", KEY_COMPRESS, "HOW", PASSED_ON,
     "Compress fast (the default) or high, which is smaller and slower", 0},
    {"materialize", SETS(import.store.materialize), NULL, PASSED_ON,
     "Also write events and spans as ordinary rows, for programs without tprof's virtual tables",
     0},
    {"binary", KEY_BINARY, "FILE", CMD_OPTION_MANY | PASSED_ON,
     "Take names for code without names from this program or library; may be given several times",
     0},
    {"symbol-path", SETS(import.symbols.path), "DIRS", PASSED_ON,
     "Take names for code without names from files in these folders (DIR:DIR) with its build id",
     0},
    {"threads", KEY_THREADS, "N", PASSED_ON,
     "Use N threads (default 0: one per processor, at most 3)", 0},
    {"dump", SETS(dump), "WHAT", 0, "Store nothing; write the dump's events in order, one per line",
     0},
    {0},
};

/* Adds a label. Returns NULL, or the fault of the label, as the end of a sentence. A key may have
 * only one value. */
static const char *add_label(struct args *args, struct argp_state *state, const char *label)
{
	struct tp_import_options *o = &args->import;
	size_t key = strcspn(label, "=");
	const char **grown;

	if (!label[key] || !key)
		return "is not KEY=VALUE";
	if (!label[key + 1])
		return "has no value; tprof-store label STORE RUN KEY= removes a label";
	for (size_t i = 0; i < o->nlabels; i++)
		if (!strncmp(args->labels[i], label, key + 1))
			return "gives a second value to its key";
	grown = realloc(args->labels, (o->nlabels + 1) * sizeof(*grown));
	if (!grown) {
		argp_failure(state, CMD_SYSTEM, 0, "out of memory");
		return NULL;
	}
	args->labels = grown;
	grown[o->nlabels++] = label;
	o->labels = grown;
	return NULL;
}

static void add_binary(struct args *args, struct argp_state *state, const char *file)
{
	struct tp_symbol_options *o = &args->import.symbols;
	const char **grown = realloc(args->binaries, (o->nbinaries + 1) * sizeof(*grown));

	if (!grown) {
		argp_failure(state, CMD_SYSTEM, 0, "out of memory");
		return;
	}
	args->binaries = grown;
	grown[o->nbinaries++] = file;
	o->binaries = grown;
}

/* Keeps "--NAME" or "--NAME=VALUE" for Slurm's tasks. */
static void pass_on(struct args *args, struct argp_state *state, const char *name,
		    const char *value)
{
	char **grown = realloc(args->task_argv, (args->ntask_argv + 1) * sizeof(*grown));

	if (grown)
		args->task_argv = grown;
	if (!grown || asprintf(&grown[args->ntask_argv], "--%s%s%s", name, value ? "=" : "",
			       value ? value : "") < 0) {
		argp_failure(state, CMD_SYSTEM, 0, "out of memory");
		return;
	}
	args->ntask_argv++;
}

static void check_slurm(const struct args *args, struct argp_state *state)
{
	if (!args->slurm && args->wait)
		argp_error(state, "--wait needs --slurm");
	if (!args->slurm && !args->lists && args->tasks)
		argp_error(state, "--tasks needs --slurm or --lists");
	if (!args->slurm)
		return;
	if (!args->store)
		argp_error(state, "--slurm makes one store; name it with -o STORE");
	if (args->jobs)
		argp_error(state, "with --slurm a task decodes as many dumps at a time as it has "
				  "processors: --slurm=--cpus-per-task=N");
	if (args->report)
		argp_error(state, "--slurm writes STORE.report; leave out --report");
}

/* Checks the modes that import nothing. */
static void check_modes(const struct args *args, struct argp_state *state)
{
	if (args->slurm + (args->lists != NULL) + args->sum_reports > 1)
		argp_error(state, "only one of --slurm, --lists and --sum-reports can be given");
	for (int i = 0; i < args->nfiles && (args->slurm || args->lists); i++)
		if (!strcmp(args->files[i], "-"))
			argp_error(state, "a dump on standard input cannot be imported by a job");
	if (args->lists && (args->store || args->report))
		argp_error(state, "--lists writes lists only; leave out --%s",
			   args->store ? "output" : "report");
}

/* A report may replace a regular file, but not a device or a link. */
static void check_report(const struct args *args, struct argp_state *state)
{
	struct stat st;

	if (args->report && !lstat(args->report, &st) && !S_ISREG(st.st_mode))
		argp_error(state,
			   "--report: %s exists and is not a regular file; give another name",
			   args->report);
}

/* Checks the keys of --folder-labels. Each may occur only once, because a run has one value for it. */
static void check_keys(const struct argp_state *state, const char *keys)
{
	for (const char *a = keys, *end = a; *end; a = end + 1) {
		size_t n = strcspn(a, "/");

		end = a + n;
		if (memchr(a, '=', n) || memchr(a, ',', n))
			argp_error(state,
				   "--folder-labels: '%s' is not a list of keys separated by /: "
				   "host/version",
				   keys);
		for (const char *b = keys; n && b < a; b += strcspn(b, "/") + 1)
			if (strcspn(b, "/") == n && !strncmp(a, b, n))
				argp_error(state, "--folder-labels: '%s' has a key twice", keys);
	}
	if (!keys[strspn(keys, "/")])
		argp_error(state, "--folder-labels: '%s' has no key", keys);
}

static void check(struct args *args, struct argp_state *state)
{
	int inputs = 0;

	for (int i = 0; i < args->nfiles; i++) {
		if (!*args->files[i])
			argp_error(state, "a file name is empty; " CMD_UNSET_VARIABLE);
		args->at_once |= paths_many(args->files[i]);
		inputs += !strcmp(args->files[i], "-") || !strcmp(args->files[i], "@-");
	}
	if (args->import.name && !*args->import.name)
		argp_error(state, "--name: a run needs a name that is not empty");
	if (args->keys)
		check_keys(state, args->keys);
	if (args->dump && strcmp(args->dump, "events") != 0)
		argp_error(state, "--dump: '%s' is not 'events', the only kind of dump",
			   args->dump);
	check_slurm(args, state);
	check_modes(args, state);
	check_report(args, state);
	if (args->known && args->import.nlabels)
		argp_error(state, "--known skips dumps, so they would not get the labels of "
				  "--label; give one of the two");
	if (args->at_once && inputs > 1)
		argp_error(state, "standard input can be read only once");
	/* A missing path may be a misspelt folder, which gets its own error. */
	for (int i = 0; i < args->nfiles && args->keys && !args->at_once; i++)
		if (!access(args->files[i], F_OK))
			argp_error(state,
				   "--folder-labels is for the dumps of a folder; name a folder");
	if (args->at_once && args->import.name)
		argp_error(state, "--name names one run, and there may be several dumps");
	if (args->at_once && args->dump)
		argp_error(state,
			   "--dump writes one dump after the other; name files only, without -j");
	if (args->import.name && args->nfiles > 1)
		argp_error(state, "--name names one run, and %d dumps are given", args->nfiles);
	if (args->dump && (args->import.symbols.nbinaries || args->import.symbols.path))
		argp_error(state, "--dump writes no names; leave out --%s",
			   args->import.symbols.path ? "symbol-path" : "binary");
	if (args->dump && args->store)
		argp_error(state, "--dump stores nothing; leave out -o");
	for (int i = 0; i < args->nfiles; i++)
		if (!strcmp(args->files[i], "-") && !args->store && !args->dump)
			argp_error(state, "a dump on standard input needs -o STORE");
}

error_t arguments_parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	struct tp_import_options *o = &args->import;
	static const char *const levels[] = {"fast", "high"};
	const struct argp_option *option = arguments_options;
	const char *wrong;

	while (option->name && option->key != key)
		option++;
	if (option->flags & AT_ONCE)
		args->at_once = true;
	if (option->flags & PASSED_ON)
		pass_on(args, state, option->name, arg);
	switch (key) {
	case 'o':
		args->store = cmd_arg_output(state, "-o", arg, "a store");
		return 0;
	case 'j':
		args->jobs = (int)cmd_arg_count(state, "-j", arg, MOST_JOBS);
		return 0;
	case KEY_SLURM:
		args->slurm = true;
		args->slurm_options = arg;
		return 0;
	case KEY_TASKS:
		args->tasks = (int)cmd_arg_count(state, "--tasks", arg, MOST_TASKS);
		return 0;
	case KEY_LISTS:
		args->lists = cmd_arg_output(state, "--lists", arg, "a folder");
		return 0;
	case KEY_REPORT:
		args->report = cmd_arg_output(state, "--report", arg, "a report");
		return 0;
	case KEY_LABEL:
		wrong = add_label(args, state, arg);
		if (wrong)
			argp_error(state, "--label: '%s' %s", arg, wrong);
		return 0;
	case KEY_COMPRESS:
		o->store.compress = CMD_ARG_WORD(state, "--compress", arg, levels);
		return 0;
	case KEY_BINARY:
		add_binary(args, state, arg);
		return 0;
	case KEY_THREADS:
		o->threads = (int)cmd_arg_count(state, "--threads", arg, 64);
		return 0;
	case ARGP_KEY_ARGS:
		args->files = state->argv + state->next;
		args->nfiles = state->argc - state->next;
		check(args, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no input file is given; name a trace or a profile");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void arguments_release(struct args *args)
{
	for (size_t i = 0; i < args->ntask_argv; i++)
		free(args->task_argv[i]);
	free(args->task_argv);
	free(args->labels);
	free(args->binaries);
}
