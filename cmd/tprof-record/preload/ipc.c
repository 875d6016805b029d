/* Waits for other processes: locks on files, System V's semaphores and queues, commands that libc runs.
 * Nothing is recorded if they took less than options.syscall_ns. */
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "tprof-record/preload/fd.h"

#define WAIT(type, why, never, call) FD_WAITS(type, why, 0, never, call_outcome(result), call)

HOOK int flock(int fd, int operation)
{
	WAIT(int, REC_ON_MUTEX, operation &(LOCK_NB | LOCK_UN), REAL(flock)(fd, operation));
}

HOOK int lockf(int fd, int command, off_t size)
{
	WAIT(int, REC_ON_MUTEX, command != F_LOCK, REAL(lockf)(fd, command, size));
}

HOOK int semop(int id, struct sembuf *ops, size_t n)
{
	WAIT(int, REC_ON_SEMAPHORE, 0, REAL(semop)(id, ops, n));
}

HOOK int semtimedop(int id, struct sembuf *ops, size_t n, const struct timespec *time)
{
	WAIT(int, REC_ON_SEMAPHORE, 0, REAL(semtimedop)(id, ops, n, time));
}

HOOK int msgsnd(int id, const void *message, size_t size, int flags)
{
	WAIT(int, REC_ON_CHAN_SEND, flags &IPC_NOWAIT, REAL(msgsnd)(id, message, size, flags));
}

HOOK ssize_t msgrcv(int id, void *message, size_t size, long type, int flags)
{
	WAIT(ssize_t, REC_ON_CHAN_RECEIVE, flags & IPC_NOWAIT,
	     REAL(msgrcv)(id, message, size, type, flags));
}

/* Libc starts what it runs without any of our hooks. */
static void started_by_libc(void)
{
	if (rec_alive())
		atomic_fetch_add(&rec_core->arena.header->untold, 1);
}

HOOK int system(const char *command)
{
	if (command)
		started_by_libc();
	WAIT(int, REC_ON_CHILD, !command, REAL(system)(command));
}

HOOK int pclose(FILE *f)
{
	fd_forget(f->_fileno);
	started_by_libc();
	WAIT(int, REC_ON_CHILD, 0, REAL(pclose)(f));
}
