/* When the threads of the recorded processes were put on processors and taken off: the kernel says so
 * (perf_event_open) without privileges, where kernel.perf_event_paranoid is 2 or less.
 *
 * Each processor has a ring of memory that the kernel fills; a thread copies the rings to a temporary file,
 * sorted by time. One event per processor follows all threads of the program and, if so wished, its children.
 * Processes that gain privileges by an exec are lost to it. */
#ifndef RECORD_PARENT_SWITCHES_H
#define RECORD_PARENT_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/core/event.h"

struct rec_switches;

/* Begins with a process that is about to execute the program, and is followed from then on. The file is in
 * `folder`. TP_EIO (the message says if the kernel does not allow it), TP_ENOMEM; then *s is NULL. rec_switches_end takes NULL. */
int rec_switches_begin(struct rec_switches **s, pid_t pid, bool children, const char *folder,
		       struct tp_err *err);
void rec_switches_end(struct rec_switches *s);

/* Ends it; the file stays. */
void rec_switches_stop(struct rec_switches *s);

/* Copies what the rings have, so that all switches up to now are in the file. Any thread. */
void rec_switches_take(struct rec_switches *s);

/* Maps the switches of all processes (convert/trace/switch.h) between two moments, until the next call; one
 * thread at a time. *lost is how many the kernel could not tell or the file had no room for. TP_EIO,
 * TP_ENOMEM. */
int rec_switches_map(struct rec_switches *s, uint64_t from, uint64_t to,
		     const struct rec_event **events, size_t *n, uint64_t *lost,
		     struct tp_err *err);

#endif
