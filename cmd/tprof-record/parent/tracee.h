/* One thread of another process, stopped for a moment: its registers, and going on as if nothing
 * had been. Private to parent/.
 *
 * All functions are for one thread of the recorder (ptrace(2) is by thread), and that thread should
 * end when it is done: whatever could not be let go is let go then by the kernel. */
#ifndef RECORD_PARENT_TRACEE_H
#define RECORD_PARENT_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/unwind.h"

/* 0: it stands still; ESRCH: it is gone (or could not be stopped in good time); EPERM: it may not
 * be traced. Registers, their numbers as DWARF has them, are in state->value, known and pc. */
int rec_tracee_stop(pid_t pid, pid_t tid, struct tp_unwind_state *state);
/* Lets it go on. A system call that ended only because of the stop is begun anew. */
void rec_tracee_resume(pid_t pid, pid_t tid);

/* What a thread is doing in the kernel, from /proc, without stopping it. */
struct rec_tracee_call {
	bool running; /* in no system call */
	long number;
	uint64_t arg[6], sp, pc;
};
/* False where it is gone, or may not be looked at. */
bool rec_tracee_call(pid_t pid, pid_t tid, struct rec_tracee_call *call);
/* Does it wait for a futex, without a time limit? */
bool rec_tracee_waits(const struct rec_tracee_call *call);

#endif
