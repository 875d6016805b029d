/* What the kernel says of the program and all processes that come of it (perf_event_open): when their threads
 * were put on processors and taken off, and which processes began and executed programs. It says so without
 * privileges, where kernel.perf_event_paranoid is 2 or less.
 *
 * Each processor has a ring of memory that the kernel fills; a thread copies the switches in the rings to a
 * temporary file, sorted by time. Where tracepoints are allowed (root, CAP_PERFMON) and the
 * user can read or mount tracefs, the kernel also says who made which thread runnable, from some ms after the begin on. One
 * event per processor follows all processes; if only the switches of the
 * program itself are wanted, another one does that. Processes that gain privileges by an exec are lost to them. */
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

/* Whose switches are wanted. */
enum rec_switches_of { REC_SWITCHES_OF_NONE, REC_SWITCHES_OF_PROGRAM, REC_SWITCHES_OF_ALL };

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
 * `folder`. TP_EIO (the message says if the kernel does not allow it), TP_ENOMEM; then *s is NULL. All functions
 * but those for a reader take NULL.
 *
 * rec_switches_start (TP_ENOMEM) begins a thread that reads the rings, and switches wake-ups on: some ms after the
 * start, as short recordings need neither. */
int rec_switches_begin(struct rec_switches **s, pid_t pid, enum rec_switches_of of,
		       const char *folder, struct tp_err *err);
int rec_switches_start(struct rec_switches *s, struct tp_err *err);
void rec_switches_end(struct rec_switches *s);

/* Returns how many descriptors the rings have, or will have. */
size_t rec_switches_files(struct rec_switches *s);

/* The same for events that rec_switches_follow adds. `reader` outlives it. */
int rec_switches_open(struct rec_switches **s, const struct rec_switches_reader *reader,
		      const char *folder, struct tp_err *err);
/* Adds an event for a thread, and for those that it starts, to the ring of each processor. Its records end with
 * PERF_SAMPLE_TID, _TIME, _CPU and _IDENTIFIER. Returns 0 or errno. */
int rec_switches_follow(struct rec_switches *s, struct perf_event_attr *attr, pid_t tid,
			uint32_t number);
/* Switches the events on; and those with odd numbers off. */
void rec_switches_enable(struct rec_switches *s);
void rec_switches_disable_odd(struct rec_switches *s);
/* Writes the first n switches of the file, or writes them again: before rec_switches_start, and after
 * rec_switches_stop. */
void rec_switches_put_first(struct rec_switches *s, const struct rec_event *events, size_t n);

/* Returns kernel.perf_event_paranoid, or -1. */
int rec_switches_paranoid(void);

/* Ends it; what was found stays. */
void rec_switches_stop(struct rec_switches *s);

/* Copies what the rings have, so that all switches up to now are in the file. Returns how many records they had.
 * Any thread. */
size_t rec_switches_take(struct rec_switches *s);

/* Returns since when a thread is on no processor, though it was not preempted; 0: it is on one, or it is not known.
 * Any thread, after rec_switches_notice, which returns whether it can be known. */
bool rec_switches_notice(struct rec_switches *s);
uint64_t rec_switches_off(struct rec_switches *s, uint32_t tid);

/* Switches of all processes (convert/trace/switch.h) between two moments. */
struct rec_switches_list {
	const struct rec_event *events;
	size_t n;
	uint64_t lost;	 /* how many the kernel could not tell, or the file had no room for */
	uint64_t end_ns; /* the file has none from then on; 0: it has all */
	int error;	 /* errno of that */
	bool wakes;	 /* with wakes */
};

/* Maps them, until the next call; one thread at a time. TP_EIO, TP_ENOMEM. */
int rec_switches_map(struct rec_switches *s, uint64_t from, uint64_t to,
		     struct rec_switches_list *list, struct tp_err *err);

/* Returns how many processes have begun, without the program itself; *more is set if there may be more. */
uint64_t rec_switches_begun(struct rec_switches *s, bool *more);
/* Returns when the process last executed a program between two moments, and copies the name of that, as far as the
 * kernel keeps it; 0: it did not. */
uint64_t rec_switches_exec(struct rec_switches *s, pid_t pid, uint64_t from, uint64_t to,
			   char name[16]);

#endif
