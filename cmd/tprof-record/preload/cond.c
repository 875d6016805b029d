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

static inline unsigned outcome(int result)
{
	if (result == ETIMEDOUT)
		return REC_TIMED_OUT;
	return result == 0 || result == EOWNERDEAD ? 0 : REC_DID_NOT_WAIT;
}

#define WAIT(cond, mutex, call)                                                                    \
	struct rec_event wait;                                                                     \
	int result;                                                                                \
                                                                                                   \
	if (!watching())                                                                           \
		return call;                                                                       \
	begin(&wait, cond, mutex);                                                                 \
	result = call;                                                                             \
	rec_wait_end(&wait, outcome(result));                                                      \
	return result

HOOK int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	WAIT(c, m, REAL(pthread_cond_wait)(c, m));
}

HOOK int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	WAIT(c, m, REAL(pthread_cond_timedwait)(c, m, until));
}

HOOK int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				const struct timespec *until)
{
	WAIT(c, m, REAL(pthread_cond_clockwait)(c, m, clock, until));
}

LAST static int signal_slowly(pthread_cond_t *c)
{
	if (watching())
		rec_post(c, 1, 1);
	return REAL(pthread_cond_signal)(c);
}

HOOK int pthread_cond_signal(pthread_cond_t *c)
{
	return unlikely(rec_waited_for(c)) ? signal_slowly(c) : REAL(pthread_cond_signal)(c);
}

LAST static int broadcast_slowly(pthread_cond_t *c)
{
	if (watching())
		rec_post(c, UINT32_MAX, 1);
	return REAL(pthread_cond_broadcast)(c);
}

HOOK int pthread_cond_broadcast(pthread_cond_t *c)
{
	return unlikely(rec_waited_for(c)) ? broadcast_slowly(c) : REAL(pthread_cond_broadcast)(c);
}

/* ---- C11: the same objects ---- */

static inline int as_c11(int result)
{
	return result == 0	     ? thrd_success
	       : result == ENOMEM    ? thrd_nomem
	       : result == ETIMEDOUT ? thrd_timedout
	       : result == EBUSY     ? thrd_busy
				     : thrd_error;
}

#define C11_WAIT(call)                                                                             \
	pthread_cond_t *c = (pthread_cond_t *)(void *)cnd;                                         \
	pthread_mutex_t *m = (pthread_mutex_t *)(void *)mtx;                                       \
	struct rec_event wait;                                                                     \
	int result;                                                                                \
                                                                                                   \
	if (!watching())                                                                           \
		return as_c11(call);                                                               \
	begin(&wait, c, m);                                                                        \
	result = call;                                                                             \
	rec_wait_end(&wait, outcome(result));                                                      \
	return as_c11(result)

HOOK int cnd_wait(cnd_t *cnd, mtx_t *mtx)
{
	C11_WAIT(REAL(pthread_cond_wait)(c, m));
}

HOOK int cnd_timedwait(cnd_t *restrict cnd, mtx_t *restrict mtx,
		       const struct timespec *restrict until)
{
	C11_WAIT(REAL(pthread_cond_timedwait)(c, m, until));
}

LAST static int cnd_signal_slowly(pthread_cond_t *c)
{
	if (watching())
		rec_post(c, 1, 1);
	return as_c11(REAL(pthread_cond_signal)(c));
}

HOOK int cnd_signal(cnd_t *cnd)
{
	pthread_cond_t *c = (pthread_cond_t *)(void *)cnd;

	return unlikely(rec_waited_for(c)) ? cnd_signal_slowly(c)
					   : as_c11(REAL(pthread_cond_signal)(c));
}

LAST static int cnd_broadcast_slowly(pthread_cond_t *c)
{
	if (watching())
		rec_post(c, UINT32_MAX, 1);
	return as_c11(REAL(pthread_cond_broadcast)(c));
}

HOOK int cnd_broadcast(cnd_t *cnd)
{
	pthread_cond_t *c = (pthread_cond_t *)(void *)cnd;

	return unlikely(rec_waited_for(c)) ? cnd_broadcast_slowly(c)
					   : as_c11(REAL(pthread_cond_broadcast)(c));
}
