/* Stacks of the threads of a process that lives, taken from outside.
 *
 * What a thread that waits is doing is in the arena: its stack was kept when the wait began. Only
 * threads that were running when the arena was copied are looked at here. Each is stopped by
 * ptrace for as long as its registers and the upper part of its stack take to copy, one at a time,
 * and unwound afterwards; a thread that is in a system call which a stop would end (EINTR) has it
 * begun anew, so that the program notices nothing.
 *
 * No other waitpid of the recorder may run at the same time: it might take a stop for itself. The
 * exit of the process is left for the recorder to collect. */
#ifndef RECORD_PARENT_THREADS_H
#define RECORD_PARENT_THREADS_H

#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/convert/profile/profile.h"

/* Fills *live, which is valid whatever is returned (empty at worst) and is the caller's
 * (rec_live_release). `pid` is the process as the recorder sees it, `p` the checked copy of its arena.
 * Threads that are gone by now are left out silently. TP_EIO: some or all could not be looked at
 * (no permission to trace); the sentence is for the user. TP_ENOMEM. */
int rec_live_stacks(pid_t pid, const struct rec_process *p, struct rec_live *live,
		    struct tp_err *err);

#endif
