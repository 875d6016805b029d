/* How a process leaves: exit, and exec. */
#ifndef RECORD_PRELOAD_EXIT_H
#define RECORD_PRELOAD_EXIT_H

#include <stdbool.h>

/* Once: exit() and return from main will be seen. */
void exit_watch(void);
/* Is this the process whose arena is mapped, or the child of a vfork that borrows its memory? */
bool exit_is_own_process(void);

#endif
