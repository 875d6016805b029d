/* The seccomp half of the jail; private to jail.c. */
#ifndef CMD_JAIL_CALLS_H
#define CMD_JAIL_CALLS_H

#include <stdbool.h>

/* From now on this process has the system calls of the list only, all others fail with EPERM. False
 * where the kernel has no filters, or this was built without libseccomp. */
bool cmd_jail_calls_only(void);

#endif
