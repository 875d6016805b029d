#include "tprof-record/parent/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record/parent/file.h"
#include "tprof-record/parent/listen.h"
#include "tprof-record/parent/writer.h"

enum {
	MAX_IMAGES = 512,      /* alive at a time: each has a thread, files and some memory */
	MAX_CONNECTIONS = 256, /* that have not said anything yet */
	/* A fork that becomes another program within that, with so few records, is no image. */
	BRIEF_MS = 1000,
	BRIEF_RECORDS = 64,
	PATIENCE_MS = 500, /* after which a signal ends a recorder whose program is over */
	RETRY_MS = 20,
	LINGER_MS = 500, /* for children that have just been forked, and not reported yet */
};

/* What the loop waits for. */
struct source {
	enum {
		FROM_SIGNALS,
		FROM_SOCKET,
		FROM_CALLER,
		FROM_PROCESS,
		FROM_WRITER,
		FROM_INTERVAL,
		FROM_END
	} from;
	int fd;
	struct rec_image *image; /* of FROM_PROCESS */
	struct source *next;	 /* of callers, and of what is to be freed */
};

struct session {
	const struct rec_session_options *o;
	struct rec_result result;
	char name[REC_SOCKET_NAME];
	char here[PATH_MAX]; /* the folder as clients may find it */
	int epoll;
	struct source signals, socket, writer_bell, interval, end;
	struct source *callers;
	unsigned ncallers;
	struct rec_image *images; /* that are drained */
	unsigned nimages;
	struct rec_writer *writer;
	pid_t pid;
	uint64_t begin_ns, over_ns;
	int status;
	bool over;	 /* the program has ended */
	bool closed;	 /* nothing is recorded any more (--for, or at the end) */
	bool reported;	 /* the summary was given */
	bool stopped;	 /* the program is stopped (SIGTSTP and the like) */
	bool reap_again; /* somebody traced its threads when it was to be looked at */
	uint32_t forked[REC_DRAIN_FORKS]; /* by the image that ended last */
	unsigned snapping;		  /* jobs of the last --interval that are not done */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void watch(struct session *s, struct source *source)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = source};

	epoll_ctl(s->epoll, EPOLL_CTL_ADD, source->fd, &e);
}

static void unwatch(struct session *s, int fd)
{
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* ---- images ---- */

static struct rec_image *image_of(struct session *s, pid_t pid)
{
	struct rec_image *image = s->images;

	while (image && image->pid != pid)
		image = image->next;
	return image;
}

static void unlist(struct session *s, struct rec_image *image)
{
	struct rec_image **p = &s->images;

	while (*p && *p != image)
		p = &(*p)->next;
	if (*p) {
		*p = image->next;
		s->nimages--;
	}
}

/* What a process did between fork and exec. */
static bool is_brief(const struct rec_image *image, uint64_t exec_ns)
{
	return exec_ns && image->how == REC_HELLO_FORK && image->spool.n < BRIEF_RECORDS &&
	       image->end_ns - image->arena.header->start_ns < (uint64_t)BRIEF_MS * 1000000;
}

/* Ends an image and has its files written. */
static void end_image(struct session *s, struct rec_image *image, bool alive, uint64_t exec_ns)
{
	unlist(s, image);
	if (image->process >= 0)
		unwatch(s, image->process);
	free(image->source);
	image->source = NULL;
	rec_image_halt(image, alive, exec_ns);
	memcpy(s->forked, image->drain.forked, sizeof(s->forked));
	if (!s->o->request->children)
		s->result.children += image->drain.nforks;
	image->displaced = exec_ns && image->is_main;
	if (is_brief(image, exec_ns) || rec_writer_add(s->writer, image, true, -1, false))
		rec_image_free(image);
}

static void end_images(struct session *s, bool alive)
{
	while (s->images) {
		struct rec_image *image = s->images;

		end_image(s, image, alive && !kill(image->pid, 0), 0);
	}
}

/* Is it one that we record? */
static bool wants(struct session *s, const struct rec_caller *c)
{
	if (s->closed)
		return false;
	if (c->pid != s->pid && !s->o->request->children) {
		s->result.children++;
		return false;
	}
	s->result.turned_away += s->nimages >= MAX_IMAGES;
	return s->nimages < MAX_IMAGES;
}

/* A process has reported. */
static void begin_image(struct session *s, struct rec_caller *c)
{
	struct rec_image *image, *before;
	struct tp_err err;
	int process, code;

	if (!wants(s, c)) {
		close(c->memory);
		return;
	}
	process = (int)syscall(SYS_pidfd_open, c->pid, 0);
	code = rec_image_begin(&image, c->memory, process, c->pid, c->hello.kind, s->result.folder,
			       &err);
	before = image_of(s, c->pid);
	if (before)
		end_image(s, before, false, code ? now() : image->arena.header->start_ns);
	if (code) {
		snprintf(s->result.refused, sizeof(s->result.refused), "process %d: %s",
			 (int)c->pid, err.msg);
		return;
	}
	image->is_main = c->pid == s->pid;
	if (image->is_main) {
		s->result.recorded = true;
		memcpy(image->folder, s->result.folder, sizeof(image->folder));
		/* Until then it goes by the name that it was called by. */
		if (image->how == REC_HELLO_EXEC)
			memcpy(s->result.program, image->program, sizeof(s->result.program));
	}
	image->next = s->images;
	s->images = image;
	s->nimages++;
	image->source = image->process >= 0 ? calloc(1, sizeof(*image->source)) : NULL;
	/* It was quick, and is gone; what it became by an exec may have reported, too: end_gone. */
	if (!image->source)
		return;
	*image->source =
	    (struct source){.from = FROM_PROCESS, .fd = image->process, .image = image};
	watch(s, image->source);
}

/* ---- snapshots ---- */

/* Of one process, or (0) of all that are recorded. False where there is none, or no profile. */
static bool snapshot(struct session *s, pid_t pid, int client)
{
	unsigned n = 0, i = 0;
	bool any = false;

	for (int kind = 0; kind < REC_NPROFILES; kind++)
		any |= s->o->request->profile[kind];
	if (!any)
		return false;
	for (struct rec_image *image = s->images; image; image = image->next)
		n += !pid || image->pid == pid;
	for (struct rec_image *image = s->images; image; image = image->next) {
		if (pid && image->pid != pid)
			continue;
		if (rec_writer_add(s->writer, image, false, client, ++i == n))
			return false;
		if (client < 0)
			s->snapping++;
	}
	return n > 0;
}

/* The files, one per line, each with its whole path; "!" before what went wrong. */
static void answer(const struct session *s, const struct rec_job *job)
{
	const struct rec_dump *d = &job->dump;
	char text[PATH_MAX + 512];
	const char *inside = job->image->folder + strlen(s->result.folder);

	for (size_t i = 0; i < d->nfiles; i++) {
		int n = snprintf(text, sizeof(text), "%s%s/%s\n", s->here, inside, d->file[i].name);

		if (n > 0 && n < (int)sizeof(text))
			send(job->client, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	for (size_t i = 0; i < d->ntroubles; i++) {
		int n = snprintf(text, sizeof(text), "!%s\n", d->trouble[i]);

		send(job->client, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
}

/* ---- what comes in ---- */

static void drop(struct session *s, struct source *caller, bool keep_open)
{
	struct source **p = &s->callers;

	while (*p && *p != caller)
		p = &(*p)->next;
	if (*p) {
		*p = caller->next;
		s->ncallers--;
	}
	unwatch(s, caller->fd);
	if (!keep_open)
		close(caller->fd);
	free(caller);
}

/* False when it has said all it had to say, and is gone. */
static bool hear(struct session *s, struct source *caller)
{
	struct rec_caller c;
	int heard = rec_listen_hear(caller->fd, &c);
	int fd = caller->fd;
	bool kept = false;

	if (!heard)
		return true;
	if (heard > 0 && !rec_listen_trusts(c.uid)) {
		s->result.strangers++;
		if (c.memory >= 0)
			close(c.memory);
	} else if (heard > 0 && c.hello.kind == REC_HELLO_SNAPSHOT) {
		pid_t pid = (pid_t)c.hello.pid;

		kept = snapshot(s, pid != s->pid && image_of(s, pid) ? pid : 0, fd);
	} else if (heard > 0) {
		begin_image(s, &c);
	}
	drop(s, caller, kept);
	return false;
}

static struct source *oldest(const struct session *s)
{
	struct source *caller = s->callers;

	while (caller && caller->next)
		caller = caller->next;
	return caller;
}

static void accept_all(struct session *s)
{
	int fd;

	while ((fd = rec_listen_accept(s->socket.fd)) >= 0) {
		struct source *caller = calloc(1, sizeof(*caller));

		/* Whoever connects to say nothing does not keep others out. */
		if (s->ncallers >= MAX_CONNECTIONS)
			drop(s, oldest(s), false);
		if (!caller) {
			close(fd);
			return;
		}
		*caller = (struct source){.from = FROM_CALLER, .fd = fd, .next = s->callers};
		s->callers = caller;
		s->ncallers++;
		watch(s, caller);
		hear(s, caller);
	}
}

/* Whoever reported before the program ended is heard before anything is concluded from that. */
static void hear_all(struct session *s)
{
	struct source *next;

	accept_all(s);
	for (struct source *c = s->callers; c; c = next) {
		next = c->next;
		hear(s, c);
	}
}

static void process_over(struct session *s, pid_t pid)
{
	struct rec_image *image;

	/* What it became by an exec may have reported as well. */
	hear_all(s);
	image = image_of(s, pid);
	if (image)
		end_image(s, image, false, 0);
}

/* Ends the images of processes that had gone when they were heard. */
static void end_gone(struct session *s)
{
	struct rec_image *image = s->images;

	while (image && image->source)
		image = image->next;
	if (!image)
		return;
	hear_all(s);
	for (image = s->images; image;) {
		struct rec_image *next = image->next;

		if (!image->source)
			end_image(s, image, false, 0);
		image = next;
	}
}

/* ---- the program's life ---- */

static void close_recording(struct session *s, bool alive)
{
	hear_all(s);
	s->closed = true;
	end_images(s, alive);
}

static void program_over(struct session *s, int status)
{
	s->over = true;
	s->status = status;
	s->over_ns = now();
	if (s->closed)
		return;
	process_over(s, s->pid);
	if (!s->o->request->children)
		close_recording(s, true);
}

/* The shell that waits for us is to see us stop when the program stops; and the terminal is then
 * the shell's. */
static void stop_too(struct session *s, int sig)
{
	sigset_t one, before;

	s->stopped = true;
	if (sig == SIGSTOP && !(isatty(STDIN_FILENO) || isatty(STDERR_FILENO)))
		return;
	if (sig == SIGSTOP && tcgetpgrp(STDERR_FILENO) != getpgrp())
		return;
	sigemptyset(&one);
	sigaddset(&one, sig);
	kill(getpid(), sig);
	sigprocmask(SIG_UNBLOCK, &one, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void reap(struct session *s)
{
	int status;

	if (s->over)
		return;
	/* A stop that belongs to who traces its threads must not be taken from it. */
	s->reap_again = pthread_mutex_trylock(&rec_dump_tracing) != 0;
	if (s->reap_again)
		return;
	while (!s->over && waitpid(s->pid, &status, WNOHANG | WUNTRACED | WCONTINUED) == s->pid) {
		if (WIFSTOPPED(status)) {
			stop_too(s, WSTOPSIG(status));
		} else if (WIFCONTINUED(status)) {
			s->stopped = false;
		} else {
			pthread_mutex_unlock(&rec_dump_tracing);
			program_over(s, status);
			return;
		}
	}
	pthread_mutex_unlock(&rec_dump_tracing);
}

/* A signal to the recorder, when the program has gone: an end to waiting for others, and then to
 * writing. */
static void signal_at_the_end(struct session *s, int sig)
{
	if (sig != SIGINT && sig != SIGTERM && sig != SIGQUIT && sig != SIGHUP)
		return;
	if (!s->closed) {
		close_recording(s, true);
		return;
	}
	/* The one that ended the program may have come to us as well. */
	if (now() - s->over_ns < (uint64_t)PATIENCE_MS * 1000000)
		return;
	rec_file_abandon();
	rec_end_like(sig);
	_exit(128 + sig);
}

static void on_signal(struct session *s, const struct signalfd_siginfo *si)
{
	int sig = (int)si->ssi_signo;
	union sigval value = {.sival_ptr = (void *)(uintptr_t)si->ssi_ptr};

	if (sig == SIGCHLD) {
		reap(s);
		return;
	}
	if (sig == SIGUSR2) {
		snapshot(s, 0, -1);
		return;
	}
	if (s->over) {
		signal_at_the_end(s, sig);
		return;
	}
	/* From the terminal: the whole group has it, so the program has it. From the program: meant
	 * for its group, in which we are. */
	if (si->ssi_code == SI_KERNEL || (pid_t)si->ssi_pid == s->pid)
		return;
	if (sig == SIGCONT && !s->stopped)
		return;
	if (si->ssi_code == SI_QUEUE)
		sigqueue(s->pid, sig, value);
	else
		kill(s->pid, sig);
}

static void on_snapshot(struct session *s, const struct rec_job *job)
{
	struct rec_result *r = &s->result;

	if (job->image->is_main)
		r->snapshots = job->image->snapshots;
	if (job->client < 0) {
		s->snapping--;
		if (job->dump.ntroubles && !r->snapshot_troubles)
			memcpy(r->snapshot_trouble, job->dump.trouble[0],
			       sizeof(r->snapshot_trouble));
		r->snapshot_troubles += (unsigned)job->dump.ntroubles;
		return;
	}
	answer(s, job);
	if (job->is_last)
		close(job->client);
}

static void on_final(struct session *s, const struct rec_job *job)
{
	const struct rec_image *image = job->image;
	struct rec_result *r = &s->result;

	if (image->is_main && !image->displaced) {
		r->last = job->dump;
		r->snapshots = image->snapshots;
		return;
	}
	if (r->others < REC_SESSION_LINES && image->folder[0])
		snprintf(r->other[r->others], sizeof(r->other[0]), "%s",
			 strrchr(image->folder, '/') + 1);
	r->others++;
	r->other_troubles += (unsigned)job->dump.ntroubles;
}

static void on_done(struct session *s)
{
	struct rec_job *job;

	while ((job = rec_writer_next(s->writer))) {
		if (job->dump.blind[0])
			memcpy(s->result.blind, job->dump.blind, sizeof(s->result.blind));
		if (job->final) {
			on_final(s, job);
			rec_image_free(job->image);
		} else {
			on_snapshot(s, job);
		}
		free(job);
	}
}

/* The summary, as soon as there is nothing more to come. */
static void report(struct session *s)
{
	if (s->reported || !s->closed || rec_writer_pending(s->writer))
		return;
	s->reported = true;
	s->result.over = s->over;
	s->result.status = s->status;
	s->result.ran_ns = (int64_t)((s->over ? s->over_ns : now()) - s->begin_ns);
	/* A folder of ours with nothing in it is of no use. */
	if (!s->result.last.nfiles && !s->o->request->folder)
		rmdir(s->result.folder);
	s->o->report(s->o->ctx, &s->result);
}

static void take_timer(int fd)
{
	uint64_t n;

	(void)!read(fd, &n, sizeof(n));
}

static void on_event(struct session *s, struct source *from)
{
	struct signalfd_siginfo si;

	switch (from->from) {
	case FROM_SIGNALS:
		if (read(from->fd, &si, sizeof(si)) == sizeof(si))
			on_signal(s, &si);
		break;
	case FROM_SOCKET:
		accept_all(s);
		break;
	case FROM_CALLER:
		hear(s, from);
		break;
	case FROM_PROCESS:
		process_over(s, from->image->pid);
		break;
	case FROM_WRITER:
		on_done(s);
		break;
	case FROM_INTERVAL:
		take_timer(from->fd);
		/* Who cannot keep up makes fewer, not more and more of them. */
		if (!s->snapping)
			snapshot(s, 0, -1);
		break;
	case FROM_END:
		take_timer(from->fd);
		unwatch(s, from->fd);
		if (!s->closed)
			close_recording(s, true);
		break;
	}
}

/* The program is over and had forked: will its child report? It gets some time for that. */
static bool expects_children(const struct session *s)
{
	if (now() - s->over_ns > (uint64_t)LINGER_MS * 1000000)
		return false;
	for (int i = 0; i < REC_DRAIN_FORKS; i++)
		if (s->forked[i] && s->forked[i] <= INT_MAX && !kill((pid_t)s->forked[i], 0))
			return true;
	return false;
}

static void loop(struct session *s)
{
	while (!s->over || !s->reported) {
		bool again = s->reap_again || (s->over && !s->closed && !s->images);
		struct epoll_event e;
		int n = epoll_wait(s->epoll, &e, 1, again ? RETRY_MS : -1);

		if (n > 0)
			on_event(s, e.data.ptr);
		end_gone(s);
		if (s->reap_again)
			reap(s);
		if (s->over && !s->closed && !s->images && !expects_children(s))
			close_recording(s, false);
		report(s);
	}
}

/* ---- the beginning ---- */

static bool start_timer(struct session *s, struct source *timer, int from, int64_t ns, bool again)
{
	struct itimerspec t = {.it_value = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}};

	timer->fd = -1;
	if (!ns)
		return true;
	if (again)
		t.it_interval = t.it_value;
	timer->from = (unsigned)from;
	timer->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer->fd < 0 || timerfd_settime(timer->fd, 0, &t, NULL))
		return false;
	watch(s, timer);
	return true;
}

/* All that can be forwarded, or is for us. What a fault of ours raises stays as it is. */
static void block_signals(sigset_t *set)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

	sigfillset(set);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(set, faults[i]);
	sigprocmask(SIG_BLOCK, set, NULL);
	signal(SIGCHLD, SIG_DFL);
}

static int open_sources(struct session *s, struct tp_err *err)
{
	sigset_t set;
	int code = 0;

	s->socket.fd = rec_listen(s->name, err);
	if (s->socket.fd < 0)
		return err->code;
	block_signals(&set);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->epoll < 0 || s->signals.fd < 0)
		code = tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno));
	if (code)
		return code;
	s->signals.from = FROM_SIGNALS;
	s->socket.from = FROM_SOCKET;
	watch(s, &s->signals);
	watch(s, &s->socket);
	return 0;
}

static int open_writer(struct session *s, struct tp_err *err)
{
	s->writer = rec_writer_new(s->o->request);
	if (!s->writer)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "no thread to write files");
	s->writer_bell = (struct source){.from = FROM_WRITER, .fd = rec_writer_bell(s->writer)};
	watch(s, &s->writer_bell);
	return 0;
}

/* PROGRAM.PID, made by us and nobody else. */
static int make_own_folder(struct rec_result *r, struct tp_err *err)
{
	for (int i = 1; i < 100; i++) {
		snprintf(r->folder, sizeof(r->folder), i > 1 ? "%s.%d.%d" : "%s.%d", r->program,
			 (int)r->pid, i);
		if (!mkdir(r->folder, 0777))
			return 0;
		if (errno != EEXIST)
			break;
	}
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot create it: %s", strerror(errno));
}

static int make_given_folder(struct rec_result *r, const char *path, struct tp_err *err)
{
	int n = snprintf(r->folder, sizeof(r->folder), "%s", path), code;

	if (n >= (int)sizeof(r->folder))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "its name is too long");
	while (n > 1 && r->folder[n - 1] == '/')
		r->folder[--n] = 0;
	code = rec_folder_make(r->folder, err);
	if (!code)
		rec_folder_clear(r->folder);
	return code;
}

/* Between fork and exec: the folder may be named after the process. */
static int on_ready(void *ctx, pid_t pid, struct tp_err *err)
{
	struct session *s = ctx;
	struct rec_result *r = &s->result;
	const char *given = s->o->request->folder;
	int code;

	s->pid = r->pid = pid;
	rec_program_name(s->o->argv[0], r->program);
	code = given ? make_given_folder(r, given, err) : make_own_folder(r, err);
	if (code) {
		tp_err_prefix(err, "%.200s", r->folder);
		return code;
	}
	if (!realpath(r->folder, s->here))
		memcpy(s->here, r->folder, sizeof(s->here));
	return 0;
}

/* The program has our standard streams; we keep the one for messages. Who reads the program's
 * output shall not wait for us. */
static void let_go_of_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rlimit files;

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		if (null > STDERR_FILENO)
			close(null);
	}
	/* Each process that is recorded takes three descriptors. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static int start(struct session *s, int *error, struct tp_err *err)
{
	const struct rec_session_options *o = s->o;
	char settings[512], **env = NULL;
	pid_t pid;

	if (o->library) {
		rec_request_settings(o->request, s->name, settings, sizeof(settings));
		env = rec_request_environment(o->env, settings, o->library);
		if (!env)
			return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	}
	s->begin_ns = now();
	pid = rec_spawn(o->program->path, o->argv, env ? env : o->env, o->signals, on_ready, s,
			error, err);
	free(env);
	if (pid < 0 && !o->request->folder && s->result.folder[0])
		rmdir(s->result.folder);
	if (pid < 0)
		return err->code;
	let_go_of_streams();
	return 0;
}

static void finish(struct session *s)
{
	while (s->images) {
		struct rec_image *image = s->images;

		s->images = image->next;
		free(image->source);
		rec_image_free(image);
	}
	while (s->callers)
		drop(s, s->callers, false);
	rec_writer_free(s->writer);
	if (s->interval.fd > 0)
		close(s->interval.fd);
	if (s->end.fd > 0)
		close(s->end.fd);
	close(s->signals.fd);
	close(s->socket.fd);
	close(s->epoll);
}

int rec_session_run(const struct rec_session_options *o, int *status, int *error,
		    struct tp_err *err)
{
	struct session *s = calloc(1, sizeof(*s));
	int code;

	*error = 0;
	if (!s)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	s->o = o;
	s->epoll = s->signals.fd = s->socket.fd = -1;
	code = open_sources(s, err);
	if (!code)
		code = open_writer(s, err);
	if (!code)
		code = start(s, error, err);
	if (!code) {
		start_timer(s, &s->interval, FROM_INTERVAL, o->request->interval_ns, true);
		start_timer(s, &s->end, FROM_END, o->request->for_ns, false);
		loop(s);
		*status = s->status;
	}
	finish(s);
	free(s);
	return code;
}
