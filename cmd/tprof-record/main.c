/* tprof-record: runs a program and leaves traces and profiles of it. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/common.h"
#include "common/number.h"
#include "common/option.h"
#include "tprof-record/parent/attach.h"
#include "tprof-record/parent/library.h"
#include "tprof-record/parent/listen.h"
#include "tprof-record/parent/pages.h"
#include "tprof-record/parent/program.h"
#include "tprof-record/parent/report.h"
#include "tprof-record/parent/request.h"
#include "tprof-record/parent/session.h"
#include "tprof-record/parent/spawn.h"

/* As a shell has it; for others see enum cmd_exit. */
enum { EXIT_LOST = 125, EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127 };

enum {
	KEY_TRACE = 0x2000,
	KEY_CPU,
	KEY_HEAP,
	KEY_NO_MMAP,
	KEY_BLOCK,
	KEY_MUTEX,
	KEY_GOROUTINE,
	KEY_THREADCREATE,
	KEY_ALL,
	KEY_INTERVAL,
	KEY_FOR,
	KEY_FOLLOW,
	KEY_TRACE_FORMAT,
	KEY_PROFILE_FORMAT,
	KEY_PROFILER,
	KEY_STACK_DEPTH,
	KEY_FORCE,
	KEY_STRICT,
	KEY_SNAPSHOT,
	KEY_PID,
};

struct args {
	struct cmd cmd;
	struct rec_request request;
	char **program; /* and its arguments, NULL none */
	int64_t snapshot, pid;
	int unusable; /* the key of an option that was given and does not go with --pid; 0: none */
	bool mutex;   /* --mutex was given */
	bool strict;  /* --strict */
	bool loses;   /* something was lost */
	bool recording; /* an option was given that --snapshot has no use for */
	struct rec_signals signals;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is recorded (default: --trace --cpu --heap --mutex --block):", 1},
    {"trace", KEY_TRACE, NULL, 0, "When threads ran, waited and for what: trace.out", 1},
    {"cpu", KEY_CPU, "HZ", OPTION_ARG_OPTIONAL,
     "Where CPU time goes, by HZ samples per second of it (97): cpu.pb.gz, and in the trace", 1},
    {"heap", KEY_HEAP, "RATE", OPTION_ARG_OPTIONAL,
     "Memory, by a sample every RATE bytes on average (512K; 1 takes all): heap.pb.gz", 1},
    {"no-mmap", KEY_NO_MMAP, NULL, 0,
     "Leave memory that the program maps itself (mmap) out of the heap profile", 1},
    {"block", KEY_BLOCK, "RATE", OPTION_ARG_OPTIONAL,
     "Waits, by a sample every RATE of waiting (1ns, which takes all): block.pb.gz", 1},
    {"mutex", KEY_MUTEX, "FRACTION", OPTION_ARG_OPTIONAL,
     "Who kept others waiting, by one of FRACTION waits for locks (1): mutex.pb.gz", 1},
    {"goroutine", KEY_GOROUTINE, NULL, 0,
     "What all threads are doing, and which nobody can wake: goroutine.pb.gz, "
     "goroutineleak.pb.gz",
     1},
    {"threadcreate", KEY_THREADCREATE, NULL, 0, "Where threads were created: threadcreate.pb.gz",
     1},
    {"all", KEY_ALL, NULL, 0, "All of these", 1},
    {NULL, 0, NULL, 0, "How it is recorded, and where to:", 2},
    {"output", 'o', "DIR", 0, "Write the files to DIR (default: PROGRAM.PID)", 2},
    {"interval", KEY_INTERVAL, "TIME", 0,
     "Write profiles every TIME (5s) as well: heap.0001.pb.gz …", 2},
    {"for", KEY_FOR, "TIME", 0, "Record for TIME (30s) only; the program continues", 2},
    {"follow-children", KEY_FOLLOW, NULL, 0,
     "Record children as well, each in a folder of its own: PID-PROGRAM", 2},
    {"trace-format", KEY_TRACE_FORMAT, "VERSION", 0,
     "Write the trace as Go 1.26 (default) or 1.5 does", 2},
    {"profile-format", KEY_PROFILE_FORMAT, "FORMAT", 0, "Write profiles as proto (default) or text",
     2},
    {"profiler", KEY_PROFILER, "VERSION", 0,
     "Count as the profiler of Go 1.5, 1.8, 1.18 or 1.26 (default) does", 2},
    {"stack-depth", KEY_STACK_DEPTH, "N", 0, "Keep up to N frames of a stack (128)", 2},
    {"force", KEY_FORCE, NULL, 0, "Run the program even if it cannot be recorded", 2},
    {"strict", KEY_STRICT, NULL, 0,
     "Exit with status 125 if something was lost and the program succeeded", 2},
    {"quiet", 'q', NULL, 0, "Say nothing unless something goes wrong", 2},
    {NULL, 0, NULL, 0, "For a program that is running:", 3},
    {"pid", KEY_PID, "PID", 0,
     "Record process PID from outside, until it ends or ^C: trace and CPU profile only", 3},
    {"snapshot", KEY_SNAPSHOT, "PID", 0,
     "Write profiles now; PID is the recorder, or a program that it records", 3},
    {0},
};

/* One of several names; its place. */
static size_t choice(struct argp_state *state, const char *option, const char *arg,
		     const char *const *names, size_t n, const char *list)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], arg))
			return i;
	argp_error(state, "%s is %s, not '%s'", option, list, arg);
	return 0;
}

static int64_t positive(struct argp_state *state, const char *option, int64_t n)
{
	if (n <= 0)
		argp_error(state, "%s: the value must be greater than 0", option);
	return n;
}

static int64_t stack_depth(struct argp_state *state, const char *arg)
{
	int64_t n = 0;

	if (!cmd_parse_count(arg, REC_MAX_DEPTH, &n) || !n)
		argp_error(state, "--stack-depth: '%s' is not a number from 1 to %d", arg,
			   REC_MAX_DEPTH);
	return n;
}

static error_t on_what(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	struct rec_request *r = &args->request;

	switch (key) {
	case KEY_TRACE:
		r->trace = true;
		return 0;
	case KEY_CPU:
		r->profile[REC_PROFILE_CPU] = true;
		if (arg)
			r->options.cpu_hz = (uint32_t)positive(
			    state, "--cpu", cmd_arg_count(state, "--cpu", arg, REC_MAX_HZ));
		return 0;
	case KEY_HEAP:
		r->profile[REC_PROFILE_HEAP] = true;
		if (arg)
			r->options.heap_rate =
			    (uint64_t)positive(state, "--heap", cmd_arg_size(state, "--heap", arg));
		return 0;
	case KEY_NO_MMAP:
		r->options.mmap = 0;
		return 0;
	case KEY_BLOCK:
		r->profile[REC_PROFILE_BLOCK] = true;
		if (arg)
			r->options.block_rate = (uint64_t)positive(
			    state, "--block", cmd_arg_duration(state, "--block", arg));
		return 0;
	case KEY_MUTEX:
		r->profile[REC_PROFILE_MUTEX] = args->mutex = true;
		if (arg)
			r->options.mutex_fraction = (uint64_t)positive(
			    state, "--mutex", cmd_arg_count(state, "--mutex", arg, INT32_MAX));
		return 0;
	case KEY_GOROUTINE:
		r->profile[REC_PROFILE_GOROUTINE] = r->profile[REC_PROFILE_LEAK] = true;
		return 0;
	case KEY_THREADCREATE:
		r->profile[REC_PROFILE_THREADCREATE] = true;
		return 0;
	case KEY_ALL:
		r->trace = true;
		for (int i = 0; i < REC_NPROFILES; i++)
			r->profile[i] = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t on_how(int key, char *arg, struct argp_state *state)
{
	static const char *const traces[] = {"1.26", "1.5"};
	static const char *const profiles[] = {"proto", "text"};
	static const char *const profilers[] = {"1.5", "1.8", "1.18", "1.26"};
	static const uint32_t profiler[] = {105, 108, 118, 126};
	struct rec_request *r = &((struct args *)state->input)->request;

	switch (key) {
	case 'o':
		r->folder = cmd_arg_output(state, "-o", arg, "a folder");
		return 0;
	case KEY_INTERVAL:
		r->interval_ns =
		    positive(state, "--interval", cmd_arg_span(state, "--interval", arg));
		return 0;
	case KEY_FOR:
		r->for_ns = positive(state, "--for", cmd_arg_span(state, "--for", arg));
		return 0;
	case KEY_FOLLOW:
		r->children = true;
		return 0;
	case KEY_TRACE_FORMAT:
		r->trace_format = choice(state, "--trace-format", arg, traces, 2, "1.26 or 1.5")
				      ? REC_GO_1_5
				      : REC_GO_1_26;
		return 0;
	case KEY_PROFILE_FORMAT:
		r->text = choice(state, "--profile-format", arg, profiles, 2, "proto or text") == 1;
		return 0;
	case KEY_PROFILER:
		r->options.profiler = profiler[choice(state, "--profiler", arg, profilers, 4,
						      "1.5, 1.8, 1.18 or 1.26")];
		return 0;
	case KEY_STACK_DEPTH:
		r->options.depth = (uint32_t)stack_depth(state, arg);
		return 0;
	case KEY_FORCE:
		r->force = true;
		return 0;
	case KEY_STRICT:
		((struct args *)state->input)->strict = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Why an option does not go with --pid; NULL: it does. */
static const char *why_unusable(int key)
{
	static const char started[] =
	    "only a program that tprof-record starts can be asked for that";

	switch (key) {
	case KEY_HEAP:
	case KEY_NO_MMAP:
	case KEY_BLOCK:
	case KEY_MUTEX:
	case KEY_GOROUTINE:
	case KEY_THREADCREATE:
	case KEY_ALL:
		return started;
	case KEY_INTERVAL:
		return "its files are written when the recording ends";
	case KEY_FOLLOW:
		return "only the process itself is recorded; record each child by its own PID";
	case KEY_PROFILE_FORMAT:
	case KEY_PROFILER:
		return "the CPU profile has one form";
	case KEY_FORCE:
		return "the program is running already";
	default:
		return NULL;
	}
}

static void check_pid(const struct args *args, struct argp_state *state)
{
	const char *name = "";

	if (args->program || args->snapshot)
		argp_error(state, "--pid records a running program: give no program and no "
				  "--snapshot");
	for (size_t i = 0; options[i].name || options[i].doc; i++)
		if (options[i].key == args->unusable && options[i].name)
			name = options[i].name;
	if (args->unusable)
		argp_error(state, "--%s cannot be used with --pid: %s", name,
			   why_unusable(args->unusable));
}

static void check(struct args *args, struct argp_state *state)
{
	const struct rec_request *r = &args->request;

	if (args->pid) {
		check_pid(args, state);
		return;
	}
	if (args->snapshot && (args->program || args->recording))
		argp_error(state,
			   "--snapshot asks a running recording for profiles: give a PID, and "
			   "no program or other option but --quiet");
	if (!args->snapshot && !args->program)
		argp_error(state, "the program is missing; run tprof-record [OPTION...] -- PROGRAM "
				  "[ARGUMENT...], or --pid=PID");
	if (r->force && args->strict)
		argp_error(state, "--strict cannot be used with --force, which records nothing");
	if (r->options.profiler < 108 && args->mutex)
		argp_error(
		    state,
		    "--profiler=1.5 cannot be used with --mutex: Go has mutex profiles since 1.8");
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	error_t error;

	switch (key) {
	case 'q':
		args->request.quiet = true;
		return 0;
	case KEY_SNAPSHOT:
		args->snapshot = positive(state, "--snapshot",
					  cmd_arg_count(state, "--snapshot", arg, INT32_MAX));
		return 0;
	case KEY_PID:
		args->pid = positive(state, "--pid", cmd_arg_count(state, "--pid", arg, INT32_MAX));
		args->recording = true;
		return 0;
	case ARGP_KEY_ARG:
		/* The program; all later arguments belong to it. */
		args->program = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		error = on_what(key, arg, state);
		if (error)
			error = on_how(key, arg, state);
		args->recording |= !error;
		if (!error && why_unusable(key))
			args->unusable = key;
		return error;
	}
}

/* ---- a snapshot ---- */

static int ask_for_snapshot(struct args *args)
{
	struct rec_hello hello = {
	    .magic = REC_HELLO_MAGIC, .kind = REC_HELLO_SNAPSHOT, .pid = (uint32_t)args->snapshot};
	int files = 0, status = CMD_OK, fd;
	struct tp_err err;
	char text[8192];
	ssize_t n;

	fd = rec_listen_find((pid_t)args->snapshot, &err);
	if (fd < 0) {
		cmd_error(&args->cmd, "%s", err.msg);
		return CMD_INPUT;
	}
	if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello)) {
		cmd_error(&args->cmd, "cannot ask for a snapshot: %s", strerror(errno));
		close(fd);
		return CMD_SYSTEM;
	}
	while ((n = recv(fd, text, sizeof(text) - 1, 0)) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		text[n] = 0;
		text[strcspn(text, "\n")] = 0;
		if (text[0] == '!') {
			cmd_error(&args->cmd, "%s", text + 1);
			status = CMD_SYSTEM;
		} else {
			files++;
			if (!args->request.quiet)
				cmd_print(&args->cmd, "%s\n", text);
		}
	}
	close(fd);
	if (!files && !status) {
		cmd_error(&args->cmd, "process %d: its profiles are not being recorded",
			  (int)args->snapshot);
		status = CMD_INPUT;
	}
	return status;
}

/* ---- a recording ---- */

static void report(void *ctx, const struct rec_result *r)
{
	struct args *args = ctx;
	struct tp_buf text = {0};
	int code = args->request.quiet ? rec_report_troubles(r, &text)
				       : rec_report(r, &args->request, &text);
	size_t done = 0;
	ssize_t n;

	if (code)
		cmd_nomem(&args->cmd);
	args->loses = rec_report_loses(r, args->request.children);
	/* One write, so that it is not mixed with what the program says. */
	while (done < text.size &&
	       ((n = write(STDERR_FILENO, text.data + done, text.size - done)) > 0 ||
		(n < 0 && errno == EINTR)))
		done += n > 0 ? (size_t)n : 0;
	tp_buf_release(&text);
}

/* 0, or the status of a command that did not run it. */
static int examine(struct args *args, struct rec_program *program)
{
	rec_program_check(program, args->program[0], getenv("PATH"));
	switch (program->verdict) {
	case REC_RECORDABLE:
		if (program->note[0] && !args->request.quiet)
			cmd_note(&args->cmd, "%s: %s", program->path, program->note);
		return 0;
	case REC_UNRECORDABLE:
		if (args->request.force) {
			cmd_note(&args->cmd, "%s; it runs unrecorded", program->why);
			return 0;
		}
		cmd_error(&args->cmd, "%s (--force runs it unrecorded)", program->why);
		return CMD_INPUT;
	case REC_NOT_FOUND:
		cmd_error(&args->cmd, "%s", program->why);
		return EXIT_NOT_FOUND;
	default:
		cmd_error(&args->cmd, "%s", program->why);
		return EXIT_NOT_RUNNABLE;
	}
}

/* Nothing to be recorded: we become the program. */
static int run_unrecorded(struct args *args, const struct rec_program *program)
{
	sigaction(SIGPIPE, &args->signals.pipe, NULL);
	execv(program->path, args->program);
	cmd_error(&args->cmd, "%s: cannot be executed: %s", program->path, strerror(errno));
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE;
}

static int record(struct args *args)
{
	static struct rec_program program;
	struct rec_session_options o = {.request = &args->request,
					.program = &program,
					.argv = args->program,
					.signals = &args->signals,
					.report = report,
					.ctx = args};
	char library[PATH_MAX];
	int status = examine(args, &program), ended = 0, error = 0;
	struct tp_err err;

	if (status)
		return status;
	if (program.verdict == REC_UNRECORDABLE)
		return run_unrecorded(args, &program);
	if (rec_library_find(library, getenv("TPROF_PRELOAD"), &err)) {
		cmd_error(&args->cmd, "%s", err.msg);
		return CMD_SYSTEM;
	}
	o.library = library;
	if (rec_session_run(&o, &ended, &error, &err)) {
		if (!error)
			return cmd_fail(&args->cmd, NULL, &err);
		cmd_error(&args->cmd, "%s: %s", program.path, err.msg);
		return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE;
	}
	/* A status that says something else already remains. */
	if (args->strict && args->loses && !ended)
		return EXIT_LOST;
	return rec_end_like(ended);
}

static void begun(void *ctx, const struct rec_result *r)
{
	struct args *args = ctx;

	if (!args->request.quiet)
		cmd_note(&args->cmd, "%s: recording process %d%s", r->program, (int)r->pid,
			 args->request.for_ns ? "" : "; ^C ends it");
}

static int record_running(struct args *args)
{
	struct rec_request *r = &args->request;
	struct tp_err err;

	if (!r->trace && !r->profile[REC_PROFILE_CPU])
		r->trace = r->profile[REC_PROFILE_CPU] = true;
	rec_request_complete(r);
	if (!rec_attach_run(r, (pid_t)args->pid, begun, report, args, &err))
		return args->strict && args->loses ? EXIT_LOST : CMD_OK;
	if (err.code != TP_ENOENT)
		return cmd_fail(&args->cmd, NULL, &err);
	cmd_error(&args->cmd, "%s", err.msg);
	return CMD_INPUT;
}

static int run(struct args *args)
{
	if (args->snapshot)
		return ask_for_snapshot(args);
	if (args->pid)
		return record_running(args);
	rec_request_complete(&args->request);
	return record(args);
}

/* Standard streams that are closed would get the numbers of our own files, which are written to or
 * replaced as if they were streams. The program finds them as closed as they were. */
static void keep_streams_apart(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* What --help says; tprof-record(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-record [OPTION...] -- PROGRAM [ARGUMENT...]\n"
    "  or:  tprof-record [OPTION...] --pid=PID\n"
    "  or:  tprof-record --snapshot=PID\n"
    "Run a C, C++ or Rust program unchanged, and record a trace and profiles of it.\n"
    "\n"
    "      --trace --cpu --heap[=RATE] --mutex --block --threadcreate --goroutine\n"
    "                          Record these (default: the first five)\n"
    "      --all               Record all of them\n"
    "  -o, --output=DIR        Write the files to DIR (default: PROGRAM.PID)\n"
    "      --interval=TIME     Write profiles every TIME as well\n"
    "      --for=TIME          Record for TIME only; the program continues\n"
    "      --follow-children   Record children, each in a folder of its own\n"
    "      --pid=PID           Record a running program: trace and CPU profile\n"
    "      --snapshot=PID      Write profiles of a recorded program now\n"
    "\n"
    "Examples:\n"
    "  tprof-record -o run -- ./server\n"
    "  tprof-top run/mutex.pb.gz; tprof-path run/trace.out\n";
/* clang-format on */

int main(int argc, char **argv)
{
	static const struct argp argp = {
	    .options = options,
	    .parser = on_option,
	    .args_doc = "-- PROGRAM [ARGUMENT...]\n--pid=PID\n--snapshot=PID",
	    .doc =
		"Run a program and record traces and profiles of it.\v"
		"Signals, exit status and standard streams are the program's own. tprof-top(1) and "
		"'go tool' read what is left.",
	};
	struct args args = {.cmd = {.name = "tprof-record", .help = help, .in_order = true},
			    .request = REC_REQUEST_INIT};

	/* Our threads allocate little; arenas of their own would cost more than waiting does. */
	mallopt(M_ARENA_MAX, 1);
	rec_pages_stack(32 << 10);
	rec_pages_heap();
	rec_signals_keep(&args.signals);
	cmd_begin(&args.cmd);
	cmd_parse_options(&args.cmd, &argp, argc, argv);
	keep_streams_apart();
	return cmd_written(&args.cmd, run(&args));
}
