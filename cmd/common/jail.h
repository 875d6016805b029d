/* What a process gives up before it decodes what a stranger wrote: for good, and for every process
 * it starts.
 *
 *   Landlock   files: nothing but what is listed; no TCP; no signals to others
 *   seccomp    no system calls but those that decoding needs: no programs are started, nothing is
 *              opened to the network, no other process is touched
 *
 * Either is left out where the kernel has not got it, or a container forbids it. */
#ifndef CMD_JAIL_H
#define CMD_JAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum cmd_jail_has { CMD_JAIL_LANDLOCK = 1, CMD_JAIL_SECCOMP = 2 };

#define CMD_JAIL_PATHS 512

/* Files that may be opened. A folder stands for all that is in it, and for the files that links in
 * it, or in its folders of build ids, lead to. What does not exist is left out, and so is what is
 * listed behind the first CMD_JAIL_PATHS; texts stay the caller's. */
struct cmd_jail {
	const char *read[CMD_JAIL_PATHS];
	size_t nread;
	const char *write; /* one file, to be read and written; NULL: none */
};

void cmd_jail_allow(struct cmd_jail *jail, const char *path);

/* For a process of one thread. The bits of enum cmd_jail_has that are in force now. */
unsigned cmd_jail_enter(const struct cmd_jail *jail);

/* For a process that decodes by itself, or reads a store, and has other work to do, before it has
 * threads: from now on it, and those it starts, can neither open connections nor look into other
 * processes. Nothing where TPROF_JAIL is off; once is enough. TP_EIO: a jail is to be required, and
 * the system has not got all of one, Landlock included. */
int cmd_jail_withdraw(struct tp_err *err);

/* The version of Landlock that the kernel has, 0 none. */
int cmd_jail_landlock(void);

/* What the user wants of it: TPROF_JAIL in the environment. */
enum cmd_jail_mode {
	CMD_JAIL_AUTO,	  /* what the kernel has (not set, "auto") */
	CMD_JAIL_REQUIRE, /* all of it, or nothing is decoded ("require") */
	CMD_JAIL_OFF,	  /* no process of its own either: for debuggers ("off") */
	CMD_JAIL_UNKNOWN, /* something else, which cmd_parse refuses */
};
/* Returns the mode. If it is not set, builds that watch themselves (sanitizers, coverage), and
 * valgrind, have no jail, as they need what it forbids. */
enum cmd_jail_mode cmd_jail_mode(void);

#endif
