/* Jobs of Slurm, by its own commands: sbatch, squeue, scancel. */
#ifndef IMPORT_SLURM_JOBS_H
#define IMPORT_SLURM_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define JOB_ID		 128 /* "17", or "17;cluster" */
#define MOST_JOBS_OF_ONE 16

struct jobs {
	char id[MOST_JOBS_OF_ONE][JOB_ID]; /* n of them, in the order in which they begin */
	size_t n;
	bool all; /* none is missing */
};

/* What to give sbatch. */
struct job {
	const char *name;    /* what squeue shows */
	const char *options; /* sbatch's own, with blanks between them; NULL: none */
	const char *array;   /* "1-3,7"; NULL: no array */
	const char *after;   /* the job that has to have ended, however it did; NULL: none */
	const char *script;
	const char *const *argv; /* nargs of the script's arguments */
	size_t nargs;
};

/* Words that would take away what is needed here, however they are written (--array=1, --arr 1, -Ha1),
 * or that sbatch would take for a script; NULL: none, else the first. It lives until the next call.
 */
const char *job_bad_option(const char *options);

/* 0 and the job's id; TP_EIO with what sbatch says, or that there is none. */
int job_submit(const struct job *job, char id[JOB_ID], struct tp_err *err);

/* Those that wait or run. *unknown: Slurm could not be asked (it is away for a while, say), which
 * is no error; then they may. */
int jobs_alive(const struct jobs *jobs, bool *alive, bool *unknown, struct tp_err *err);
/* Ends those that there are. */
int jobs_cancel(const struct jobs *jobs, struct tp_err *err);

/* As text of the folder's file, and from it. What is no id in it is passed over. */
int jobs_write(const struct jobs *jobs, struct tp_buf *text);
void jobs_read(struct jobs *jobs, const struct tp_buf *text);
/* "17", "17 and 18", "17, 18 and 19". */
void jobs_list(const struct jobs *jobs, size_t from, char *text, size_t size);

#endif
