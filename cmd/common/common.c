#include "common/common.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/decoder.h"
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
#include "output/budget.h"
#include "store/lock.h"

#define TABLE_ROWS 20 /* default number of rows of a table */

enum { KEY_FORMAT = 0x1000, KEY_COLOR, KEY_BUDGET };

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
#define BUDGET                                                                                     \
	{                                                                                          \
		"budget", KEY_BUDGET, "BYTES", CMD_OPTION_LAST,                                    \
		    "Write at most BYTES: whole rows, the first ones of each table, and what was " \
		    "left out",                                                                    \
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
    BUDGET,
    COLOR,
    NO_PAGER,
    {0},
};
static const struct argp_option picture_options[] = {HEADING, RUN, BUDGET, COLOR, NO_PAGER, {0}};
static const struct argp_option page_options[] = {HEADING, RUN, BUDGET, {0}};
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
	case KEY_BUDGET:
		cmd->budget = cmd_arg_size(state, "--budget", arg);
		if (cmd->budget < REP_BUDGET_LEAST || cmd->budget > REP_BUDGET_MOST)
			argp_error(state, "--budget: '%s' is not between 200 bytes and 64MiB", arg);
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
const struct argp cmd_page_argp = {.options = page_options, .parser = on_option};
const struct argp cmd_run_argp = {.options = run_options, .parser = on_option};
const struct argp cmd_screen_argp = {.options = screen_options, .parser = on_option};

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

static error_t on_file(struct cmd *cmd, char *arg, struct argp_state *state)
{
	if (arg)
		return cmd_add_file(cmd, CMD_NEW, arg);
	cmd_need_file(cmd, state, cmd->kinds);
	return 0;
}

void cmd_parse(struct cmd *cmd, const struct argp *argp, int argc, char **argv)
{
	bool profiles = false;
	int status;

	cmd_begin(cmd);
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		profiles |= c->argp == &cmd_profile_argp;
	if (profiles) {
		status = cmd_engine_begin(cmd, argc, argv);
		if (status)
			exit(status);
		argc = cmd_profile_arguments(cmd, argp, argc, argv);
	} else {
		cmd_engine_hide(argc, argv);
	}
	waiting = cmd;
	tp_lock_waits = tell_wait;
	/* argp sorts the arguments. */
	cmd->words = malloc(((size_t)argc + 1) * sizeof(*argv));
	if (!cmd->words)
		exit(cmd_nomem(cmd));
	memcpy(cmd->words, argv, ((size_t)argc + 1) * sizeof(*argv));
	cmd->nwords = argc;
	cmd->on_file = cmd->kinds ? on_file : NULL;
	cmd_parse_options(cmd, argp, argc, argv);
	if (cmd_jail_mode() == CMD_JAIL_UNKNOWN)
		exit(cmd_reject(cmd, CMD_USAGE, "TPROF_JAIL: '%s' is not auto, require or off",
				getenv("TPROF_JAIL")));
	cmd_limit_memory(cmd, argc, argv);
	cmd->tty = isatty(STDOUT_FILENO) != 0;
	cmd->width = terminal_width(cmd->tty);
	cmd->color = wants_color(cmd);
	status = cmd_budget_begin(cmd);
	if (status)
		exit(status);
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

int cmd_output(struct cmd *cmd, bool several, struct rep_output **out)
{
	struct rep_output_options opt = {
	    .format = cmd->format,
	    .width = (unsigned)cmd->width,
	    .colour = cmd->color,
	    .several = several,
	    .sink = cmd_sink(),
	};
	struct tp_err err;

	if (cmd->json_head) {
		opt.json_head = cmd_json_head(cmd);
		if (!opt.json_head)
			return cmd_nomem(cmd);
	}
	if (rep_output_new(out, &opt, &err))
		return cmd_fail(cmd, NULL, &err);
	if (cmd->json_head && rep_output_messages(*out, cmd_notes_kept()))
		return cmd_nomem(cmd);
	return CMD_OK;
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

int cmd_finish(struct cmd *cmd, int status)
{
	cmd->pages = false; /* a pager will not be started any more */
	status = cmd_budget_end(cmd, status);
	status = cmd_written(cmd, status);
	cmd_pager_end(cmd);
	cmd_notes_release(stderr);
	cmd_json_head_release();
	free(cmd->words);
	cmd->words = NULL;
	cmd_close(cmd);
	cmd_files_release(cmd);
	return cmd_file_end(cmd, status);
}
