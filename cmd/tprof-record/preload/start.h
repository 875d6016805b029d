/* How recording begins in a process. */
#ifndef RECORD_PRELOAD_START_H
#define RECORD_PRELOAD_START_H

#include <stdbool.h>

/* Whether children by fork and exec are recorded as well. */
bool start_follows(void);
/* The process is about to restrict its system calls, and may be killed for one of ours: what is
 * recorded until now is all there will be. */
void start_no_more(void);
/* In the child of a fork: the parent's arena is gone, this makes its own when children are
 * followed. */
void start_in_child(void);

#endif
