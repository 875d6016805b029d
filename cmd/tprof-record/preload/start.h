/* How recording begins in a process. */
#ifndef RECORD_PRELOAD_START_H
#define RECORD_PRELOAD_START_H

#include <stdbool.h>

/* Whether children by fork and exec are recorded as well. */
bool start_follows(void);
/* What such a child finds in its environment: NULL-terminated, NULL when it is to have none. */
char *const *start_environment(void);
/* In the child of a fork: the parent's arena is gone, this makes its own when children are
 * followed. */
void start_in_child(void);

#endif
