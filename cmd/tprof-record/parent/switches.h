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

struct perf_event_attr;
struct perf_event_header;
struct rec_switches;

/* Who reads more from the rings than switches (attach.c). `make` sees each record when it is read, with an event
 * that has its time, its process and thread, and as `object` the number of the thread whose event wrote it
 * (rec_switches_follow); it returns whether the event is kept. `see` gets those in the order of time, and returns
 * whether this one is a switch for the file. Both are called by the thread that reads the rings. */
struct rec_switches_reader {
	bool (*make)(void *ctx, uint32_t cpu, const struct perf_event_header *record,
		     struct rec_event *e);
	bool (*see)(void *ctx, struct rec_event *e);
	void *ctx;
};

/* Begins with a process that is about to execute the program, and is followed from then on. The file is in
 * `folder`. TP_EIO (the message says if the kernel does not allow it), TP_ENOMEM; then *s is NULL. rec_switches_end takes NULL. */
int rec_switches_begin(struct rec_switches **s, pid_t pid, bool children, const char *folder,
		       struct tp_err *err);
void rec_switches_end(struct rec_switches *s);

/* The same for events that rec_switches_follow adds. Nothing is read before rec_switches_start (TP_ENOMEM), which
 * begins a thread that does. `reader` outlives it. */
int rec_switches_open(struct rec_switches **s, const struct rec_switches_reader *reader,
		      const char *folder, struct tp_err *err);
/* Adds an event for a thread, and for those that it starts, to the ring of each processor. Its records end with
 * PERF_SAMPLE_TID, _TIME, _CPU and _IDENTIFIER. Returns 0 or errno. */
int rec_switches_follow(struct rec_switches *s, struct perf_event_attr *attr, pid_t tid,
			uint32_t number);
/* Switches the events on; and those with odd numbers off. */
void rec_switches_enable(struct rec_switches *s);
void rec_switches_disable_odd(struct rec_switches *s);
int rec_switches_start(struct rec_switches *s, struct tp_err *err);
/* Writes the first n switches of the file, or writes them again: before rec_switches_start, and after
 * rec_switches_stop. */
void rec_switches_put_first(struct rec_switches *s, const struct rec_event *events, size_t n);

/* Returns kernel.perf_event_paranoid, or -1. */
int rec_switches_paranoid(void);

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
