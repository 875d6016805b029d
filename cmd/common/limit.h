/* Limits the memory of a command in proportion to its input.
 *
 * For input of up to 1 MB the limit is 256 MiB, including the pages of the input and the program; for larger
 * input it grows in proportion. Whatever a file claims, allocations beyond the limit fail, and the command
 * reports that. TPROF_MEMORY (a size, or "unlimited") replaces the limit. */
#ifndef CMD_LIMIT_H
#define CMD_LIMIT_H

#include "common/common.h"

#define CMD_MEMORY_BASE	 ((int64_t)256 << 20) /* for input of up to CMD_MEMORY_INPUT bytes */
#define CMD_MEMORY_INPUT ((int64_t)1000000)

/* Sets the limit for all files named on the command line. Sets no limit if folders of programs are given, or
 * yet for standard input that is not a file (see cmd_limit_stdin). An invalid TPROF_MEMORY is a usage error,
 * which ends the command. */
void cmd_limit_memory(const struct cmd *cmd, int argc, char **argv);
/* Raises the limit for standard input, of which so many bytes have been read. */
void cmd_limit_stdin(uint64_t bytes);
/* Sets the limit in a child that decodes these files one at a time, each together with the files in `also`:
 * as much as the largest needs. */
void cmd_limit_child(const char *const *paths, size_t n, const char *const *also, size_t nalso);
/* Removes the limit, in a child before it executes another program. */
void cmd_limit_lift(void);
/* Returns the limit in force, for messages; 0: no limit. */
int64_t cmd_limit(void);

#endif
