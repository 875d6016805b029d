/* tprof-report: one page about a run or a profile, or about what changed, to attach to a ticket. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/common.h"
#include "common/file.h"
#include "common/labels.h"
#include "common/number.h"
#include "common/option.h"
#include "common/profiles.h"
#include "common/quote.h"
#include "page/page.h"

struct args {
	struct cmd cmd;
	struct cmd_file file;
	struct cmd old;		   /* the other trace's store, where two are compared */
	const char **path, **base; /* npaths, nbases */
	size_t npaths, nbases;
	const char *output;
	struct rep_page_options page;
	struct tp_buf command, target, diff, flame; /* as they were typed, for a shell */
};

enum { KEY_TITLE = 0x2000, KEY_RUN, KEY_SAMPLE_INDEX, KEY_BASE, KEY_BASE_RUN };

static const struct argp_option options[] = {
    {"base", KEY_BASE, "OLD", CMD_OPTION_MANY,
     "Make a page of what changed since OLD; may be given several times", 0},
    {"base-run", KEY_BASE_RUN, "RUN", 0, "Which runs of OLD; the default is what --run says", 0},
    {"output", 'o', "FILE", 0, "Write FILE; the default is standard output", 0},
    {"sample-index", KEY_SAMPLE_INDEX, "TYPE", 0,
     "Of profiles, show this sample type only, by name or number; the default are four of them", 0},
    {"title", KEY_TITLE, "TEXT", 0, "The heading; the default is the name of the run", 0},
    {"rows", 'n', "N", CMD_OPTION_LAST, "Show at most N rows of each table (default: 100)", 0},
    {"run", KEY_RUN, "RUN", 0,
     "Pick runs of a store: latest (the default), all, an id, a name, or a label KEY=VALUE", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	const char *ending;

	switch (key) {
	case 'o':
		args->output = cmd_arg_output(state, "-o", arg, NULL);
		return 0;
	case KEY_TITLE:
		args->page.title = arg;
		return 0;
	case 'n':
		args->page.rows =
		    cmd_arg_count(state, cmd_typed(state, arg, "-n", "--rows"), arg, 10000);
		if (!args->page.rows)
			argp_error(state, "-n: a page has bounds; give a number from 1 to 10000");
		return 0;
	case KEY_BASE:
		args->base[args->nbases++] = arg;
		return 0;
	case KEY_BASE_RUN:
		args->old.run_spec = arg;
		return 0;
	case KEY_SAMPLE_INDEX:
		args->page.sample_index = arg;
		return 0;
	case KEY_RUN:
		args->cmd.run_spec = arg;
		return 0;
	case ARGP_KEY_ARG:
		args->path[args->npaths++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "of which file? Give the name of a trace, a profile or a store");
		return 0;
	case ARGP_KEY_SUCCESS:
		if (args->old.run_spec && !args->nbases)
			argp_error(
			    state,
			    "--base-run is about what is compared with; give --base=OLD, too");
		ending = args->output ? cmd_file_ending(args->output) : "";
		if (*ending && strcmp(ending, ".html") && strcmp(ending, ".htm"))
			argp_error(state,
				   "-o: '%s': a report is an HTML page, and its name ends with "
				   ".html (a browser prints it as PDF)",
				   args->output);
		if (!args->output && isatty(STDOUT_FILENO))
			argp_error(state,
				   "a page is for a browser; write it to a file: -o report.html");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "TRACE\nPROFILE...\n--base=OLD NEW...",
    .doc =
	"Make one HTML page of an execution trace, to attach to a ticket: what costs most, charts "
	"over time, a heat map, flame graphs, histograms, and the tables of tprof-top, which sort "
	"and filter. The page holds all it needs and loads nothing.",
};

/* ---- the command, to be shown on the page ---- */

static int put_word(struct tp_buf *b, const char *word)
{
	int code = b->size ? tp_buf_put(b, " ", 1) : 0;

	return code | cmd_quote(b, word);
}

static int note_command(struct args *args, int argc, char **argv)
{
	int code = put_word(&args->command, "tprof-report");

	for (int i = 1; i < argc; i++)
		code |= put_word(&args->command, argv[i]);
	code |= tp_buf_put(&args->command, "", 1);
	args->page.command = code ? NULL : (char *)args->command.data;
	return code;
}

/* ---- running ---- */

static int write_out(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	return cmd_write(data, size, err);
}

static const struct rep_sink sink = {.write = write_out};

static int open_output(struct args *args)
{
	if (!args->output || !strcmp(args->output, "-"))
		return CMD_OK;
	if (cmd_file_is_one_of(args->output, args->path, args->npaths) ||
	    cmd_file_is_one_of(args->output, args->base, args->nbases)) {
		cmd_error(&args->cmd, "%s: is what is read; give another name with -o",
			  args->output);
		return CMD_USAGE;
	}
	return cmd_file_begin(&args->cmd, &args->file, args->output);
}

/* A name that begins with "-" is no option. */
static int put_files(struct tp_buf *b, const char *option, const char *const *path, size_t n)
{
	int code = 0;

	for (size_t i = 0; i < n; i++) {
		struct tp_buf name = {0};

		if (path[i][0] == '-' && path[i][1])
			code |= tp_buf_put(&name, "./", 2);
		code |= tp_buf_put(&name, path[i], strlen(path[i]) + 1);
		code |= b->size ? tp_buf_put(b, " ", 1) : 0;
		code |= tp_buf_put(b, option, strlen(option));
		code |= code ? 0 : cmd_quote(b, (char *)name.data);
		tp_buf_release(&name);
	}
	return code;
}

static int put_option(struct tp_buf *b, const char *option, const char *value)
{
	int code = b->size ? tp_buf_put(b, " ", 1) : 0;

	return code | tp_buf_put(b, option, strlen(option)) | cmd_quote(b, value);
}

static int put_run(struct tp_buf *b, const char *run)
{
	return run ? put_option(b, "--run=", run) : 0;
}

/* Both sides, for tprof-diff and tprof-flame. Where nothing is compared yet, the old one is to be
 * filled in. */
static int put_sides(struct args *args)
{
	const char *old = args->old.run_spec, *new = args->cmd.run_spec;
	const char *run = !old || (new && !strcmp(old, new)) ? new : NULL;
	struct tp_buf *diff = &args->diff, *flame = &args->flame;
	bool one = args->npaths == 1 && args->nbases <= 1 &&
		   (!args->nbases || !strcmp(args->path[0], args->base[0]));
	int code = 0;

	if (one && (args->nbases ? old : new)) {
		/* Runs of one store. */
		code |= put_option(diff, "--base-label=", old ? old : "OLD");
		code |= put_option(diff, "--label=", new ? new : "latest");
		code |= put_files(diff, "", args->path, 1);
	} else {
		code |= put_run(diff, run);
		if (args->nbases)
			code |= put_files(diff, "", args->base, args->nbases);
		else
			code |= put_word(diff, "OLD");
		code |= put_word(diff, "--");
		code |= put_files(diff, "", args->path, args->npaths);
	}
	if (args->nbases && one && old) {
		code |= tp_buf_put(flame, diff->data, diff->size);
	} else {
		code |= put_run(flame, run);
		code |= put_files(flame, "--base=", args->base, args->nbases);
		code |= put_files(flame, "", args->path, args->npaths);
	}
	return code;
}

/* What commands on the page are given. */
static int note_target(struct args *args)
{
	int code = put_sides(args) | put_run(&args->target, args->cmd.run_spec);

	code |= put_files(&args->target, "", args->path, args->npaths);
	code |= tp_buf_put(&args->target, "", 1) | tp_buf_put(&args->diff, "", 1) |
		tp_buf_put(&args->flame, "", 1);
	if (code)
		return cmd_nomem(&args->cmd);
	args->page.target = (char *)args->target.data;
	args->page.diff = (char *)args->diff.data;
	args->page.flame = (char *)args->flame.data;
	return CMD_OK;
}

/* What was asked does not fit the files: nothing is wrong with any of them. */
static int refuse(struct args *args, const char *name, const struct tp_err *err)
{
	if (err->code != TP_ENOENT && err->code != TP_EFORMAT)
		return cmd_fail(&args->cmd, name, err);
	cmd_error(&args->cmd, "%s", err->msg);
	return CMD_USAGE;
}

/* The runs of some traces; each has a store of its own. */
struct traces {
	struct cmd *cmd; /* n of them */
	size_t n;
	struct rep_page_run *run; /* nruns of them */
	size_t nruns;
};

static void close_traces(struct traces *t)
{
	for (size_t i = 0; i < t->n; i++)
		cmd_close(&t->cmd[i]);
	free(t->cmd);
	free(t->run);
}

static int open_traces(const struct cmd *like, const char *const *path, size_t n, struct traces *t)
{
	int status = CMD_OK;

	t->cmd = calloc(n, sizeof(*t->cmd));
	if (!t->cmd)
		return cmd_nomem(like);
	for (; t->n < n && !status; t->n++) {
		struct cmd *cmd = &t->cmd[t->n];
		struct rep_page_run *more;

		*cmd = *like;
		status = cmd_open(cmd, path[t->n]);
		if (status)
			continue;
		more = realloc(t->run, (t->nruns + cmd->runs.n) * sizeof(*more));
		if (!more) {
			status = cmd_nomem(like);
			continue; /* it is to be closed as well */
		}
		t->run = more;
		for (size_t i = 0; i < cmd->runs.n; i++)
			t->run[t->nruns++] = (struct rep_page_run){cmd->store, &cmd->runs.run[i]};
	}
	return status;
}

static int report_trace(struct args *args)
{
	struct traces old = {0}, new = {0};
	struct tp_err err;
	int code = 0, status = open_traces(&args->cmd, args->path, args->npaths, &new);

	if (!status && args->nbases)
		status = open_traces(&args->old, args->base, args->nbases, &old);
	if (!status && !args->nbases && new.nruns > 1) {
		cmd_error(&args->cmd,
			  "a page is about one trace, or about what changed since --base=OLD; "
			  "these are %zu",
			  new.nruns);
		status = CMD_USAGE;
	}
	if (!status)
		status = open_output(args);
	if (!status && args->nbases) {
		const struct rep_page_runs runs = {old.run, new.run, old.nruns, new.nruns};

		code = rep_page_traces(&runs, &args->page, &sink, &err);
	} else if (!status && new.nruns) {
		code = rep_page_trace(new.run->store, new.run->run, &args->page, &sink, &err);
	}
	if (code)
		status = refuse(args, args->path[0], &err);
	close_traces(&old);
	close_traces(&new);
	return status;
}

static struct tp_profile **profiles_of(const struct cmd_profiles *list)
{
	struct tp_profile **p = calloc(list->n + 1, sizeof(*p));

	for (size_t i = 0; p && i < list->n; i++)
		p[i] = list->item[i].profile;
	return p;
}

static int report_difference(struct args *args)
{
	const struct cmd_profiles_options opt = {.sample_index = args->page.sample_index};
	struct cmd_profiles old = {0}, new = {0};
	struct tp_profile **olds = NULL, **news = NULL;
	struct tp_err err;
	int status = cmd_profiles_open(&args->old, args->base, args->nbases, &opt, &old);

	if (!status)
		status = cmd_profiles_open(&args->cmd, args->path, args->npaths, &opt, &new);
	if (!status)
		status = open_output(args);
	if (!status) {
		olds = profiles_of(&old);
		news = profiles_of(&new);
		if (!olds || !news) {
			cmd_nomem(&args->cmd);
			status = CMD_SYSTEM;
		}
	}
	if (!status) {
		const struct rep_page_sides sides = {.old = olds,
						     .nold = old.n,
						     .new = news,
						     .nnew = new.n,
						     .old_name = old.item[0].name,
						     .new_name = new.item[0].name};

		if (rep_page_profiles(&sides, &args->page, &sink, &err))
			status = refuse(args, NULL, &err);
	}
	free(olds);
	free(news);
	cmd_profiles_release(&old);
	cmd_profiles_release(&new);
	return status;
}

static int report_profile(struct args *args)
{
	const struct cmd_profiles_options opt = {.sample_index = args->page.sample_index};
	struct cmd_profiles sum = {0};
	struct rep_page_profile page;
	struct tp_err err;
	int code, status = cmd_profiles_sum(&args->cmd, args->path, args->npaths, &opt, &sum);

	if (!status)
		status = open_output(args);
	if (!status) {
		page = (struct rep_page_profile){sum.item[0].profile, sum.item[0].name};
		code = rep_page_profile(&page, &args->page, &sink, &err);
		if (code)
			status = refuse(args, sum.item[0].name, &err);
	}
	cmd_profiles_release(&sum);
	return status;
}

/* A store may be on both sides, with other runs of it on each. */
static int check_shared(struct args *args)
{
	const char *old = args->old.run_spec, *new = args->cmd.run_spec;
	struct cmd_shared same;
	int status =
	    cmd_files_share(&args->cmd, args->base, args->nbases, args->path, args->npaths, &same);

	if (status || !same.store || strcmp(old ? old : "latest", new ? new : "latest") != 0)
		return status;
	return cmd_shared_tell(&args->cmd, &same, false, true,
			       "--base-run=RUN and --run=RUN pick those of each side");
}

static int run(struct args *args)
{
	enum cmd_kind kind, old = CMD_KIND_PROFILE;
	int status = cmd_kind_of(&args->cmd, args->path[0], &kind);

	args->cmd.files[0] = args->old.files[0] = (struct cmd_files){args->base, args->nbases};
	args->cmd.files[1] = args->old.files[1] = (struct cmd_files){args->path, args->npaths};
	if (!status && args->nbases)
		status = cmd_kind_of(&args->old, args->base[0], &old);
	if (!status)
		status = check_shared(args);
	if (!status)
		status = note_target(args);
	if (status)
		return status;
	if (kind == CMD_KIND_STORE_MIXED || (args->nbases && old != kind)) {
		cmd_error(&args->cmd,
			  args->nbases ? "%s and what it is compared with have to be of one kind, "
					 "traces or profiles"
				       : "%s: these runs are traces and profiles; pick one kind "
					 "with --run",
			  args->path[0]);
		return CMD_USAGE;
	}
	if (kind == CMD_KIND_TRACE && args->page.sample_index) {
		cmd_error(&args->cmd, "%s: --sample-index is for profiles, and this is a trace",
			  args->path[0]);
		return CMD_USAGE;
	}
	if (kind == CMD_KIND_TRACE)
		return report_trace(args);
	return args->nbases ? report_difference(args) : report_profile(args);
}

/* What --help says; tprof-report(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-report [OPTION...] TRACE\n"
    "  or:  tprof-report [OPTION...] PROFILE...\n"
    "  or:  tprof-report [OPTION...] --base=OLD NEW...\n"
    "Make one HTML page, to attach to a ticket: what costs most, charts, a heat\n"
    "map, flame graphs, tables that sort and filter. It holds all it needs and\n"
    "loads nothing.\n"
    "\n"
    "  -o, --output=FILE       Write FILE; the default is standard output\n"
    "      --base=OLD          A page of what changed since OLD\n"
    "      --title=TEXT        The heading\n"
    "  -n, --rows=N            At most N rows of each table (100)\n"
    "\n"
    "Examples:\n"
    "  tprof-report -o go.html go.trace\n"
    "  tprof-report -o heap.html --base=before.pb.gz after.pb.gz\n";
/* clang-format on */

int main(int argc, char **argv)
{
	struct args args = {
	    .cmd = CMD_INIT_HELP("tprof-report", help),
	    .old = CMD_INIT_HELP("tprof-report", help),
	    .path = calloc((size_t)argc + 1, sizeof(char *)),
	    .base = calloc((size_t)argc + 1, sizeof(char *)),
	    .page = {.version = "tprof " TPROF_VERSION},
	};
	int status = CMD_SYSTEM;

	cmd_keep_memory();
	if (args.path && args.base && !note_command(&args, argc, argv)) {
		cmd_parse(&args.cmd, &argp, argc, argv, &args);
		if (!args.old.run_spec)
			args.old.run_spec = args.cmd.run_spec;
		status = run(&args);
	} else {
		cmd_nomem(&args.cmd);
	}
	status = cmd_file_end(&args.cmd, &args.file, status);
	cmd_close(&args.old);
	free(args.path);
	free(args.base);
	tp_buf_release(&args.command);
	tp_buf_release(&args.target);
	tp_buf_release(&args.diff);
	tp_buf_release(&args.flame);
	return status;
}
