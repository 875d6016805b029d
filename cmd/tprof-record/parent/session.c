#include "tprof-record/parent/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signals.h"
#include "tprof-record/parent/cut.h"
#include "tprof-record/parent/file.h"

enum {
	MAX_HELD = 768, /* processes that are recorded, or wait to be written */
	RETRY_MS = 20,
	BELL_MS = 1000,	 /* the writer is checked at this interval in case its bell fails */
	LATE_MS = 10000, /* for a program that has not reported, beyond --for */
	LINGER_MS = 500, /* for children that have just been forked, and not reported yet */
};

void rec_session_watch(struct rec_session *s, struct rec_source *source)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = source};

	epoll_ctl(s->epoll, EPOLL_CTL_ADD, source->fd, &e);
}

void rec_session_unwatch(struct rec_session *s, int fd)
{
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* ---- the loop ---- */

static void on_snapshot(struct rec_session *s, const struct rec_job *job)
{
	struct rec_result *r = &s->result;

	job->image->asked--;
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
	rec_session_answer(s, job);
	if (job->is_last)
		close(job->client);
}

static void on_final(struct rec_session *s, const struct rec_job *job)
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
	rec_dump_add_losses(&r->rest, &job->dump);
	r->other_troubles += (unsigned)job->dump.ntroubles;
}

static void on_done(struct rec_session *s)
{
	struct rec_job *job;

	while ((job = rec_writer_next(&s->writer))) {
		if (job->dump.blind[0])
			memcpy(s->result.blind, job->dump.blind, sizeof(s->result.blind));
		if (job->final) {
			on_final(s, job);
			s->nheld--;
			if (s->over && s->closed) {
				job->image->next = s->written;
				s->written = job->image;
			} else {
				rec_image_free(job->image);
			}
		} else {
			on_snapshot(s, job);
		}
		free(job);
	}
}

/* Gives the summary as soon as everything is written. */
static void report(struct rec_session *s)
{
	if (s->reported || !s->closed || s->writer.pending)
		return;
	s->reported = true;
	s->result.over = s->over;
	s->result.status = s->status;
	s->result.ran_ns =
	    (int64_t)(s->over ? s->over_ns - s->begin_ns : s->recorded_to_ns - s->recorded_from_ns);
	/* An empty folder that we made is removed. */
	if (!s->result.last.nfiles && !s->o->request->folder)
		rmdir(s->result.folder);
	s->o->report(s->o->ctx, &s->result);
}

static void on_event(struct rec_session *s, struct rec_source *from)
{
	struct signalfd_siginfo si;

	switch (from->from) {
	case FROM_SIGNALS:
		if (read(from->fd, &si, sizeof(si)) == sizeof(si))
			rec_session_signal(s, &si);
		break;
	case FROM_SOCKET:
		rec_session_accept(s);
		break;
	case FROM_CALLER:
		rec_session_hear_all(s);
		break;
	case FROM_PROCESS:
		rec_session_process_over(s, from->image->pid);
		break;
	case FROM_WRITER:
		on_done(s);
		break;
	}
}

/* Takes a snapshot, ends recording, and begins to read switches and to look at threads from outside, when these are
 * due. */
static void on_time(struct rec_session *s)
{
	uint64_t interval = (uint64_t)s->o->request->interval_ns, now = rec_now();
	struct tp_err err;

	if (s->outside_ns && now >= s->outside_ns) {
		s->outside_ns = 0;
		/* Without its thread the rings fill up: what they lose is counted. */
		if (!s->closed) {
			(void)rec_switches_start(s->switches, &err);
			rec_outside_start(s->outside);
		}
	}
	if (s->snapshot_ns && now >= s->snapshot_ns) {
		s->snapshot_ns += (1 + (now - s->snapshot_ns) / interval) * interval;
		/* If writing is slower than the interval, snapshots are skipped. */
		if (!s->snapping)
			rec_session_snapshot(s, 0, -1);
	}
	if (s->end_ns && now >= s->end_ns) {
		s->end_ns = 0;
		if (!s->closed)
			rec_session_close(s, true);
	}
}

/* Returns the time until `at` (0: never), but at most `ms` (-1: for ever), in ms. */
static int until(uint64_t at, int ms)
{
	uint64_t now = rec_now(), left = at > now ? (at - now + 999999) / 1000000 : 0;

	return at && (ms < 0 || left < (uint64_t)ms) ? (int)(left < INT_MAX ? left : INT_MAX) : ms;
}

/* Returns whether a child of the program, which is over, may still report; it gets some time for it. */
static bool expects_children(const struct rec_session *s)
{
	if (rec_now() - s->over_ns > (uint64_t)LINGER_MS * 1000000)
		return false;
	for (int i = 0; i < REC_DRAIN_FORKS; i++)
		if (s->forked[i] && s->forked[i] <= INT_MAX && !kill((pid_t)s->forked[i], 0))
			return true;
	return false;
}

static void loop(struct rec_session *s)
{
	while (!s->over || !s->reported) {
		bool again = s->reap_again || (s->over && !s->closed && !s->images);
		int wait = again ? RETRY_MS : s->writer.pending ? BELL_MS : -1;
		struct epoll_event e;
		int n;

		wait = until(s->snapshot_ns, until(s->end_ns, until(s->outside_ns, wait)));
		n = epoll_wait(s->epoll, &e, 1, wait);

		if (n > 0)
			on_event(s, e.data.ptr);
		else if (!n)
			on_done(s);
		on_time(s);
		rec_session_end_gone(s);
		if (s->reap_again)
			rec_session_reap(s);
		if (s->over && !s->closed && !s->images && !expects_children(s))
			rec_session_close(s, false);
		report(s);
	}
}

/* ---- the beginning ---- */

/* Blocks the signals that are forwarded, or are for the recorder. */
static void block_signals(sigset_t *set)
{
	tp_signals_sent(set);
	sigprocmask(SIG_BLOCK, set, NULL);
	signal(SIGCHLD, SIG_DFL);
}

static int open_sources(struct rec_session *s, struct tp_err *err)
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
	rec_session_watch(s, &s->signals);
	rec_session_watch(s, &s->socket);
	return 0;
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

int rec_session_folder(struct rec_result *r, const char *given, struct tp_err *err)
{
	int code;

	if (given) {
		code = make_given_folder(r, given, err);
	} else {
		snprintf(r->folder, sizeof(r->folder), "%s.%d", r->program, (int)r->pid);
		code = rec_folder_new(r->folder, err);
	}
	if (code)
		tp_err_prefix(err, "%.200s", r->folder);
	return code;
}

uint64_t rec_session_raise_files(void)
{
	struct rlimit files = {.rlim_cur = 256};

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &files))
			getrlimit(RLIMIT_NOFILE, &files);
	}
	return files.rlim_cur;
}

/* Sets how many processes can be recorded: each takes two descriptors, callers and we take some. */
static void set_most_held(struct rec_session *s, uint64_t files)
{
	uint64_t rings = rec_switches_files(s->switches);

	files = files > rings ? files - rings : 0;
	s->max_held = MAX_HELD;
	if (files < 4 * MAX_HELD)
		s->max_held = files > 64 ? (unsigned)(files - 32) / 4 : 4;
}

/* Called between fork and exec, as the folder may be named after the process. */
static int on_ready(void *ctx, pid_t pid, struct tp_err *err)
{
	struct rec_session *s = ctx;
	struct rec_result *r = &s->result;
	/* The program has its own limit by now. */
	uint64_t files = rec_session_raise_files();
	int code;

	s->pid = r->pid = pid;
	rec_program_name(s->o->argv[0], r->program);
	code = rec_session_folder(r, s->o->request->folder, err);
	if (code)
		return code;
	if (!realpath(r->folder, s->here))
		memcpy(s->here, r->folder, sizeof(s->here));
	if (rec_switches_begin(&s->switches, pid,
			       !s->o->request->trace	 ? REC_SWITCHES_OF_NONE
			       : s->o->request->children ? REC_SWITCHES_OF_ALL
							 : REC_SWITCHES_OF_PROGRAM,
			       r->folder, err))
		snprintf(r->no_switches, sizeof(r->no_switches), "%.199s", err->msg);
	set_most_held(s, files);
	return 0;
}

/* Closes our copies of the program's standard streams, but the one for messages, so that readers of its
 * output do not wait for us. */
static void let_go_of_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		if (null > STDERR_FILENO)
			close(null);
	}
}

static int start(struct rec_session *s, int *error, struct tp_err *err)
{
	const struct rec_session_options *o = s->o;
	char settings[512];
	pid_t pid;

	if (o->library) {
		rec_request_settings(o->request, s->name, settings, sizeof(settings));
		if (rec_request_environment(settings, o->program->first, o->library))
			return tp_nomem(err);
	}
	s->begin_ns = rec_now();
	pid = rec_spawn(o->program->path, o->argv, o->signals, on_ready, s, error, err);
	if (pid < 0 && !o->request->folder && s->result.folder[0])
		rmdir(s->result.folder);
	if (pid < 0)
		return err->code;
	rec_cut_begin();
	let_go_of_streams();
	return 0;
}

int rec_session_run(const struct rec_session_options *o, int *status, int *error,
		    struct tp_err *err)
{
	static struct rec_session session;
	struct rec_session *s = &session;
	int code;

	*error = 0;
	s->o = o;
	s->epoll = s->signals.fd = s->socket.fd = -1;
	code = open_sources(s, err);
	if (!code && rec_writer_begin(&s->writer, o->request))
		code = tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE,
				  "cannot start a thread to write files");
	if (!code) {
		s->writer_bell = (struct rec_source){.from = FROM_WRITER, .fd = s->writer.bell};
		rec_session_watch(s, &s->writer_bell);
		code = start(s, error, err);
	}
	if (!code) {
		s->outside = rec_outside_begin(s->switches);
		s->outside_ns = rec_now() + (uint64_t)REC_OUTSIDE_BEGIN_MS * 1000000;
		if (o->request->interval_ns)
			s->snapshot_ns = rec_now() + (uint64_t)o->request->interval_ns;
		if (o->request->for_ns)
			s->end_ns =
			    rec_now() + (uint64_t)o->request->for_ns + (uint64_t)LATE_MS * 1000000;
		loop(s);
		*status = s->status;
	}
	rec_outside_end(s->outside);
	rec_switches_stop(s->switches);
	return code;
}
