/* The inside of a recording, for one thread. Private to session.c (the loop, its beginning and its
 * end), callers.c (processes that report, and requests for snapshots) and life.c (signals, stops and
 * exit of the program). */
#ifndef RECORD_PARENT_INSIDE_H
#define RECORD_PARENT_INSIDE_H

#include <sys/signalfd.h>

#include "tprof-record/core/core.h"
#include "tprof-record/parent/listen.h"
#include "tprof-record/parent/outside.h"
#include "tprof-record/parent/session.h"
#include "tprof-record/parent/switches.h"
#include "tprof-record/parent/writer.h"

/* A descriptor that the loop waits for. */
struct rec_source {
	enum { FROM_SIGNALS, FROM_SOCKET, FROM_CALLER, FROM_PROCESS, FROM_WRITER } from;
	int fd;
	struct rec_image *image; /* of FROM_PROCESS */
	struct rec_source *next; /* of callers */
};

struct rec_session {
	const struct rec_session_options *o;
	struct rec_result result;
	char name[REC_SOCKET_NAME];
	char here[PATH_MAX]; /* the folder's whole path, for clients */
	int epoll;
	struct rec_source signals, socket, writer_bell;
	struct rec_source *callers;
	unsigned ncallers;
	struct rec_image *images; /* that are drained */
	unsigned nimages;
	struct rec_image
	    *written; /* after the end; the process ends sooner than it could free them */
	/* Including images that wait to be written: each has some descriptors and some memory. */
	unsigned nheld, max_held;
	struct rec_writer writer;
	struct rec_switches *switches; /* NULL: the kernel does not tell */
	struct rec_outside *outside;
	unsigned met;	  /* processes that reported and are recorded, without the program */
	unsigned hooked;  /* processes that were begun by functions of libc */
	unsigned helpers; /* … and by the recorder's own, which only the kernel tells */
	pid_t pid;
	uint64_t begin_ns, over_ns;
	uint64_t snapshot_ns,
	    end_ns;	     /* when the next snapshot is due, and recording ends; 0: never */
	uint64_t outside_ns; /* when `outside` starts its thread; 0: it has */
	/* If the program is still running: the time that was recorded. */
	uint64_t recorded_from_ns, recorded_to_ns;
	int status;
	bool over;	 /* the program has ended */
	bool closed;	 /* recording is over (--for, or at the end) */
	bool reported;	 /* the summary was given */
	bool stopped;	 /* the program is stopped (SIGTSTP and the like) */
	bool reap_again; /* its exit could not be looked at, as its threads were traced */
	uint32_t forked[REC_DRAIN_FORKS]; /* by the image that ended last */
	unsigned snapping;		  /* jobs of the last --interval that are not done */
};

void rec_session_watch(struct rec_session *s, struct rec_source *source);
void rec_session_unwatch(struct rec_session *s, int fd);

/* ---- callers.c ---- */

/* Returns the image of a process, or NULL if the process is not being recorded. */
struct rec_image *rec_session_image(struct rec_session *s, pid_t pid);
/* Ends all images; `alive`: their processes may still be running. */
void rec_session_end_images(struct rec_session *s, bool alive);
/* Ends images of processes that had already ended when their hello was read. */
void rec_session_end_gone(struct rec_session *s);
void rec_session_process_over(struct rec_session *s, pid_t pid);

void rec_session_accept(struct rec_session *s);
/* Hears all that have reported by now, before the end of a process is judged. */
void rec_session_hear_all(struct rec_session *s);
void rec_session_drop(struct rec_session *s, struct rec_source *caller, bool keep_open);

/* Has profiles written of one process, or of all that are recorded (pid 0). Returns false if no such process
 * is recorded, or no profile is. */
bool rec_session_snapshot(struct rec_session *s, pid_t pid, int client);
/* Sends the whole paths of a snapshot's files to the client, one per line; errors begin with "!". */
void rec_session_answer(const struct rec_session *s, const struct rec_job *job);

/* ---- life.c ---- */

/* Ends recording. `alive`: processes are still running. */
void rec_session_close(struct rec_session *s, bool alive);
/* Looks whether the program stopped, went on, or ended. */
void rec_session_reap(struct rec_session *s);
void rec_session_signal(struct rec_session *s, const struct signalfd_siginfo *si);

#endif
