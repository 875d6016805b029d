/* The inside of a recording. Private to session.c (the loop, its beginning and its end), callers.c
 * (processes that report, and who asks for snapshots) and life.c (the program: its signals, stops
 * and exit). All of it is one thread's. */
#ifndef RECORD_PARENT_INSIDE_H
#define RECORD_PARENT_INSIDE_H

#include <sys/signalfd.h>

#include "tprof-record/core/core.h"
#include "tprof-record/parent/listen.h"
#include "tprof-record/parent/session.h"
#include "tprof-record/parent/writer.h"

/* What the loop waits for. */
struct rec_source {
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
	struct rec_source *next; /* of callers */
};

struct rec_session {
	const struct rec_session_options *o;
	struct rec_result result;
	char name[REC_SOCKET_NAME];
	char here[PATH_MAX]; /* the folder as clients may find it */
	int epoll;
	struct rec_source signals, socket, writer_bell, interval, end;
	struct rec_source *callers;
	unsigned ncallers;
	struct rec_image *images; /* that are drained */
	unsigned nimages;
	/* Those and what waits to be written: each has some descriptors and some memory. */
	unsigned nheld, max_held;
	struct rec_writer *writer;
	pid_t pid;
	uint64_t begin_ns, over_ns;
	/* Of a program that goes on: what its files are about. */
	uint64_t recorded_from_ns, recorded_to_ns;
	int status;
	bool over;	 /* the program has ended */
	bool closed;	 /* nothing is recorded any more (--for, or at the end) */
	bool reported;	 /* the summary was given */
	bool stopped;	 /* the program is stopped (SIGTSTP and the like) */
	bool reap_again; /* somebody traced its threads when it was to be looked at */
	uint32_t forked[REC_DRAIN_FORKS]; /* by the image that ended last */
	unsigned snapping;		  /* jobs of the last --interval that are not done */
};

void rec_session_watch(struct rec_session *s, struct rec_source *source);
void rec_session_unwatch(struct rec_session *s, int fd);

/* ---- callers.c ---- */

/* That of a process that is being recorded, NULL. */
struct rec_image *rec_session_image(struct rec_session *s, pid_t pid);
/* All images; `alive`: their processes go on, where they are there. */
void rec_session_end_images(struct rec_session *s, bool alive);
/* Of processes that had gone when they were heard. */
void rec_session_end_gone(struct rec_session *s);
void rec_session_process_over(struct rec_session *s, pid_t pid);

void rec_session_accept(struct rec_session *s);
/* Whoever reported by now: before anything is concluded from the end of a process. */
void rec_session_hear_all(struct rec_session *s);
void rec_session_drop(struct rec_session *s, struct rec_source *caller, bool keep_open);

/* Of one process, or (0) of all that are recorded. False where there is none, or no profile. */
bool rec_session_snapshot(struct rec_session *s, pid_t pid, int client);
/* The files of a snapshot to who asked for it, one per line, each with its whole path; "!" before
 * what went wrong. */
void rec_session_answer(const struct rec_session *s, const struct rec_job *job);

/* ---- life.c ---- */

/* Nothing is recorded from now on. `alive`: processes go on. */
void rec_session_close(struct rec_session *s, bool alive);
/* Did the program stop, go on, or end? */
void rec_session_reap(struct rec_session *s);
void rec_session_signal(struct rec_session *s, const struct signalfd_siginfo *si);

#endif
