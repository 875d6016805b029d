/* tprof-web: serves the page on which a browser shows stores and dumps.
 *
 * Two processes: this one imports, starts the browser and runs commands (runner.h); its child, in a jail,
 * answers the browser (server.h). */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/child.h"
#include "common/common.h"
#include "common/decoder.h"
#include "common/files.h"
#include "common/limit.h"
#include "common/number.h"
#include "common/option.h"
#include "common/progress.h"
#include "common/what.h"
#include "tprof-web/runner.h"
#include "tprof-web/server.h"

struct args {
	struct cmd cmd;
	const char *listen, *source_path;
	int64_t port;
	bool no_open;
	bool imported; /* the store served is the cache's, or temporary */
	bool one_each; /* of several dumps: dump i is run i + 1 */
};

#define RUNS	     "runs.tprof" /* what several dumps become */
#define SETS(member) CMD_SETS(struct args, member)
enum { KEY_PORT = 0x2000 };

static const struct argp_option options[] = {
    {"listen", SETS(listen), "ADDRESS", 0,
     "Listen on this address of the machine (default: 127.0.0.1): others who have the address that "
     "is printed can then read the page, which is not encrypted",
     0},
    {"no-open", SETS(no_open), NULL, 0, "Start no browser", 0},
    {"port", KEY_PORT, "N", 0, "Listen on this port (default: any that is free)", 0},
    {"source-path", SETS(source_path), "DIRS", 0,
     "Look for source files in these folders, and nowhere else", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = &args->cmd;
	if (key == ARGP_KEY_INIT)
		return 0;
	if (key != KEY_PORT)
		return ARGP_ERR_UNKNOWN;
	args->port = cmd_arg_count(state, "--port", arg, 65535);
	return 0;
}

static const struct argp_child children[] = {{&cmd_run_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "STORE|DUMP...",
    .doc =
	"Show a store, or execution traces and profiles, in a browser: an overview, the timeline, "
	"flame graphs with source, and the tables of tprof-top, tprof-path, tprof-diff, "
	"tprof-leaks and tprof-query. ^C ends it.\v"
	"The page is served by this machine alone, to whoever has the address that is printed. "
	"Several dumps become runs of a temporary store.",
    .children = children,
};

/* clang-format off */
static const char help[] =
    "Usage: tprof-web [OPTION...] STORE|DUMP...\n"
    "Show execution traces, profiles or a store in a browser: overview, timeline,\n"
    "flame graphs with source, and the tables of the other commands. ^C ends it.\n"
    "The page is served by this machine alone, to whoever has the address printed.\n"
    "\n"
    "      --run=RUN           Begin with this run of a store\n"
    "      --port=N            Listen on this port (default: any that is free)\n"
    "      --no-open           Start no browser\n"
    "      --source-path=DIRS  Look for source files in these folders, and nowhere\n"
    "                          else (default: the current one)\n"
    "      --listen=ADDRESS    Listen on this address of the machine: others who\n"
    "                          have the address printed can then read the page,\n"
    "                          which is not encrypted\n"
    "\n"
    "Examples:\n"
    "  tprof-web go.trace\n"
    "  tprof-web before.pb.gz after.pb.gz    two runs, to compare on the page\n";
/* clang-format on */

/* ---- what is served ---- */

/* Imports dumps into a temporary store. */
static int import_all(struct args *args, char *store, size_t size)
{
	const struct cmd_files *files = &args->cmd.files[CMD_NEW];
	struct tp_err err;
	int code = cmd_scratch_make(&args->cmd.scratch, &err);

	if (code)
		return cmd_fail(&args->cmd, NULL, &err);
	snprintf(store, size, "%s/" RUNS, args->cmd.scratch.path);
	args->one_each = true;
	cmd_interruptible();
	for (size_t i = 0; i < files->n && !code; i++) {
		struct cmd_progress progress;
		struct tp_import_options opt = {.name = cmd_name_apart(&args->cmd, files->path[i]),
						.progress = cmd_progress_step,
						.progress_ctx = &progress,
						.tmp_dir = getenv("TMPDIR")};
		struct tp_import_result result;

		if (cmd_is_store(files->path[i], &err) > 0)
			return cmd_reject(
			    &args->cmd, CMD_USAGE,
			    "%s: a store is served alone; tprof-merge makes one store "
			    "of several",
			    files->path[i]);
		cmd_progress_init(&progress, opt.name);
		code = cmd_import(files->path[i], store, &opt, &result, &err);
		cmd_progress_end(&progress);
		if (code)
			cmd_fail(&args->cmd, files->path[i], &err);
		args->one_each &= !code && result.run == (int64_t)i + 1;
	}
	cmd_interrupted();
	return code ? tp_err_exit_status(code) : CMD_OK;
}

struct picking {
	struct args *args;
	const char *store;
	int64_t *run; /* shared memory */
};

/* Picks the run that the page begins with, and tells what its dump lacks. In a jail, as a store may be
 * anybody's. */
static int pick(void *ctx)
{
	struct picking *p = ctx;
	struct cmd *cmd = &p->args->cmd;
	const char *path = cmd_path(cmd);
	int status = cmd_open_store(cmd, p->store, false);

	if (!status)
		status = cmd_pick(cmd, path);
	for (size_t i = 0; i < cmd->runs.n && !status; i++)
		cmd_note_losses(cmd, cmd->files[CMD_NEW].n > 1 ? cmd->runs.run[i].row.name : path,
				&cmd->runs.run[i]);
	if (!status)
		*p->run = cmd->runs.run[0].row.id;
	return status;
}

static int pick_run(struct args *args, const char *store, int64_t *run)
{
	struct picking p = {args, store, cmd_child_share(sizeof(*run))};
	int status = p.run ? cmd_decode(&args->cmd, store, NULL, pick, &p) : cmd_nomem(&args->cmd);

	if (!status)
		*run = *p.run;
	cmd_child_unshare(p.run, sizeof(*run));
	return status;
}

/* Finds the path of the store to serve, which only the processes in the jail open. */
static int find_store(struct args *args, char path[PATH_MAX])
{
	struct cmd *cmd = &args->cmd;
	char store[PATH_MAX];
	struct tp_err err;
	int is_store, status = CMD_OK;

	snprintf(store, sizeof(store), "%s", cmd_path(cmd));
	args->imported = true;
	if (cmd->files[CMD_NEW].n > 1) {
		status = import_all(args, store, sizeof(store));
	} else {
		is_store = cmd_is_store(store, &err);
		if (is_store < 0)
			return cmd_fail(cmd, store, &err);
		args->imported = !is_store;
		if (!is_store) {
			status = cmd_open_store(cmd, store, false);
			if (!status)
				snprintf(store, sizeof(store), "%s", tp_store_path(cmd->store));
			tp_store_close(cmd->store);
			cmd->store = NULL;
		}
	}
	if (!status && !realpath(store, path))
		status = cmd_reject(cmd, CMD_SYSTEM, "%s: %s", store, strerror(errno));
	return status;
}

/* Writes the answer to /about, up to the runs: what commands to copy name in place of the store, and in place of
 * a run where it has a dump of its own. */
static int describe(const struct args *args, struct tp_buf *about)
{
	const struct cmd_files *files = &args->cmd.files[CMD_NEW];
	const char *file = files->n > 1 ? RUNS : cmd_path(&args->cmd);
	struct tp_err err;

	tp_buf_text(about, "{\"tprof\": \"" TPROF_VERSION "\", \"file\": ");
	rep_put_json(about, file, strlen(file));
	tp_buf_printf(about, ", \"dump\": %s, \"dumps\": [",
		      files->n == 1 && cmd_is_store(file, &err) <= 0 ? "true" : "false");
	for (size_t i = 0; files->n > 1 && i < files->n; i++) {
		tp_buf_text(about, i ? ", " : "");
		rep_put_json(about, files->path[i], strlen(files->path[i]));
	}
	tp_buf_printf(about, "], \"one_each\": %s", args->one_each ? "true" : "false");
	return tp_buf_put(about, "", 1);
}

/* ---- the socket and the secrets ---- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t read_address(const char *text, int64_t port, union address *a)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons((uint16_t)port);
		return sizeof(a->v4);
	}
	if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons((uint16_t)port);
		return sizeof(a->v6);
	}
	return 0;
}

/* Opens the socket, and sets args->port to its port. */
static int open_socket(struct args *args, int *listener)
{
	const char *text = args->listen ? args->listen : "127.0.0.1";
	union address a;
	socklen_t size = read_address(text, args->port, &a);
	int yes = 1;

	if (!size)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "--listen: '%s' is not an address such as 127.0.0.1 or ::", text);
	*listener = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*listener < 0 || setsockopt(*listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(*listener, &a.any, size) || listen(*listener, WEB_LISTEN_BACKLOG) ||
	    getsockname(*listener, &a.any, &size))
		return cmd_reject(&args->cmd, CMD_SYSTEM, "cannot listen on %s, port %lld: %s",
				  text, (long long)args->port, strerror(errno));
	args->port = ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
	return CMD_OK;
}

static int make_secret(char secret[WEB_SECRET])
{
	unsigned char random[(WEB_SECRET - 1) / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -1;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(secret + 2 * i, 3, "%02x", random[i]);
	return 0;
}

static int make_access(const struct args *args, const char *machine, struct web_access *a)
{
	snprintf(a->cookie_name, sizeof(a->cookie_name), "tprof-%lld", (long long)args->port);
	a->host = args->listen ? machine : NULL;
	return make_secret(a->cookie) || make_secret(a->secret) || make_secret(a->opener)
		   ? cmd_reject(&args->cmd, CMD_SYSTEM, "no random numbers: %s", strerror(errno))
		   : CMD_OK;
}

/* ---- the browser ---- */

/* Returns the host of the printed address. */
static const char *host_of(const struct args *args, const char *machine, char text[80])
{
	const char *a = args->listen ? args->listen : "127.0.0.1";

	if (!strcmp(a, "0.0.0.0") || !strcmp(a, "::"))
		return machine;
	snprintf(text, 80, strchr(a, ':') ? "[%.70s]" : "%.70s", a);
	return text;
}

static void tell(const struct args *args, const char *machine, const char *url)
{
	cmd_print(&args->cmd, "%s\n", url);
	if (getenv("SSH_CONNECTION") && !args->listen)
		cmd_print(
		    &args->cmd,
		    "on the machine with the browser, first: ssh -N -L %lld:127.0.0.1:%lld %s\n",
		    (long long)args->port, (long long)args->port, machine);
	if (args->listen)
		cmd_note(
		    &args->cmd,
		    "whoever has this address can read all of it, and whoever sees the network's "
		    "traffic, as it is not encrypted");
	fflush(stdout);
	if (args->cmd.tty)
		cmd_note(&args->cmd, "^C ends it");
}

static bool may_open(const struct args *args)
{
	return !args->no_open && !getenv("SSH_CONNECTION") &&
	       (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"));
}

/* Starts the browser; nobody waits for it. */
static void open_browser(const char *url)
{
	pid_t pid = fork();

	if (pid > 0)
		waitpid(pid, NULL, 0); /* it ends at once */
	if (pid)
		return;
	/* Its messages are not for this terminal, nor is ^C for it. */
	if (setsid() < 0 || fork())
		_exit(0);
	cmd_limit_lift();
	signal(SIGPIPE, SIG_DFL);
	if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) ||
	    !freopen("/dev/null", "w", stderr))
		_exit(1);
	execlp("xdg-open", "xdg-open", url, (char *)NULL);
	_exit(1);
}

/* ---- both processes ---- */

struct serving {
	const struct cmd *cmd;
	struct web_server server;
	const char *store;
	int64_t run; /* the one that the printed address names */
	int channel;
};

/* In the jail. */
static int serve(void *ctx, unsigned has)
{
	struct serving *s = ctx;
	struct tp_err err;
	int code = web_lanes_new(&s->server.lanes, s->store, s->run, &err);

	(void)has;
	if (!code)
		code = web_ask_init(&s->server.ask, s->channel, &err);
	if (!code)
		code = web_server_run(&s->server, &err);
	return cmd_fail(s->cmd, NULL, &err);
}

/* Starts the server, and works for it until ^C. */
static int run_server(struct args *args, struct serving *s, const char *opener)
{
	enum cmd_jail_mode mode = cmd_jail_mode();
	struct cmd_child child = {.speaks = true,
				  .require = mode == CMD_JAIL_REQUIRE,
				  .free = mode == CMD_JAIL_OFF,
				  .work = serve,
				  .ctx = s,
				  .jail.serves = true};
	struct web_runner runner = {.store = s->store, .cached = args->imported};
	struct tp_buf source = {0};
	int channel[2], status = CMD_OK, code;
	struct cmd_process process;
	struct tp_err err;
	bool asked;

	cmd_jail_allow(&child.jail, s->store);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel))
		return cmd_reject(&args->cmd, CMD_SYSTEM, "cannot start a process: %s",
				  strerror(errno));
	s->channel = channel[1];
	if (cmd_child_start(&child, &process, &err))
		return cmd_fail(&args->cmd, NULL, &err);
	close(channel[1]);
	close(s->server.listener);
	if (may_open(args))
		open_browser(opener);
	if (args->source_path) {
		tp_buf_printf(&source, "--source-path=%s", args->source_path);
		tp_buf_put(&source, "", 1);
		runner.source = source.failed ? NULL : (const char *)source.data;
	}
	runner.channel = channel[0];
	runner.server = process.end;
	asked = web_runner_serve(&runner);
	if (asked)
		cmd_child_end(&process);
	else /* A server that has closed its channel, and runs on, would be waited for without end. */
		kill(process.pid, SIGKILL);
	code = cmd_child_finish(&process, &status, &err);
	tp_buf_release(&source);
	return asked ? CMD_OK : code ? cmd_fail(&args->cmd, NULL, &err) : status;
}

static int run(struct args *args)
{
	struct serving s = {.cmd = &args->cmd};
	char store[PATH_MAX], machine[256], host[80], url[512], opener[512];
	struct tp_buf about = {0};
	int64_t picked = 0;
	int status;

	args->cmd.lets_connect = true; /* the browser */
	status = find_store(args, store);
	if (!status)
		status = pick_run(args, store, &picked);
	if (status)
		return status;
	if (gethostname(machine, sizeof(machine)))
		snprintf(machine, sizeof(machine), "localhost");
	machine[sizeof(machine) - 1] = '\0';
	status = open_socket(args, &s.server.listener);
	if (!status)
		status = make_access(args, machine, &s.server.access);
	s.store = s.server.store = store;
	s.run = picked;
	s.server.file = args->cmd.files[CMD_NEW].n > 1 ? RUNS : cmd_path(&args->cmd);
	if (!status && describe(args, &about))
		status = cmd_nomem(&args->cmd);
	if (!status) {
		static const char form[] = "http://%s:%lld/?secret=%s#overview?run=%lld";
		const char *at = host_of(args, machine, host);

		snprintf(url, sizeof(url), form, at, (long long)args->port, s.server.access.secret,
			 (long long)picked);
		snprintf(opener, sizeof(opener), form, at, (long long)args->port,
			 s.server.access.opener, (long long)picked);
		s.server.about = (const char *)about.data;
		tell(args, machine, url);
		status = run_server(args, &s, opener);
	}
	tp_buf_release(&about);
	return status;
}

int main(int argc, char **argv)
{
	struct args args = {.cmd = {.name = "tprof-web", .help = help, .kinds = CMD_ANY_KIND}};

	cmd_parse(&args.cmd, &argp, argc, argv);
	return cmd_finish(&args.cmd, run(&args));
}
