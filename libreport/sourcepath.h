/* Names of source and object files. */
#ifndef REP_SOURCEPATH_H
#define REP_SOURCEPATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "decode/dict.h"

/* Go's path/filepath.Clean: the shortest name of the same file. Appends it. Returns 0 or
 * TP_ENOMEM. */
int rep_path_clean(const char *path, size_t size, struct tp_buf *out);
/* What is behind the last slash, as Go's filepath.Base has it. */
struct tp_text rep_path_base(struct tp_text path);

/* Each of "a:b:c" in turn; false behind the last. */
bool rep_path_next(const char **list, struct tp_text *folder);
/* pprof: report.trimPath. Cuts the first of the folders `trim` that a path begins with. Without any
 * (NULL, ""), the name of each folder of sources is looked for in the path, and what is in front of
 * it and itself goes. */
struct tp_text rep_path_trim(struct tp_text path, const char *trim, const char *source);

#endif
