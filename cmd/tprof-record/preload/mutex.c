/* Mutexes. The trylock that comes first does what lock does for every kind of mutex that can be had
 * at once: it counts recursion, passes on EOWNERDEAD and ENOTRECOVERABLE, and answers EBUSY for
 * what only lock can judge (EDEADLK of error-checking mutexes). C11's are the same objects. */
#include <sys/single_threaded.h>

#include "tprof-record/preload/real.h"

enum { SHARED = 128 }; /* of glibc's __kind: PTHREAD_PROCESS_SHARED */

/* The stack takes a while: what became free meanwhile is had without sleeping. */
#define LOCK_SLOWLY(as, call)                                                                      \
	struct rec_event wait = {                                                                  \
	    .kind = REC_BLOCK, .object = (uintptr_t)mutex, .arg = REC_ON_MUTEX};                   \
	int result;                                                                                \
                                                                                                   \
	if (!watching())                                                                           \
		return as(call);                                                                   \
	rec_wait_begin(&wait, 1);                                                                  \
	result = REAL(pthread_mutex_trylock)(mutex);                                               \
	if (result != EBUSY) {                                                                     \
		rec_wait_end(&wait, REC_DID_NOT_WAIT);                                             \
		return as(result);                                                                 \
	}                                                                                          \
	result = call;                                                                             \
	rec_wait_end(&wait, lock_outcome(result));                                                 \
	return as(result)

/* With one thread there is nobody to wait for, and lock does without the atomic operation that
 * trylock needs; but another process may share the mutex. */
static inline bool is_alone(const pthread_mutex_t *mutex)
{
	return __libc_single_threaded && !(mutex->__data.__kind & SHARED);
}

/* Looked at once instead of by REAL for each: unlock is the last of them that is found. What the
 * hooks do most often is then free of calls but the real one. */
static inline bool known(void)
{
	return likely(real.pthread_mutex_unlock != NULL);
}

#define LOCK(as, real_lock, slowly)                                                                \
	int result;                                                                                \
                                                                                                   \
	if (!known())                                                                              \
		return slowly;                                                                     \
	if (is_alone(mutex))                                                                       \
		return as(real_lock);                                                              \
	result = real.pthread_mutex_trylock(mutex);                                                \
	return likely(result != EBUSY) ? as(result) : slowly

LAST static int lock_slowly(pthread_mutex_t *mutex)
{
	LOCK_SLOWLY(as_is, REAL(pthread_mutex_lock)(mutex));
}

HOOK int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	LOCK(as_is, real.pthread_mutex_lock(mutex), lock_slowly(mutex));
}

LAST static int timedlock_slowly(pthread_mutex_t *mutex, const struct timespec *until)
{
	LOCK_SLOWLY(as_is, REAL(pthread_mutex_timedlock)(mutex, until));
}

HOOK int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	LOCK(as_is, real.pthread_mutex_timedlock(mutex, until), timedlock_slowly(mutex, until));
}

LAST static int clocklock_slowly(pthread_mutex_t *mutex, clockid_t clock,
				 const struct timespec *until)
{
	LOCK_SLOWLY(as_is, REAL(pthread_mutex_clocklock)(mutex, clock, until));
}

HOOK int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
				 const struct timespec *until)
{
	/* A wrong clock is an error even where the mutex is free. */
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return REAL(pthread_mutex_clocklock)(mutex, clock, until);

	LOCK(as_is, real.pthread_mutex_clocklock(mutex, clock, until),
	     clocklock_slowly(mutex, clock, until));
}

/* Does somebody sleep in the kernel for it? That is what the lock word of every kind but those with
 * an owner's number in it (robust, PI) says by 2; a thread on its way up from its sleep still
 * counts as a waiter, and each unlock meanwhile would be a post that wakes nobody. */
static inline bool has_sleepers(const pthread_mutex_t *mutex)
{
	return __atomic_load_n((const unsigned *)&mutex->__data.__lock, __ATOMIC_RELAXED) > 1;
}

static inline bool quiet(const pthread_mutex_t *mutex)
{
	return likely(__libc_single_threaded || (!rec_self.ndue && !rec_waited_for(mutex)));
}

/* Profiles are brought up to date once the others have the mutex. */
#define UNLOCK_SLOWLY(as)                                                                          \
	int result;                                                                                \
                                                                                                   \
	if (rec_waited_for(mutex) && has_sleepers(mutex) && watching())                            \
		rec_post(mutex, 1, 1);                                                             \
	result = REAL(pthread_mutex_unlock)(mutex);                                                \
	rec_settle();                                                                              \
	return as(result)

LAST static int unlock_slowly(pthread_mutex_t *mutex)
{
	UNLOCK_SLOWLY(as_is);
}

HOOK int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	return known() && quiet(mutex) ? real.pthread_mutex_unlock(mutex) : unlock_slowly(mutex);
}

/* ---- C11 ---- */

LAST static int mtx_lock_slowly(pthread_mutex_t *mutex)
{
	LOCK_SLOWLY(as_c11, REAL(pthread_mutex_lock)(mutex));
}

HOOK int mtx_lock(mtx_t *m)
{
	pthread_mutex_t *mutex = (pthread_mutex_t *)(void *)m;

	LOCK(as_c11, real.pthread_mutex_lock(mutex), mtx_lock_slowly(mutex));
}

LAST static int mtx_timedlock_slowly(pthread_mutex_t *mutex, const struct timespec *until)
{
	LOCK_SLOWLY(as_c11, REAL(pthread_mutex_timedlock)(mutex, until));
}

HOOK int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
	pthread_mutex_t *mutex = (pthread_mutex_t *)(void *)m;

	LOCK(as_c11, real.pthread_mutex_timedlock(mutex, until),
	     mtx_timedlock_slowly(mutex, until));
}

LAST static int mtx_unlock_slowly(pthread_mutex_t *mutex)
{
	UNLOCK_SLOWLY(as_c11);
}

HOOK int mtx_unlock(mtx_t *m)
{
	pthread_mutex_t *mutex = (pthread_mutex_t *)(void *)m;

	return known() && quiet(mutex) ? as_c11(real.pthread_mutex_unlock(mutex))
				       : mtx_unlock_slowly(mutex);
}
