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

/* What a thread is doing in the kernel. */
struct rec_tracee_call {
	bool running; /* in no system call */
	long number;
	uint64_t arg[6], sp, pc;
};
/* Does it wait for a futex, without a time limit? */
bool rec_tracee_waits(const struct rec_tracee_call *call);

/* Where a thread stands. Registers are numbered as DWARF has them; all is 0, and `call` says that
 * it runs, where the machine is not known. */
struct rec_tracee {
	struct tp_unwind_state state;
	uint64_t thread;     /* the thread pointer */
	uint64_t vector[32]; /* the lower halves of its vector registers */
	struct rec_tracee_call call;
};

/* 0: it stands still; ESRCH: it is gone (or could not be stopped in good time); EPERM: it may not
 * be traced. */
int rec_tracee_stop(pid_t pid, pid_t tid, struct rec_tracee *at);
/* Lets it go on. A system call that ended only because of the stop is begun anew. */
void rec_tracee_resume(pid_t pid, pid_t tid);

/* Is it gone, or a zombie that has nothing left? */
bool rec_tracee_is_dead(pid_t pid, pid_t tid);

/* From /proc, without stopping it. False where it is gone, or may not be looked at. */
bool rec_tracee_call(pid_t pid, pid_t tid, struct rec_tracee_call *call);

/* Runs it in a thread of its own and waits for that. 0, or an errno value and nothing was run. */
int rec_tracee_apart(void (*run)(void *), void *arg);

#endif
