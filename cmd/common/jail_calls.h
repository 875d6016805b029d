/* The seccomp half of the jail; private to jail.c. */
#ifndef CMD_JAIL_CALLS_H
#define CMD_JAIL_CALLS_H

#include <stdbool.h>

/* Restricts the process to the listed system calls; others fail with EPERM. `serves` adds those of a
 * server whose sockets are open. Returns false if the kernel has no filters, or this was built without
 * libseccomp. */
bool cmd_jail_calls_only(bool serves);

/* Forbids listed system calls, for a process with other work: it and those it starts can no longer
 * open connections, access other processes, or do what only root may. Returns false as above. */
bool cmd_jail_calls_without(void);

#endif
