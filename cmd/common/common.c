#include "common/common.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/advice.h"
#include "common/decoder.h"
#include "common/draft.h"
#include "common/engine/engine.h"
#include "common/file.h"
#include "common/files.h"
#include "common/head.h"
#include "common/jail.h"
#include "common/limit.h"
#include "common/number.h"
#include "common/option.h"
#include "common/profile_options.h"
#include "common/progress.h"
#include "store/lock.h"

#define TABLE_ROWS 20 /* default number of rows of a table */

enum { KEY_FORMAT = 0x1000, KEY_COLOR };

#define HEADING                                                                                    \
	{                                                                                          \
		NULL, 0, NULL, 0, "Which runs, and how they are shown:", 100                       \
	}
#define RUN                                                                                        \
	{                                                                                          \
		"run", CMD_SETS(struct cmd, run_spec), "RUN", 0,                                   \
		    "Pick runs of a store: latest (the default), all, an id, a name, or a label "  \
		    "KEY=VALUE",                                                                   \
		    100                                                                            \
	}
#define COLOR                                                                                      \
	{                                                                                          \
		"color", KEY_COLOR, "WHEN", CMD_OPTION_LAST,                                       \
		    "Use colors: auto (the default: on a terminal, unless NO_COLOR is set), "      \
		    "always, never",                                                               \
		    100                                                                            \
	}
#define NO_PAGER                                                                                   \
	{                                                                                          \
		"no-pager", CMD_SETS(struct cmd, no_pager), NULL, 0,                               \
		    "Do not page long output on a terminal", 100                                   \
	}

static const struct argp_option options[] = {
    HEADING,
    RUN,
    {"format", KEY_FORMAT, "FORMAT", CMD_OPTION_LAST,
     "Write table (the default), csv, tsv, json (raw numbers: ns, bytes) or markdown", 100},
    {"json-head", CMD_SETS(struct cmd, json_head), NULL, 0,
     "Write JSON with the runs, the kinds of columns, what was cut, and notes: tprof-json(5)", 100},
    COLOR,
    NO_PAGER,
    {0},
};
static const struct argp_option picture_options[] = {HEADING, RUN, COLOR, NO_PAGER, {0}};
static const struct argp_option run_options[] = {HEADING, RUN, {0}};
static const struct argp_option screen_options[] = {
    {"run", CMD_SETS(struct cmd, run_spec), "RUN", 0,
     "Begin with this run: latest (the default), an id, a name, or a label KEY=VALUE", 0},
    {"color", KEY_COLOR, "WHEN", CMD_OPTION_LAST,
     "Use colors: auto (the default: unless NO_COLOR is set), always, never", 0},
    {0},
};
static const char *const whens[] = {"auto", "always", "never"};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct cmd *cmd = state->input;
	const char *more = cmd->more_format_names;
	struct tp_err err;

	switch (key) {
	case KEY_FORMAT:
		cmd->more_format = NULL;
		cmd->format_given = true;
		if (cmd->more_formats && cmd->more_formats(arg))
			cmd->more_format = arg;
		else if (rep_format_find(arg, &cmd->format, &err))
			argp_error(state, "--format: %s%s%s", err.msg, more ? ", and " : "",
				   more ? more : "");
		return 0;
	case KEY_COLOR:
		cmd->color_when = (enum cmd_when)CMD_ARG_WORD(state, "--color", arg, whens);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (cmd->json_head && cmd->format_given &&
		    (cmd->more_format || cmd->format != REP_FORMAT_JSON))
			argp_error(state, "--json-head is for --format=json");
		if (cmd->json_head)
			cmd->format = REP_FORMAT_JSON;
		return 0;
	default:
		return cmd_set_option(key, arg, state);
	}
}

const struct argp cmd_argp = {.options = options, .parser = on_option};
const struct argp cmd_picture_argp = {.options = picture_options, .parser = on_option};
const struct argp cmd_run_argp = {.options = run_options, .parser = on_option};
const struct argp cmd_screen_argp = {.options = screen_options, .parser = on_option};

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
	if (key == ARGP_KEY_SUCCESS && cmd->kinds)
		cmd_need_file(cmd, state, cmd->kinds);
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
		return cmd->kinds ? cmd_add_file(cmd, CMD_NEW, arg) : ARGP_ERR_UNKNOWN;
	default:
		return cmd_set_option(key, arg, state);
	}
}

static int terminal_width(bool tty)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t n;

	if (columns && cmd_parse_count(columns, 10000, &n) && n > 0)
		return (int)n;
	if (tty && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return tty ? 80 : 0;
}

static bool wants_color(const struct cmd *cmd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (cmd->color_when != CMD_AUTO)
		return cmd->color_when == CMD_ALWAYS;
	return cmd->tty && !(no && *no) && term && strcmp(term, "dumb") != 0;
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

static const struct cmd *waiting;

/* Tells the user once why nothing happens. */
static void tell_wait(const char *path)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (atomic_flag_test_and_set(&told))
		return;
	cmd_progress_hide();
	cmd_error(waiting, "note: waiting until another process releases its lock on %s", path);
}

#define MAX_CHILDREN 16

void cmd_parse(struct cmd *cmd, const struct argp *argp, int argc, char **argv)
{
	struct argp_child children[MAX_CHILDREN + 2] = {0};
	struct argp whole = *argp;
	FILE *real = stderr, *shown;
	bool failed, profiles = false;
	size_t n = 0;
	int status;

	argp_err_exit_status = CMD_USAGE;
	hold_streams(cmd->in_order);
	cmd_draft_learn_mode();
	/* A write to a closed pipe becomes EPIPE, which ends the command quietly and in order. */
	signal(SIGPIPE, SIG_IGN);
	/* If the parent process ignored SIGCHLD, no child could be waited for. */
	if (!cmd->in_order) /* a program that is run must inherit the signal as it is */
		signal(SIGCHLD, SIG_DFL);
	for (; argp->children && argp->children[n].argp && n < MAX_CHILDREN; n++) {
		children[n] = argp->children[n];
		profiles |= children[n].argp == &cmd_profile_argp;
	}
	children[n].argp = &help_argp;
	if (profiles) {
		status = cmd_engine_begin(cmd, argc, argv);
		if (status)
			exit(status);
		argc = cmd_profile_arguments(cmd, argp, argc, argv);
	} else if (!cmd->in_order) { /* else the arguments may be another program's */
		cmd_engine_hide(argc, argv);
	}
	waiting = cmd;
	tp_lock_waits = tell_wait;
	cmd->argp = argp;
	cmd->rows = -1;
	cmd->words = argv;
	cmd->nwords = argc;
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
	if (cmd_jail_mode() == CMD_JAIL_UNKNOWN)
		exit(cmd_reject(cmd, CMD_USAGE, "TPROF_JAIL: '%s' is not auto, require or off",
				getenv("TPROF_JAIL")));
	if (!cmd->in_order) /* else the files may be another program's */
		cmd_limit_memory(cmd, argc, argv);
	cmd->tty = isatty(STDOUT_FILENO) != 0;
	cmd->width = terminal_width(cmd->tty);
	cmd->color = wants_color(cmd);
}

void cmd_keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
}

size_t cmd_processors(size_t most)
{
	cpu_set_t set;
	size_t n = sched_getaffinity(0, sizeof(set), &set) ? 1 : (size_t)CPU_COUNT(&set);

	return n < most ? n : most;
}

void cmd_in_threads(void *(*work)(void *item), void *items, size_t size, size_t n)
{
	pthread_t thread[CMD_THREADS];
	char *item = items;
	size_t started = 0;

	while (started + 1 < n && started < CMD_THREADS &&
	       !pthread_create(&thread[started], NULL, work, item + started * size))
		started++;
	for (size_t i = started; i < n; i++)
		work(item + i * size);
	for (size_t i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}

static const char *stdout_name = "standard output";

void cmd_stdout_is(const char *path)
{
	stdout_name = path;
}

int cmd_write(const void *data, size_t size, struct tp_err *err)
{
	if (fwrite(data, 1, size, stdout) == size)
		return 0;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot write %s: %s", stdout_name,
			  strerror(cmd_flush()));
}

int cmd_write_out(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	return cmd_write(data, size, err);
}

int cmd_write_buf(struct tp_buf *b, size_t least, struct tp_err *err)
{
	size_t size = b->size;

	if (!size || size < least)
		return 0;
	b->size = 0;
	return cmd_write(b->data, size, err);
}

int cmd_output(struct cmd *cmd, bool several, struct rep_output **out)
{
	struct rep_output_options opt = {
	    .format = cmd->format,
	    .width = (unsigned)cmd->width,
	    .colour = cmd->color,
	    .several = several,
	    .sink = {.write = cmd_write_out},
	};
	struct tp_err err;

	if (cmd->json_head) {
		opt.json_head = cmd_json_head(cmd);
		if (!opt.json_head)
			return cmd_nomem(cmd);
	}
	return rep_output_new(out, &opt, &err) ? cmd_fail(cmd, NULL, &err) : CMD_OK;
}

int cmd_output_end(struct cmd *cmd, struct rep_output *out, const char *path, int code,
		   struct tp_err *err)
{
	if (!code && out)
		code = rep_output_finish(out, err);
	rep_output_free(out);
	return code ? cmd_fail(cmd, path, err) : CMD_OK;
}

int64_t cmd_rows(const struct cmd *cmd, int64_t given)
{
	return given >= 0 ? given : cmd->format == REP_FORMAT_TABLE ? TABLE_ROWS : 0;
}

int cmd_written(const struct cmd *cmd, int status)
{
	int failed = cmd_flush();

	/* With any other status, the command has already reported why it stopped. */
	if (!failed || failed == EPIPE || (status != CMD_OK && status != CMD_FOUND))
		return status;
	return cmd_reject(cmd, CMD_SYSTEM, "cannot write %s: %s%s", stdout_name, strerror(failed),
			  cmd_advice(failed));
}

int cmd_finish(struct cmd *cmd, int status)
{
	cmd->pages = false; /* a pager will not be started any more */
	status = cmd_written(cmd, status);
	cmd_pager_end(cmd);
	cmd_notes_release(stderr);
	cmd_json_head_release();
	cmd_close(cmd);
	cmd_files_release(cmd);
	return cmd_file_end(cmd, status);
}
