/* Names of source and object files. */
#ifndef REP_SOURCEPATH_H
#define REP_SOURCEPATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "decode/dict.h"

/* Appends the shortest equivalent path, like Go's path/filepath.Clean. Returns 0 or TP_ENOMEM. */
int rep_path_clean(const char *path, size_t size, struct tp_buf *out);
/* Returns the part after the last slash, like Go's filepath.Base. */
struct tp_text rep_path_base(struct tp_text path);

/* Returns each element of "a:b:c" in turn; false after the last. */
bool rep_path_next(const char **list, struct tp_text *folder);
/* Removes the first of the folders `trim` that the path begins with, like pprof's report.trimPath.
 * If `trim` is NULL or "", looks for the name of each folder of `source` in the path and removes it
 * with everything before it. */
struct tp_text rep_path_trim(struct tp_text path, const char *trim, const char *source);

#endif
