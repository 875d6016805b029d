/* The folder in which an import by Slurm is under way: ALL.tprof.slurm, beside ALL.tprof, for its
 * owner only.
 *
 *	command        what it is the import of: arguments and folder, a NUL after each
 *	plan           numbers: "tprof-slurm 1", "tasks N", "dumps N", "bytes N", "known N", a line
 *each jobs           ids of the jobs, a line each, and "all" when there are all; as often as it was
 *begun list/N         dumps of task N, from 1 on: names, a NUL after each list/N.options words for
 *its tprof-import 0/N.*          what array.sh makes 1/N.* …        what merge.sh makes
 *
 * It gets its name when all lists are in it, and loses `plan` when all is done. */
#ifndef IMPORT_SLURM_FOLDER_H
#define IMPORT_SLURM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../paths.h"
#include "base/buf.h"
#include "base/err.h"
#include "lists.h"

#define FOLDER_FAN_IN 16
#define FOLDER_LEVELS 8 /* of merges: many more tasks than there can be */

struct folder {
	char *path;
	size_t tasks;
	uint64_t dumps, bytes;
	/* What the store had when it was made is passed over: not where labels have to reach it. */
	bool known;
	/* Of the parts, and of each level of merges below the last one, which is none of them. */
	size_t count[FOLDER_LEVELS];
	size_t levels;
	int lock; /* of `plan`, less 1; 0: not held */
};

/* "ALL.tprof.slurm". The caller frees it; NULL: out of memory. */
char *folder_path(const char *store);

/* Makes the folder for these paths, divided among `tasks` (lists_write), under `command`, and locks it;
 * f->known is to be set before. TP_EIO: also where somebody else has just made it. To be released, also when it
 * fails. */
int folder_make(struct folder *f, const char *store, const struct paths *paths, size_t tasks,
		const struct tp_buf *command, struct tp_err *err);
/* Reads the one that is there. TP_ENOENT: there is none; TP_EFORMAT: it is none, or damaged;
 * TP_EIO: also where it is that of another command. To be released, also when it fails. */
int folder_open(struct folder *f, const char *store, const struct tp_buf *command,
		struct tp_err *err);
void folder_release(struct folder *f);

/* For who looks for jobs and submits them: one at a time. TP_EBUSY: somebody else does; TP_ENOENT:
 * it has ended meanwhile. Where files cannot be locked it goes without. */
int folder_lock(struct folder *f, struct tp_err *err);
void folder_unlock(struct folder *f);
/* Is what was locked still the plan that is there? The job that ends the import removes it without a
 * lock, and `jobs` after it. Where nothing is locked: true. */
bool folder_held(const struct folder *f);

/* Removes one in which no job has begun. */
void folder_remove(const struct folder *f);

/* Is it still under way? */
bool folder_there(const struct folder *f);
/* Has part or merge n (from 1 on) of this level been done? */
bool folder_done(const struct folder *f, size_t level, size_t n);
/* "FOLDER/0/7.report"; the caller frees it, NULL: out of memory. */
char *folder_file(const struct folder *f, size_t level, size_t n, const char *ending);
/* Those of a level that are not done, as sbatch wants them ("1-3,7"); *left: how many. NULL: out of
 * memory. The caller frees it. */
char *folder_left(const struct folder *f, size_t level, size_t *left);

/* Jobs, as text of the file; TP_ENOENT: none have been. */
int folder_jobs(const struct folder *f, struct tp_buf *text, struct tp_err *err);
/* Writes the file anew. */
int folder_note_jobs(const struct folder *f, const struct tp_buf *text, struct tp_err *err);

#endif
