/* A recorded process, until an exec makes it another image: its arena, and a thread that drains the
 * arena while the process lives.
 *
 * The session's loop owns it until the writer (writer.h) gets it for the last time. */
#ifndef RECORD_PARENT_IMAGE_H
#define RECORD_PARENT_IMAGE_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/core/arena.h"
#include "tprof-record/parent/drain.h"
#include "tprof-record/parent/spool.h"

struct rec_image {
	struct rec_image *next; /* in the session's list, then in the writer's */
	pid_t pid;
	int process;  /* pidfd; -1: the process had ended when its hello was read */
	uint32_t how; /* enum rec_hello_kind: how it began */
	bool is_main; /* the program itself, not a child */
	char program[65];
	const char *root;	   /* the folder of the recording */
	char folder[PATH_MAX];	   /* of its files; "": not chosen yet (rec_image_folder) */
	bool displaced;		   /* `folder` goes to the next image of the process */
	unsigned snapshots;	   /* written so far */
	unsigned asked;		   /* snapshots that the writer has not answered: the session's */
	struct rec_source *source; /* the session's: where its end is waited for */
	struct rec_switches *switches; /* the session's; NULL: they are not known */
	struct rec_outside_looks
	    *looks;		  /* what was read of it from outside, when it has ended; owned */
	struct rec_job *last_job; /* the writer's, kept so that ending needs no memory; owned */
	uint64_t begin_ns;	  /* CLOCK_MONOTONIC when it was heard */

	struct rec_arena arena;

	/* The drainer's until rec_image_halt. */
	pthread_t drainer;
	_Atomic bool draining;
	_Atomic bool halt;
	bool other_clock;
	struct rec_spool spool;
	struct rec_drain drain;

	/* Set by rec_image_halt. */
	bool alive; /* the process is still running, unrecorded */
	uint64_t end_ns, end_sec, end_nsec;
};

/* Begins to record a process. Owns `memory` and `process`, after an error too: TP_EFORMAT (not an arena of
 * ours; the message says what is wrong), TP_EIO, TP_ENOMEM. `root` exists and outlives the image. A spool
 * that cannot be made is not an error: the records are lost and counted. */
int rec_image_begin(struct rec_image **image, int memory, int process, pid_t pid, uint32_t how,
		    const char *root, struct tp_err *err);
void rec_image_free(struct rec_image *image);

/* Makes ROOT/PID-PROGRAM, with a number behind it if that exists. TP_EIO. */
int rec_image_folder(const struct rec_image *image, char path[PATH_MAX], struct tp_err *err);

/* Takes the last records and ends the drainer. `alive`: the process is still running, but its trace ends
 * here. `exec_ns`: when it became another image (CLOCK_MONOTONIC), or 0. */
void rec_image_halt(struct rec_image *image, bool alive, uint64_t exec_ns);
/* Ends its time earlier, after rec_image_halt. A time that is not between begin and end changes nothing. */
void rec_image_cut(struct rec_image *image, uint64_t ns);
/* Copies a string of the arena, of which nothing is checked yet; it is cut to `size`. */
void rec_image_string(const struct rec_image *image, uint32_t at, char *to, size_t size);
/* Switches recording off in a process that is still running. To be called after the copy, which includes the
 * rates. */
void rec_image_silence(struct rec_image *image);

/* Copies the arena (without its records) and checks it; the image may be alive. *wrong is the number of
 * repaired errors. The caller calls rec_process_free. TP_EFORMAT, TP_ENOMEM; then *p is empty. */
int rec_image_copy(struct rec_image *image, struct rec_process *p, size_t *wrong,
		   struct tp_err *err);

#endif
