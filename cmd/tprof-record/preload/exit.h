/* How a process ends: exit, and exec. */
#ifndef RECORD_PRELOAD_EXIT_H
#define RECORD_PRELOAD_EXIT_H

#include <stdbool.h>

/* Begins to notice exit() and the return from main; called once. */
void exit_watch(void);
/* Returns whether this is the process whose arena is mapped, not a child of vfork, which borrows its
 * memory. */
bool exit_is_own_process(void);

#endif
