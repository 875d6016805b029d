/* Where the library is that programs are recorded with. */
#ifndef RECORD_PARENT_LIBRARY_H
#define RECORD_PARENT_LIBRARY_H

#include <limits.h>

#include "base/err.h"

/* `given` (the value of TPROF_PRELOAD) where it is not NULL or empty; else beside the command:
 * ../lib/tprof-preload.so where it was built, ../lib/tprof/tprof-preload.so where it was installed.
 * The path is absolute. TP_ENOENT, TP_EIO. */
int rec_library_find(char path[PATH_MAX], const char *given, struct tp_err *err);

#endif
