/* The functions of libc that have hooks, and what every hook needs.
 *
 * A hook has the name of the function that it replaces. It handles the common case itself (trylock, checking
 * a counter). For the rest it calls another function last, so that the compiler makes the call a jump. That
 * function calls rec_wait_begin and the like with skip 1, whether it was inlined or not. */
#ifndef RECORD_PRELOAD_REAL_H
#define RECORD_PRELOAD_REAL_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record/core/core.h"

#define HOOK	    __attribute__((visibility("default")))
#define LAST	    __attribute__((noinline)) /* what a hook calls last */
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Functions that programs built with _FORTIFY_SOURCE call: headers need not declare them. */
HOOK ssize_t __read_chk(int fd, void *buf, size_t size, size_t room);
HOOK ssize_t __pread_chk(int fd, void *buf, size_t size, off_t at, size_t room);
HOOK ssize_t __pread64_chk(int fd, void *buf, size_t size, off64_t at, size_t room);
HOOK ssize_t __recv_chk(int fd, void *buf, size_t size, size_t room, int flags);
HOOK ssize_t __recvfrom_chk(int fd, void *buf, size_t size, size_t room, int flags,
			    struct sockaddr *from, socklen_t *from_size);
HOOK int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room);
HOOK int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *time,
		     const sigset_t *mask, size_t room);
HOOK size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f);
HOOK char *__fgets_chk(char *to, size_t room, int size, FILE *f);

/* The functions that have hooks. Where glibc has several versions of a symbol, dlsym may find the oldest: those are
 * named with the version that programs are linked to today (REAL_VERSIONED). */
/* clang-format off */
#define REAL_MEMORY(X) \
	X(malloc) X(free) X(calloc) X(realloc) X(aligned_alloc) X(memalign) X(posix_memalign) \
	X(valloc) X(pvalloc)

#define REAL_MAPPINGS(X) \
	X(mmap) X(munmap) X(mremap) X(mprotect) X(pkey_mprotect) X(brk)

#define REAL_VERSIONED(X) \
	X(pthread_cond_wait) X(pthread_cond_timedwait) X(pthread_cond_signal) \
	X(pthread_cond_broadcast)

#define REAL_LOCKS(X) \
	X(pthread_mutex_lock) X(pthread_mutex_trylock) X(pthread_mutex_timedlock) \
	X(pthread_mutex_clocklock) X(pthread_mutex_unlock) X(pthread_rwlock_rdlock) \
	X(pthread_rwlock_tryrdlock) X(pthread_rwlock_timedrdlock) X(pthread_rwlock_clockrdlock) \
	X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) X(pthread_rwlock_timedwrlock) \
	X(pthread_rwlock_clockwrlock) X(pthread_rwlock_unlock) X(pthread_cond_clockwait) \
	X(pthread_barrier_wait) X(sem_wait) X(sem_trywait) X(sem_timedwait) X(sem_clockwait) \
	X(sem_post)

#define REAL_THREADS(X) \
	X(pthread_create) X(pthread_join) X(pthread_tryjoin_np) X(pthread_timedjoin_np) \
	X(pthread_clockjoin_np) X(pthread_setname_np) X(thrd_create) X(prctl) X(nanosleep) \
	X(clock_nanosleep) X(usleep) X(sleep) X(thrd_sleep) X(pause) X(sigwait) X(sigwaitinfo) \
	X(sigtimedwait) X(sigsuspend) X(wait) X(waitpid) X(waitid) X(wait3) X(wait4) X(system) \
	X(pclose) X(flock) X(lockf) X(semop) X(semtimedop) X(msgsnd) X(msgrcv) X(syscall)

#define REAL_FILES(X) \
	X(read) X(__read_chk) X(write) X(readv) X(writev) X(pread) X(pread64) X(__pread_chk) \
	X(__pread64_chk) X(pwrite) X(pwrite64) X(preadv) X(preadv64) X(preadv2) X(preadv64v2) \
	X(pwritev) X(pwritev64) X(pwritev2) X(pwritev64v2) X(fsync) X(fdatasync) X(syncfs) \
	X(msync) X(close) X(dup2) X(dup3) X(fcntl) X(fcntl64) X(ioctl) X(socket) X(accept) \
	X(accept4) X(connect) X(recv) X(__recv_chk) X(recvfrom) X(__recvfrom_chk) X(recvmsg) \
	X(recvmmsg) X(send) X(sendto) X(sendmsg) X(sendmmsg) X(sendfile) X(sendfile64) X(poll) \
	X(__poll_chk) X(ppoll) X(__ppoll_chk) X(select) X(pselect) X(epoll_wait) X(epoll_pwait) \
	X(epoll_pwait2)

#define REAL_STDIO(X) \
	X(fread) X(fread_unlocked) X(__fread_chk) X(fgets) X(fgets_unlocked) X(__fgets_chk) \
	X(getline) X(getdelim) X(__getdelim) X(fgetc) X(getc) X(getchar) X(__uflow) X(fclose) \
	X(close_range) X(closefrom)

#define REAL_SIGNALS(X) \
	X(sigaction) X(signal) X(ssignal) X(bsd_signal) X(sysv_signal) X(__sysv_signal) X(sigset) X(sigignore) \
	X(sigprocmask) X(pthread_sigmask)

#define REAL_PROCESS(X) \
	X(fork) X(clone) X(execve) X(execvpe) X(fexecve) X(execveat) X(posix_spawn) X(posix_spawnp) \
	X(_exit) X(_Exit) X(quick_exit) X(dlopen) X(dlmopen) X(dlclose)

/* clang-format on */

#define REAL_FUNCTIONS(X)                                                                          \
	REAL_MEMORY(X)                                                                             \
	REAL_MAPPINGS(X)                                                                           \
	REAL_VERSIONED(X)                                                                          \
	REAL_LOCKS(X)                                                                              \
	REAL_THREADS(X)                                                                            \
	REAL_FILES(X)                                                                              \
	REAL_STDIO(X)                                                                              \
	REAL_SIGNALS(X)                                                                            \
	REAL_PROCESS(X)

/* Declared only for old standards. */
extern sighandler_t bsd_signal(int n, sighandler_t to);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* programs call them all the same */
struct real {
#define REAL_X(name) __typeof__(name) *name;
	REAL_FUNCTIONS(REAL_X)
#undef REAL_X
};
#pragma GCC diagnostic pop
extern struct real real;

/* Finds all real functions. May be called again. */
void real_find(void);

/* The real function; hooks may be called by constructors that run before ours. */
#define REAL(name) (*(likely(real.name != NULL) ? real.name : (real_find(), real.name)))

/* ---- shared by the files of hooks ---- */

/* Returns whether children by fork and exec are recorded as well. */
bool start_follows(void);
/* Ends recording, and keeps why. start_again undoes that. */
void start_no_more(const char *why);
void start_again(void);
/* To be called before a fork that libc does not know, and in its child: begins to record that if children are
 * followed. */
void start_before_fork(void);
void start_in_child(void);
/* To be called before the process installs a filter of system calls (struct sock_fprog), or enters the strict mode
 * of seccomp: ends recording if it cannot go on. filter_came gets the result. */
uint32_t filter_comes(bool strict, const void *program);
void filter_came(uint32_t result, bool installed);
/* Registers the handler for exit() and the return from main. Called once. */
void exit_watch(void);
/* Returns whether this is the process whose arena is mapped, not a child of vfork, which borrows its
 * memory. */
bool exit_is_own_process(void);
/* Returns whether a system call begins a process that has a copy of our memory and of the stack. exec_forked gets the
 * result, and returns it. */
bool exec_is_fork(long number, const long *a);
long exec_forked(long result);
/* Chooses the signal for CPU samples, and installs its handler. Returns its number, or 0 if none is free.
 * Called once. signal_ignore ends it, where handlers cannot return, or begins it anew. */
uint32_t signal_take(void);
uint32_t signal_number(void);
void signal_ignore(bool on);
/* The next program is to find the signal as the program has set it: to be called before an exec, and after one that
 * failed. */
void signal_before_exec(void);
void signal_after_exec(void);
/* Whether the program blocks that signal in this thread, for a thread that it creates. */
bool signal_blocked(void);
void signal_inherit(bool was_blocked);
/* To be called before and after a system call from `caller`, which may change the address space: record what it does,
 * as the hooks of mmap and the like do. (An allocator's mmap may be such a call, so they must not be called for it.)
 * mapping_begins returns `begun`. */
bool mapping_begins(long number, const long a[6], const void *caller);
void mapping_called(long number, const long a[6], long result, bool begun, const void *caller);
/* The system call brk from `caller`, and a record of what it does. */
long mapping_brk(long to, const void *caller);
/* Makes the key whose destructor notices the end of threads, and sets it for the caller. Called once,
 * first. */
void thread_watch_ends(void);
/* Called by a thread that was not created by a hook. */
void thread_met(void);

/* Before the next record, catch_up handles threads that were not created by pthread_create, and code that was
 * loaded (dlopen). */
extern _Atomic unsigned modules_changed;
/* Set in a child of a fork with several threads: libc's lock of the modules may be taken forever, so libc is
 * not asked for them until the program itself calls dlopen. */
extern _Atomic bool modules_unasked;
void catch_up(void);

/* Memory for allocations before the real functions are known (by dlsym itself); never reused. */
void *real_boot_alloc(size_t size, size_t align);
int real_boot_has(const void *block);
size_t real_boot_left(const void *block); /* bytes from there to its end */
/* Makes rec_maybe_sampled true for all of it, so that free takes the slow path. */
void real_boot_mark(void);

/* Returns whether the caller's action is to be recorded: false for calls of the recorder itself. */
static inline int watching(void)
{
	if (!rec_alive() || rec_self.depth)
		return 0;
	if (unlikely(!rec_self.g || modules_changed))
		catch_up();
	return 1;
}

/* Returns the flags of a wait whose function returned an error code. */
static inline unsigned lock_outcome(int result)
{
	if (result == ETIMEDOUT)
		return REC_TIMED_OUT;
	return result == 0 || result == EOWNERDEAD ? 0 : REC_DID_NOT_WAIT;
}

/* The same for a function that sets errno. */
static inline unsigned call_outcome(ssize_t result)
{
	if (result >= 0 || errno == EINTR)
		return 0;
	return errno == EAGAIN || errno == ETIMEDOUT ? REC_TIMED_OUT : REC_DID_NOT_WAIT;
}

/* Convert a POSIX result: unchanged, and to the codes of C11's functions. */
static inline int as_is(int result)
{
	return result;
}

static inline int as_c11(int result)
{
	return result == 0	     ? thrd_success
	       : result == ENOMEM    ? thrd_nomem
	       : result == ETIMEDOUT ? thrd_timedout
	       : result == EBUSY     ? thrd_busy
				     : thrd_error;
}

/* ---- hooks that are alike ---- */

/* The end of a hook that waits. `flags` is an expression of `result` and errno. */
#define WAITS(event_kind, type, on, why, flags, call)                                              \
	struct rec_event wait = {.kind = event_kind, .object = (uint64_t)(on), .arg = why};        \
	type result;                                                                               \
                                                                                                   \
	if (!watching())                                                                           \
		return call;                                                                       \
	rec_wait_begin(&wait, 1);                                                                  \
	result = call;                                                                             \
	rec_wait_end(&wait, flags);                                                                \
	return result

/* Defines the function that a hook calls last if a lock is not free. Taking the stack takes a while, so the
 * lock is tried again afterwards, and a lock that became free meanwhile is taken without sleeping: `try` is
 * EBUSY if it is still taken. `as` makes the hook's result. */
#define WAITS_FOR_LOCK(name, params, lock, why, try, flags, as, call)                              \
	LAST static int name##_slowly params                                                       \
	{                                                                                          \
		struct rec_event wait = {                                                          \
		    .kind = REC_BLOCK, .object = (uintptr_t)(lock), .arg = why};                   \
		int result;                                                                        \
                                                                                                   \
		if (!watching())                                                                   \
			return as(call);                                                           \
		rec_wait_begin(&wait, 1);                                                          \
		result = try;                                                                      \
		if (result != EBUSY) {                                                             \
			rec_wait_end(&wait, REC_DID_NOT_WAIT);                                     \
			return as(result);                                                         \
		}                                                                                  \
		result = call;                                                                     \
		rec_wait_end(&wait, flags);                                                        \
		return as(result);                                                                 \
	}

/* Defines a hook that wakes waiters for `object`, and the function that it calls last if there are
 * waiters. */
#define WAKES(name, type, wakes, call)                                                             \
	LAST static int name##_slowly(type *object)                                                \
	{                                                                                          \
		if (watching())                                                                    \
			rec_post(object, wakes, 1);                                                \
		return call;                                                                       \
	}                                                                                          \
	HOOK int name(type *object)                                                                \
	{                                                                                          \
		return unlikely(rec_waited_for(object)) ? name##_slowly(object) : (call);          \
	}

#endif
