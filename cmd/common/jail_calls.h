/* The seccomp half of the jail; private to jail.c. */
#ifndef CMD_JAIL_CALLS_H
#define CMD_JAIL_CALLS_H

#include <stdbool.h>

/* From now on this process has the system calls of the list only, all others fail with EPERM. False
 * where the kernel has no filters, or this was built without libseccomp. */
bool cmd_jail_calls_only(void);

/* The other way round, for a process that goes on with other work: it and those it starts can
 * neither open connections, nor look into other processes, nor do what only root can. */
bool cmd_jail_calls_without(void);

#endif
