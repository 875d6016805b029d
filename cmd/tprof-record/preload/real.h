/* The functions of libc that hooks stand in front of, and what every hook needs.
 *
 * A hook has the name of the function it replaces. It does what is right for most calls itself
 * (trylock, a look at a counter) and leaves the rest to a function that it calls last, so that the
 * compiler jumps: there, rec_wait_begin and its like are called with skip 1, whether that function
 * was inlined or not. */
#ifndef RECORD_PRELOAD_REAL_H
#define RECORD_PRELOAD_REAL_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

#include "tprof-record/core/core.h"

#define HOOK	    __attribute__((visibility("default")))
#define LAST	    __attribute__((noinline)) /* what a hook calls last */
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* result, name, arguments. Where glibc has several versions of a symbol, dlsym may find the oldest:
 * those are named with the version that programs are linked to today (REAL_VERSIONED). */
/* clang-format off */
#define REAL_MEMORY(X) \
	X(void *, malloc, (size_t)) \
	X(void, free, (void *)) \
	X(void *, calloc, (size_t, size_t)) \
	X(void *, realloc, (void *, size_t)) \
	X(void *, aligned_alloc, (size_t, size_t)) \
	X(void *, memalign, (size_t, size_t)) \
	X(int, posix_memalign, (void **, size_t, size_t)) \
	X(void *, valloc, (size_t)) \
	X(void *, pvalloc, (size_t))

#define REAL_VERSIONED(X) \
	X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *)) \
	X(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *)) \
	X(int, pthread_cond_signal, (pthread_cond_t *)) \
	X(int, pthread_cond_broadcast, (pthread_cond_t *))

#define REAL_LOCKS(X) \
	X(int, pthread_mutex_lock, (pthread_mutex_t *)) \
	X(int, pthread_mutex_trylock, (pthread_mutex_t *)) \
	X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *)) \
	X(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *)) \
	X(int, pthread_mutex_unlock, (pthread_mutex_t *)) \
	X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *)) \
	X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *)) \
	X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *)) \
	X(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *)) \
	X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *)) \
	X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *)) \
	X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *)) \
	X(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *)) \
	X(int, pthread_rwlock_unlock, (pthread_rwlock_t *)) \
	X(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *)) \
	X(int, pthread_barrier_wait, (pthread_barrier_t *)) \
	X(int, sem_wait, (sem_t *)) \
	X(int, sem_trywait, (sem_t *)) \
	X(int, sem_timedwait, (sem_t *, const struct timespec *)) \
	X(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *)) \
	X(int, sem_post, (sem_t *))

#define REAL_THREADS(X) \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) \
	X(int, pthread_join, (pthread_t, void **)) \
	X(int, pthread_tryjoin_np, (pthread_t, void **)) \
	X(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *)) \
	X(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *)) \
	X(int, pthread_setname_np, (pthread_t, const char *)) \
	X(int, thrd_create, (thrd_t *, thrd_start_t, void *)) \
	X(int, prctl, (int, unsigned long, unsigned long, unsigned long, unsigned long)) \
	X(int, nanosleep, (const struct timespec *, struct timespec *)) \
	X(int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *)) \
	X(int, usleep, (useconds_t)) \
	X(unsigned, sleep, (unsigned)) \
	X(int, thrd_sleep, (const struct timespec *, struct timespec *)) \
	X(int, pause, (void)) \
	X(int, sigwait, (const sigset_t *, int *)) \
	X(int, sigwaitinfo, (const sigset_t *, siginfo_t *)) \
	X(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *)) \
	X(int, sigsuspend, (const sigset_t *)) \
	X(pid_t, wait, (int *)) \
	X(pid_t, waitpid, (pid_t, int *, int)) \
	X(int, waitid, (idtype_t, id_t, siginfo_t *, int)) \
	X(pid_t, wait3, (int *, int, struct rusage *)) \
	X(pid_t, wait4, (pid_t, int *, int, struct rusage *)) \
	X(int, system, (const char *)) \
	X(int, pclose, (FILE *)) \
	X(int, flock, (int, int)) \
	X(int, lockf, (int, int, off_t)) \
	X(int, semop, (int, struct sembuf *, size_t)) \
	X(int, semtimedop, (int, struct sembuf *, size_t, const struct timespec *)) \
	X(int, msgsnd, (int, const void *, size_t, int)) \
	X(ssize_t, msgrcv, (int, void *, size_t, long, int)) \
	X(long, syscall, (long, long, long, long, long, long, long))

#define REAL_FILES(X) \
	X(ssize_t, read, (int, void *, size_t)) \
	X(ssize_t, __read_chk, (int, void *, size_t, size_t)) \
	X(ssize_t, write, (int, const void *, size_t)) \
	X(ssize_t, readv, (int, const struct iovec *, int)) \
	X(ssize_t, writev, (int, const struct iovec *, int)) \
	X(ssize_t, pread, (int, void *, size_t, off_t)) \
	X(ssize_t, pread64, (int, void *, size_t, off64_t)) \
	X(ssize_t, __pread_chk, (int, void *, size_t, off_t, size_t)) \
	X(ssize_t, __pread64_chk, (int, void *, size_t, off64_t, size_t)) \
	X(ssize_t, pwrite, (int, const void *, size_t, off_t)) \
	X(ssize_t, pwrite64, (int, const void *, size_t, off64_t)) \
	X(ssize_t, preadv, (int, const struct iovec *, int, off_t)) \
	X(ssize_t, preadv64, (int, const struct iovec *, int, off64_t)) \
	X(ssize_t, preadv2, (int, const struct iovec *, int, off_t, int)) \
	X(ssize_t, preadv64v2, (int, const struct iovec *, int, off64_t, int)) \
	X(ssize_t, pwritev, (int, const struct iovec *, int, off_t)) \
	X(ssize_t, pwritev64, (int, const struct iovec *, int, off64_t)) \
	X(ssize_t, pwritev2, (int, const struct iovec *, int, off_t, int)) \
	X(ssize_t, pwritev64v2, (int, const struct iovec *, int, off64_t, int)) \
	X(int, fsync, (int)) \
	X(int, fdatasync, (int)) \
	X(int, syncfs, (int)) \
	X(int, msync, (void *, size_t, int)) \
	X(int, close, (int)) \
	X(int, dup2, (int, int)) \
	X(int, dup3, (int, int, int)) \
	X(int, fcntl, (int, int, long)) \
	X(int, fcntl64, (int, int, long)) \
	X(int, ioctl, (int, unsigned long, long)) \
	X(int, socket, (int, int, int)) \
	X(int, accept, (int, struct sockaddr *, socklen_t *)) \
	X(int, accept4, (int, struct sockaddr *, socklen_t *, int)) \
	X(int, connect, (int, const struct sockaddr *, socklen_t)) \
	X(ssize_t, recv, (int, void *, size_t, int)) \
	X(ssize_t, __recv_chk, (int, void *, size_t, size_t, int)) \
	X(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *)) \
	X(ssize_t, __recvfrom_chk, (int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *)) \
	X(ssize_t, recvmsg, (int, struct msghdr *, int)) \
	X(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *)) \
	X(ssize_t, send, (int, const void *, size_t, int)) \
	X(ssize_t, sendto, (int, const void *, size_t, int, const struct sockaddr *, socklen_t)) \
	X(ssize_t, sendmsg, (int, const struct msghdr *, int)) \
	X(int, sendmmsg, (int, struct mmsghdr *, unsigned, int)) \
	X(ssize_t, sendfile, (int, int, off_t *, size_t)) \
	X(ssize_t, sendfile64, (int, int, off64_t *, size_t)) \
	X(int, poll, (struct pollfd *, nfds_t, int)) \
	X(int, __poll_chk, (struct pollfd *, nfds_t, int, size_t)) \
	X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)) \
	X(int, __ppoll_chk, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t)) \
	X(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *)) \
	X(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *)) \
	X(int, epoll_wait, (int, struct epoll_event *, int, int)) \
	X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *)) \
	X(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))

#define REAL_STDIO(X) \
	X(size_t, fread, (void *, size_t, size_t, FILE *)) \
	X(size_t, fread_unlocked, (void *, size_t, size_t, FILE *)) \
	X(size_t, __fread_chk, (void *, size_t, size_t, size_t, FILE *)) \
	X(char *, fgets, (char *, int, FILE *)) \
	X(char *, fgets_unlocked, (char *, int, FILE *)) \
	X(char *, __fgets_chk, (char *, size_t, int, FILE *)) \
	X(ssize_t, getline, (char **, size_t *, FILE *)) \
	X(ssize_t, getdelim, (char **, size_t *, int, FILE *)) \
	X(ssize_t, __getdelim, (char **, size_t *, int, FILE *)) \
	X(int, fgetc, (FILE *)) \
	X(int, getc, (FILE *)) \
	X(int, getchar, (void)) \
	X(int, __uflow, (FILE *)) \
	X(int, fclose, (FILE *)) \
	X(int, close_range, (unsigned, unsigned, int)) \
	X(void, closefrom, (int))

#define REAL_PROCESS(X) \
	X(pid_t, fork, (void)) \
	X(int, execve, (const char *, char *const *, char *const *)) \
	X(int, execvpe, (const char *, char *const *, char *const *)) \
	X(int, fexecve, (int, char *const *, char *const *)) \
	X(int, execveat, (int, const char *, char *const *, char *const *, int)) \
	X(int, posix_spawn, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *, char *const *)) \
	X(int, posix_spawnp, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *, char *const *)) \
	X(void, _exit, (int)) \
	X(void, _Exit, (int)) \
	X(void, quick_exit, (int)) \
	X(void *, dlopen, (const char *, int)) \
	X(void *, dlmopen, (long, const char *, int)) \
	X(int, dlclose, (void *))
/* clang-format on */

#define REAL_FUNCTIONS(X)                                                                          \
	REAL_MEMORY(X)                                                                             \
	REAL_VERSIONED(X) REAL_LOCKS(X) REAL_THREADS(X) REAL_FILES(X) REAL_STDIO(X) REAL_PROCESS(X)

struct real {
#define REAL_X(result, name, args) result(*name) args;
	REAL_FUNCTIONS(REAL_X)
#undef REAL_X
};
extern struct real real;

/* Finds them all. Harmless when it is done again. */
void real_find(void);

/* The real function; hooks may be called by constructors that run before ours. */
#define REAL(name) (*(likely(real.name != NULL) ? real.name : (real_find(), real.name)))

/* What the recorder has to learn before the next record: a thread that did not come by way of
 * pthread_create, code that was loaded (dlopen). */
extern _Atomic unsigned modules_changed;
/* In a child that was forked while others of the parent's threads ran: libc's lock of the modules
 * may be taken for good, so libc is not asked for them until the program itself calls dlopen. */
extern _Atomic bool modules_unasked;
void catch_up(void);

/* Memory for whoever allocates before the real functions are known (dlsym itself); never reused. */
void *real_boot_alloc(size_t size, size_t align);
int real_boot_has(const void *block);
size_t real_boot_left(const void *block); /* bytes from there to its end */
/* Marks all of it as what free has to look at twice (rec_maybe_sampled). */
void real_boot_mark(void);

/* Should what the caller is about to do be recorded? Not what the recorder itself calls. */
static inline int watching(void)
{
	if (!rec_alive() || rec_self.depth)
		return 0;
	if (unlikely(!rec_self.g || modules_changed))
		catch_up();
	return 1;
}

#endif
