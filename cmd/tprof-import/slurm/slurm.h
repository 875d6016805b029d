/* Dumps by jobs of Slurm: an array job imports them, a store for each task, and jobs that depend on
 * it merge those, up to 16 at a time, until the last makes the store. */
#ifndef IMPORT_SLURM_H
#define IMPORT_SLURM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "common/common.h"

struct slurm {
	struct cmd *cmd;
	const char *store;
	const char *options; /* for sbatch; NULL: none */
	size_t tasks;	     /* 0: as many as are worth it */
	bool wait;
	const char *keys;   /* labels by folder (paths.h); NULL: none */
	char *const *paths; /* npaths of them, as paths_add takes them */
	size_t npaths;
	const char *const *argv; /* options for each task's tprof-import */
	size_t nargs;
	const char *const *labels; /* nlabels, which are among them: what is known gets them, too */
	size_t nlabels;
};

/* Submits what there is to do, and says so; with `wait` also waits for its end and says what became
 * of it. An exit status. */
int slurm_import(const struct slurm *s);

#endif
