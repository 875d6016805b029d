/* A recording, from the start of the program to its end: signals, timers, processes that report,
 * requests for snapshots, and the program's exit. */
#ifndef RECORD_PARENT_SESSION_H
#define RECORD_PARENT_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/parent/dump.h"
#include "tprof-record/parent/program.h"
#include "tprof-record/parent/request.h"
#include "tprof-record/parent/spawn.h"

enum { REC_SESSION_LINES = 16 };

/* The result, for the summary (report.h). */
struct rec_result {
	char folder[PATH_MAX];
	char program[65];
	pid_t pid;
	int64_t ran_ns;	      /* from its start to its end or, while it runs, the recorded time */
	int status;	      /* of waitpid, once `over` */
	bool over;	      /* it has ended */
	bool recorded;	      /* its process reported */
	struct rec_dump last; /* the files of the program itself */
	struct rec_dump rest; /* the losses of all other images */
	unsigned snapshots;
	unsigned snapshot_troubles; /* files of snapshots that could not be written, … */
	char snapshot_trouble[400]; /* … the first of them, and why */
	char no_switches[200];	    /* why the kernel does not tell switches of threads, "" */
	char blind[400];	    /* why threads could not be looked at, "" */
	/* Other images: children, and the program before an exec; the first few by name. */
	unsigned others;
	char other[REC_SESSION_LINES][80];
	unsigned other_troubles; /* files of theirs that could not be written */
	/* When and why recording ended before the program did, ""; and of others: how many, and the first of them. */
	char ended[400];
	unsigned others_ended;
	char other_ended[400];
	uint64_t children;    /* that were not recorded */
	bool more_children;   /* there may be more: the kernel did not tell */
	unsigned strangers;   /* reports of other users' processes */
	unsigned turned_away; /* more processes at a time than are recorded */
	char refused[400];    /* why a process that reported could not be recorded, "" */
	/* Of a program that was recorded from outside (attach.h). */
	bool attached;
	bool executed;	  /* another program, which ended the recording */
	char limits[200]; /* what is not seen, and why, "" */
	char cut[200];	  /* how many stacks are not whole, "" */
};

/* Makes the folder of a recording, for a result that has program and pid: that with the given name, or a new one.
 * TP_EIO. */
int rec_session_folder(struct rec_result *r, const char *given, struct tp_err *err);

struct rec_session_options {
	const struct rec_request *request;
	const struct rec_program *program;
	char **argv;
	const char *library; /* tprof-preload.so; NULL: the program runs unrecorded */
	const struct rec_signals *signals;
	/* Called once when the recording is over, which --for makes earlier than the program's end. */
	void (*report)(void *ctx, const struct rec_result *r);
	void *ctx;
};

/* Raises the limit of descriptors as far as it is permitted. Returns it. */
uint64_t rec_session_raise_files(void);

/* Runs a recording, once: what it holds is left to the end of the process, which follows. Returns 0, and *status of waitpid. After an error the program was not started:
 * TP_EIO (*error is the errno value if exec failed), TP_ENOMEM. */
int rec_session_run(const struct rec_session_options *o, int *status, int *error,
		    struct tp_err *err);

#endif
