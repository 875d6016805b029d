/* The beginning of recording in a process. */
#ifndef RECORD_PRELOAD_START_H
#define RECORD_PRELOAD_START_H

#include <stdbool.h>

/* Returns whether children by fork and exec are recorded as well. */
bool start_follows(void);
/* Ends recording, because the process is about to restrict its system calls and might be killed for
 * one of ours. */
void start_no_more(void);
/* Called in the child of a fork, which has lost the parent's arena: makes one of its own if children
 * are followed. */
void start_in_child(void);

#endif
