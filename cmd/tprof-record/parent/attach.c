#include "tprof-record/parent/attach_inside.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record/core/hello.h"
#include "tprof-record/parent/debuginfod.h"
#include "tprof-record/parent/file.h"
#include "tprof-record/parent/program.h"

enum { PATIENCE_MS = 500 /* after which a signal ends a recorder that writes its files */ };

/* ---- the process ---- */

/* Opens a file of /proc/PID. */
static FILE *open_file(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

static int refuse(struct tp_err *err, pid_t pid, const char *why)
{
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "--pid=%d: %s", (int)pid, why);
}

static int not_allowed(struct tp_err *err, pid_t pid)
{
	return refuse(err, pid,
		      "the process may not be looked at: it is another user's, or has more "
		      "privileges; run tprof-record as the user who started it, or as root "
		      "(CAP_SYS_PTRACE)");
}

/* Returns the process of a thread, or 0. */
static long process_of(pid_t tid)
{
	FILE *f = open_file(tid, "status");
	char line[256];
	long pid = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %ld", &pid) == 1)
			break;
	if (f)
		fclose(f);
	return pid;
}

static bool has_our_root(pid_t pid)
{
	struct stat ours, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root/.", (int)pid);
	return stat("/", &ours) || stat(path, &its) ||
	       (ours.st_dev == its.st_dev && ours.st_ino == its.st_ino);
}

/* Returns why /proc has no program of a process. */
static const char *why_no_program(pid_t pid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	/* A folder with a folder for each thread. */
	return !stat(path, &st) && st.st_nlink > 3
		   ? "its main thread has ended, and the kernel no longer shows what the other "
		     "threads run; start the program with tprof-record"
		   : "it is over, or is a thread of the kernel";
}

/* Returns whether the process can be recorded: a program of this processor, which we may look at. */
static int check(pid_t pid, struct tp_err *err)
{
	unsigned char head[EI_NIDENT] = {0};
	long process = process_of(pid);
	char why[128];
	FILE *f;

	if (!process)
		return refuse(err, pid, "there is no such process");
	snprintf(why, sizeof(why), "this is a thread of process %ld; use --pid=%ld", process,
		 process);
	if (process != pid)
		return refuse(err, pid, why);
	if (pid == getpid())
		return refuse(err, pid, "tprof-record cannot record itself");
	f = open_file(pid, "exe");
	if (!f)
		return errno == EACCES || errno == EPERM ? not_allowed(err, pid)
							 : refuse(err, pid, why_no_program(pid));
	(void)!fread(head, 1, sizeof(head), f);
	fclose(f);
	if (head[EI_CLASS] == ELFCLASS32)
		return refuse(err, pid,
			      "32-bit programs cannot be recorded; record a 64-bit build");
	/* Stacks unwound by other files of the same names would be wrong. */
	if (!has_our_root(pid))
		return refuse(err, pid,
			      "its files are in another root folder than ours (a container); run "
			      "tprof-record there");
	return 0;
}

static uint32_t link_of(pid_t pid)
{
	char path[64], to[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, to, sizeof(to));
	return n > 0 ? rec_string(to, (size_t)n) : 0;
}

static uint32_t arguments_of(pid_t pid)
{
	FILE *f = open_file(pid, "cmdline");
	char text[4096];
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;

	if (f)
		fclose(f);
	while (n && !text[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return rec_string(text, n);
}

/* Notes the files whose code is mapped. */
static int read_maps(struct rec_attach *a, struct tp_err *err)
{
	FILE *f = open_file(a->pid, "maps");
	char line[PATH_MAX + 128];

	if (!f)
		return not_allowed(err, a->pid);
	while (fgets(line, sizeof(line), f)) {
		unsigned long start, limit, offset;
		char protection[8];
		int at = 0;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &limit, protection, &offset,
			   &at) == 4 &&
		    at && protection[2] == 'x')
			rec_attach_map(a, start, limit, offset, line + at);
	}
	fclose(f);
	return 0;
}

/* ---- the arena ---- */

/* Makes an arena of ours that is the program's from then on. */
static int make_arena(struct rec_attach *a, struct tp_err *err)
{
	struct rec_options options = a->request->options;
	int error;

	/* No record of ours. */
	options.trace = 0;
	error = rec_core_begin(&options, true);
	if (error)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "%s", strerror(error));
	rec_g_leave(rec_self.slot);
	rec_self.slot = NULL;
	rec_core->arena.header->next_g = 1;
	rec_core->arena.header->pid = (uint32_t)a->pid;
	rec_core->arena.header->exe = link_of(a->pid);
	rec_core->arena.header->args = arguments_of(a->pid);
	return 0;
}

static void set_start(struct rec_attach *a)
{
	struct rec_header *h = rec_core->arena.header;
	struct timespec wall;

	a->start_ns = h->start_ns = rec_now();
	clock_gettime(CLOCK_REALTIME, &wall);
	h->start_sec = (uint64_t)wall.tv_sec;
	h->start_nsec = (uint64_t)wall.tv_nsec;
	h->options.trace = a->request->trace;
}

/* ---- events ---- */

static struct perf_event_attr event(void)
{
	return (struct perf_event_attr){
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(struct perf_event_attr),
	    .config = PERF_COUNT_SW_DUMMY,
	    .sample_type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	    .disabled = 1,
	    .inherit = 1,
	    .inherit_thread = 1,
	    .exclude_hv = 1,
	    .sample_id_all = 1,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	};
}

/* Follows a thread. Returns 0 or errno. */
static int follow(struct rec_attach *a, pid_t tid, uint32_t number)
{
	struct perf_event_attr main = event(), waits = event();
	int error;

	main.context_switch = main.task = main.comm = main.comm_exec = main.mmap = main.mmap2 = 1;
	main.exclude_kernel = !a->kernel;
	if (a->request->profile[REC_PROFILE_CPU]) {
		main.config = PERF_COUNT_SW_CPU_CLOCK;
		main.sample_period = 1000000000u / a->request->options.cpu_hz;
		if (!rec_attach_sampling(&main, REC_ATTACH_STACK))
			return EOPNOTSUPP;
	}
	error = rec_switches_follow(a->switches, &main, tid, 2 * number);
	if (error || !a->kernel || !a->request->trace)
		return error;
	waits.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	waits.sample_period = 1;
	rec_attach_sampling(&waits, REC_ATTACH_WAIT_STACK);
	return rec_switches_follow(a->switches, &waits, tid, 2 * number + 1);
}

static int no_events(const struct rec_attach *a, const char *reason, struct tp_err *err)
{
	char why[320];

	snprintf(why, sizeof(why), "%s", reason);
	return tp_err_set(
	    err, TP_EIO, TP_OFFSET_NONE,
	    "--pid=%d: the kernel allows no perf events: %s; run tprof-record as root "
	    "or with CAP_PERFMON",
	    (int)a->pid, why);
}

static int cannot_follow(const struct rec_attach *a, int error, struct tp_err *err)
{
	const char *why = strerror(error);

	if (error == ENOMEM)
		return tp_nomem(err);
	if (error == EACCES || error == EPERM)
		return no_events(a, why, err);
	if (error == EMFILE)
		why = "it has too many threads: each needs one or two open files for each "
		      "processor; raise \"ulimit -n\"";
	else if (error == EOPNOTSUPP)
		why = "CPU samples are not supported on this processor; use --trace";
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "--pid=%d: %s", (int)a->pid, why);
}

static int add_thread(struct rec_attach *a, uint32_t tid, struct tp_err *err)
{
	uint32_t number = (uint32_t)a->nthreads;
	int error = follow(a, (pid_t)tid, number);

	if ((error == EACCES || error == EPERM) && a->kernel && !number) {
		a->kernel = false;
		error = follow(a, (pid_t)tid, number);
	}
	/* It has ended. */
	if (error == ESRCH)
		return 0;
	if (error)
		return cannot_follow(a, error, err);
	return rec_attach_thread(a, tid, number) ? 0 : tp_nomem(err);
}

/* Adds all threads: those that begin meanwhile are found by another look, or followed from their creation. */
static int add_threads(struct rec_attach *a, struct tp_err *err)
{
	int code = add_thread(a, (uint32_t)a->pid, err);
	bool again = true;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)a->pid);
	while (again && !code) {
		DIR *d = opendir(path);
		struct dirent *e;

		again = false;
		while (d && !code && (e = readdir(d))) {
			uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);
			size_t before = a->nthreads;

			if (!tid || tp_ids_get(&a->by_tid, tid) != TP_NO_ID)
				continue;
			code = add_thread(a, tid, err);
			again |= a->nthreads > before;
		}
		if (d)
			closedir(d);
	}
	if (!code && !a->nthreads)
		return refuse(err, a->pid, "it is over");
	return code;
}

/* ---- the recording ---- */

static int make_folder(struct rec_attach *a, struct tp_err *err)
{
	const struct rec_header *h = rec_core->arena.header;
	struct rec_result *r = &a->result;

	rec_program_name(rec_core->arena.strings + h->exe, r->program);
	r->pid = a->pid;
	return rec_session_folder(r, a->request->folder, err);
}

/* The arena is drained as that of another process would be. */
static int make_image(struct rec_attach *a, struct tp_err *err)
{
	int memory = fcntl(rec_core->fd, F_DUPFD_CLOEXEC, 0);
	int process = (int)syscall(SYS_pidfd_open, a->pid, 0), code;

	if (memory < 0 || process < 0) {
		code = errno == ESRCH
			   ? refuse(err, a->pid, "it is over")
			   : tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "--pid=%d: pidfd_open: %s",
					(int)a->pid, strerror(errno));
		if (memory >= 0)
			close(memory);
		return code;
	}
	code = rec_image_begin(&a->image, memory, process, a->pid, REC_HELLO_START,
			       a->result.folder, err);
	if (code)
		return code;
	a->image->is_main = true;
	a->image->switches = a->switches;
	snprintf(a->image->folder, sizeof(a->image->folder), "%s", a->result.folder);
	return 0;
}

static int begin(struct rec_attach *a, struct tp_err *err)
{
	int code = make_arena(a, err);

	if (!code)
		code = read_maps(a, err);
	if (!code) {
		a->copied.pid = a->pid;
		a->copied.depth = rec_core->arena.header->options.depth;
		a->copied.add = rec_attach_add;
	}
	if (!code)
		code = rec_copied_files(&a->copied, err);
	if (code == TP_ENOENT)
		code = not_allowed(err, a->pid);
	if (!code)
		code = make_folder(a, err);
	if (code)
		return code;
	rec_session_raise_files();
	a->kernel = true;
	a->reader = (struct rec_switches_reader){rec_attach_make, rec_attach_see, a};
	code = rec_switches_open(&a->switches, &a->reader, a->result.folder, err);
	if (code == TP_EIO)
		return no_events(a, err->msg, err);
	if (code)
		return code;
	code = make_image(a, err);
	if (!code)
		code = add_threads(a, err);
	if (code)
		return code;
	rec_switches_enable(a->switches);
	set_start(a);
	code = rec_attach_begin(a, err);
	if (code)
		return code;
	rec_switches_put_first(a->switches, a->first, a->nfirst);
	return rec_switches_start(a->switches, err);
}

/* ---- the end ---- */

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
}

/* Ends the recorder at the next signal, unless that is the one which ended the recording, sent twice, or it
 * cancels a download. */
static void *wait_to_give_up(void *arg)
{
	const uint64_t since = rec_now();
	sigset_t set;
	int sig;

	ending_signals(&set);
	do
		if (sigwait(&set, &sig))
			return arg;
	while (rec_now() - since < (uint64_t)PATIENCE_MS * 1000000 || rec_debuginfod_cancel());
	rec_file_abandon();
	rec_end_like(sig);
	_exit(128 + sig);
}

/* Waits until recording is to end. From then on signals end the recorder. */
static void wait_for_end(struct rec_attach *a)
{
	const uint64_t until = a->start_ns + (uint64_t)a->request->for_ns;
	struct pollfd polls[3];
	struct signalfd_siginfo si;
	pthread_t thread;
	sigset_t set;

	ending_signals(&set);
	polls[0] = (struct pollfd){.fd = signalfd(-1, &set, SFD_CLOEXEC), .events = POLLIN};
	polls[1] = (struct pollfd){.fd = a->image->process, .events = POLLIN};
	polls[2] = (struct pollfd){.fd = a->bell, .events = POLLIN};
	for (;;) {
		uint64_t now = rec_now(), left = until > now ? until - now : 0;
		struct timespec t = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};

		if (ppoll(polls, 3, a->request->for_ns ? &t : NULL, NULL) > 0 ||
		    (a->request->for_ns && !left))
			break;
	}
	a->result.over = polls[1].revents;
	if (polls[0].revents)
		(void)!read(polls[0].fd, &si, sizeof(si));
	close(polls[0].fd);
	if (!pthread_create(&thread, NULL, wait_to_give_up, NULL))
		pthread_detach(thread);
}

static void note_limits(struct rec_attach *a)
{
	struct rec_result *r = &a->result;
	char n[REC_PLURAL], of[TP_COUNT_SIZE];

	if (!a->kernel)
		snprintf(r->limits, sizeof(r->limits),
			 "not seen: time in the kernel, and stacks of waits: "
			 "kernel.perf_event_paranoid is %d; 1, root or CAP_PERFMON allow it",
			 rec_switches_paranoid());
	else if (a->flood_ns)
		snprintf(
		    r->limits, sizeof(r->limits),
		    "no stacks of waits after %s: they came faster than the recorder could read "
		    "them",
		    tp_fmt_ns(n, (int64_t)(a->flood_ns - a->start_ns)));
	if (a->cut)
		snprintf(r->cut, sizeof(r->cut),
			 "%s of %s are deeper than the %d KiB that are copied of each: their "
			 "callers are missing",
			 rec_dump_count(of, a->cut), rec_dump_plural(n, a->stacks, "stack"),
			 REC_ATTACH_STACK >> 10);
}

static void end(struct rec_attach *a)
{
	uint64_t now = rec_now();
	struct rec_debuginfod debuginfod = {0};
	struct rec_images *images = rec_images_new(rec_debuginfod_fetch, &debuginfod);

	rec_switches_stop(a->switches);
	if (a->end_ns) {
		now = a->end_ns;
		a->result.executed = true;
		a->result.over = false;
	}
	rec_attach_end(a, now);
	rec_switches_put_first(a->switches, a->first, a->nfirst);
	rec_image_halt(a->image, !a->result.over, now);
	a->result.ran_ns = (int64_t)(now - a->start_ns);
	a->result.recorded = true;
	a->result.children = a->children;
	note_limits(a);
	rec_dump_write(a->image, true, a->request, images, &a->result.last);
	rec_debuginfod_remark(&debuginfod, a->result.last.remark, sizeof(a->result.last.remark));
	rec_images_free(images);
	rec_debuginfod_end(&debuginfod);
}

static void release(struct rec_attach *a)
{
	rec_switches_end(a->switches);
	rec_image_free(a->image);
	rec_copied_release(&a->copied);
	for (size_t i = 0; i < REC_ATTACH_CPUS; i++)
		free(a->wait[i].record);
	tp_ids_release(&a->calls);
	tp_ids_release(&a->by_tid);
	free(a->threads);
	free(a->first);
	if (a->bell >= 0)
		close(a->bell);
	free(a);
}

int rec_attach_run(const struct rec_request *request, pid_t pid,
		   void (*begun)(void *ctx, const struct rec_result *r),
		   void (*report)(void *ctx, const struct rec_result *r), void *ctx,
		   struct tp_err *err)
{
	struct rec_attach *a;
	int code = check(pid, err), priority = getpriority(PRIO_PROCESS, 0);
	sigset_t set;

	if (code)
		return code;
	a = calloc(1, sizeof(*a));
	if (!a)
		return tp_nomem(err);
	a->request = request;
	a->pid = pid;
	a->result.attached = true;
	a->bell = eventfd(0, EFD_CLOEXEC);
	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* If permitted: the program may keep all processors busy. */
	setpriority(PRIO_PROCESS, 0, -10);
	code = begin(a, err);
	if (!code) {
		begun(ctx, &a->result);
		wait_for_end(a);
		setpriority(PRIO_PROCESS, 0, priority);
		end(a);
		report(ctx, &a->result);
	} else if (a->result.folder[0] && !request->folder) {
		rmdir(a->result.folder);
	}
	release(a);
	return code;
}
