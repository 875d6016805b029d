/* tprof-query: SQL against a store. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/file.h"
#include "common/files.h"
#include "session.h"

struct args {
	struct cmd cmd;
	const char *sql;
	const char *file; /* -f */
	bool write;
};

static const struct argp_option options[] = {
    {"file", 'f', "FILE", 0, "Run the statements in FILE (-: standard input)", 0},
    {"write", CMD_SETS(struct args, write), NULL, 0,
     "Let statements change the store (default: they can only read)", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case 'f':
		args->file = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			return ARGP_ERR_UNKNOWN; /* it is the file */
		if (state->arg_num == 1)
			args->sql = arg;
		else
			argp_error(state,
				   "'%s' is one argument too many: SQL is one argument, in quotes",
				   arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (args->sql && strpbrk(cmd_path(&args->cmd), " (") &&
		    access(cmd_path(&args->cmd), F_OK))
			argp_error(state, "the file comes before the SQL: tprof-query %s '%s'",
				   args->sql, cmd_path(&args->cmd));
		if (args->sql && args->file)
			argp_error(state,
				   "SQL is given twice, as an argument and by -f; give it once");
		if (!strcmp(cmd_path(&args->cmd), "-") && (!args->sql || args->file) &&
		    (!args->file || !strcmp(args->file, "-")))
			argp_error(state, "standard input is the dump, so SQL must be an argument");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&cmd_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "STORE [SQL]",
    .doc = "Run SQL against a store or a dump.\v"
	   "Without SQL, statements are asked for on a terminal, or read from standard input. "
	   ".tables, .schema TABLE and .help tell what there is; :run stands for the id of the "
	   "run that --run picks.",
    .children = children,
};

static int read_sql(const char *path, struct tp_buf *text, struct tp_err *err)
{
	int code = cmd_read_file(path, SIZE_MAX, text, err);

	if (!code && text->size && memchr(text->data, 0, text->size))
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "not SQL: it has bytes that are zero");
	if (!code && tp_buf_put(text, "", 1))
		code = tp_nomem(err);
	return code;
}

static int run_file(struct args *args, struct session *session)
{
	const char *path = args->file ? args->file : "-";
	const char *where = strcmp(path, "-") ? path : "standard input";
	struct tp_buf text = {0};
	struct tp_err err;
	int status;

	if (read_sql(path, &text, &err)) {
		status = cmd_fail(&args->cmd, where, &err);
	} else {
		cmd_pager(&args->cmd);
		status = session_script(session, where, (char *)text.data);
	}
	tp_buf_release(&text);
	return status;
}

static int run(struct args *args, struct session *session)
{
	bool prompt = !args->sql && !args->file && isatty(STDIN_FILENO);
	int status;

	args->cmd.pages = !prompt;
	status = session_open(session, cmd_path(&args->cmd), args->write);
	if (status)
		return status;
	if (args->sql) {
		cmd_pager(&args->cmd);
		return session_is_command(args->sql) ? session_command(session, NULL, args->sql)
						     : session_sql(session, NULL, args->sql);
	}
	if (prompt) {
		session->prompt = true;
		return session_prompt(session);
	}
	return run_file(args, session);
}

/* What --help says; tprof-query(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-query [OPTION...] STORE [SQL]\n"
    "Run SQL against a store, a trace or a profile. Without SQL, statements are\n"
    "asked for on a terminal, or read from standard input; they only read.\n"
    "\n"
    "  -f, --file=FILE         Run the statements in FILE\n"
    "      --format=FORMAT     table, csv, tsv, json, markdown\n"
    "      --run=RUN           What :run stands for: latest, an id, a name, a label\n"
    "      --write             Let statements change the store\n"
    "\n"
    "  .tables, .schema TABLE and .help say what there is; tprof-store(5), too.\n"
    "\n"
    "Examples:\n"
    "  tprof-query go.trace .tables\n"
    "  tprof-query go.trace \"SELECT name, running_ns FROM goroutine\n"
    "                        ORDER BY running_ns DESC LIMIT 5\"\n";
/* clang-format on */

int main(int argc, char **argv)
{
	struct args args = {
	    .cmd = {.name = "tprof-query", .kinds = CMD_ANY_KIND, .help = help},
	};
	struct session session = {.cmd = &args.cmd};
	int status;

	cmd_parse(&args.cmd, &argp, argc, argv);
	status = run(&args, &session);
	session_close(&session);
	return cmd_finish(&args.cmd, status);
}
