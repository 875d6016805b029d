/* Mutexes. The hook calls trylock first. On a free mutex of any kind that does the same as lock: it counts
 * recursion and passes on EOWNERDEAD and ENOTRECOVERABLE. It answers EBUSY where only lock can decide
 * (EDEADLK of error-checking mutexes). C11's mutexes are the same objects. */
#include <sys/single_threaded.h>

#include "tprof-record/preload/real.h"

enum { SHARED = 128 }; /* of glibc's __kind: PTHREAD_PROCESS_SHARED */

/* C11's mutexes are POSIX's. */
#define POSIX(m) ((pthread_mutex_t *)(void *)(m))

/* In a process with one thread no other thread can hold the mutex, and lock omits the atomic operation that
 * trylock needs. Another process may share the mutex, though. */
static inline bool is_alone(const pthread_mutex_t *mutex)
{
	return __libc_single_threaded && !(mutex->__data.__kind & SHARED);
}

/* Checked once instead of by REAL for each function: unlock is the last of them that is found. Without that
 * check the common path has no call but the real one. */
static inline bool known(void)
{
	return likely(real.pthread_mutex_unlock != NULL);
}

/* Defines a hook that tries before it waits. `call`: arguments of the real lock. */
#define LOCK(name, as, real_lock, check, params, call, ...)                                        \
	WAITS_FOR_LOCK(name, params, m, REC_ON_MUTEX, REAL(pthread_mutex_trylock)(POSIX(m)),       \
		       lock_outcome(result), as, REAL(real_lock) call)                             \
	HOOK int name params                                                                       \
	{                                                                                          \
		int result;                                                                        \
                                                                                                   \
		if (!(check))                                                                      \
			return REAL(real_lock) call;                                               \
		if (!known())                                                                      \
			return name##_slowly(__VA_ARGS__);                                         \
		if (is_alone(POSIX(m)))                                                            \
			return as(real.real_lock call);                                            \
		result = real.pthread_mutex_trylock(POSIX(m));                                     \
		return likely(result != EBUSY) ? as(result) : name##_slowly(__VA_ARGS__);          \
	}

/* A wrong clock is an error even if the mutex is free. */
static inline bool sane(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* clang-format off */
LOCK(pthread_mutex_lock, as_is, pthread_mutex_lock, true, (pthread_mutex_t *m), (m), m)
LOCK(pthread_mutex_timedlock, as_is, pthread_mutex_timedlock, true,
     (pthread_mutex_t *m, const struct timespec *until), (m, until), m, until)
LOCK(pthread_mutex_clocklock, as_is, pthread_mutex_clocklock, sane(clock),
     (pthread_mutex_t *m, clockid_t clock, const struct timespec *until), (m, clock, until),
     m, clock, until)
LOCK(mtx_lock, as_c11, pthread_mutex_lock, true, (mtx_t *m), (POSIX(m)), m)
LOCK(mtx_timedlock, as_c11, pthread_mutex_timedlock, true,
     (mtx_t *restrict m, const struct timespec *restrict until), (POSIX(m), until), m, until)
/* clang-format on */

/* Returns whether a thread sleeps in the kernel for the mutex. A lock word of 2 says so for every kind except
 * those that store the owner's number in it (robust, PI). A thread that is waking up still counts as a
 * waiter, and each unlock meanwhile would be a post that wakes no thread. */
static inline bool has_sleepers(const pthread_mutex_t *mutex)
{
	return __atomic_load_n((const unsigned *)&mutex->__data.__lock, __ATOMIC_RELAXED) > 1;
}

static inline bool quiet(const pthread_mutex_t *mutex)
{
	return likely(__libc_single_threaded || (!rec_self.ndue && !rec_waited_for(mutex)));
}

/* Updates the profiles only after the mutex is released. */
#define UNLOCK(name, type, as)                                                                     \
	LAST static int name##_slowly(type *m)                                                     \
	{                                                                                          \
		int result;                                                                        \
                                                                                                   \
		if (rec_waited_for(m) && has_sleepers(POSIX(m)) && watching())                     \
			rec_post(m, 1, 1);                                                         \
		if (rec_self.announced == (uintptr_t)m)                                            \
			rec_self.announced = 0;                                                    \
		result = REAL(pthread_mutex_unlock)(POSIX(m));                                     \
		rec_settle();                                                                      \
		return as(result);                                                                 \
	}                                                                                          \
	HOOK int name(type *m)                                                                     \
	{                                                                                          \
		return known() && quiet(POSIX(m)) ? as(real.pthread_mutex_unlock(POSIX(m)))        \
						  : name##_slowly(m);                              \
	}

UNLOCK(pthread_mutex_unlock, pthread_mutex_t, as_is)
UNLOCK(mtx_unlock, mtx_t, as_c11)
