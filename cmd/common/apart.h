/* Names of dumps that are called alike: as much of a path's end as tells it from the others. */
#ifndef CMD_APART_H
#define CMD_APART_H

#include "common/common.h"

/* What a dump is called among cmd->files: "heap.pb.gz", "before/heap.pb.gz" where another folder
 * has a heap.pb.gz, too. A part of path, or "stdin". */
const char *cmd_name_apart(const struct cmd *cmd, const char *path);

#endif
