/* Finds threads that no other thread can wake any more, for Go's goroutine leak profile: a thread is
 * leaked if it waits, without a time limit, for an object (mutex, condition, semaphore, futex …) that
 * nothing running can reach.
 *
 * Candidates are threads that wait for an object on the heap (or on a candidate's stack). All other
 * memory that can be written to is a root: data of programs and libraries, shared memory, stacks and
 * registers of the other threads, addresses given to the kernel (epoll, timers). From the roots memory
 * is followed conservatively: every word that might point into a block of the heap makes that
 * reachable. A candidate whose object is reached can be woken, so its own stack and registers are
 * followed too, until nothing changes (runtime/mgc.go, findGoroutineLeaks). The other candidates are
 * leaked. All of this is done twice, and only threads that are leaked both times are reported.
 *
 * Memory that glibc's malloc does not manage is a root as a whole. A pthread_t does not count as a means
 * of waking a thread (though the thread could be cancelled with it). */
#ifndef RECORD_PARENT_LEAK_H
#define RECORD_PARENT_LEAK_H

#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/convert/process.h"
#include "tprof-record/convert/profile/profile.h"

/* Adds the leaked threads to *live (which may have stacks from rec_live_stacks), with `leaked` set and
 * without PCs: their stacks are in the arena. Arguments and errors as for rec_live_stacks; TP_ELIMIT:
 * there is too much memory to search. After an error no thread is reported. */
int rec_live_leaks(pid_t pid, const struct rec_process *p, struct rec_live *live,
		   struct tp_err *err);

#endif
