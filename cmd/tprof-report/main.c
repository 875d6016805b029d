/* tprof-report: one page about a run or a profile, or about what changed, to attach to a ticket. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/common.h"
#include "common/file.h"
#include "common/files.h"
#include "common/number.h"
#include "common/option.h"
#include "common/sets.h"
#include "common/sides.h"
#include "common/view_options.h"
#include "page/page.h"

struct args {
	struct cmd cmd;
	struct rep_profile_options profile; /* its sample_index */
	struct rep_page_options page;
	struct tp_buf command, target, diff, flame; /* as they were typed, for a shell */
};

enum { KEY_BASE = 0x2000, KEY_FORMAT };
enum { HTML, MARKDOWN };
static const char *const formats[] = {[HTML] = "html", [MARKDOWN] = "markdown"};

#define SETS(member) CMD_SETS(struct args, member)

static const struct argp_option options[] = {
    {"base", KEY_BASE, "OLD", CMD_OPTION_MANY,
     "Make a page about what changed since OLD; may be given several times", 0},
    {"base-run", SETS(cmd.side_run[CMD_OLD]), "RUN", 0, "Pick runs of OLD (default: as --run says)",
     0},
    {"output", 'o', "FILE", 0,
     "Write FILE, whose ending (.html, .md) sets the format (default: standard output)", 0},
    {"format", KEY_FORMAT, "FORMAT", CMD_OPTION_LAST,
     "Write html (the default) or markdown, for a pull request or a ticket", 0},
    {"sample-index", SETS(profile.sample_index), "TYPE", 0,
     "Show only this sample type of profiles, by name or number (default: four of them)", 0},
    {"title", SETS(page.title), "TEXT", 0, "Use TEXT as the heading (default: the name of the run)",
     0},
    {"own", SETS(page.own), "REGEX", 0, CMD_OWN_DOC, 0},
    {"rows", 'n', "N", CMD_OPTION_LAST,
     "Show at most N rows of each table (default: 100, in markdown 10)", 0},
    {0},
};

static bool is_markdown(const char *ending)
{
	return !strcmp(ending, ".md") || !strcmp(ending, ".markdown");
}

/* The name of the file and --format must agree. */
static void check_format(struct args *args, struct argp_state *state)
{
	const char *ending = args->cmd.output ? cmd_file_ending(args->cmd.output) : "";
	bool html = !strcmp(ending, ".html") || !strcmp(ending, ".htm");

	if (!args->cmd.format_given)
		args->page.markdown = is_markdown(ending);
	if (*ending && !html && !is_markdown(ending))
		argp_error(state,
			   "-o: '%s': a report is an HTML page (.html; a browser prints it as PDF) "
			   "or Markdown (.md); end the name so",
			   args->cmd.output);
	if (args->page.markdown ? html : is_markdown(ending))
		argp_error(state, "--format=%s and -o %s contradict each other; leave one out",
			   formats[args->page.markdown], args->cmd.output);
	if (args->page.markdown)
		args->cmd.format = REP_FORMAT_MARKDOWN;
	else if (args->cmd.budget)
		argp_error(state, "--budget: an HTML page is of use only as a whole; give "
				  "--format=markdown as well");
	else if (!args->cmd.output && isatty(STDOUT_FILENO))
		argp_error(state, "an HTML page cannot be written to a terminal; give -o "
				  "report.html, or --format=markdown");
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case 'n':
		args->page.rows = cmd_arg_rows(state, arg, 10000);
		if (!args->page.rows)
			argp_error(
			    state,
			    "-n: a page cannot show all rows; give a number from 1 to 10000");
		return 0;
	case KEY_FORMAT:
		args->cmd.format_given = true;
		args->page.markdown = CMD_ARG_WORD(state, "--format", arg, formats) == MARKDOWN;
		return 0;
	case KEY_BASE:
		return cmd_add_file(&args->cmd, CMD_OLD, arg);
	case ARGP_KEY_SUCCESS:
		args->page.sample_index = args->profile.sample_index;
		if (args->cmd.side_run[CMD_OLD] && !args->cmd.files[CMD_OLD].n)
			argp_error(state, "--base-run picks runs of OLD; give --base=OLD as well");
		cmd_check_filter(state, &(struct rep_filter_text){.own = args->page.own});
		check_format(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&cmd_page_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .children = children,
    .options = options,
    .parser = on_option,
    .args_doc = "TRACE\nPROFILE...\n--base=OLD NEW...",
    .doc =
	"Make one HTML page of an execution trace, to attach to a ticket: what costs most, charts "
	"over time, a heat map, flame graphs, histograms, and the tables of tprof-top, which sort "
	"and filter. The page holds all it needs and loads nothing. As Markdown it has the same "
	"without pictures.",
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

/* A name that begins with "-" is no option. */
static int put_files(struct tp_buf *b, const char *option, const struct cmd_files *files)
{
	int code = 0;

	for (size_t i = 0; i < files->n; i++) {
		const char *path = files->path[i];
		struct tp_buf name = {0};

		if (path[0] == '-' && path[1])
			code |= tp_buf_put(&name, "./", 2);
		code |= tp_buf_put(&name, path, strlen(path) + 1);
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
	const struct cmd_files *olds = &args->cmd.files[CMD_OLD];
	const struct cmd_files *news = &args->cmd.files[CMD_NEW];
	const char *old = cmd_side_run(&args->cmd, CMD_OLD), *new = args->cmd.run_spec;
	const char *run = !old || (new && !strcmp(old, new)) ? new : NULL;
	struct tp_buf *diff = &args->diff, *flame = &args->flame;
	bool one =
	    news->n == 1 && olds->n <= 1 && (!olds->n || !strcmp(news->path[0], olds->path[0]));
	int code = 0;

	if (one && (olds->n ? old : new)) {
		/* Runs of one store. */
		code |= put_option(diff, "--base-label=", old ? old : "OLD");
		code |= put_option(diff, "--label=", new ? new : "latest");
		code |= put_files(diff, "", news);
	} else {
		code |= put_run(diff, run);
		if (olds->n)
			code |= put_files(diff, "", olds);
		else
			code |= put_word(diff, "OLD");
		code |= put_word(diff, "--");
		code |= put_files(diff, "", news);
	}
	if (olds->n && one && old) {
		code |= tp_buf_put(flame, diff->data, diff->size);
	} else {
		code |= put_run(flame, run);
		code |= put_files(flame, "--base=", olds);
		code |= put_files(flame, "", news);
	}
	return code;
}

/* What commands on the page are given. */
static int note_target(struct args *args)
{
	int code = put_sides(args) | put_run(&args->target, args->cmd.run_spec);

	code |= put_files(&args->target, "", &args->cmd.files[CMD_NEW]);
	code |= tp_buf_put(&args->target, "", 1) | tp_buf_put(&args->diff, "", 1) |
		tp_buf_put(&args->flame, "", 1);
	if (code)
		return cmd_nomem(&args->cmd);
	args->page.target = (char *)args->target.data;
	args->page.diff = (char *)args->diff.data;
	args->page.flame = (char *)args->flame.data;
	return CMD_OK;
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

static int open_traces(const struct cmd *like, enum cmd_side side, struct traces *t)
{
	const struct cmd_files *files = &like->files[side];
	int status = CMD_OK;

	t->cmd = calloc(files->n + 1, sizeof(*t->cmd));
	if (!t->cmd)
		return cmd_nomem(like);
	for (; t->n < files->n && !status; t->n++) {
		struct cmd *cmd = &t->cmd[t->n];
		struct rep_page_run *more;

		*cmd = *like;
		cmd->run_spec = cmd_side_run(like, side);
		status = cmd_open(cmd, files->path[t->n]);
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
	const struct rep_sink sink = cmd_sink();
	struct traces old = {0}, new = {0};
	struct tp_err err;
	bool compares = cmd_compares(&args->cmd);
	int code = 0, status = open_traces(&args->cmd, CMD_NEW, &new);

	if (!status && compares)
		status = open_traces(&args->cmd, CMD_OLD, &old);
	if (!status && !compares && new.nruns > 1)
		status = cmd_reject(&args->cmd, CMD_USAGE,
				    "%zu traces are given, and a page is about one; --base=OLD "
				    "makes a page of what changed",
				    new.nruns);
	if (!status)
		status = cmd_file_begin(&args->cmd, NULL, 0);
	if (!status && compares) {
		const struct rep_page_runs runs = {old.run, new.run, old.nruns, new.nruns};

		code = rep_page_traces(&runs, &args->page, &sink, &err);
	} else if (!status && new.nruns) {
		code = rep_page_trace(new.run->store, new.run->run, &args->page, &sink, &err);
	}
	if (code)
		status = cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE);
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
	const struct rep_sink sink = cmd_sink();
	struct cmd_profiles list[2] = {{0}, {0}};
	struct tp_profile **olds = NULL, **news = NULL;
	struct tp_err err;
	int status = cmd_sides_open(&args->cmd, NULL, false, list);

	if (!status)
		status = cmd_sets_settle(&args->cmd, list);
	if (!status)
		status = cmd_file_begin(&args->cmd, NULL, 0);
	if (!status) {
		olds = profiles_of(&list[CMD_OLD]);
		news = profiles_of(&list[CMD_NEW]);
		status = olds && news ? CMD_OK : cmd_nomem(&args->cmd);
	}
	if (!status) {
		const struct rep_page_sides sides = {.old = olds,
						     .nold = list[CMD_OLD].n,
						     .new = news,
						     .nnew = list[CMD_NEW].n,
						     .old_name = list[CMD_OLD].item[0].name,
						     .new_name = list[CMD_NEW].item[0].name};

		if (rep_page_profiles(&sides, &args->page, &sink, &err))
			status = cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE);
	}
	free(olds);
	free(news);
	cmd_profiles_release(&list[CMD_OLD]);
	cmd_profiles_release(&list[CMD_NEW]);
	return status;
}

static int report_profile(struct args *args)
{
	const struct rep_sink sink = cmd_sink();
	struct cmd_profiles sum = {0};
	struct rep_page_profile page;
	struct tp_err err;
	const struct cmd_files *files = &args->cmd.files[CMD_NEW];
	int status = cmd_profiles_sum(&args->cmd, files->path, files->n, &sum);

	if (!status)
		status = cmd_file_begin(&args->cmd, NULL, 0);
	if (!status) {
		page = (struct rep_page_profile){sum.item[0].profile, sum.item[0].name};
		if (rep_page_profile(&page, &args->page, &sink, &err))
			status = cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE);
	}
	cmd_profiles_release(&sum);
	return status;
}

/* A store may be on both sides, with other runs of it on each. */
static int check_shared(struct args *args)
{
	const char *old = cmd_side_run(&args->cmd, CMD_OLD), *new = args->cmd.run_spec;
	struct cmd_shared same;
	int status = cmd_sides_share(&args->cmd, &same);

	if (status || !same.store || strcmp(old ? old : "latest", new ? new : "latest") != 0)
		return status;
	return cmd_shared_tell(&args->cmd, &same, true,
			       "--base-run=RUN and --run=RUN pick those of each side");
}

static int run(struct args *args)
{
	enum cmd_kind kind, old = CMD_KIND_PROFILE;
	const struct cmd_files *olds = &args->cmd.files[CMD_OLD];
	const char *path = cmd_path(&args->cmd);
	int status = cmd_kind_of(&args->cmd, path, args->cmd.run_spec, &kind);

	if (!status && olds->n)
		status =
		    cmd_kind_of(&args->cmd, olds->path[0], cmd_side_run(&args->cmd, CMD_OLD), &old);
	if (!status)
		status = check_shared(args);
	if (!status)
		status = note_target(args);
	if (status)
		return status;
	if (kind == CMD_KIND_STORE_MIXED || (olds->n && old != kind))
		return cmd_reject(
		    &args->cmd, CMD_USAGE,
		    olds->n ? "%s and the files of --base must be of one kind, traces or profiles"
			    : "%s: these runs are traces and profiles; pick one kind with --run",
		    path);
	if (kind == CMD_KIND_TRACE && args->page.sample_index)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "%s: --sample-index is for profiles, and this is a trace", path);
	if (args->page.own && (kind != CMD_KIND_TRACE || olds->n))
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "%s: --own is for the page of one trace, and this %s", path,
				  olds->n ? "compares" : "is a profile");
	if (kind == CMD_KIND_TRACE)
		return report_trace(args);
	return olds->n ? report_difference(args) : report_profile(args);
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
    "  -o, --output=FILE       Write FILE (default: standard output)\n"
    "      --base=OLD          A page of what changed since OLD\n"
    "      --title=TEXT        The heading\n"
    "      --format=markdown   For a pull request or ticket; so does -o report.md\n"
    "  -n, --rows=N            At most N rows of each table (100; markdown 10)\n"
    "      --budget=BYTES      At most so many bytes of Markdown\n"
    "\n"
    "Examples:\n"
    "  tprof-report -o go.html go.trace\n"
    "  tprof-report -o heap.html --base=before.pb.gz after.pb.gz\n";
/* clang-format on */

int main(int argc, char **argv)
{
	struct args args = {
	    .cmd = {.name = "tprof-report",
		    .kinds = CMD_ANY_KIND,
		    .profile = &args.profile,
		    .help = help},
	    .page = {.version = "tprof " TPROF_VERSION},
	};
	int status;

	cmd_keep_memory();
	if (note_command(&args, argc, argv))
		return cmd_nomem(&args.cmd);
	cmd_parse(&args.cmd, &argp, argc, argv);
	status = cmd_finish(&args.cmd, run(&args));
	tp_buf_release(&args.command);
	tp_buf_release(&args.target);
	tp_buf_release(&args.diff);
	tp_buf_release(&args.flame);
	return status;
}
