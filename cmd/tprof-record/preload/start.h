/* How recording begins in a process. */
#ifndef RECORD_PRELOAD_START_H
#define RECORD_PRELOAD_START_H

#include <stdbool.h>

/* Whether children by fork and exec are recorded as well. */
bool start_follows(void);
/* What those that are recorded need in their environment: "TPROF_RECORD=…" and "LD_PRELOAD=…", and
 * this library's path in the latter. Empty where there was no room. */
enum start_text { START_RECORD, START_PRELOAD, START_LIBRARY, START_NTEXTS };
char *start_environment(enum start_text which);
/* Does such a list (LD_PRELOAD) name this library? */
bool start_is_library(const char *list);
/* The process is about to restrict its system calls, and may be killed for one of ours: what is
 * recorded until now is all there will be. */
void start_no_more(void);
/* In the child of a fork: the parent's arena is gone, this makes its own when children are
 * followed. */
void start_in_child(void);

#endif
