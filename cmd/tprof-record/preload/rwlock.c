/* Read-write locks: like mutexes (mutex.c), in two modes. The try variants keep the preference for writers,
 * so a thread never overtakes one that the real lock would have let pass first. */
#include "tprof-record/preload/real.h"

/* Defines a hook that tries before it waits. */
#define LOCK(name, try, why, check, params, ...)                                                   \
	WAITS_FOR_LOCK(name, params, lock, why, REAL(try)(lock), lock_outcome(result), as_is,      \
		       REAL(name)(__VA_ARGS__))                                                    \
	HOOK int name params                                                                       \
	{                                                                                          \
		int result;                                                                        \
                                                                                                   \
		if (!(check))                                                                      \
			return REAL(name)(__VA_ARGS__);                                            \
		result = REAL(try)(lock);                                                          \
		return likely(result != EBUSY) ? result : name##_slowly(__VA_ARGS__);              \
	}

/* Arguments that the timed functions reject even if the lock is free. */
static inline int sane(clockid_t clock, const struct timespec *t)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && t->tv_nsec >= 0 &&
	       t->tv_nsec < 1000000000;
}

/* clang-format off */
#define READ(name, check, params, ...) \
	LOCK(name, pthread_rwlock_tryrdlock, REC_ON_RWLOCK_R, check, params, __VA_ARGS__)
#define WRITE(name, check, params, ...) \
	LOCK(name, pthread_rwlock_trywrlock, REC_ON_RWLOCK_W, check, params, __VA_ARGS__)

READ(pthread_rwlock_rdlock, 1, (pthread_rwlock_t *lock), lock)
READ(pthread_rwlock_timedrdlock, sane(CLOCK_REALTIME, until),
     (pthread_rwlock_t *lock, const struct timespec *until), lock, until)
READ(pthread_rwlock_clockrdlock, sane(clock, until),
     (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until), lock, clock, until)
WRITE(pthread_rwlock_wrlock, 1, (pthread_rwlock_t *lock), lock)
WRITE(pthread_rwlock_timedwrlock, sane(CLOCK_REALTIME, until),
      (pthread_rwlock_t *lock, const struct timespec *until), lock, until)
WRITE(pthread_rwlock_clockwrlock, sane(clock, until),
      (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until), lock, clock, until)
/* clang-format on */

LAST static int unlock_slowly(pthread_rwlock_t *lock)
{
	int result;

	if (rec_waited_for(lock) && watching())
		rec_post(lock, UINT32_MAX, 1);
	result = REAL(pthread_rwlock_unlock)(lock);
	rec_settle();
	return result;
}

HOOK int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	if (unlikely(rec_self.ndue || rec_waited_for(lock)))
		return unlock_slowly(lock);
	return REAL(pthread_rwlock_unlock)(lock);
}
