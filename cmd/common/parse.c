/* What every command does with its arguments, one that reads no dumps (tprof-record) included: it
 * links nothing that reads them. */
#include "common/common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/draft.h"
#include "common/number.h"
#include "common/option.h"

/* ---- help ---- */

enum { KEY_HELP = '?', KEY_VERSION = 'V', KEY_USAGE = 0x1010 };

/* Replaces argp's own options: its --help would always show everything. */
static const struct argp_option help_options[] = {
    {NULL, 0, NULL, 0, "Help:", -1},
    {"help", KEY_HELP, "all", OPTION_ARG_OPTIONAL, "Show the most used options, or all", -1},
    {"usage", KEY_USAGE, NULL, 0, "Show a short usage message", -1},
    {"version", KEY_VERSION, NULL, 0, "Show the version", -1},
    {0},
};

/* Ends the command after it has printed help or its version. */
static void told(const struct cmd *cmd)
{
	exit(cmd_written(cmd, CMD_OK));
}

static error_t on_help(int key, char *arg, struct argp_state *state)
{
	const struct cmd *cmd = state->input;

	switch (key) {
	case KEY_HELP:
		if (arg && strcmp(arg, "all") != 0)
			argp_error(state,
				   "--help: '%s' is not 'all'; --help=all lists every option", arg);
		if (arg || !cmd->help) {
			argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
			if (cmd->more_help)
				cmd->more_help();
			told(cmd);
		}
		printf("%s\nAll options: %s --help=all. Manual: man %s\n", cmd->help, cmd->name,
		       cmd->name);
		told(cmd);
		return 0;
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE);
		told(cmd);
		return 0;
	case KEY_VERSION:
		printf("%s %s\n", state->name, TPROF_VERSION);
		told(cmd);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp help_argp = {.options = help_options, .parser = on_help};

/* ---- options that set members (CMD_SETS) ---- */

static const char *name_of(int key, const struct argp *argp)
{
	const struct argp_option *o = argp->options;

	while (o->key != key)
		o++;
	return o->name;
}

static int64_t number_of(int key, const char *arg, struct argp_state *state)
{
	char option[64];

	snprintf(option, sizeof(option), "--%s", name_of(key, state->root_argp));
	return (key & ~0xffff) == CMD_TIME ? cmd_arg_duration(state, option, arg)
					   : cmd_arg_count(state, option, arg, UINT32_MAX);
}

error_t cmd_set_option(int key, char *arg, struct argp_state *state)
{
	char *member = (char *)state->input + (key & 0xffff);
	int64_t n;

	switch (key & ~0xffff) {
	case CMD_FLAG:
		*(bool *)member = true;
		return 0;
	case CMD_TEXT:
		memcpy(member, &arg, sizeof(arg));
		return 0;
	case CMD_COUNT:
	case CMD_TIME:
		n = number_of(key, arg, state);
		memcpy(member, &n, sizeof(n));
		return 0;
	case CMD_SETS_NOTHING:
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Handles options and arguments that all commands have in common, and calls the command's own parser. */
static error_t on_any(int key, char *arg, struct argp_state *state)
{
	struct cmd *cmd = state->input;
	const struct argp *argp = cmd->argp;
	error_t error;

	if (key == ARGP_KEY_INIT)
		for (size_t i = 0; state->root_argp->children[i].argp; i++)
			state->child_inputs[i] = cmd;
	if (key == ARGP_KEY_SUCCESS && cmd->on_file)
		cmd->on_file(cmd, NULL, state);
	error = argp->parser ? argp->parser(key, arg, state) : ARGP_ERR_UNKNOWN;
	if (error != ARGP_ERR_UNKNOWN)
		return error;
	switch (key) {
	case 'o':
		cmd->output = cmd_arg_output(state, "-o", arg, NULL);
		return 0;
	case 'n':
		cmd->rows = cmd_arg_rows(state, arg, UINT32_MAX);
		return 0;
	case ARGP_KEY_ARG:
		return cmd->on_file ? cmd->on_file(cmd, arg, state) : ARGP_ERR_UNKNOWN;
	default:
		return cmd_set_option(key, arg, state);
	}
}

/* ---- messages of argp and getopt, which quote arguments unescaped ---- */

static ssize_t write_shown(void *cookie, const char *data, size_t size)
{
	FILE *to = cookie;
	struct tp_buf line = {0};
	size_t at = 0;

	while (at < size) {
		const char *end = memchr(data + at, '\n', size - at);
		size_t n = end ? (size_t)(end - data) - at : size - at;

		line.size = 0;
		if (!rep_escape(&line, data + at, n, REP_ESCAPE_SHOWN))
			fwrite(line.data, 1, line.size, to);
		if (end)
			fputc('\n', to);
		at += n + (end != NULL);
	}
	tp_buf_release(&line);
	fflush(to);
	return (ssize_t)size;
}

/* Replaces stderr by a stream that escapes; argp and getopt know no other one. Returns the stream, or NULL
 * if that is not possible, and stderr stays. */
static FILE *begin_shown(FILE *real)
{
	const cookie_io_functions_t io = {.write = write_shown};
	FILE *f = fopencookie(real, "w", io);

	if (!f)
		return NULL;
	setvbuf(f, NULL, _IOLBF, BUFSIZ);
	stderr = f;
	return f;
}

static void end_shown(FILE *shown, FILE *real)
{
	stderr = real;
	if (shown)
		fclose(shown);
}

/* Reserves the descriptors of closed standard streams. Otherwise the next file that is opened would get one,
 * and messages would be written into it. The reserved ones cannot be used for their stream either
 * (/dev/null, opened the wrong way round). A program that is run still finds the stream closed. */
static void hold_streams(bool runs_others)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			/* Never closed: it holds the place. */
			/* cppcheck-suppress leakReturnValNotUsed */
			(void)!open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) |
						     (runs_others ? O_CLOEXEC : 0));
}

void cmd_begin(const struct cmd *cmd)
{
	argp_err_exit_status = CMD_USAGE;
	hold_streams(cmd->in_order);
	cmd_draft_learn_mode();
	/* A write to a closed pipe becomes EPIPE, which ends the command quietly and in order. */
	signal(SIGPIPE, SIG_IGN);
	/* If the parent process ignored SIGCHLD, no child could be waited for. */
	if (!cmd->in_order) /* a program that is run must inherit the signal as it is */
		signal(SIGCHLD, SIG_DFL);
}

#define MAX_CHILDREN 16

void cmd_parse_options(struct cmd *cmd, const struct argp *argp, int argc, char **argv)
{
	struct argp_child children[MAX_CHILDREN + 2] = {0};
	struct argp whole = *argp;
	FILE *real = stderr, *shown;
	bool failed;
	size_t n = 0;

	for (; argp->children && argp->children[n].argp && n < MAX_CHILDREN; n++)
		children[n] = argp->children[n];
	children[n].argp = &help_argp;
	cmd->argp = argp;
	cmd->rows = -1;
	whole.children = children;
	whole.parser = on_any;
	cmd_options_check(cmd, &whole, argc, argv);
	shown = begin_shown(real);
	/* argp_parse does not return after usage errors, so it fails only if memory is out. */
	failed = argp_parse(&whole, argc, argv, ARGP_NO_HELP | (cmd->in_order ? ARGP_IN_ORDER : 0),
			    NULL, cmd) != 0;
	end_shown(shown, real);
	if (failed) {
		fprintf(stderr, "%s: out of memory\n", cmd->name);
		exit(CMD_SYSTEM);
	}
}
