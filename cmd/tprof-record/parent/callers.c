#include "tprof-record/parent/inside.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/units.h"

enum {
	MAX_IMAGES = 512,      /* alive at a time: each has a thread */
	MAX_CONNECTIONS = 256, /* that have not said anything yet */
	/* A fork with fewer records that execs sooner is not reported as an image. */
	BRIEF_MS = 1000,
	BRIEF_RECORDS = 64,
};

/* ---- images ---- */

struct rec_image *rec_session_image(struct rec_session *s, pid_t pid)
{
	struct rec_image *image = s->images;

	while (image && image->pid != pid)
		image = image->next;
	return image;
}

static void unlist(struct rec_session *s, struct rec_image *image)
{
	struct rec_image **p = &s->images;

	while (*p && *p != image)
		p = &(*p)->next;
	if (*p) {
		*p = image->next;
		s->nimages--;
	}
}

/* Returns whether the image only existed between a fork and an exec. */
static bool is_brief(const struct rec_image *image, uint64_t exec_ns)
{
	return exec_ns && image->how == REC_HELLO_FORK && image->spool.n < BRIEF_RECORDS &&
	       image->end_ns - image->arena.header->start_ns < (uint64_t)BRIEF_MS * 1000000;
}

/* Notes the recorded time, without the start of the program and the writing of files. */
static void note_length(struct rec_session *s, const struct rec_image *image)
{
	uint64_t from = image->arena.header->start_ns;

	/* The program may have written anything into its arena. */
	s->recorded_from_ns = from > s->begin_ns && from < image->end_ns ? from : image->begin_ns;
	s->recorded_to_ns = image->end_ns;
}

/* Finds out whether the recording of an image ended before its process did: by a filter of system calls, or with
 * a program that does not report. Ends the image at that time, which is returned, and says why. */
static uint64_t find_end(struct rec_session *s, struct rec_image *image, char why[300])
{
	const struct rec_header *h = image->arena.header;
	uint64_t stopped = atomic_load(&h->stopped_ns), ns = 0;
	char path[200] = "", name[16] = "";

	if (atomic_load(&h->ended) && image->drain.exec_ns) {
		ns = image->drain.exec_ns;
		rec_image_string(image, image->drain.exec_path, path, sizeof(path));
	} else if (!image->other_clock) {
		ns = rec_switches_exec(s->switches, image->pid, h->start_ns, image->end_ns, name);
	}
	if (stopped && (!ns || stopped < ns)) {
		ns = stopped;
		rec_image_string(image, atomic_load(&h->stopped), path, sizeof(path));
		snprintf(why, 300, "%s", path);
	} else if (ns) {
		snprintf(why, 300,
			 "it executed %s, which did not report to the recorder (statically linked, "
			 "privileged, or cut off by a sandbox)",
			 path[0] ? path : name);
	}
	rec_image_cut(image, ns);
	return ns;
}

static void tell_end(struct rec_session *s, const struct rec_image *image, const char *why)
{
	struct rec_result *r = &s->result;
	uint64_t from = image->arena.header->start_ns;
	char after[TP_UNITS_SIZE];

	tp_fmt_ns(after, image->end_ns > from ? (int64_t)(image->end_ns - from) : 0);
	if (image->is_main)
		snprintf(r->ended, sizeof(r->ended), "after %s: %s", after, why);
	else if (!r->others_ended++)
		snprintf(r->other_ended, sizeof(r->other_ended), "%d-%s after %s: %s",
			 (int)image->pid, image->program, after, why);
}

/* Ends an image and has its files written. */
static void end_image(struct rec_session *s, struct rec_image *image, bool alive, uint64_t exec_ns)
{
	uint64_t left_ns;
	char why[300];

	unlist(s, image);
	if (image->process >= 0)
		rec_session_unwatch(s, image->process);
	free(image->source);
	image->source = NULL;
	image->looks = rec_outside_remove(s->outside, image);
	rec_image_halt(image, alive, exec_ns);
	rec_switches_take(s->switches);
	if (alive && image->is_main)
		note_length(s, image);
	memcpy(s->forked, image->drain.forked, sizeof(s->forked));
	s->hooked += image->drain.nforks + atomic_load(&image->arena.header->untold);
	s->helpers += atomic_load(&image->arena.header->helpers);
	image->displaced = exec_ns && image->is_main;
	left_ns = exec_ns ? 0 : find_end(s, image, why);
	if (is_brief(image, exec_ns ? exec_ns : left_ns) && !image->asked) {
		s->met -= left_ns ? 1 : 0;
		rec_image_free(image);
		s->nheld--;
	} else {
		if (left_ns)
			tell_end(s, image, why);
		rec_writer_add(&s->writer, image, true, -1, false);
	}
}

void rec_session_end_images(struct rec_session *s, bool alive)
{
	while (s->images) {
		struct rec_image *image = s->images;

		end_image(s, image, alive && !kill(image->pid, 0), 0);
	}
}

/* Returns whether a process that reports is to be recorded. */
static bool wants(struct rec_session *s, const struct rec_caller *c)
{
	if (s->closed)
		return false;
	if (c->pid != s->pid && !s->o->request->children)
		return false;
	if (s->nimages < MAX_IMAGES && s->nheld < s->max_held)
		return true;
	s->result.turned_away++;
	return false;
}

/* Begins the image of a process that has reported. */
static void begin_image(struct rec_session *s, struct rec_caller *c)
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
	before = rec_session_image(s, c->pid);
	if (before)
		end_image(s, before, false, code ? rec_now() : image->arena.header->start_ns);
	if (code) {
		snprintf(s->result.refused, sizeof(s->result.refused), "process %d: %s",
			 (int)c->pid, err.msg);
		return;
	}
	image->is_main = c->pid == s->pid;
	s->met += !image->is_main && !before;
	/* In a PID namespace of its own its threads have other numbers for us, and in a time namespace other
	 * times. */
	if (s->o->request->trace && image->arena.header->pid == (uint32_t)c->pid &&
	    !image->other_clock)
		image->switches = s->switches;
	if (image->switches)
		rec_outside_add(s->outside, image);
	if (s->o->request->trace && !image->switches)
		atomic_store(&image->arena.header->options.cpu_time, 1);
	if (image->is_main) {
		/* A program that takes long to begin is still recorded for that time. */
		if (s->end_ns && !s->result.recorded)
			s->end_ns = image->begin_ns + (uint64_t)s->o->request->for_ns;
		s->result.recorded = true;
		memcpy(image->folder, s->result.folder, sizeof(image->folder));
		/* Until then the program has the name by which it was called. */
		if (image->how == REC_HELLO_EXEC)
			memcpy(s->result.program, image->program, sizeof(s->result.program));
	}
	image->next = s->images;
	s->images = image;
	s->nimages++;
	s->nheld++;
	image->source = image->process >= 0 ? calloc(1, sizeof(*image->source)) : NULL;
	/* It has gone already; rec_session_end_gone ends it after its exec has been heard. */
	if (!image->source)
		return;
	*image->source =
	    (struct rec_source){.from = FROM_PROCESS, .fd = image->process, .image = image};
	rec_session_watch(s, image->source);
}

/* ---- snapshots ---- */

bool rec_session_snapshot(struct rec_session *s, pid_t pid, int client)
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
		if (rec_writer_add(&s->writer, image, false, client, ++i == n))
			return false;
		image->asked++;
		if (client < 0)
			s->snapping++;
	}
	return n > 0;
}

void rec_session_answer(const struct rec_session *s, const struct rec_job *job)
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

/* ---- messages ---- */

void rec_session_drop(struct rec_session *s, struct rec_source *caller, bool keep_open)
{
	struct rec_source **p = &s->callers;

	if (!caller)
		return;
	for (; *p; p = &(*p)->next) {
		if (*p == caller) {
			*p = caller->next;
			s->ncallers--;
			break;
		}
	}
	rec_session_unwatch(s, caller->fd);
	if (!keep_open)
		close(caller->fd);
	free(caller);
}

/* Returns whether a caller may be recorded, or ask for snapshots. If the recorder is root, the program
 * may run children as other users (sudo, daemons); other processes of these users can see the socket's
 * name, but are refused. */
static bool trusts(struct rec_session *s, const struct rec_caller *c)
{
	if (rec_listen_trusts(c->uid))
		return true;
	if (geteuid() != 0)
		return false;
	for (pid_t pid = c->pid; pid > 1; pid = rec_listen_parent(pid))
		if (pid == s->pid || rec_session_image(s, pid))
			return true;
	return false;
}

static void hear(struct rec_session *s, struct rec_source *caller)
{
	struct rec_caller c;
	int heard = rec_listen_hear(caller->fd, &c);
	int fd = caller->fd;
	bool kept = false;

	if (!heard)
		return;
	if (heard > 0 && !trusts(s, &c)) {
		s->result.strangers++;
		if (c.memory >= 0)
			close(c.memory);
	} else if (heard > 0 && c.hello.kind == REC_HELLO_SNAPSHOT) {
		pid_t pid = (pid_t)c.hello.pid;

		kept = rec_session_snapshot(s, pid != s->pid && rec_session_image(s, pid) ? pid : 0,
					    fd);
	} else if (heard > 0) {
		begin_image(s, &c);
	}
	rec_session_drop(s, caller, kept);
}

/* Hears callers in the order in which they connected: a process before an exec has connected before the
 * one after it, but may not have been heard yet. */
static void hear_callers(struct rec_session *s)
{
	struct rec_source *next;

	for (struct rec_source *c = s->callers; c; c = next) {
		next = c->next;
		hear(s, c);
	}
}

static void add_caller(struct rec_session *s, struct rec_source *caller)
{
	struct rec_source **end = &s->callers;

	while (*end)
		end = &(*end)->next;
	*end = caller;
	s->ncallers++;
}

void rec_session_accept(struct rec_session *s)
{
	int fd;

	while ((fd = rec_listen_accept(s->socket.fd)) >= 0) {
		struct rec_source *caller = calloc(1, sizeof(*caller));

		/* Silent connections must not keep others out: the oldest is closed. */
		if (s->ncallers >= MAX_CONNECTIONS)
			rec_session_drop(s, s->callers, false);
		if (!caller) {
			close(fd);
			return;
		}
		*caller = (struct rec_source){.from = FROM_CALLER, .fd = fd};
		add_caller(s, caller);
		rec_session_watch(s, caller);
		hear_callers(s);
	}
}

void rec_session_hear_all(struct rec_session *s)
{
	rec_session_accept(s);
	hear_callers(s);
}

void rec_session_process_over(struct rec_session *s, pid_t pid)
{
	struct rec_image *image;

	/* Its next image, after an exec, may have reported as well. */
	rec_session_hear_all(s);
	image = rec_session_image(s, pid);
	if (image)
		end_image(s, image, false, 0);
}

void rec_session_end_gone(struct rec_session *s)
{
	struct rec_image *image = s->images;

	while (image && image->source)
		image = image->next;
	if (!image)
		return;
	rec_session_hear_all(s);
	for (image = s->images; image;) {
		struct rec_image *next = image->next;

		if (!image->source)
			end_image(s, image, false, 0);
		image = next;
	}
}
