/* Waiting for jobs, with a bar of what is done. */
#ifndef IMPORT_SLURM_WATCH_H
#define IMPORT_SLURM_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/common.h"
#include "folder.h"
#include "jobs.h"

/* How often Slurm is asked about the jobs: TPROF_SLURM_POLL, or 3 s. False after a message where it
 * is no duration. */
bool watch_interval(const struct cmd *cmd, int64_t *ask_ns);

/* Returns when the folder is done (0), the jobs have gone without that (1), or the user does not
 * want to wait any longer (TP_ECANCEL); or an error. */
int watch(const struct folder *f, const struct jobs *jobs, int64_t ask_ns, const struct cmd *cmd,
	  struct tp_err *err);

#endif
