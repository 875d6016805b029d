/* What the kernel says of the program and all processes that come of it (perf_event_open): when their threads
 * were put on processors and taken off, and which processes began and executed programs. It says so without
 * privileges, where kernel.perf_event_paranoid is 2 or less.
 *
 * Each processor has a ring of memory that the kernel fills; a thread copies the switches in the rings to a
 * temporary file, sorted by time. One event per processor follows all processes; if only the switches of the
 * program itself are wanted, another one does that. Processes that gain privileges by an exec are lost to them. */
#ifndef RECORD_PARENT_SWITCHES_H
#define RECORD_PARENT_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/core/event.h"

struct rec_switches;

/* Whose switches are wanted. */
enum rec_switches_of { REC_SWITCHES_OF_NONE, REC_SWITCHES_OF_PROGRAM, REC_SWITCHES_OF_ALL };

/* Begins with a process that is about to execute the program, and is followed from then on. The file is in
 * `folder`. TP_EIO (the message says if the kernel does not allow it), TP_ENOMEM; then *s is NULL. All functions
 * take NULL. */
int rec_switches_begin(struct rec_switches **s, pid_t pid, enum rec_switches_of of,
		       const char *folder, struct tp_err *err);
void rec_switches_end(struct rec_switches *s);

/* Ends it; what was found stays. */
void rec_switches_stop(struct rec_switches *s);

/* Copies what the rings have, so that all switches up to now are in the file. Any thread. */
void rec_switches_take(struct rec_switches *s);

/* Switches of all processes (convert/trace/switch.h) between two moments. */
struct rec_switches_list {
	const struct rec_event *events;
	size_t n;
	uint64_t lost;	 /* how many the kernel could not tell, or the file had no room for */
	uint64_t end_ns; /* the file has none from then on; 0: it has all */
	int error;	 /* errno of that */
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
