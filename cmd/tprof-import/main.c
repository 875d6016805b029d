/* tprof-import: imports dumps as runs of a store. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/units.h"
#include "common/common.h"
#include "common/decoder.h"
#include "common/file.h"
#include "common/progress.h"
#include "import.h"
#include "lists.h"
#include "many.h"
#include "paths.h"
#include "report.h"

static int open_symbols(void *ctx)
{
	struct args *args = ctx;
	const struct tp_symbol_options *opt = &args->import.symbols;
	struct tp_symbolizer *s = NULL;
	struct tp_err err;
	int code = tp_symbolizer_new(&s, opt, &err);

	tp_symbolizer_free(s);
	if (!code)
		return CMD_OK;
	return cmd_fail(&args->cmd, NULL, &err);
}

/* Opens the files that name code once before all dumps, because their faults would concern every dump. */
static int check_symbols(struct args *args)
{
	const struct tp_symbol_options *opt = &args->import.symbols;

	if (!opt->nbinaries && !opt->path)
		return CMD_OK;
	return cmd_decode(&args->cmd, NULL, opt, open_symbols, args);
}

/* Prints the commands to continue with, on a terminal only. */
static void hint(const struct args *args)
{
	char *own = args->store || args->nfiles != 1 ? NULL : one_store(args->files[0]);
	const char *store = args->store ? args->store : own;

	if (store && args->cmd.tty && !args->dump)
		cmd_print(&args->cmd, "look at it: tprof-top %s, tprof-tui %s\n", store, store);
	free(own);
}

/* Adds the files for which the arguments stand. */
static int find_paths(const struct args *args, struct paths *paths, struct tp_err *err)
{
	int code = 0;

	for (int i = 0; i < args->nfiles && !code; i++) {
		size_t before = paths->n;

		code = paths_add(paths, args->files[i], err);
		if (!code && paths->n == before)
			cmd_note(&args->cmd, "%s: has no file to import", args->files[i]);
	}
	for (size_t i = 0; i < paths->n && args->skip_others; i++)
		paths->list[i].named &= paths->list[i].wrong != 0;
	return code;
}

static int import_many(struct args *args)
{
	struct paths paths = {.keys = args->keys};
	struct many many = {.cmd = &args->cmd,
			    .paths = &paths,
			    .store = args->store,
			    .jobs = args->jobs ? args->jobs : (int)cmd_processors(MOST_JOBS),
			    .known = args->known,
			    .report = args->report,
			    .import = args->import,
			    .own_store = one_store};
	struct tp_err err;
	int status =
	    find_paths(args, &paths, &err) ? cmd_fail(&args->cmd, NULL, &err) : many_import(&many);

	paths_release(&paths);
	return status;
}

/* Prints a note about dumps whose folders do not give all labels. Tasks cannot do that, because
 * they get the labels, not the folders. */
static void note_labels(const struct args *args, const struct paths *paths)
{
	struct unlabelled u = {0};
	uint64_t files = 0;

	for (size_t i = 0; i < paths->n; i++) {
		if (paths->list[i].wrong)
			continue;
		files++;
		unlabelled_add(&u, &paths->list[i], paths->keys, &args->import);
	}
	unlabelled_print(&args->cmd, &u, files, "files", paths->keys);
}

/* --lists */
static int write_lists(struct args *args)
{
	struct paths paths = {.keys = args->keys};
	char files[CMD_PLURAL_SIZE], bytes[TP_UNITS_SIZE], of[CMD_PLURAL_SIZE];
	size_t tasks = (size_t)args->tasks;
	struct tp_err err;
	int status = CMD_OK, code = find_paths(args, &paths, &err);

	for (size_t i = 0; i < paths.n && !code; i++)
		if (!strcmp(paths.list[i].name, "-"))
			code = tp_err_set(&err, TP_EUNKNOWN, TP_OFFSET_NONE,
					  "a dump on standard input cannot be imported by a job");
	if (!code && paths.n)
		code = lists_write(args->lists, &paths, &tasks, &err);
	if (code) {
		status = cmd_fail(&args->cmd, NULL, &err);
	} else if (!paths.n) {
		cmd_note(&args->cmd, "there are no files to import");
	} else {
		cmd_print(&args->cmd, "%s (%s) in %s\n",
			  cmd_plural(files, (int64_t)paths.n, "file"),
			  tp_fmt_bytes(bytes, (int64_t)paths.bytes),
			  cmd_plural(of, (int64_t)tasks, "task"));
		note_labels(args, &paths);
	}
	paths_release(&paths);
	return status;
}

/* --sum-reports */
static int sum_reports(struct args *args)
{
	struct report sum = {0};
	struct tp_err err;
	int code = 0, status;

	for (int i = 0; i < args->nfiles && !code; i++)
		code = report_read(&sum, args->files[i], &err);
	if (!code && args->report)
		code = report_write(&sum, args->report, &err);
	if (code == TP_EFORMAT) {
		/* Advice on damaged dumps would not help. */
		status = cmd_reject(&args->cmd, CMD_INPUT, "%s", err.msg);
	} else if (code) {
		status = cmd_fail(&args->cmd, NULL, &err);
	} else {
		tally_print(&args->cmd, &sum.tally, -1, args->store);
		report_print_failures(&sum, &args->cmd);
		report_print_names(&sum, &args->cmd, args->store,
				   args->report ? args->report : args->files[0]);
		status = sum.worst;
	}
	report_release(&sum);
	return status;
}

/* Every dump is tried; the worst status is the command's. */
static int run(struct args *args)
{
	int worst = CMD_OK, status = args->store ? cmd_file_place(&args->cmd, args->store) : CMD_OK;

	if (!status && args->report)
		status = cmd_file_place(&args->cmd, args->report);
	if (status && args->report)
		report_remove(args->report);
	if (!status)
		status = check_symbols(args);
	if (status)
		return status;
	if (args->slurm)
		return slurm_import(args);
	cmd_interruptible();
	if (args->at_once) {
		worst = args->lists	    ? write_lists(args)
			: args->sum_reports ? sum_reports(args)
					    : import_many(args);
		cmd_interrupted();
	}
	for (int i = 0; i < args->nfiles && !args->at_once; i++) {
		status = args->dump ? dump_events(args, args->files[i])
				    : one_import(args, args->files[i]);
		if (status > worst)
			worst = status;
		cmd_interrupted();
	}
	if (worst == CMD_OK && (!args->at_once || (args->store && !access(args->store, F_OK))))
		hint(args);
	arguments_release(args);
	return worst;
}

/* The text of --help; tprof-import(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-import [OPTION...] PATH...\n"
    "Decode Go execution traces (go 1.5 to 1.27), profiles and goroutine dumps\n"
    "(plain, .gz or .zst) into a store: a SQLite file that the other commands read.\n"
    "The same dump is not stored twice. PATH is a file, a folder with all in it, a\n"
    "quoted pattern, @LIST (names, a line each) or '-', standard input.\n"
    "\n"
    "  -o, --output=STORE      All into STORE; else each into one beside it\n"
    "  -j, --jobs=N            N dumps at a time, and one line for all at the end\n"
    "      --slurm[=OPTIONS]   By jobs of Slurm, on many machines; --wait waits\n"
    "      --label=KEY=VALUE   Label the run, to pick it or compare by later\n"
    "      --name=NAME         Call the run NAME, not as its file\n"
    "      --binary=FILE       Names for code that the dump leaves without\n"
    "      --strict            Refuse a damaged dump; else what can be read is kept\n"
    "\n"
    "Examples:\n"
    "  tprof-import go.trace                       makes go.tprof\n"
    "  tprof-import -o all.tprof --label=build=42 *.pb.gz\n"
    "  tprof-import -o all.tprof -j 8 /var/dumps   all in it that is not there yet\n"
    "  curl -s HOST/debug/pprof/heap | tprof-import -o all.tprof -\n";
/* clang-format on */

int main(int argc, char **argv)
{
	struct argp argp = {
	    .options = arguments_options,
	    .parser = arguments_parse,
	    .args_doc = "PATH...",
	    .doc = "Decode Go execution traces (go 1.5 to go 1.27), profiles and stacks of "
		   "goroutines (plain, .gz or .zst) into a store. PATH is a file, a folder, a "
		   "quoted pattern, @LIST or '-', standard input.\v"
		   "The same dump is not stored twice. See tprof-import(1).",
	};
	struct args args = {
	    .cmd = {.name = "tprof-import", .help = help, .names_code = true},
	    .import = {.tmp_dir = getenv("TMPDIR"), .store = {.wait_ms = -1}},
	};

	cmd_keep_memory();
	cmd_parse(&args.cmd, &argp, argc, argv);
	return cmd_finish(&args.cmd, run(&args));
}
