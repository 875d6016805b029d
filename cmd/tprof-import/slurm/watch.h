/* Waiting for jobs, with a bar of what is done. */
#ifndef IMPORT_SLURM_WATCH_H
#define IMPORT_SLURM_WATCH_H

#include "common/common.h"
#include "folder.h"
#include "jobs.h"

/* Returns when the folder is done (0), the jobs have gone without that (1), or the user does not
 * want to wait any longer (TP_ECANCEL); or an error. */
int watch(const struct folder *f, const struct jobs *jobs, const struct cmd *cmd,
	  struct tp_err *err);

#endif
