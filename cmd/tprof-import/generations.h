/* Where a trace could be cut. */
#ifndef IMPORT_GENERATIONS_H
#define IMPORT_GENERATIONS_H

#include "common/common.h"

/* Writes the generations of the trace to stdout, a line each: number, offset, bytes. 0 or an exit
 * status. */
int list_generations(struct cmd *cmd, const char *path, const char *tmp_dir);

#endif
