/* Condition variables. There is nothing to try: every wait gives up its mutex and sleeps. A thread
 * that is cancelled in one does not come back here; the core ends its wait with it. */
#include "tprof-record/preload/real.h"

static inline __attribute__((always_inline)) void begin(struct rec_event *wait, const void *cond,
							const void *mutex)
{
	*wait =
	    (struct rec_event){.kind = REC_BLOCK, .object = (uintptr_t)cond, .arg = REC_ON_COND};
	if (unlikely(rec_waited_for(mutex)))
		rec_post(mutex, 1, 1);
	rec_wait_begin(wait, 1);
}

/* `as`: what is made of the result. */
#define WAIT(as, cond, mutex, call)                                                                \
	struct rec_event wait;                                                                     \
	int result;                                                                                \
                                                                                                   \
	if (!watching())                                                                           \
		return as(call);                                                                   \
	begin(&wait, cond, mutex);                                                                 \
	result = call;                                                                             \
	rec_wait_end(&wait, lock_outcome(result));                                                 \
	return as(result)

HOOK int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	WAIT(as_is, c, m, REAL(pthread_cond_wait)(c, m));
}

HOOK int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	WAIT(as_is, c, m, REAL(pthread_cond_timedwait)(c, m, until));
}

HOOK int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				const struct timespec *until)
{
	WAIT(as_is, c, m, REAL(pthread_cond_clockwait)(c, m, clock, until));
}

/* C11's are the same objects. */
HOOK int cnd_wait(cnd_t *cnd, mtx_t *mtx)
{
	pthread_cond_t *c = (pthread_cond_t *)(void *)cnd;
	pthread_mutex_t *m = (pthread_mutex_t *)(void *)mtx;

	WAIT(as_c11, c, m, REAL(pthread_cond_wait)(c, m));
}

HOOK int cnd_timedwait(cnd_t *restrict cnd, mtx_t *restrict mtx,
		       const struct timespec *restrict until)
{
	pthread_cond_t *c = (pthread_cond_t *)(void *)cnd;
	pthread_mutex_t *m = (pthread_mutex_t *)(void *)mtx;

	WAIT(as_c11, c, m, REAL(pthread_cond_timedwait)(c, m, until));
}

/* Defines a hook that wakes waiters, and the function that it calls last if there are any. */
#define WAKE(name, type, as, real_name, wakes)                                                     \
	LAST static int name##_slowly(type *cond)                                                  \
	{                                                                                          \
		if (watching())                                                                    \
			rec_post(cond, wakes, 1);                                                  \
		return as(REAL(real_name)((pthread_cond_t *)(void *)cond));                        \
	}                                                                                          \
	HOOK int name(type *cond)                                                                  \
	{                                                                                          \
		return unlikely(rec_waited_for(cond))                                              \
			   ? name##_slowly(cond)                                                   \
			   : as(REAL(real_name)((pthread_cond_t *)(void *)cond));                  \
	}

WAKE(pthread_cond_signal, pthread_cond_t, as_is, pthread_cond_signal, 1)
WAKE(pthread_cond_broadcast, pthread_cond_t, as_is, pthread_cond_broadcast, UINT32_MAX)
WAKE(cnd_signal, cnd_t, as_c11, pthread_cond_signal, 1)
WAKE(cnd_broadcast, cnd_t, as_c11, pthread_cond_broadcast, UINT32_MAX)
