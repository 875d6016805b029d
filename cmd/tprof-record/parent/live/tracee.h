/* Stops a thread of another process for a moment and reads its registers, without effect on the program.
 * Private to parent/.
 *
 * All functions of a session must run in one thread of the recorder (ptrace(2) is by thread). That thread
 * should end afterwards: then the kernel resumes any thread that could not be resumed. */
#ifndef RECORD_PARENT_TRACEE_H
#define RECORD_PARENT_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/unwind.h"

/* What a thread is doing in the kernel. */
struct rec_tracee_call {
	bool
	    running; /* in no system call; sp and pc are 0, or those of a thread that waits for a page */
	long number;
	uint64_t arg[6], sp, pc;
};
/* Returns whether it waits for a futex without a time limit. */
bool rec_tracee_waits(const struct rec_tracee_call *call);

/* The state of a thread. Registers have DWARF's numbers. Only on x86-64 are `thread`, `vector` and
 * `call` known; elsewhere `call` says that it runs. */
struct rec_tracee {
	struct tp_unwind_state state;
	uint64_t thread;     /* the thread pointer */
	uint64_t vector[32]; /* the lower halves of its vector registers */
	struct rec_tracee_call call;
};

/* Stops it. Returns 0; ESRCH: it has gone, or did not stop in time; EPERM: it may not be traced. */
int rec_tracee_stop(pid_t pid, pid_t tid, struct rec_tracee *at);
/* Resumes it; begins a system call anew that ended only because of the stop. */
void rec_tracee_resume(pid_t pid, pid_t tid);

/* Returns whether it has gone, or is a zombie. */
bool rec_tracee_is_dead(pid_t pid, pid_t tid);

/* Reads from /proc, without stopping it. False: it has gone, or may not be looked at. */
bool rec_tracee_call(pid_t pid, pid_t tid, struct rec_tracee_call *call);

/* Runs a function, which returns NULL, in a new thread and waits for it. Returns 0, or an errno value if the
 * thread cannot be created. */
int rec_tracee_apart(void *(*run)(void *), void *arg);

#endif
