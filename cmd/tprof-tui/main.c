/* tprof-tui: browses a store or a dump in a terminal. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "common/common.h"
#include "common/view_options.h"
#include "store/lock.h"
#include "tprof-tui/prompt.h"
#include "tprof-tui/position.h"
#include "tprof-tui/tui.h"
#include "tprof-tui/view/views.h"

struct args {
	struct cmd cmd;
	const char *path, *view;
	char **words; /* the arguments of the view, nwords */
	int nwords;
	struct tp_buf arg; /* the words, joined with blanks; without words no data */
	const char *own;
	bool ascii, no_mouse, keys;
};

enum { KEY_ASCII = 0x2000, KEY_NO_MOUSE, KEY_KEYS };

static const struct argp_option options[] = {
    {"ascii", KEY_ASCII, NULL, 0, "Draw with ASCII characters only", 0},
    {"no-mouse", KEY_NO_MOUSE, NULL, 0, "Leave the mouse to the terminal", 0},
    {"own", CMD_SETS(struct args, own), "REGEX", 0, "Functions of your own code, for WHERE", 0},
    {"keys", KEY_KEYS, NULL, 0, "List every key and command, and exit", 0},
    {0},
};

/* Joins the words with blanks, as a user would type them. Returns nonzero if memory is out. */
static int join(struct args *args)
{
	struct tp_buf *b = &args->arg;
	int failed = 0;

	for (int i = 0; i < args->nwords; i++)
		if (*args->words[i])
			failed |= tp_buf_put(b, " ", b->size > 0) |
				  tp_buf_put(b, args->words[i], strlen(args->words[i]));
	return failed | (b->size ? tp_buf_put(b, "", 1) : 0);
}

#define TUI_X(name, NAME) " " #name
/* Checks the argument after the file: a view, or the name of a table of the view top. */
static void check_view(struct args *args, struct argp_state *state)
{
	const char *name;

	if (join(args))
		argp_failure(state, CMD_SYSTEM, 0, "out of memory");
	if (args->view || !args->nwords)
		return;
	name = args->arg.size ? (const char *)args->arg.data : "";
	if (!tui_top_has(name))
		argp_error(state,
			   "there is no view or table '%s'; the views are:" TUI_VIEWS(
			       TUI_X) "; the tables are those of tprof-top, such as tasks",
			   name);
	args->view = tui_top.name;
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->cmd;
		return 0;
	case KEY_ASCII:
		args->ascii = true;
		return 0;
	case KEY_NO_MOUSE:
		args->no_mouse = true;
		return 0;
	case KEY_KEYS:
		args->keys = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!args->path) {
			args->path = arg;
		} else if (!args->view && tui_view_find(arg)) {
			args->view = arg;
		} else {
			/* The rest of the arguments are words: argp has parsed all options by now. */
			args->words = state->argv + state->next - 1;
			args->nwords = state->argc - state->next + 1;
			state->next = state->argc;
		}
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!args->path && !args->keys)
			argp_error(state, "no input file; name a trace, a profile or a store");
		check_view(args, state);
		cmd_check_filter(state, &(struct rep_filter_text){.own = args->own});
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&cmd_screen_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "FILE [VIEW [ARGUMENT...] | TABLE]",
    .doc = "Browse a store, a trace or a profile in a terminal."
	   "\v"
	   "The views: runs [RUN], overview, timeline [ROWS], top [REPORT], flame, "
	   "diff [OLD [NEW]], goroutine [ID], sql [STATEMENT]. Inside, ? lists the keys and : "
	   "takes commands. A TABLE is one of tprof-top, such as tasks.\n"
	   "For example: tprof-tui go.trace block",
    .children = children,
};

static bool open_first(struct tui *t, const struct args *args)
{
	const char *arg = (const char *)args->arg.data;
	const struct tui_view_ops *ops = args->view	      ? tui_view_find(args->view)
					 : t->cmd->all.n == 1 ? tui_view_find("overview")
							      : &tui_runs;

	if (ops == &tui_runs && arg && tui_open(t, ops, arg))
		return true;
	if (!tui_open(t, &tui_runs, NULL))
		return false;
	if (!args->view && tui_position_restore(t, args->path))
		return true;
	/* If this fails, the view runs shows its message. */
	if (ops && ops != &tui_runs)
		tui_open(t, ops, arg);
	return true;
}

static int list_keys(struct args *args)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	int status = cmd_output(&args->cmd, false, &out), code;

	if (status)
		return status;
	code = tui_help_fill(NULL, out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	return code ? cmd_fail(&args->cmd, NULL, &err) : CMD_OK;
}

static int run(struct args *args)
{
	struct tui t = {.cmd = &args->cmd, .path = args->path};
	const struct tui_screen_options screen = {
	    .colour = args->cmd.color, .mouse = !args->no_mouse, .ascii = args->ascii};
	struct tp_err err;
	int status, ended;
	bool begun;

	if (args->keys)
		return list_keys(args);
	tui_select_init(&t.select);
	t.select.own = args->own;
	args->cmd.no_run_is_fine = true;
	args->cmd.lets_connect = true;
	status = cmd_open(&args->cmd, args->path);
	if (status)
		return status;
	if (args->cmd.runs.n)
		t.select.run = tui_run_find(&args->cmd.all, args->cmd.runs.run[0].row.id);
	t.worker = tui_worker_new(tp_store_path(args->cmd.store));
	tp_lock_waits = NULL; /* its messages would damage the screen */
	if (!t.worker)
		status = cmd_nomem(&args->cmd);
	if (!status && tui_screen_begin(&screen, &err)) {
		cmd_error(&args->cmd, "%s", err.msg);
		status = err.code == TP_EFORMAT ? CMD_USAGE : CMD_SYSTEM;
	}
	if (status) {
		tui_worker_free(t.worker);
		return status;
	}
	begun = open_first(&t, args);
	if (begun)
		tui_run(&t);
	tui_position_save(&t, args->path);
	tui_close_all(&t);
	/* End the screen first: the last job may take a while to stop, and keys do nothing by now. */
	tui_screen_end();
	tui_worker_free(t.worker);
	tui_prompt_release(&t);
	tui_select_release(&t.select);
	tui_reload_release(&t);
	ended = tui_screen_ended();
	if (ended) {
		cmd_close(&args->cmd); /* removes a scratch folder, which the signal would leave */
		signal(ended, SIG_DFL);
		raise(ended);
	}
	if (!begun)
		cmd_error(&args->cmd, "%s", t.message);
	else if (t.read_errno)
		cmd_error(&args->cmd, "cannot read the terminal: %s", strerror(t.read_errno));
	return begun && !t.read_errno ? CMD_OK : CMD_SYSTEM;
}

int main(int argc, char **argv)
{
	struct args args = {.cmd = CMD_INIT("tprof-tui")};
	int status;

	cmd_parse(&args.cmd, &argp, argc, argv);
	status = run(&args);
	tp_buf_release(&args.arg);
	return cmd_finish(&args.cmd, status);
}
