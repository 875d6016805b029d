/* How much memory a command may take: as much as its input can ask for and no more.
 *
 * For input of up to 1 MB that is 256 MiB, the pages of the input and the program included; for
 * more, in proportion. Whatever a file claims, allocation fails beyond that and the command says
 * so. TPROF_MEMORY (a size, or "unlimited") takes its place. */
#ifndef CMD_LIMIT_H
#define CMD_LIMIT_H

#include "common/common.h"

#define CMD_MEMORY_BASE	 ((int64_t)256 << 20) /* for input of up to … */
#define CMD_MEMORY_INPUT ((int64_t)1000000)

/* What all files named on the command line may make the command take, from now on; no limit where
 * folders of programs are given, or standard input that is not a file (see cmd_limit_stdin). A
 * TPROF_MEMORY that is none is a usage error. */
void cmd_limit_memory(const struct cmd *cmd, int argc, char **argv);
/* Standard input has given so many bytes up to now. */
void cmd_limit_stdin(uint64_t bytes);
/* In a child that decodes these files one after the other, with what `also` names beside each: as
 * much as the largest may take. */
void cmd_limit_child(const char *const *paths, size_t n, const char *const *also, size_t nalso);
/* In a child, before it becomes another program. */
void cmd_limit_lift(void);
/* The limit that holds, for messages; 0 for none. */
int64_t cmd_limit(void);

#endif
