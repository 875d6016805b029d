/* tprof-mcp: a server of the Model Context Protocol, by which an agent reads the dumps and stores of a folder. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/common.h"
#include "common/jail.h"
#include "common/number.h"
#include "common/option.h"
#include "tprof-mcp/session.h"

struct args {
	struct cmd cmd;
	const char *source_path;
	const char *folder;
	int64_t timeout;
};

#define SETS(member) CMD_SETS(struct args, member)

static const struct argp_option options[] = {
    {"source-path", SETS(source_path), "DIRS", 0,
     "Let the tool source read source files in these folders, too", 0},
    {"timeout", CMD_SETS_COUNT(struct args, timeout), "SECONDS", 0,
     "Stop a call that takes longer (default: 120)", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	if (key == ARGP_KEY_END && args->timeout < 1)
		argp_error(state, "--timeout: '0' is not a positive number of seconds");
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (args->folder)
		argp_error(state, "'%s' is one folder too many: a server reads one", arg);
	args->folder = arg;
	return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "[FOLDER]",
    .doc =
	"Answer an agent's questions about the traces, profiles and stores of a folder (default: "
	"the current one), by the Model Context Protocol on standard input and output.\v"
	"The agent's program starts it. It reads files of the folder only, and writes none but "
	"the cache of imported dumps.",
};

/* clang-format off */
static const char help[] =
    "Usage: tprof-mcp [OPTION...] [FOLDER]\n"
    "Answer an agent's questions about the traces, profiles and stores of a folder\n"
    "(default: the current one), by the Model Context Protocol on standard input and\n"
    "output. The agent's program starts it.\n"
    "\n"
    "      --source-path=DIRS  Let the tool source read source files in these\n"
    "                          folders, too\n"
    "      --timeout=SECONDS   Stop a call that takes longer (default: 120)\n"
    "\n"
    "Example, for an agent that is configured by JSON:\n"
    "  {\"mcpServers\": {\"tprof\": {\"command\": \"tprof-mcp\", \"args\": [\"/dumps\"]}}}\n";
/* clang-format on */

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

/* Blocks the signals that end the server but while it waits. `before`: the signals blocked before. */
static void catch_signals(sigset_t *before)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		sigaddset(&blocked, numbers[i]);
		sigaction(numbers[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &blocked, before);
}

static int write_line(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	return cmd_write(data, size, err) || cmd_flush() ? TP_EIO : 0;
}

/* Reads what the client sends. Returns false at the end of the input. */
static bool take_input(struct mcp_session *s)
{
	static char data[1 << 16];
	ssize_t n = read(STDIN_FILENO, data, sizeof(data));

	if (n > 0)
		mcp_session_take(s, data, (size_t)n);
	if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
		return true;
	mcp_session_end(s);
	return false;
}

/* Serves until the input has ended and all calls are answered, the client is gone, or a signal comes. */
static void serve(struct mcp_session *s)
{
	struct pollfd p[MCP_NPOLLS + 2];
	bool input = true;
	sigset_t mask;

	catch_signals(&mask);
	while (!stopped && !s->failed) {
		int64_t left_ns;
		size_t calls = mcp_session_poll(s, &mask, p + 2, &left_ns);
		struct timespec left = {(time_t)(left_ns / 1000000000),
					(long)(left_ns % 1000000000)};

		if (!input && !calls)
			break;
		p[0] = (struct pollfd){.fd = input ? STDIN_FILENO : -1, .events = POLLIN};
		/* A reader that is gone is seen only here while a command runs. */
		p[1] = (struct pollfd){.fd = STDOUT_FILENO};
		if (ppoll(p, MCP_NPOLLS + 2, left_ns == INT64_MAX ? NULL : &left, &mask) < 0)
			continue;
		if (p[1].revents)
			break;
		mcp_session_step(s, p + 2);
		if (p[0].revents)
			input = take_input(s);
	}
}

/* A list of folders would take it for two. */
static int reject_colon(const struct args *args, const char *folder)
{
	return cmd_reject(&args->cmd, CMD_USAGE,
			  "%s: the name has a ':', which separates folders; give it another name",
			  folder);
}

/* Makes the option --source-path of listings, of whole paths, as the folder is about to be left. */
static int make_source(const struct args *args, const char *root, struct tp_buf *source)
{
	char *list = strdup(args->source_path ? args->source_path : ""), *rest = list, *folder;
	char real[PATH_MAX];
	int status = CMD_OK;

	tp_buf_printf(source, "--source-path=%s", root);
	while (list && (folder = strsep(&rest, ":")) && !status)
		if (*folder && !realpath(folder, real))
			status = cmd_reject(&args->cmd, CMD_USAGE, "--source-path: %s: %s", folder,
					    strerror(errno));
		else if (*folder && strchr(real, ':'))
			status = reject_colon(args, real);
		else if (*folder)
			tp_buf_printf(source, ":%s", real);
	free(list);
	return status || (list && !tp_buf_put(source, "", 1)) ? status : cmd_nomem(&args->cmd);
}

static int run(struct args *args)
{
	static struct mcp_session s;
	const char *folder = args->folder ? args->folder : ".";
	struct tp_buf source = {0};
	char root[PATH_MAX];
	struct tp_err err;
	int status = CMD_OK;

	if (!realpath(folder, root))
		status = cmd_reject(&args->cmd, CMD_USAGE, "%s: %s", folder, strerror(errno));
	if (!status && strchr(root, ':'))
		status = reject_colon(args, root);
	if (!status)
		status = make_source(args, root, &source);
	if (!status && chdir(root))
		status = cmd_reject(&args->cmd, CMD_USAGE, "%s: %s; give a folder", folder,
				    strerror(errno));
	if (!status && cmd_jail_withdraw(&err))
		status = cmd_fail(&args->cmd, NULL, &err);
	if (!status) {
		/* Tables are as wide as they are. */
		unsetenv("COLUMNS");
		s.source = (const char *)source.data;
		s.seconds = args->timeout;
		s.write = write_line;
		serve(&s);
		mcp_session_release(&s);
	}
	tp_buf_release(&source);
	return status;
}

int main(int argc, char **argv)
{
	struct args args = {.cmd = {.name = "tprof-mcp", .help = help}, .timeout = 120};

	cmd_parse(&args.cmd, &argp, argc, argv);
	return cmd_finish(&args.cmd, run(&args));
}
