/* Examines a program before it starts: can a library be preloaded into it? */
#ifndef RECORD_PARENT_PROGRAM_H
#define RECORD_PARENT_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

enum rec_verdict {
	REC_RECORDABLE,
	REC_UNRECORDABLE, /* it runs, but nothing would be recorded */
	REC_NOT_FOUND,	  /* the program does not exist */
	REC_NOT_RUNNABLE, /* there, but not to be executed */
};

struct rec_program {
	enum rec_verdict verdict;
	char path[PATH_MAX]; /* for execve */
	char why[512];	     /* unless it is recordable: what is wrong and what to do */
	char note[256];	     /* what may be missing from the recording, or "" */
	/* A library that must be loaded before all others ("libasan.so.8"), or "". */
	char first[32];
};

/* Looks for `name` as execvp does: `search` is the value of $PATH (NULL: the system's default). Only
 * reads files; errors are verdicts. */
void rec_program_check(struct rec_program *p, const char *name, const char *search);

/* Makes a file name of the last part of a path: not empty, at most 64 bytes, without slashes, control
 * bytes, and a dot at its beginning. */
void rec_program_name(const char *path, char name[65]);

#endif
