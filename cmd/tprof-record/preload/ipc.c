/* Waits for other processes: file locks, System V semaphores and queues, and commands that libc runs. Waits
 * shorter than options.syscall_ns are not recorded. */
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "tprof-record/preload/fd.h"

/* Defines a hook; `never`: the call does not wait. */
#define WAIT(type, name, why, never, params, ...)                                                  \
	HOOK type name params                                                                      \
	{                                                                                          \
		FD_WAITS(type, why, 0, never, call_outcome(result), REAL(name)(__VA_ARGS__));      \
	}

/* clang-format off */
WAIT(int, flock, REC_ON_MUTEX, operation & (LOCK_NB | LOCK_UN), (int fd, int operation), fd, operation)
WAIT(int, lockf, REC_ON_MUTEX, command != F_LOCK, (int fd, int command, off_t size), fd, command, size)
WAIT(int, semop, REC_ON_SEMAPHORE, 0, (int id, struct sembuf *ops, size_t n), id, ops, n)
WAIT(int, semtimedop, REC_ON_SEMAPHORE, 0,
     (int id, struct sembuf *ops, size_t n, const struct timespec *time), id, ops, n, time)
WAIT(int, msgsnd, REC_ON_CHAN_SEND, flags & IPC_NOWAIT,
     (int id, const void *message, size_t size, int flags), id, message, size, flags)
WAIT(ssize_t, msgrcv, REC_ON_CHAN_RECEIVE, flags & IPC_NOWAIT,
     (int id, void *message, size_t size, long type, int flags), id, message, size, type, flags)
/* clang-format on */

/* Counts a child that libc starts, which calls none of our hooks. */
static void started_by_libc(void)
{
	if (rec_alive())
		atomic_fetch_add(&rec_core->arena.header->untold, 1);
}

HOOK int system(const char *command)
{
	if (command)
		started_by_libc();
	FD_WAITS(int, REC_ON_CHILD, 0, !command, call_outcome(result), REAL(system)(command));
}

HOOK int pclose(FILE *f)
{
	fd_forget(f->_fileno);
	started_by_libc();
	FD_WAITS(int, REC_ON_CHILD, 0, 0, call_outcome(result), REAL(pclose)(f));
}
