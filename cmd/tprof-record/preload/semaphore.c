/* Semaphores and barriers. */
#include "tprof-record/preload/real.h"

/* A free semaphore is taken without a wait, although sem_wait is a cancellation point even then. */
#define SEM(name, params, ...)                                                                     \
	WAITS_FOR_LOCK(name, params, sem, REC_ON_SEMAPHORE, EBUSY, call_outcome(result), as_is,    \
		       REAL(name)(__VA_ARGS__))                                                    \
	HOOK int name params                                                                       \
	{                                                                                          \
		int saved = errno;                                                                 \
                                                                                                   \
		pthread_testcancel();                                                              \
		if (likely(REAL(sem_trywait)(sem) == 0))                                           \
			return 0;                                                                  \
		errno = saved;                                                                     \
		return name##_slowly(__VA_ARGS__);                                                 \
	}

/* clang-format off */
SEM(sem_wait, (sem_t *sem), sem)
SEM(sem_timedwait, (sem_t *restrict sem, const struct timespec *restrict until), sem, until)
SEM(sem_clockwait, (sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until), sem, clock, until)
/* clang-format on */

WAKES(sem_post, sem_t, 1, REAL(sem_post)(object))

/* The last thread to arrive (PTHREAD_BARRIER_SERIAL_THREAD) wakes the others, but learns that only
 * afterwards, so its post has the time of its arrival. */
HOOK int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct rec_event wait = {
	    .kind = REC_BLOCK, .object = (uintptr_t)barrier, .arg = REC_ON_BARRIER};
	int result, others;

	if (!watching())
		return REAL(pthread_barrier_wait)(barrier);
	others = rec_waited_for(barrier);
	rec_wait_begin(&wait, 1);
	result = REAL(pthread_barrier_wait)(barrier);
	if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
		struct rec_event post = {.kind = REC_POST,
					 .stack = wait.stack,
					 .start = wait.start,
					 .end = wait.start,
					 .object = wait.object,
					 .arg = UINT32_MAX};

		rec_wait_end(&wait, REC_DID_NOT_WAIT);
		if (others && rec_tracing())
			rec_write(&post);
	} else {
		rec_wait_end(&wait, result == 0 ? 0 : REC_DID_NOT_WAIT);
	}
	return result;
}
