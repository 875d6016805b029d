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

/* The body of a hook; `as` makes its result. */
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

#define POSIX(c) ((pthread_cond_t *)(void *)(c))

/* clang-format off */
WAKES(pthread_cond_signal, pthread_cond_t, 1, REAL(pthread_cond_signal)(object))
WAKES(pthread_cond_broadcast, pthread_cond_t, UINT32_MAX, REAL(pthread_cond_broadcast)(object))
WAKES(cnd_signal, cnd_t, 1, as_c11(REAL(pthread_cond_signal)(POSIX(object))))
WAKES(cnd_broadcast, cnd_t, UINT32_MAX, as_c11(REAL(pthread_cond_broadcast)(POSIX(object))))
/* clang-format on */
