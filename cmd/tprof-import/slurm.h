/* Imports by jobs of Slurm, which share/tprof/slurm.sh does. */
#ifndef IMPORT_SLURM_H
#define IMPORT_SLURM_H

#include "arguments.h"

/* Becomes that script. Returns an exit status where this is not possible. */
int slurm_import(const struct args *args);

#endif
