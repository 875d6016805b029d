/* Sandboxes a process before it decodes untrusted input. The sandbox ("jail") is irrevocable and
 * inherited by all processes it starts.
 *
 *   Landlock   only listed files; no TCP; no signals to other processes
 *   seccomp    only the system calls that decoding needs: no starting of programs, no network, no
 *              access to other processes
 *
 * Either is skipped if the kernel lacks it or a container forbids it. */
#ifndef CMD_JAIL_H
#define CMD_JAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum cmd_jail_has { CMD_JAIL_LANDLOCK = 1, CMD_JAIL_SECCOMP = 2 };

#define CMD_JAIL_PATHS 512

/* Files that may be opened. A folder includes all files in it, and the files that links in it, or
 * in its folders of build ids, lead to. Missing files, and those after the first CMD_JAIL_PATHS,
 * are ignored. The texts are borrowed. */
struct cmd_jail {
	const char *read[CMD_JAIL_PATHS];
	size_t nread;
	const char *write; /* one file, to be read and written; NULL: none */
	bool serves;	   /* takes connections, and answers, by sockets that are open */
};

void cmd_jail_allow(struct cmd_jail *jail, const char *path);

/* Enters the jail; the process must have one thread. Returns the bits of enum cmd_jail_has that are
 * in force now. */
unsigned cmd_jail_enter(const struct cmd_jail *jail);

/* Enters a weaker jail, for a process that decodes or reads a store itself but has other work, too:
 * it, and those it starts, can no longer open connections or access other processes. Must be called
 * before there are threads; further calls do nothing, nor does it with TPROF_JAIL=off. Returns 0,
 * or TP_EIO if a jail is required and the system lacks a part of it, including Landlock. */
int cmd_jail_withdraw(struct tp_err *err);

/* Returns the kernel's version of Landlock, 0 for none. */
int cmd_jail_landlock(void);

/* Values of TPROF_JAIL in the environment. */
enum cmd_jail_mode {
	CMD_JAIL_AUTO,	  /* as far as the kernel supports it (unset, "auto") */
	CMD_JAIL_REQUIRE, /* fail unless all of it is in force ("require") */
	CMD_JAIL_OFF,	  /* no jail, and no separate process: for debuggers ("off") */
	CMD_JAIL_UNKNOWN, /* any other value, which cmd_parse refuses */
};
/* Returns the mode. If it is unset, there is no jail under sanitizers, coverage and valgrind, which
 * need what it forbids. */
enum cmd_jail_mode cmd_jail_mode(void);

#endif
