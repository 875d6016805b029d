/* Threads that nobody can wake any more, as Go's goroutine leak profile has them: a thread that
 * waits, without a time limit, for an object (mutex, condition, semaphore, futex …) to which
 * nothing leads that can still run.
 *
 * How: candidates are threads that wait for an object on the heap (or on a candidate's stack).
 * Everything else that can be written to is a root: data of programs and libraries, shared memory,
 * stacks and registers of the other threads, addresses given to the kernel (epoll, timers). From
 * there memory is followed conservatively: every word that might point into a block of the heap
 * makes that reachable. A candidate whose object is reached can be woken, so its own stack and
 * registers are followed too, until nothing changes (runtime/mgc.go, findGoroutineLeaks). Whoever
 * is left is leaked. The whole is done twice; only what both agree upon is reported.
 *
 * What it cannot see, it takes for reachable: memory that glibc's malloc does not manage is a root
 * as a whole. A pthread_t is no means of waking a thread (though it could be cancelled with it). */
#ifndef RECORD_PARENT_LEAK_H
#define RECORD_PARENT_LEAK_H

#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/convert/profile/profile.h"

/* Adds the leaked threads to *live (which rec_live_stacks has filled, or is empty), `leaked` set
 * and without PCs: their stacks are in the arena. Process and arena as there; what is returned,
 * too, and TP_ELIMIT: there is more memory than is looked through in good time. Nobody is reported
 * then. */
int rec_live_leaks(pid_t pid, const struct rec_process *p, struct rec_live *live,
		   struct tp_err *err);

#endif
