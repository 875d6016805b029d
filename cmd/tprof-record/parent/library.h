/* Finds libraries of ours: the one that programs are recorded with, and one for ourselves. */
#ifndef RECORD_PARENT_LIBRARY_H
#define RECORD_PARENT_LIBRARY_H

#include <limits.h>

#include "base/err.h"

/* Fills in the absolute path of the library. That is `given` (the value of TPROF_PRELOAD), unless it is NULL
 * or empty; otherwise ../lib/tprof-preload.so (built) or ../lib/tprof/tprof-preload.so (installed), relative
 * to the command. TP_ENOENT, TP_EIO. */
int rec_library_find(char path[PATH_MAX], const char *given, struct tp_err *err);

/* Fills in the absolute path of the library of that name, which lies there. TP_ENOENT, TP_EIO. */
int rec_library_beside(const char *name, char path[PATH_MAX], struct tp_err *err);

#endif
