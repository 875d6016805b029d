/* The program that is to be recorded, looked at before it is started: can it load a library that
 * nobody linked it with? */
#ifndef RECORD_PARENT_PROGRAM_H
#define RECORD_PARENT_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

enum rec_verdict {
	REC_RECORDABLE,
	REC_UNRECORDABLE, /* runs, but would leave nothing */
	REC_NOT_FOUND,	  /* no such program */
	REC_NOT_RUNNABLE, /* there, but not to be executed */
};

struct rec_program {
	enum rec_verdict verdict;
	char path[PATH_MAX]; /* what execve takes */
	char why[512];	/* unless it is recordable: one sentence, what is wrong and what to do */
	char note[256]; /* what may be missed all the same, "" nothing */
	/* A library that insists on being the first that is loaded ("libasan.so.8"), "" none. */
	char first[32];
	bool script; /* path is a script: what is recorded is its interpreter, `interpreter` */
	char interpreter[PATH_MAX];
};

/* Looks for `name` as execvp does: `search` is the value of $PATH (NULL: that of the system). Only
 * reads files; never fails otherwise than by its verdict. */
void rec_program_check(struct rec_program *p, const char *name, const char *search);

/* The last part of a path, made fit for the name of a file: never empty, no slash, no control
 * bytes, no dot at its beginning, at most 64 bytes. */
void rec_program_name(const char *path, char name[65]);

#endif
