/* tprof-export: runs of stores, and dumps, in the forms that other programs read. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/engine/url.h"
#include "common/option.h"
#include "common/profile_options.h"
#include "tprof-export/export.h"

enum { KEY_FORMAT = 0x2000, KEY_ANONYMISE, KEY_TABLE, KEY_CLICKHOUSE };

#define SETS(member) CMD_SETS(struct export_args, member)

static const struct argp_option options[] = {
    {"format", KEY_FORMAT, "FORMAT", CMD_OPTION_LAST, "Write this format (see below)", 0},
    {"output", 'o', "FILE", 0,
     "Write to FILE instead of standard output; for several tables, a folder", 0},
    {"anonymise", KEY_ANONYMISE, "all", OPTION_ARG_OPTIONAL,
     "Replace names of functions, files, tasks, logs, labels … by made-up ones; =all: also those "
     "of Go's standard library",
     0},
    {"anonymise-key", SETS(key_file), "FILE", 0,
     "Derive made-up names from the secret in FILE, so that two dumps get the same ones", 0},
    {"wakers", SETS(wakers), NULL, 0,
     "With --format=trace and --goroutine: include the goroutines that wake those", 0},
    {"table", KEY_TABLE, "NAME", CMD_OPTION_MANY,
     "For csv: write this table; may be given several times. 'tprof-query FILE .tables' lists "
     "tables",
     0},
    {NULL, 0, NULL, 0, "Into a distributed SQL engine, see tprof-clickhouse(7):", 20},
    {"clickhouse", KEY_CLICKHOUSE, "URL", CMD_OPTION_MANY,
     "Load the runs of a store into tables of ClickHouse at clickhouse://HOST[:PORT][/DATABASE]; "
     "give it once for each server that gets the tables",
     20},
    {"cluster", SETS(cluster), "NAME", 0, "Spread the tables over this cluster of the engine", 20},
    {"spans", SETS(spans), NULL, 0,
     "Also load spans, tasks, regions and logs of traces as rows, for SQL", 20},
    {0},
};

/* Options of profiles that say what is written, not how it is shown. */
static bool takes(enum rep_profile_option o)
{
	return rep_profile_options[o].group == REP_GROUP_FILTER || o == REP_OPTION_SAMPLE_INDEX ||
	       o == REP_OPTION_DIVIDE_BY || o == REP_OPTION_NO_INLINES ||
	       o == REP_OPTION_SHOW_COLUMNS || o == REP_OPTION_BINARY ||
	       o == REP_OPTION_SYMBOL_PATH || o == REP_OPTION_DEMANGLE;
}

/* ---- arguments ---- */

/* `proto` is what the form pprof was called at first; `chrome` is who made up perfetto's. */
static const struct export_form *find_form(const char *name)
{
	const struct export_form *f = export_forms;

	if (!strcmp(name, "proto"))
		name = "pprof";
	if (!strcmp(name, "chrome"))
		name = "perfetto";
	while (f->name && strcmp(f->name, name) != 0)
		f++;
	return f->name ? f : NULL;
}

static void set_form(struct export_args *args, struct argp_state *state, const char *name)
{
	char names[EXPORT_NAMES];

	args->form = find_form(name);
	if (!args->form)
		argp_error(state, "--format: '%s' is not a format; formats are %s", name,
			   export_form_names(names, 0));
}

static void check_range(const struct export_args *args, struct argp_state *state)
{
	const struct rep_trace_profile_options *t = &args->view.trace;

	if (t->filter.state || t->filter.reason || t->task || t->region)
		argp_error(state,
			   "--format=%s writes a time range (--from, --to) and goroutines "
			   "(--goroutine); no other filter applies to it",
			   args->form->name);
}

/* What leaves something out, of a form that is not of a range. */
static void check_filter(const struct export_args *args, struct argp_state *state)
{
	const struct rep_trace_profile_options *t = &args->view.trace;
	const char *filter = cmd_view_filter(&args->view.trace);
	char ranges[EXPORT_NAMES], views[EXPORT_NAMES];

	if (!filter || args->view.given)
		return;
	if (args->form->needs & EXPORT_SAMPLES) {
		cmd_view_need(&args->view, state, false);
		return; /* a request, which profiles know */
	}
	export_form_names(views, EXPORT_SAMPLES);
	if (t->filter.from || t->filter.to || t->filter.goroutine)
		argp_error(state, "--%s is for --format=%s, and with --view for %s", filter,
			   export_form_names(ranges, EXPORT_RANGE), views);
	argp_error(state, "--%s needs --view, which is for --format=%s", filter, views);
}

static void check(struct export_args *args, struct argp_state *state)
{
	static const struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	bool profile_given = cmd_profile_given(&args->profile, &plain, 0);
	size_t olds = args->cmd.files[CMD_OLD].n;
	char names[EXPORT_NAMES];
	unsigned needs;

	if (args->nservers) {
		if (args->form || args->cmd.output || args->ntables || args->anonymise ||
		    args->wakers || profile_given || olds || args->view.given ||
		    cmd_view_filter(&args->view.trace))
			argp_error(state, "--clickhouse loads whole runs; only --run, --cluster "
					  "and --spans can be given with it");
		return;
	}
	if (args->cluster || args->spans)
		argp_error(state, "--cluster and --spans need --clickhouse");
	if (!args->form && args->view.trace.go)
		args->form = find_form("pprof");
	if (!args->form) {
		argp_error(state, "no format is given; give --format=FORMAT: %s",
			   export_form_names(names, 0));
		return;
	}
	/* Of tables, it takes one. */
	if (args->cmd.output && !strcmp(args->cmd.output, "-"))
		args->cmd.output = NULL;
	needs = args->form->needs;
	if (olds && !(needs & EXPORT_BASE))
		argp_error(state, "differences are for --format=%s",
			   export_form_names(names, EXPORT_BASE));
	if (args->ntables && !(needs & EXPORT_TABLES))
		argp_error(state, "--table is for --format=%s",
			   export_form_names(names, EXPORT_TABLES));
	if (args->cmd.files[CMD_NEW].n > 1 && !(needs & (EXPORT_SEVERAL | EXPORT_RUNS)))
		argp_error(state, "several files are given, and --format=%s takes one",
			   args->form->name);
	if (args->view.given && !(needs & EXPORT_SAMPLES))
		argp_error(state, "--view is for --format=%s",
			   export_form_names(names, EXPORT_SAMPLES));
	if (profile_given && !(needs & EXPORT_SAMPLES))
		argp_error(state, "options that pick samples and frames are for --format=%s",
			   export_form_names(names, EXPORT_SAMPLES));
	if (needs & EXPORT_RANGE)
		check_range(args, state);
	else
		check_filter(args, state);
	if (args->anonymise && !(needs & EXPORT_NAMES_OFF))
		argp_error(state, "--anonymise is for --format=%s",
			   export_form_names(names, EXPORT_NAMES_OFF));
	if (args->key_file && !args->anonymise)
		argp_error(state, "--anonymise-key needs --anonymise");
	if (args->wakers && (args->form->write != export_cut || !args->view.trace.filter.goroutine))
		argp_error(state, "--wakers needs --format=trace and --goroutine");
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct export_args *args = state->input;

	switch (key) {
	case KEY_FORMAT:
		set_form(args, state, arg);
		return 0;
	case KEY_ANONYMISE:
		if (arg && strcmp(arg, "all") != 0)
			argp_error(state, "--anonymise: '%s' is not all", arg);
		args->anonymise = true;
		args->made_up.all = arg != NULL;
		return 0;
	case KEY_TABLE:
		args->tables[args->ntables++] = arg;
		return 0;
	case KEY_CLICKHOUSE:
		if (!cmd_engine_is_url(arg))
			argp_error(state,
				   "--clickhouse: '%s' is not an address like "
				   "clickhouse://HOST:8123/DATABASE",
				   arg);
		args->servers[args->nservers++] = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void list_forms(void)
{
	puts("\nForms, described in tprof-export(1):");
	for (const struct export_form *f = export_forms; f->name; f++)
		printf("  %-12s%s\n", f->name, f->doc);
}

void export_note_ticks(const struct export_args *args, const struct rep_run *run)
{
	char n[TP_COUNT_SIZE];

	if (run->row.ticks)
		cmd_note(&args->cmd,
			 "%s: the trace has no clock: its %s ticks are written as ns, however long "
			 "they were",
			 run->row.name, tp_fmt_count(n, run->row.duration_ns));
}

int export_open_trace(struct export_args *args)
{
	char names[EXPORT_NAMES], instead[EXPORT_NAMES + 60];

	snprintf(instead, sizeof(instead), "not a trace; profiles are written by --format=%s",
		 export_form_names(names, EXPORT_SAMPLES));
	return cmd_open_trace(&args->cmd, cmd_path(&args->cmd), instead);
}

int export_begin(struct export_args *args)
{
	const char *const others[] = {args->key_file, args->profile.binary};

	return cmd_file_begin(&args->cmd, others, sizeof(others) / sizeof(others[0]));
}

#define MOST_SECRET ((size_t)64 << 10)

static int read_key(struct export_args *args)
{
	struct tp_buf secret = {0};
	struct tp_err err;
	int status = CMD_OK;

	if (!args->key_file) {
		rep_anonymise_key(&args->made_up, NULL, 0);
	} else if (cmd_read_file(args->key_file, MOST_SECRET, &secret, &err)) {
		status = cmd_fail(&args->cmd, args->key_file, &err);
	} else if (!secret.size) {
		status = cmd_reject(&args->cmd, CMD_INPUT,
				    "%s: the file is empty; a secret needs at least one byte",
				    args->key_file);
	} else {
		rep_anonymise_key(&args->made_up, secret.data, secret.size);
		explicit_bzero(secret.data, secret.size);
	}
	tp_buf_release(&secret);
	return status;
}

static int run(struct export_args *args)
{
	int status = args->anonymise ? read_key(args) : CMD_OK;

	if (status)
		return status;
	if (args->nservers)
		return export_clickhouse(args);
	if (args->cmd.output || !(args->form->needs & EXPORT_BINARY) || !args->cmd.tty)
		return args->form->write(args);
	return cmd_reject(&args->cmd, CMD_USAGE,
			  "--format=%s cannot be written to a terminal; give -o FILE",
			  args->form->name);
}

/* What --help says; tprof-export(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-export [OPTION...] STORE|DUMP...\n"
    "Write runs in a form that other programs read:\n"
    "  events parsed raw footprint   of a trace: what is in it, as text\n"
    "  trace       a trace or a part of one, for 'go tool trace'\n"
    "  perfetto    traces for ui.perfetto.dev; several on one clock\n"
    "  pprof       profiles and views of traces, for pprof and PGO\n"
    "  folded speedscope             the same for other flame graphs\n"
    "  csv         the tables of any run\n"
    "\n"
    "      --format=FORMAT     One of these\n"
    "  -o, --output=FILE       Write to FILE; for several tables, a folder\n"
    "      --from=, --to=TIME, --goroutine=ID   Only this part of it: for trace,\n"
    "                          perfetto, and views\n"
    "      --pprof=KIND        As 'go tool trace -pprof': net, sync, syscall, sched\n"
    "      --view=VIEW         cpu, running, offcpu, sched, syscall, wall\n"
    "      --anonymise         Made-up names for functions, files, tasks, logs …\n"
    "      --clickhouse=URL    Load a store into tables of a distributed engine\n"
    "\n"
    "Examples:\n"
    "  tprof-export --format=trace --from=1s --to=2s -o part.trace go.trace\n"
    "  tprof-export --format=pprof --view=cpu -o default.pgo go.trace\n";
/* clang-format on */

int main(int argc, char **argv)
{
	static const struct argp_child children[] = {{&cmd_view_argp, 0, NULL, 0},
						     {&cmd_profile_argp, 0, NULL, 0},
						     {&cmd_base_argp, 0, NULL, 0},
						     {&cmd_run_argp, 0, NULL, 0},
						     {0}};
	static const struct argp argp = {
	    .options = options,
	    .parser = on_option,
	    .args_doc = "STORE|DUMP...",
	    .doc = "Write runs in a form that other programs read.",
	    .children = children,
	};
	struct export_args args = {
	    .cmd = {.name = "tprof-export",
		    .kinds = CMD_ANY_KIND,
		    .view = &args.view,
		    .profile = &args.profile,
		    .base = &args.base,
		    .help = help,
		    .more_help = list_forms,
		    .names_code = true},
	    .profile = REP_PROFILE_OPTIONS_INIT,
	};
	int status;

	cmd_profile_take(takes);
	args.tables = calloc((size_t)argc + 1, sizeof(*args.tables));
	args.servers = calloc((size_t)argc + 1, sizeof(*args.servers));
	if (!args.tables || !args.servers) {
		status = cmd_nomem(&args.cmd);
	} else {
		cmd_parse(&args.cmd, &argp, argc, argv);
		status = cmd_finish(&args.cmd, run(&args));
	}
	free(args.tables);
	free(args.servers);
	return status;
}
