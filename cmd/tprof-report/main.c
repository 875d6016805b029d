/* tprof-report: one page about a run or a profile, or about what changed, to attach to a ticket. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/common.h"
#include "common/file.h"
#include "common/number.h"
#include "common/profiles.h"
#include "page/page.h"

struct args {
	struct cmd cmd;
	struct cmd_file file;
	const char **path; /* npaths of them */
	size_t npaths;
	const char *output;
	struct rep_page_options page;
	struct tp_buf command; /* as it was typed, for a shell */
};

enum { KEY_TITLE = 0x2000, KEY_RUN };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write FILE; the default is standard output", 0},
    {"title", KEY_TITLE, "TEXT", 0, "The heading; the default is the name of the run", 0},
    {"rows", 'n', "N", 0, "Show at most N rows of each table (default: 100)", 0},
    {"run", KEY_RUN, "RUN", 0,
     "Pick a run of a store: latest (the default), an id, a name, or a label KEY=VALUE", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case 'o':
		args->output = arg;
		return 0;
	case KEY_TITLE:
		args->page.title = arg;
		return 0;
	case 'n':
		args->page.rows = cmd_arg_count(state, "-n", arg, 10000);
		if (!args->page.rows)
			argp_error(state, "-n: a page has bounds; give a number from 1 to 10000");
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
    .args_doc = "FILE",
    .doc =
	"Make one HTML page of an execution trace, to attach to a ticket: what costs most, charts "
	"over time, a heat map, flame graphs, histograms, and the tables of tprof-top, which sort "
	"and filter. The page holds all it needs and loads nothing.",
};

/* ---- the command, to be shown on the page ---- */

static int put_word(struct tp_buf *b, const char *word)
{
	static const char harmless[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789_@%+=:,./-";
	int code = b->size ? tp_buf_put(b, " ", 1) : 0;

	if (*word && !word[strspn(word, harmless)])
		return code | tp_buf_put(b, word, strlen(word));
	code |= tp_buf_put(b, "'", 1);
	for (const char *c = word; *c; c++)
		code |= *c == '\'' ? tp_buf_put(b, "'\\''", 4) : tp_buf_put(b, c, 1);
	return code | tp_buf_put(b, "'", 1);
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

static int open_output(struct args *args)
{
	if (!args->output || !strcmp(args->output, "-"))
		return CMD_OK;
	if (cmd_file_is_one_of(args->output, args->path, args->npaths)) {
		cmd_error(&args->cmd, "%s: is what is read; give another name with -o",
			  args->output);
		return CMD_USAGE;
	}
	return cmd_file_begin(&args->cmd, &args->file, args->output);
}

static int report_trace(struct args *args)
{
	struct rep_sink sink = {.write = write_out};
	struct tp_err err;
	int status = cmd_open(&args->cmd, args->path[0]);

	if (status)
		return status;
	if (args->cmd.runs.n > 1) {
		cmd_error(&args->cmd, "%s: --run picks %zu runs; a page is about one of them",
			  args->path[0], args->cmd.runs.n);
		return CMD_USAGE;
	}
	args->page.file = args->path[0];
	if (args->cmd.all.n > 1)
		args->page.run = args->cmd.run_spec;
	status = open_output(args);
	if (!status &&
	    rep_page_trace(args->cmd.store, &args->cmd.runs.run[0], &args->page, &sink, &err))
		status = cmd_fail(&args->cmd, args->path[0], &err);
	return status;
}

static int run(struct args *args)
{
	enum cmd_kind kind;
	int status = cmd_kind_of(&args->cmd, args->path[0], &kind);

	if (status)
		return status;
	return report_trace(args);
}

int main(int argc, char **argv)
{
	struct args args = {
	    .cmd = CMD_INIT("tprof-report"),
	    .path = calloc((size_t)argc + 1, sizeof(char *)),
	    .page = {.version = "tprof " TPROF_VERSION},
	};
	int status = CMD_SYSTEM;

	cmd_keep_memory();
	if (args.path && !note_command(&args, argc, argv)) {
		cmd_parse(&args.cmd, &argp, argc, argv, &args);
		status = run(&args);
	} else {
		cmd_error(&args.cmd, "out of memory");
	}
	status = cmd_file_end(&args.cmd, &args.file, status);
	free(args.path);
	tp_buf_release(&args.command);
	return status;
}
